// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/memory_calls.hpp
/// \brief CUDA's calls that take, fill, copy and free memory.
#pragma once

#include <cstddef>

#include "glassbox/runtime/error_codes.hpp"
#include "glassbox/runtime/stream_calls.hpp"

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
};

inline constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1,
                          cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4,
                          cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1,
                          cudaHostRegisterMapped = 2, cudaMemAttachGlobal = 1,
                          cudaMemAttachHost = 2, cudaMemAttachSingle = 4;

enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy,
};

enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged,
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

namespace ladder::glassbox {

cudaError_t take_memory(void** pointer, std::size_t bytes, const char* function, const Here& here);
/// \brief A stream that is captured takes and frees no memory.
cudaError_t require_no_memory_node(cudaStream_t stream, const char* function, const Here& here);
/// \brief Memory that a stream takes: others wait for that stream before they use it.
cudaError_t take_in_stream(void** pointer, std::size_t bytes, cudaStream_t stream,
                           const Here& here);
cudaError_t take_pitched(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                         const char* function, const Here& here);
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const Here& here);
/// From the first byte to the last that a copy writes and reads.
struct CopyBytes {
  std::size_t to;
  std::size_t from;

  CopyBytes(std::size_t both) : to(both), from(both) {}
  CopyBytes(std::size_t written, std::size_t read) : to(written), from(read) {}
};
/// \brief What is wrong with such a copy, or with bytes that are filled.
cudaError_t require_copy(const char* function, void* to, const void* from, CopyBytes bytes,
                         cudaMemcpyKind kind, const Here& here);
cudaError_t require_fill(const char* function, void* to, std::size_t bytes, const Here& here);
/// Rows of `width` bytes; a pitch is the distance of two rows.
cudaError_t copy_rows(const char* function, std::byte* to, std::size_t to_pitch,
                      const std::byte* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind, const Here& here);
/// \brief The host waits for some copies: those that end in memory that is not pinned, those
///        between two places of the host, and in a call without a stream all but those within
///        the GPU. CUDA's manual has this list as its "API synchronization behavior".
void wait_for_copy(const void* to, const void* from, bool has_stream);
cudaError_t fill(void* to, int value, std::size_t bytes, const Here& here);
/// The lowest bytes of `value`, again and again.
cudaError_t fill_pattern(void* to, unsigned value, std::size_t element_bytes, std::size_t bytes,
                         const Here& here);

}  // namespace ladder::glassbox

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes,
                       ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::take_memory((void**)pointer, bytes, "cudaMalloc", here);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::take_in_stream((void**)pointer, bytes, stream, here);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(
    T** pointer, std::size_t bytes, struct CUmemPoolHandle_st*, cudaStream_t stream,
    ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return cudaMallocAsync(pointer, bytes, stream, here);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned = cudaMemAttachGlobal,
                              ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::take_memory((void**)pointer, bytes, "cudaMallocManaged", here);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned = cudaHostAllocDefault,
                           ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::take_memory((void**)pointer, bytes, "cudaMallocHost", here);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned,
                          ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::take_memory((void**)pointer, bytes, "cudaHostAlloc", here);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::take_pitched((void**)pointer, pitch, width, height, "cudaMallocPitch",
                                        here);
}
/// Memory that the host and kernels share has one address here.
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
  *device = static_cast<T*>(host);
  return cudaSuccess;
}

cudaError_t cudaFree(void* pointer,
                     ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaFreeHost(void* pointer,
                         ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream,
                          ladder::glassbox::Here here = ladder::glassbox::Here::current());
// Pools are the memory itself.
struct CUmemPoolHandle_st;
using cudaMemPool_t = CUmemPoolHandle_st*;
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold,
  cudaMemPoolAttrReservedMemCurrent,
  cudaMemPoolAttrReservedMemHigh,
  cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrUsedMemHigh,
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid,
  cudaMemLocationTypeDevice,
  cudaMemLocationTypeHost,
  cudaMemLocationTypeHostNuma,
  cudaMemLocationTypeHostNumaCurrent,
};
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone,
  cudaMemAccessFlagsProtRead,
  cudaMemAccessFlagsProtReadWrite = 3,
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list,
                                 std::size_t count);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t bytes);

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                       ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current());
/// Between GPUs, of which there is one.
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes,
                           ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream = nullptr,
                                ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind,
                         ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr,
                              ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemset(void* to, int value, std::size_t bytes,
                       ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream = nullptr,
                            ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height,
                         ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream = nullptr,
                              ladder::glassbox::Here here = ladder::glassbox::Here::current());
/// Managed memory is where both find it.
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          int device);
// CUDA 13 names places instead.
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation place,
                                 unsigned flags, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation place);
/// Which stream's kernels may use managed memory: it orders nothing.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle);
/// Kernels may touch it from now on.
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags,
                             ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaHostUnregister(void* pointer,
                               ladder::glassbox::Here here = ladder::glassbox::Here::current());

/// Of any pointer: the host's own memory has the type cudaMemoryTypeUnregistered.
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);
