// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/ablation_launch.cuh
/// \brief How copies start their kernel, instead of launch().
#pragma once

#include <utility>

#include "bench/benchmark/ablation.hpp"
#include "common/launch.cuh"

namespace ladder::bench {

/// \brief  Starts a kernel as launch() does; the first launch on a GPU notes its resources.
/// \throws GpuError  as launch()
template <class... Params, class... Args>
void launch_and_note(KernelResources& resources, void (*kernel)(Params...),
                     const LaunchShape& shape, Args&&... args) {
#ifdef __CUDACC__
  if (resources.registers == 0) {
    cudaFuncAttributes found = {};
    check(cudaFuncGetAttributes(&found, kernel));
    resources = {found.numRegs, static_cast<int>(found.localSizeBytes)};
  }
#else
  static_cast<void>(resources);
#endif
  launch(kernel, shape, std::forward<Args>(args)...);
}

}  // namespace ladder::bench
