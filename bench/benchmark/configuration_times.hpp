// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/configuration_times.hpp
/// \brief Times of a rung's configurations, from which `python3 -m bench.record.fit_plan` fits the
///        times of its model.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "common/machine.hpp"
#include "common/work_plan.hpp"
#include "ladder/program/climb.hpp"

namespace ladder::bench {

/// Configurations that the model expects to take longer than this, over the one that it takes, are
/// not worth the time that it takes to time them.
inline constexpr double kWorthTiming = 1.8;

/// \brief  The configurations that may be the fastest.
/// \param  plans  of a shape
std::vector<WorkPlan> worth_timing(const std::vector<WorkPlan>& plans);

/// \brief  Verifies and times the configurations of a rung beside cuBLAS and the best of cublasLt,
///         for one shape after the other, all in one rotation.
/// \param  rung  with plans()
/// \param  on_row  gets all that has been found so far, after each shape
/// \return {"context": ..., "benchmarks": [{"name", "m", "n", "k", "library_us", "us"}]}; "us" has
///         what each configuration took, by its name: "64 x 64", "32 x 64, clusters of 6". One that
///         was not worth timing, or was wrong, is missing.
nlohmann::json configuration_times(Machine& machine, std::span<const Rung> ladder, const Rung& rung,
                                   std::span<const Shape> shapes, Protocol protocol,
                                   const std::function<void(const nlohmann::json&)>& on_row);

/// The same as text, a shape to a line: "us" is a list in the order of the context's
/// configurations, with null for what is missing.
std::string configuration_times_text(const nlohmann::json& times);

}  // namespace ladder::bench
