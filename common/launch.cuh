// SPDX-License-Identifier: MIT
/// \file  common/launch.cuh
/// \brief The one place where a kernel is started, on either machine.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/device.cuh"
#include "common/gemm.hpp"

#ifdef __CUDACC__
#include "common/check.hpp"
#include "common/spared_multiprocessors.hpp"
#else
#include "emulator/run/launch.hpp"
#include "emulator/run/multiprocessors.hpp"
#endif

namespace ladder {

/// What you write between <<< and >>>.
struct LaunchShape {
  dim3 grid;                             ///< blocks
  dim3 block;                            ///< threads per block
  std::size_t dynamic_shared_bytes = 0;  ///< size of `extern __shared__` arrays
  Stream stream = nullptr;
  unsigned cluster = 1;  ///< blocks along x that run together and see each other's shared memory
  bool cooperative = false;  ///< all blocks run together; refused if they do not fit the GPU
  /// It may start before the kernel before it in the stream has ended; see
  /// ptx::wait_for_previous_kernel(). From compute capability 9.0 on.
  bool overlaps_previous = false;
};

/// \brief  How many SMs of the machine that launch() runs on a kernel may take: those of the
///         current GPU without SparedMultiprocessors, or the emulated one's (see
///         emulator::set_multiprocessors()).
/// \throws GpuError  CUDA cannot say
inline int multiprocessors() {
#ifdef __CUDACC__
  int device = 0;
  int count = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count - SparedMultiprocessors::count();
#else
  return emulator::multiprocessors();
#endif
}

/// \brief  How much shared memory a block gets at most on the machine that launch() runs on, in
///         bytes: 227 KiB on compute capability 9.0 and 10.x, 99 KiB on 12.0.
/// \throws GpuError  CUDA cannot say
inline std::size_t max_shared_bytes_per_block() {
#ifdef __CUDACC__
  int device = 0;
  int bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return static_cast<std::size_t>(bytes);
#else
  return static_cast<std::size_t>(emulator::shared_bytes_per_block());
#endif
}

/// \brief  What the DRAM of that machine moves at most: both edges of its clock, on the whole bus.
/// \throws GpuError  CUDA cannot say
inline double dram_bytes_per_us() {
#ifdef __CUDACC__
  // CUDA takes most of a millisecond to say: ask once.
  static const std::vector<double> of_devices = [] {
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    std::vector<double> found;
    for (int device = 0; device < devices; ++device) {
      int khz = 0;
      int bus_bits = 0;
      check(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, device));
      check(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device));
      found.push_back(khz * 1e-3 * 2 * bus_bits / 8);
    }
    return found;
  }();
  int device = 0;
  check(cudaGetDevice(&device));
  return of_devices.at(device);
#else
  return emulator::dram_bytes_per_us();
#endif
}

#ifndef __CUDACC__
/// A thread's own copy of an argument, as its bytes: a constructor would read the host's memory, at
/// a line of the type's, as if the kernel had.
/// \tparam T  type of a kernel's parameter
template <class T>
class Parameter {
 public:
  explicit Parameter(const T& host) { bytes_ = reinterpret_cast<const Bytes&>(host); }
  T&& value() { return reinterpret_cast<T&&>(bytes_); }

 private:
  struct Bytes {
    unsigned char byte[sizeof(T)];
  };
  alignas(T) Bytes bytes_;
};
#endif

/// \brief  Starts kernel<<<grid, block, dynamic_shared_bytes, stream>>>(args...). A GPU returns at
///         once; the emulator has run the whole grid when this returns.
/// \throws GpuError  the launch was refused (GPU): for too much shared memory in a sentence of ours
/// \throws emulator::KernelError  the kernel did something that CUDA forbids (emulator)
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), const LaunchShape& shape, Args&&... args) {
  static_assert(
      sizeof...(Params) == sizeof...(Args),
      "launch() needs a value for each of the kernel's parameters: a pointer to a function "
      "knows no default arguments");
#ifdef __CUDACC__
  constexpr std::size_t kDefaultDynamicSharedBytes = 48 * 1024;
  if (shape.dynamic_shared_bytes > kDefaultDynamicSharedBytes) {
    if (shape.dynamic_shared_bytes > max_shared_bytes_per_block()) {
      throw GpuError("a block of this kernel needs " + std::to_string(shape.dynamic_shared_bytes) +
                     " bytes of shared memory, and this GPU gives it at most " +
                     std::to_string(max_shared_bytes_per_block()));
    }
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.dynamic_shared_bytes)));
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.dynamic_shared_bytes;
  config.stream = shape.stream;
  cudaLaunchAttribute attributes[3] = {};
  config.attrs = attributes;
  if (shape.cluster > 1) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = shape.cluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
  }
  if (shape.cooperative) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  if (shape.overlaps_previous) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
#else
  emulator::run_grid({.grid = shape.grid,
                      .block = shape.block,
                      .dynamic_shared_bytes = shape.dynamic_shared_bytes,
                      .cluster = shape.cluster,
                      .cooperative = shape.cooperative,
                      .overlaps_previous = shape.overlaps_previous,
                      .kernel = reinterpret_cast<const void*>(kernel)},
                     [kernel, ... values = static_cast<Params>(args)] {
                       kernel(Parameter<Params>(values).value()...);
                     });
#endif
}

}  // namespace ladder
