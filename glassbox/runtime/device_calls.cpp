// SPDX-License-Identifier: MIT
#include "glassbox/runtime/device_calls.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/device_card.hpp"
#include "emulator/run/block/fiber_stacks.hpp"
#include "emulator/run/grid_plan.hpp"
#include "emulator/run/settings.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/call_problem.hpp"
#include "glassbox/runtime/device_heap.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/kernel_launch.hpp"
#include "glassbox/runtime/orders.hpp"
#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kUsualSharedBytes = 48 * 1024;
constexpr std::size_t kMostStackBytes = emulator::FiberStacks::kLocalBytes;

std::atomic<std::size_t> stack_bytes = 1024;  ///< CUDA's own default

cudaDeviceProp properties_of(const DeviceCard& card) {
  cudaDeviceProp p = {};
  std::snprintf(p.name, sizeof p.name, "%s", card.name.c_str());
  p.totalGlobalMem = static_cast<std::size_t>(card.dram_bytes);
  p.sharedMemPerBlock = kUsualSharedBytes;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(card.max_shared_bytes_per_block);
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(card.shared_bytes_per_sm);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(card.shared_bytes_reserved_per_block);
  p.totalConstMem = std::size_t{64} * 1024;
  p.memPitch = INT32_MAX;
  p.textureAlignment = 512;
  p.regsPerBlock = p.regsPerMultiprocessor = card.registers_per_sm;
  p.warpSize = 32;
  p.maxThreadsPerBlock = kMaxThreads;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = kMaxThreads;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = INT32_MAX;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.clockRate = card.sm_clock_mhz * 1000;
  p.major = card.compute_capability / 10;
  p.minor = card.compute_capability % 10;
  p.multiProcessorCount = emulator::multiprocessors();
  p.l2CacheSize = static_cast<int>(card.l2_bytes);
  if (card.compute_capability >= 80) {
    // What an H200 gives: five eighths of its L2, and windows of 128 MiB.
    p.persistingL2CacheMaxSize = static_cast<int>(card.l2_bytes / 8 * 5);
    p.accessPolicyMaxWindowSize = 128 << 20;
  }
  p.maxThreadsPerMultiProcessor = card.max_threads_per_sm;
  p.maxBlocksPerMultiProcessor = card.max_blocks_per_sm;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
  p.deviceOverlap = p.asyncEngineCount = 1;
  p.concurrentManagedAccess = p.streamPrioritiesSupported = p.cooperativeLaunch =
      p.memoryPoolsSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  return p;
}

/// Bytes of a kernel's `__shared__` arrays of fixed size.
std::size_t static_shared_bytes(const AnyKernel& kernel) {
  const emulator::ThreadProgram program = {[](const void*) {}, nullptr, kernel.dynamic_shared};
  return emulator::GridPlan({.grid = 1, .block = 1, .kernel = kernel.address}, program)
      .static_shared_bytes;
}

cudaError_t no_such_device(const char* function, int device, const Here& here) {
  return failed(cudaErrorInvalidDevice, {CallReason::kNoSuchDevice, {{"device", device}}}, function,
                here);
}

}  // namespace

cudaFuncAttributes attributes_of(const AnyKernel& kernel) {
  cudaFuncAttributes attributes = {};
  attributes.sharedSizeBytes = static_shared_bytes(kernel);
  attributes.maxThreadsPerBlock = kMaxThreads;
  attributes.maxDynamicSharedSizeBytes = kUsualSharedBytes;
  attributes.ptxVersion = attributes.binaryVersion = card().compute_capability;
  return attributes;
}

int blocks_on_sm(const AnyKernel& kernel, int threads, std::size_t dynamic_shared_bytes) {
  if (threads < 1 || threads > kMaxThreads) return 0;
  return blocks_per_sm(card(), {.threads_per_block = threads,
                                .shared_bytes_per_block = static_cast<int>(
                                    static_shared_bytes(kernel) + dynamic_shared_bytes)});
}

cudaError_t best_block(const AnyKernel& kernel, int* grid, int* block,
                       std::size_t dynamic_shared_bytes, int limit) {
  int best = 0;
  const int most = limit > 0 ? std::min(limit, kMaxThreads) : kMaxThreads;
  for (int threads = most / 32 * 32; threads >= 32; threads -= 32) {
    const int blocks = blocks_on_sm(kernel, threads, dynamic_shared_bytes);
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * emulator::multiprocessors();
  }
  return best > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t set_attribute(cudaFuncAttribute attribute, int value, const Here& here) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || value > card().max_shared_bytes_per_block) {
    return failed(
        cudaErrorInvalidValue,
        {CallReason::kSharedTooLarge,
         {{"bytes", value}, {"card", card().name}, {"limit", card().max_shared_bytes_per_block}}},
        "cudaFuncSetAttribute", here);
  }
  allow_dynamic_shared(static_cast<std::size_t>(value));
  return cudaSuccess;
}

}  // namespace ladder::glassbox

using namespace ladder::glassbox;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return sticky_error();
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return sticky_error();
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return cudaGetDevice(device);
}

cudaError_t cudaSetDevice(int device, Here here) {
  if (device == 0) return sticky_error();
  return no_such_device("cudaSetDevice", device, here);
}

cudaError_t cudaSetDeviceFlags(unsigned) {
  return sticky_error();
}

cudaError_t cudaDeviceReset(Here here) {
  WorkOrder::instance().host_waits_for_all();
  for (Allocation* array : Allocations::instance().live())
    Allocations::instance().free(*array, place_of(here));
  make_sticky(cudaSuccess);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = properties_of(card());
  return sticky_error();
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int, Here here) {
  const cudaDeviceProp p = properties_of(card());
  const auto give = [&](auto figure) {
    *value = static_cast<int>(figure);
    return sticky_error();
  };
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return give(p.maxThreadsPerBlock);
    case cudaDevAttrMaxBlockDimX:
      return give(p.maxThreadsDim[0]);
    case cudaDevAttrMaxBlockDimY:
      return give(p.maxThreadsDim[1]);
    case cudaDevAttrMaxBlockDimZ:
      return give(p.maxThreadsDim[2]);
    case cudaDevAttrMaxGridDimX:
      return give(p.maxGridSize[0]);
    case cudaDevAttrMaxGridDimY:
      return give(p.maxGridSize[1]);
    case cudaDevAttrMaxGridDimZ:
      return give(p.maxGridSize[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return give(p.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return give(p.totalConstMem);
    case cudaDevAttrWarpSize:
      return give(p.warpSize);
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return give(p.regsPerBlock);
    case cudaDevAttrClockRate:
      return give(p.clockRate);
    case cudaDevAttrMultiProcessorCount:
      return give(p.multiProcessorCount);
    case cudaDevAttrL2CacheSize:
      return give(p.l2CacheSize);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return give(p.maxThreadsPerMultiProcessor);
    case cudaDevAttrComputeCapabilityMajor:
      return give(p.major);
    case cudaDevAttrComputeCapabilityMinor:
      return give(p.minor);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return give(p.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return give(p.sharedMemPerBlockOptin);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return give(p.maxBlocksPerMultiProcessor);
    case cudaDevAttrMaxPersistingL2CacheSize:
      return give(p.persistingL2CacheMaxSize);
    case cudaDevAttrMaxAccessPolicyWindowSize:
      return give(p.accessPolicyMaxWindowSize);
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrComputePreemptionSupported:
      return give(0);
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
      return give(1);
    case cudaDevAttrMemoryClockRate:
    case cudaDevAttrGlobalMemoryBusWidth:
      break;
  }
  return failed(cudaErrorNotSupported,
                {CallReason::kNoFigure, {{"attribute", static_cast<int>(attribute)}}},
                "cudaDeviceGetAttribute", here);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 12080;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return sticky_error();
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return sticky_error();
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return sticky_error();
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value, Here here) {
  if (limit == cudaLimitMallocHeapSize) set_heap_bytes(value);
  if (limit == cudaLimitStackSize) {
    if (value > kMostStackBytes) {
      return failed(
          cudaErrorInvalidValue,
          {CallReason::kStackTooLarge, {{"bytes", value}, {"most_bytes", kMostStackBytes}}},
          "cudaDeviceSetLimit", here);
    }
    stack_bytes = value;
  }
  return sticky_error();
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitMallocHeapSize ? heap_bytes()
           : limit == cudaLimitStackSize    ? stack_bytes.load()
                                            : 0;
  return sticky_error();
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return sticky_error();
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return sticky_error();
}

cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int, Here here) {
  return failed(cudaErrorInvalidDevice, {CallReason::kNoSuchDevice}, "cudaDeviceGetP2PAttribute",
                here);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned, Here here) {
  return no_such_device("cudaDeviceEnablePeerAccess", peer, here);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer, Here here) {
  return no_such_device("cudaDeviceDisablePeerAccess", peer, here);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return sticky_error();
}

cudaError_t cudaProfilerStart() {
  return sticky_error();
}

cudaError_t cudaProfilerStop() {
  return sticky_error();
}
