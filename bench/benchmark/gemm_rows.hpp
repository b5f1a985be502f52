// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/gemm_rows.hpp
/// \brief The rows of a plan as Google Benchmark's benchmarks. common/timing takes the samples of
///        all rows of a shape in one rotation; Google Benchmark gets them one by one as manual
///        time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "bench/benchmark/plan.hpp"
#include "common/machine.hpp"
#include "ladder/program/climb.hpp"

namespace benchmark {
class State;
}

namespace ladder::bench {

/// \brief Registers, verifies and measures the rows of a plan.
class GemmRows {
 public:
  /// \param measured  the GPU's measured roofs, see bench/benchmark/roofs.hpp
  /// \param on_progress  gets the current step while a shape is measured, and 1 at its end
  GemmRows(Machine& machine, std::span<const Rung> ladder, Plan plan,
           const std::optional<Roof>& measured, OnProgress on_progress);
  GemmRows(const GemmRows&) = delete;
  GemmRows& operator=(const GemmRows&) = delete;

  /// Registers all rows with Google Benchmark. They refer to this object.
  void register_rows();

  /// False once a rung was wrong, refused a shape that its table line allows, or broke the GPU.
  bool all_right() const { return all_right_; }

 private:
  /// Gives Google Benchmark one sample of a row, or the reason why there is none.
  void report(benchmark::State& state, const Job& job, const Row& row, std::size_t sample);
  /// The climb of a job, which runs when the first row of the job asks for it. If the job cannot be
  /// measured, nullptr, and trouble_ says why.
  const Climb* measured(const Job& job);

  Machine& machine_;
  std::span<const Rung> ladder_;
  Plan plan_;
  std::optional<Roof> measured_roof_;
  OnProgress on_progress_;
  const Job* last_job_ = nullptr;
  std::optional<Climb> last_climb_;
  std::string trouble_;  ///< why the last job has no climb
  bool all_right_ = true;
};

/// \brief Records GPU, versions, commit, clocks, protocol and refusals with the results.
/// \param protocol  "auto", or the protocol of all rows
void add_context(const Machine& machine, const Plan& plan, const std::string& protocol);

/// \brief  Refuses a plan with a shape that the machine's memory does not hold.
/// \throws MachineError that names the shape
void require_memory(const Machine& machine, const Plan& plan);

}  // namespace ladder::bench
