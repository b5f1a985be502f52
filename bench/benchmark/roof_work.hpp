// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/roof_work.hpp
/// \brief Kernels that measure a roof, and what each launch of them does.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "common/timing.hpp"

namespace ladder::bench {

/// A kernel that keeps one part of the GPU busy.
struct RoofWork {
  std::string_view name;            ///< "ffma"
  std::string_view unit;            ///< "TFLOP/s" or "GB/s"
  double per_launch;                ///< floating-point operations, or bytes
  std::function<void(int)> launch;  ///< as Candidate::launch
};

/// \brief  mma.sync with operands in registers, in TF32 and BF16, and in BF16 fed by ldmatrix.
/// \param  sms  blocks of 256 threads, one per SM
/// \param  out  (sms * 256)
/// \return empty below compute capability 8.0
std::vector<RoofWork> mma_roofs(int sms, float* out, Stream stream);

/// \brief  wgmma in BF16, both operands in shared memory; as mma_roofs().
/// \return empty where the compute capability is not 9.0
std::vector<RoofWork> wgmma_roofs(int sms, float* out, Stream stream);

}  // namespace ladder::bench
