// SPDX-License-Identifier: MIT
/// \file  common/side_aware/cuda_api.hpp
/// \brief The functions of CUDA's driver that side-aware memory calls, found at run time: programs
///        start where no driver is installed, and need no CUDA runtime.
#pragma once

#include <cuda.h>

#include <source_location>

#include "common/side_aware/error.hpp"

namespace ladder::side_aware {

class CudaApi {
 public:
  /// \throws SideAwareError  there is no driver, or it is too old
  CudaApi();
  ~CudaApi();
  CudaApi(const CudaApi&) = delete;
  CudaApi& operator=(const CudaApi&) = delete;

  /// \throws OutOfMemory     CUDA_ERROR_OUT_OF_MEMORY
  /// \throws DriverIsGone    CUDA_ERROR_DEINITIALIZED
  /// \throws SideAwareError  any other error, in CUDA's words, with the calling line
  void check(CUresult result, std::source_location at = std::source_location::current()) const;

 private:
  template <class Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }
  void* symbol(const char* name) const;

  void* library_;

 public:
  decltype(&cuInit) init;
  decltype(&cuGetErrorString) error_string;
  decltype(&cuDeviceGet) device_get;
  decltype(&cuDeviceGetAttribute) device_attribute;
  decltype(&cuDevicePrimaryCtxRetain) retain_context;
  decltype(&cuCtxSetCurrent) set_context;
  decltype(&cuCtxGetCurrent) get_context;
  decltype(&cuCtxGetDevice) context_device;
  decltype(&cuCtxSynchronize) synchronize;
  decltype(&cuMemGetInfo) memory_info;
  decltype(&cuMemAlloc) alloc;
  decltype(&cuMemFree) free;
  decltype(&cuMemcpyHtoD) to_device;
  decltype(&cuMemcpyDtoH) to_host;
  decltype(&cuMemsetD8) fill_bytes;
  decltype(&cuMemGetAllocationGranularity) granularity;
  decltype(&cuMemAddressReserve) reserve;
  decltype(&cuMemAddressFree) release_addresses;
  decltype(&cuMemCreate) create;
  decltype(&cuMemRelease) release;
  decltype(&cuMemMap) map;
  decltype(&cuMemUnmap) unmap;
  decltype(&cuMemSetAccess) set_access;
  decltype(&cuEventCreate) create_event;
  decltype(&cuEventRecord) record_event;
  decltype(&cuEventQuery) query_event;
  decltype(&cuEventSynchronize) wait_for_event;
  decltype(&cuEventDestroy) destroy_event;
  decltype(&cuStreamWaitEvent) stream_wait;
  decltype(&cuStreamSynchronize) synchronize_stream;
  decltype(&cuModuleLoadData) load_module;
  decltype(&cuModuleUnload) unload_module;
  decltype(&cuModuleGetFunction) module_function;
  decltype(&cuModuleGetGlobal) module_variable;
  decltype(&cuFuncSetAttribute) set_function_attribute;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) most_blocks_per_sm;
  decltype(&cuLaunchKernel) launch;
  decltype(&cuLaunchCooperativeKernel) launch_cooperative;
};

}  // namespace ladder::side_aware
