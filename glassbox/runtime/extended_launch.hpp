// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/extended_launch.hpp
/// \brief cudaLaunchKernelEx: a launch with attributes, such as the blocks of a cluster.
#pragma once

#include <cstddef>
#include <utility>

#include "emulator/words/async_functions.hpp"
#include "glassbox/runtime/device_calls.hpp"
#include "glassbox/runtime/kernel_launch.hpp"

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributeProgrammaticEvent = 7,
  cudaLaunchAttributePriority = 8,
};
union cudaLaunchAttributeValue {
  char pad[64];
  cudaAccessPolicyWindow accessPolicyWindow;
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
  int priority;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  char pad[4];
  cudaLaunchAttributeValue val;
};
/// What a program calls gridDim and blockDim is renamed, as those are words of kernels.
struct cudaLaunchConfig_t {
  dim3 host_gridDim, host_blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

// -- In kernels ----------------------------------------------------------------------------------
/// Waits for the kernel before this one in the stream.
inline void cudaGridDependencySynchronize() {
  ladder::emulator::wait_for_previous_kernel();
}
/// The next kernel of the stream may start.
inline void cudaTriggerProgrammaticLaunchCompletion() {
  ladder::emulator::launch_dependents();
}

namespace ladder::glassbox {

/// A launch's configuration, and where it is.
struct ConfigHere {
  const cudaLaunchConfig_t* config;
  Here here;

  ConfigHere(const cudaLaunchConfig_t* launch_config, Here place = Here::current())
      : config(launch_config), here(place) {}
};

/// \brief Of the attributes, the cluster, the cooperation and the overlap with the kernel before:
///        the others only make a GPU faster.
void add_attributes(LaunchRequest& request, const cudaLaunchConfig_t& config);

template <class... Parameters>
LaunchRequest request_of(const ConfigHere& launch, const char* name,
                         void (*kernel)(Parameters...)) {
  const cudaLaunchConfig_t& config = *launch.config;
  LaunchRequest request = request_of(name, kernel, config.host_gridDim, config.host_blockDim,
                                     config.dynamicSmemBytes, config.stream, false, launch.here);
  add_attributes(request, config);
  return request;
}

/// \brief Clusters that run at the same time, as far as SMs have room; a GPU may run fewer, because
///        the blocks of a cluster share a part of it.
cudaError_t count_clusters(int* count, const AnyKernel& kernel, const LaunchRequest& request);

}  // namespace ladder::glassbox

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(ladder::glassbox::ConfigHere launch, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return ladder::glassbox::PendingLaunch{
      ladder::glassbox::request_of(launch, "kernel of cudaLaunchKernelEx", kernel)}(
      kernel, static_cast<Parameters>(std::forward<Arguments>(arguments))...);
}
template <class... Parameters>
cudaError_t cudaLaunchKernelExC(ladder::glassbox::ConfigHere launch, void (*kernel)(Parameters...),
                                void** arguments) {
  return ladder::glassbox::launch_with_array(
      ladder::glassbox::request_of(launch, "kernel of cudaLaunchKernelExC", kernel), kernel,
      arguments, std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
cudaError_t cudaOccupancyMaxActiveClusters(int* count, void (*kernel)(Parameters...),
                                           ladder::glassbox::ConfigHere launch) {
  return ladder::glassbox::count_clusters(
      count, ladder::glassbox::any_kernel(kernel),
      ladder::glassbox::request_of(launch, "cudaOccupancyMaxActiveClusters", kernel));
}
