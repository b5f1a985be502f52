// SPDX-License-Identifier: MIT
/// \file  tests/emulator/exception_probes.cpp
/// \brief What nvcc refuses to compile and g++ lets through: kernels that throw or launch.
#include <stdexcept>

#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

__global__ void throw_exception(unsigned bad_thread) {
  if (threadIdx.x == bad_thread) throw std::runtime_error("out of ideas");
}

__global__ void throw_number() {
  throw 7;
}

__global__ void launch_from_kernel() {
  launch(throw_number, {.grid = dim3(1), .block = dim3(1)});
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

void throw_exception(unsigned bad_thread) {
  launch(probe_kernels::throw_exception, {.grid = dim3(3), .block = dim3(32)}, bad_thread);
}

void throw_number() {
  launch(probe_kernels::throw_number, {.grid = dim3(1), .block = dim3(1)});
}

void launch_from_kernel() {
  launch(probe_kernels::launch_from_kernel, {.grid = dim3(1), .block = dim3(1)});
}

}  // namespace ladder::probes
