// SPDX-License-Identifier: MIT
// CUDA's calls by the names that C has for them. C code does not say from which line it calls.
#include <cstddef>

#include "glassbox/runtime/device_calls.hpp"
#include "glassbox/runtime/error_codes.hpp"
#include "glassbox/runtime/memory_calls.hpp"
#include "glassbox/runtime/stream_calls.hpp"

namespace {
using Here = ladder::glassbox::Here;
}

/// A function of C's name that calls that of C++.
#define GLASSBOX_C(Result, name, parameters, ...)                                             \
  extern "C" [[gnu::visibility("default")]] Result glassbox_##name parameters __asm__(#name); \
  extern "C" Result glassbox_##name parameters {                                              \
    return __VA_ARGS__;                                                                       \
  }

GLASSBOX_C(cudaError_t, cudaGetDeviceCount, (int* count), cudaGetDeviceCount(count))
GLASSBOX_C(cudaError_t, cudaGetDevice, (int* device), cudaGetDevice(device))
GLASSBOX_C(cudaError_t, cudaSetDevice, (int device), cudaSetDevice(device, Here()))
GLASSBOX_C(cudaError_t, cudaDeviceReset, (), cudaDeviceReset(Here()))
GLASSBOX_C(cudaError_t, cudaDeviceSynchronize, (), cudaDeviceSynchronize(Here()))
GLASSBOX_C(cudaError_t, cudaThreadSynchronize, (), cudaThreadSynchronize(Here()))
GLASSBOX_C(cudaError_t, cudaGetLastError, (), cudaGetLastError())
GLASSBOX_C(cudaError_t, cudaPeekAtLastError, (), cudaPeekAtLastError())
GLASSBOX_C(const char*, cudaGetErrorString, (cudaError_t error), cudaGetErrorString(error))
GLASSBOX_C(const char*, cudaGetErrorName, (cudaError_t error), cudaGetErrorName(error))
GLASSBOX_C(cudaError_t, cudaMalloc, (void** pointer, std::size_t bytes),
           cudaMalloc(pointer, bytes, Here()))
GLASSBOX_C(cudaError_t, cudaMallocManaged, (void** pointer, std::size_t bytes, unsigned flags),
           cudaMallocManaged(pointer, bytes, flags, Here()))
GLASSBOX_C(cudaError_t, cudaMallocHost, (void** pointer, std::size_t bytes),
           cudaMallocHost(pointer, bytes, 0, Here()))
GLASSBOX_C(cudaError_t, cudaHostAlloc, (void** pointer, std::size_t bytes, unsigned flags),
           cudaHostAlloc(pointer, bytes, flags, Here()))
GLASSBOX_C(cudaError_t, cudaFree, (void* pointer), cudaFree(pointer, Here()))
GLASSBOX_C(cudaError_t, cudaFreeHost, (void* pointer), cudaFreeHost(pointer, Here()))
GLASSBOX_C(cudaError_t, cudaMemGetInfo, (std::size_t * free, std::size_t* total),
           cudaMemGetInfo(free, total))
GLASSBOX_C(cudaError_t, cudaMemcpy,
           (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
           cudaMemcpy(to, from, bytes, kind, Here()))
GLASSBOX_C(cudaError_t, cudaMemcpyAsync,
           (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
            cudaStream_t stream),
           cudaMemcpyAsync(to, from, bytes, kind, stream, Here()))
GLASSBOX_C(cudaError_t, cudaMemset, (void* to, int value, std::size_t bytes),
           cudaMemset(to, value, bytes, Here()))
GLASSBOX_C(cudaError_t, cudaStreamCreate, (cudaStream_t * stream), cudaStreamCreate(stream))
GLASSBOX_C(cudaError_t, cudaStreamSynchronize, (cudaStream_t stream),
           cudaStreamSynchronize(stream, Here()))
GLASSBOX_C(cudaError_t, cudaStreamDestroy, (cudaStream_t stream), cudaStreamDestroy(stream))
GLASSBOX_C(cudaError_t, cudaEventCreate, (cudaEvent_t * event), cudaEventCreate(event))
GLASSBOX_C(cudaError_t, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream),
           cudaEventRecord(event, stream, Here()))
GLASSBOX_C(cudaError_t, cudaEventSynchronize, (cudaEvent_t event),
           cudaEventSynchronize(event, Here()))
GLASSBOX_C(cudaError_t, cudaEventElapsedTime,
           (float* milliseconds, cudaEvent_t start, cudaEvent_t end),
           cudaEventElapsedTime(milliseconds, start, end, Here()))
GLASSBOX_C(cudaError_t, cudaEventDestroy, (cudaEvent_t event), cudaEventDestroy(event))
