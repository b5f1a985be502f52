// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/split_times.hpp
/// \brief Rung 23 beside cuBLAS in FP32, in TF32 and in its own emulation of FP32: how exact, how
///        fast.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "bench/benchmark/hard_inputs.hpp"
#include "ladder/program/climb.hpp"

namespace ladder::bench {

/// cuBLAS's FP32 from nine products of BF16 parts, and why there is none; see emulated_sgemm().
struct EmulatedSgemm {
  Run run;              ///< empty where cuBLAS has none
  std::string refusal;  ///< cuBLAS's, or ours: then it is not timed
};

/// \brief  CUBLAS_COMPUTE_32F_EMULATED_16BFX9, tried once. cuBLAS 12.9 and newer know it, and may
///         refuse it on this GPU.
EmulatedSgemm emulated_sgemm(Machine& machine);

/// \brief   ||C - exact|| / ||exact|| over the first rows of C, in the Frobenius norm.
/// \param   rows  at most M
double relative_error(Machine& machine, const Run& run, const Shape& shape, int rows);

/// \brief  Times and errors of one size.
/// \return [{"name": "23 split_precision", "time_ms": ..., "relative_error": ...}, ...]
nlohmann::json split_times(Machine& machine, std::span<const Rung> ladder, const Rung& rung,
                           const EmulatedSgemm& emulated, int size, Protocol protocol);

/// \return [{"name": "mixed_2_40", "took": ..., "error_over_bound": ...}, ...]
nlohmann::json hard_input_results(Machine& machine, std::span<const Rung> ladder, const Rung& rung,
                                  const Shape& shape);

}  // namespace ladder::bench
