// SPDX-License-Identifier: MIT
/// \file  tests/emulator/exception_probes.cpp
/// \brief What nvcc refuses to compile and g++ lets through: kernels that throw, launch, end their
///        thread, or have more shared memory than a `__shared__` array of fixed size may take.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

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

__global__ void end_thread_by_unwinding() {
  if (threadIdx.x == 3) pthread_exit(nullptr);
}

__global__ void end_thread_by_itself() {
  if (threadIdx.x == 3) syscall(SYS_exit, 0);
}

template <int FLOATS>
__global__ void fill_static(float* out) {
  __shared__ float array[FLOATS];
  array[threadIdx.x] = 1.0f;
  out[threadIdx.x] = array[threadIdx.x];
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

void end_thread_by_unwinding() {
  launch(probe_kernels::end_thread_by_unwinding, {.grid = dim3(1), .block = dim3(32)});
}

void end_thread_by_itself() {
  launch(probe_kernels::end_thread_by_itself, {.grid = dim3(1), .block = dim3(32)});
}

void fill_static_48_kib(float* out) {
  launch(probe_kernels::fill_static<12 * 1024>, {.grid = dim3(1), .block = dim3(1)}, out);
}

void fill_static_beyond_48_kib(float* out) {
  launch(probe_kernels::fill_static<12 * 1024 + 1>, {.grid = dim3(1), .block = dim3(1)}, out);
}

}  // namespace ladder::probes
