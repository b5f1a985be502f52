// SPDX-License-Identifier: MIT
/// \file  common/side_aware/cuda_api.cpp
#include "common/side_aware/cuda_api.hpp"

#include <dlfcn.h>

#include <string>

namespace ladder::side_aware {
namespace {

void* open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw SideAwareError(
        "Side-aware memory needs NVIDIA's driver, and libcuda.so.1 is not there. Install the "
        "driver, or run on a machine with a GPU");
  }
  return library;
}

}  // namespace

CudaApi::CudaApi()
    : library_(open_driver()),
      init(find<decltype(init)>("cuInit")),
      error_string(find<decltype(error_string)>("cuGetErrorString")),
      device_get(find<decltype(device_get)>("cuDeviceGet")),
      device_attribute(find<decltype(device_attribute)>("cuDeviceGetAttribute")),
      retain_context(find<decltype(retain_context)>("cuDevicePrimaryCtxRetain")),
      set_context(find<decltype(set_context)>("cuCtxSetCurrent")),
      get_context(find<decltype(get_context)>("cuCtxGetCurrent")),
      context_device(find<decltype(context_device)>("cuCtxGetDevice")),
      synchronize(find<decltype(synchronize)>("cuCtxSynchronize")),
      memory_info(find<decltype(memory_info)>("cuMemGetInfo_v2")),
      alloc(find<decltype(alloc)>("cuMemAlloc_v2")),
      free(find<decltype(free)>("cuMemFree_v2")),
      to_device(find<decltype(to_device)>("cuMemcpyHtoD_v2")),
      to_host(find<decltype(to_host)>("cuMemcpyDtoH_v2")),
      fill_bytes(find<decltype(fill_bytes)>("cuMemsetD8_v2")),
      granularity(find<decltype(granularity)>("cuMemGetAllocationGranularity")),
      reserve(find<decltype(reserve)>("cuMemAddressReserve")),
      release_addresses(find<decltype(release_addresses)>("cuMemAddressFree")),
      create(find<decltype(create)>("cuMemCreate")),
      release(find<decltype(release)>("cuMemRelease")),
      map(find<decltype(map)>("cuMemMap")),
      unmap(find<decltype(unmap)>("cuMemUnmap")),
      set_access(find<decltype(set_access)>("cuMemSetAccess")),
      create_event(find<decltype(create_event)>("cuEventCreate")),
      record_event(find<decltype(record_event)>("cuEventRecord")),
      query_event(find<decltype(query_event)>("cuEventQuery")),
      wait_for_event(find<decltype(wait_for_event)>("cuEventSynchronize")),
      destroy_event(find<decltype(destroy_event)>("cuEventDestroy_v2")),
      stream_wait(find<decltype(stream_wait)>("cuStreamWaitEvent")),
      synchronize_stream(find<decltype(synchronize_stream)>("cuStreamSynchronize")),
      load_module(find<decltype(load_module)>("cuModuleLoadData")),
      unload_module(find<decltype(unload_module)>("cuModuleUnload")),
      module_function(find<decltype(module_function)>("cuModuleGetFunction")),
      module_variable(find<decltype(module_variable)>("cuModuleGetGlobal_v2")),
      set_function_attribute(find<decltype(set_function_attribute)>("cuFuncSetAttribute")),
      most_blocks_per_sm(
          find<decltype(most_blocks_per_sm)>("cuOccupancyMaxActiveBlocksPerMultiprocessor")),
      launch(find<decltype(launch)>("cuLaunchKernel")),
      launch_cooperative(find<decltype(launch_cooperative)>("cuLaunchCooperativeKernel")) {
  check(init(0));
}

CudaApi::~CudaApi() {
  dlclose(library_);
}

void* CudaApi::symbol(const char* name) const {
  void* const found = dlsym(library_, name);
  if (found == nullptr) {
    throw SideAwareError(std::string("NVIDIA's driver has no ") + name +
                         ": update it to one for CUDA 12 or newer");
  }
  return found;
}

void CudaApi::check(CUresult result, std::source_location at) const {
  if (result == CUDA_SUCCESS) return;
  const char* words = nullptr;
  error_string(result, &words);
  const std::string text = std::string("CUDA: ") + (words != nullptr ? words : "unknown error") +
                           " (" + std::to_string(result) + ") at " + at.file_name() + ":" +
                           std::to_string(at.line());
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(text);
  if (result == CUDA_ERROR_DEINITIALIZED) throw DriverIsGone(text);
  throw SideAwareError(text);
}

}  // namespace ladder::side_aware
