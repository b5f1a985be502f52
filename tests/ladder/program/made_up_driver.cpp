// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/made_up_driver.cpp
/// \brief A libcuda.so.1 that stands for a driver: 11000 as KNOWN_CUDA for one of CUDA 11.0.

extern "C" {

int cuDriverGetVersion(int* version) {
  *version = KNOWN_CUDA;
  return 0;
}

int cuInit(unsigned) {
  return 0;
}

}  // extern "C"
