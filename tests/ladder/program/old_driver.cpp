// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/old_driver.cpp
/// \brief A libcuda.so.1 that stands for a driver of CUDA 11.0.

extern "C" {

int cuDriverGetVersion(int* version) {
  *version = 11000;
  return 0;
}

int cuInit(unsigned) {
  return 0;
}

}  // extern "C"
