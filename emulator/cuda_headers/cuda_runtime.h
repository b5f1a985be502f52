// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/cuda_runtime.h
/// \brief CUDA's header of this name, for g++: the words that kernels are made of, so that a kernel
///        file which includes it compiles without CUDA. The functions of the host are refused in a
///        sentence each.
#pragma once

#include "emulator/words/cuda_words.hpp"

using cudaError_t = int;
using cudaStream_t = void*;
inline constexpr cudaError_t cudaSuccess = 0;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };

#define LADDER_NO_CUDA_CALL(name)                                              \
  template <class... Arguments>                                                \
  [[gnu::unavailable(                                                          \
      "the emulator has no CUDA run time: take memory from a Machine "         \
      "(common/machine.hpp), start kernels by launch() (common/launch.cuh), "  \
      "or put this between #ifdef __CUDACC__ and #endif")]] inline cudaError_t \
  name(Arguments&&...) {                                                       \
    return cudaSuccess;                                                        \
  }

LADDER_NO_CUDA_CALL(cudaMalloc)
LADDER_NO_CUDA_CALL(cudaMallocManaged)
LADDER_NO_CUDA_CALL(cudaMallocHost)
LADDER_NO_CUDA_CALL(cudaFree)
LADDER_NO_CUDA_CALL(cudaFreeHost)
LADDER_NO_CUDA_CALL(cudaMemcpy)
LADDER_NO_CUDA_CALL(cudaMemcpyAsync)
LADDER_NO_CUDA_CALL(cudaMemcpyToSymbol)
LADDER_NO_CUDA_CALL(cudaMemset)
LADDER_NO_CUDA_CALL(cudaMemsetAsync)
LADDER_NO_CUDA_CALL(cudaDeviceSynchronize)
LADDER_NO_CUDA_CALL(cudaStreamCreate)
LADDER_NO_CUDA_CALL(cudaStreamSynchronize)
LADDER_NO_CUDA_CALL(cudaGetLastError)
LADDER_NO_CUDA_CALL(cudaPeekAtLastError)
LADDER_NO_CUDA_CALL(cudaFuncSetAttribute)
LADDER_NO_CUDA_CALL(cudaLaunchKernel)
LADDER_NO_CUDA_CALL(cudaLaunchCooperativeKernel)

#undef LADDER_NO_CUDA_CALL
