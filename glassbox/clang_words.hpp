// SPDX-License-Identifier: MIT
/// \file  glassbox/clang_words.hpp
/// \brief What clang's CUDA mode includes in front of a program that it checks: the words of CUDA,
///        with clang's own attributes where g++ has none. Nothing of it is ever run.
///
/// clang looks for functions and variables of the wrong side. The words are for both sides, which
/// a pragma of clang's says of all functions behind it; the standard library is the host's, but for
/// what nvcc has on the device too. See front_end_output.cpp.
#pragma once

#include "glassbox/clang_location.hpp"

// clang puts headers of its own before some of the C++ library's, and these have CUDA's words.
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))

// The C library first, for std::abs() takes what it finds there.
#include <bits/c++config.h>
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
__device__ int abs(int);
__device__ long labs(long);
__device__ long long llabs(long long);
#pragma clang force_cuda_host_device begin
#include <bits/std_abs.h>
#pragma clang force_cuda_host_device end

// What the words include must not come behind the pragma; Bessel functions are of no use to
// anybody.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace std {
double cyl_bessel_i(double, double);
}
#undef __host__
#undef __device__
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
#pragma clang force_cuda_host_device begin
#include <cmath>

#include "emulator/words/cuda_words.hpp"
#include "glassbox/runtime/device_clock.hpp"

// A program that includes them finds them here.
#include "emulator/cuda_headers/cooperative_groups.h"
#include "emulator/cuda_headers/cooperative_groups/memcpy_async.h"
#include "emulator/cuda_headers/cooperative_groups/reduce.h"
#include "emulator/cuda_headers/cooperative_groups/scan.h"
#include "emulator/cuda_headers/cuda/atomic"
#include "emulator/cuda_headers/cuda/barrier"
#include "emulator/cuda_headers/cuda/pipeline"
#include "emulator/cuda_headers/cuda_pipeline.h"
#include "emulator/cuda_headers/mma.h"
#pragma clang force_cuda_host_device end

#define host_gridDim gridDim
#define host_blockDim blockDim
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

#include "cuda_runtime.h"

#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __managed__
#undef asm
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((device))
#define __CUDACC__
#define __NVCC__

extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;

// What a launch becomes.
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, std::size_t shared = 0, void* stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared = 0,
                                                void* stream = 0);
inline cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t = 0,
                                    cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t = 0,
                                               cudaStream_t = nullptr) {
  return cudaSuccess;
}

// The C library's functions that a GPU has as well.
template <class... Arguments>
__device__ int printf(const char*, Arguments...);
__device__ void* malloc(std::size_t);
__device__ void free(void*);
__device__ void* memcpy(void*, const void*, std::size_t);
__device__ void* memset(void*, int, std::size_t);
__device__ clock_t clock();
__device__ void __assert_fail(const char*, const char*, unsigned, const char*);
namespace std {
using ::free;
using ::malloc;
using ::memcpy;
using ::memset;
using ::printf;
}  // namespace std
