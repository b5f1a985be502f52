// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/device_calls.hpp
/// \brief CUDA's calls that describe the GPU and how a kernel fits it. The GPU is that of a card.
#pragma once

#include <cstddef>

#include "emulator/run/launch.hpp"
#include "glassbox/runtime/error_codes.hpp"
#include "glassbox/runtime/stream_calls.hpp"

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrTotalConstantMemory = 9,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrClockRate = 13,
  cudaDevAttrGpuOverlap = 15,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrKernelExecTimeout = 17,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrComputeMode = 20,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrEccEnabled = 32,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrAsyncEngineCount = 40,
  cudaDevAttrUnifiedAddressing = 41,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrStreamPrioritiesSupported = 78,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrManagedMemory = 83,
  cudaDevAttrHostNativeAtomicSupported = 86,
  cudaDevAttrPageableMemoryAccess = 88,
  cudaDevAttrConcurrentManagedAccess = 89,
  cudaDevAttrComputePreemptionSupported = 90,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrMaxPersistingL2CacheSize = 108,
  cudaDevAttrMaxAccessPolicyWindowSize = 109,
  cudaDevAttrMemoryPoolsSupported = 115,
};

/// Figures that no card has are 0.
struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
  std::size_t totalConstMem, memPitch, textureAlignment, reservedSharedMemPerBlock;
  int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3],
      maxGridSize[3];
  int clockRate, major, minor, multiProcessorCount, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, memoryClockRate, memoryBusWidth;
  int deviceOverlap, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
      asyncEngineCount;
  int unifiedAddressing, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  int managedMemory, isMultiGpuBoard, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio;
  int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
  int cooperativeLaunch, cooperativeMultiDeviceLaunch, canUseHostPointerForRegisteredMem;
  int directManagedMemAccessFromHost, memoryPoolsSupported, accessPolicyMaxWindowSize;
  int pageableMemoryAccessUsesHostPageTables;
};

/// What ptxas decides is 0.
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13,
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100,
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual,
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte,
};
enum cudaComputeMode {
  cudaComputeModeDefault,
  cudaComputeModeExclusive,
  cudaComputeModeProhibited
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6,
};
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported,
  cudaDevP2PAttrNativeAtomicSupported,
  cudaDevP2PAttrCudaArrayAccessSupported,
};
/// In place of a GPU's number: the host.
inline constexpr int cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2;
inline constexpr unsigned cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1,
                          cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4,
                          cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8;

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
/// There is one to choose.
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties);
cudaError_t cudaSetDevice(int device,
                          ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaDeviceReset(ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device,
                                   ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference);
/// Banks have had 4 bytes since Maxwell, whatever is asked for.
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
/// \brief Each thread has 512 KiB of local memory whatever the stack's limit is, as much as CUDA
///        gives: what a kernel needs is known when it is compiled, but for recursion.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value,
                               ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
/// Whatever was set aside of L2 is anybody's again; the glass box has no L2.
cudaError_t cudaCtxResetPersistingL2Cache();
/// There is one GPU: it can access no other.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceGetP2PAttribute(
    int* value, cudaDeviceP2PAttr attribute, int from, int to,
    ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaDeviceEnablePeerAccess(
    int peer, unsigned flags, ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaDeviceDisablePeerAccess(
    int peer, ladder::glassbox::Here here = ladder::glassbox::Here::current());
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

namespace ladder::glassbox {

/// What the run time needs of a kernel whose type it does not know.
struct AnyKernel {
  const void* address;
  unsigned char* (*dynamic_shared)();
};

template <class Kernel>
AnyKernel any_kernel(Kernel kernel) {
  return {(const void*)kernel, [] { return &ladder_dynamic_shared[0]; }};
}

cudaError_t set_attribute(cudaFuncAttribute attribute, int value, const Here& here);
cudaFuncAttributes attributes_of(const AnyKernel& kernel);
int blocks_on_sm(const AnyKernel& kernel, int threads, std::size_t dynamic_shared_bytes);
cudaError_t best_block(const AnyKernel& kernel, int* grid, int* block,
                       std::size_t dynamic_shared_bytes, int limit);

}  // namespace ladder::glassbox

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute attribute, int value,
                                 ladder::glassbox::Here here = ladder::glassbox::Here::current()) {
  return ladder::glassbox::set_attribute(attribute, value, here);
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel kernel) {
  *attributes = ladder::glassbox::attributes_of(ladder::glassbox::any_kernel(kernel));
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel kernel, int threads,
                                                          std::size_t dynamic_shared_bytes) {
  *blocks = ladder::glassbox::blocks_on_sm(ladder::glassbox::any_kernel(kernel), threads,
                                           dynamic_shared_bytes);
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel kernel,
                                               std::size_t dynamic_shared_bytes = 0,
                                               int limit = 0) {
  return ladder::glassbox::best_block(ladder::glassbox::any_kernel(kernel), grid, block,
                                      dynamic_shared_bytes, limit);
}
