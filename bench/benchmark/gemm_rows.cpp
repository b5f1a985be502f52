// SPDX-License-Identifier: MIT
#include "bench/benchmark/gemm_rows.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "bench/benchmark/shapes.hpp"
#include "common/verify.hpp"
#include "common/version.hpp"
#include "ladder/program/results.hpp"

namespace ladder::bench {
namespace {

constexpr int kCublas = 0;

const Entry* entry_of(const Climb& climb, const Rung& rung) {
  const auto found = std::ranges::find_if(
      climb.entries, [&](const Entry& entry) { return entry.rung.name == rung.name; });
  return found == climb.entries.end() ? nullptr : &*found;
}

/// What the rows of a precision are compared with; null where one of them was not timed.
struct Rivals {
  const Timing* cublas = nullptr;
  const Timing* best_cublaslt = nullptr;
};

Rivals rivals_in(const Climb& climb, const Precision& precision) {
  Rivals rivals;
  for (const Entry& entry : climb.entries) {
    if (entry.rung.number == kCublas && entry.rung.precision == precision && entry.timing) {
      rivals.cublas = &*entry.timing;
    }
  }
  for (const BestCublasLt& best : climb.best_cublaslt) {
    if (best.precision == precision) rivals.best_cublaslt = &best.timing;
  }
  return rivals;
}

/// Why a climb holds no timing of a row.
std::string complaint(const Climb& climb, const Row& row) {
  const Entry* entry = row.rung ? entry_of(climb, *row.rung) : nullptr;
  if (entry != nullptr && !entry->findings.empty()) {
    return (entry->outcome == Outcome::wrong ? "wrong: " : "") + note_of(*entry);
  }
  for (const Entry& other : climb.entries) {
    if (!other.findings.empty()) return fmt::format("not measured: {}", note_of(other));
  }
  return "not measured";
}

/// The timing of a row; nullptr when the climb holds none, or none of cuBLAS to compare it with.
const Timing* timing_of(const Climb& climb, const Row& row) {
  const Rivals rivals = rivals_in(climb, row.precision);
  if (rivals.cublas == nullptr || rivals.best_cublaslt == nullptr) return nullptr;
  if (!row.rung) return rivals.best_cublaslt;
  const Entry* entry = entry_of(climb, *row.rung);
  return entry != nullptr && entry->timing ? &*entry->timing : nullptr;
}

/// Reading i, or the only one of a protocol that looks at the clock once.
std::optional<double> reading(const std::vector<double>& values, std::size_t i) {
  if (values.empty()) return std::nullopt;
  return values[std::min(i, values.size() - 1)];
}

/// Figures of sample i beside its time.
void set_counters(benchmark::State& state, const Climb& climb, const Precision& precision,
                  const Timing& timing, std::size_t i, const std::optional<Roof>& measured_roof) {
  const Problem& problem = climb.problem;
  const double ms = timing.samples_ms[i];
  const Rivals rivals = rivals_in(climb, precision);
  const Timing& cublas = *rivals.cublas;
  const Timing& best =
      rivals.best_cublaslt->time_ms < cublas.time_ms ? *rivals.best_cublaslt : cublas;
  auto& counters = state.counters;
  counters["tflops"] = flops(problem.shape) / ms * 1e-9;
  counters["ratio_to_cublas"] = cublas.samples_ms[i] / ms;
  counters["ratio_to_best"] = best.samples_ms[i] / ms;
  counters["spread"] = timing.spread;
  counters["launches_per_sample"] = timing.launches_per_sample;
  if (const auto mhz = reading(timing.clocks.sm_mhz, i)) counters["sm_mhz"] = *mhz;
  if (const auto watt = reading(timing.clocks.power_w, i)) counters["power_w"] = *watt;
  if (!measured_roof) return;
  const auto attainable = attainable_tflops(*measured_roof, problem.shape, problem.beta, precision);
  if (attainable) counters["share_of_measured_roof"] = counters["tflops"].value / *attainable;
}

}  // namespace

GemmRows::GemmRows(Machine& machine, std::span<const Rung> ladder, Plan plan,
                   const std::optional<Roof>& measured, OnProgress on_progress)
    : machine_(machine),
      ladder_(ladder),
      plan_(std::move(plan)),
      measured_roof_(measured),
      on_progress_(std::move(on_progress)) {}

const Climb* GemmRows::measured(const Job& job) {
  if (last_job_ != &job) {
    last_job_ = &job;
    last_climb_.reset();
    trouble_.clear();
    std::vector<Rung> chosen;
    for (const Precision& precision : precisions_of(job))
      chosen.push_back(rival_in(precision, ladder_));
    for (const Row& row : job.rows) {
      if (row.rung && row.rung->number != kCublas) chosen.push_back(*row.rung);
    }
    try {
      last_climb_ = ladder::climb(machine_, {.ladder = ladder_,
                                             .chosen = chosen,
                                             .problem = {.shape = job.shape},
                                             .protocol = job.protocol,
                                             .on_progress = on_progress_});
    } catch (const std::exception& error) {
      trouble_ = error.what();
    }
    on_progress_(name_of(job.shape), 1.0);
  }
  return last_climb_ ? &*last_climb_ : nullptr;
}

void GemmRows::report(benchmark::State& state, const Job& job, const Row& row, std::size_t sample) {
  const Climb* climb = measured(job);
  const Timing* timing = climb != nullptr ? timing_of(*climb, row) : nullptr;
  if (timing == nullptr) {
    all_right_ = false;
    const std::string why = climb != nullptr ? complaint(*climb, row) : trouble_;
    state.SkipWithError(why.c_str());
    return;
  }
  const std::size_t i = sample % timing->samples_ms.size();
  for ([[maybe_unused]] auto _ : state)
    state.SetIterationTime(timing->samples_ms[i] * 1e-3);
  if (row.precision != kFp32) state.SetLabel(std::string(row.precision.name));
  set_counters(state, *climb, row.precision, *timing, i, measured_roof_);
}

void GemmRows::register_rows() {
  for (const Job& job : plan_.jobs) {
    for (const Row& row : job.rows) {
      const auto next_sample = [this, &job, &row,
                                sample = std::size_t{0}](benchmark::State& state) mutable {
        report(state, job, row, sample++);
      };
      benchmark::RegisterBenchmark(row.name.c_str(), next_sample)
          ->UseManualTime()
          ->Iterations(1)
          ->Repetitions(samples_of(job.protocol))
          ->Unit(benchmark::kMillisecond);
    }
  }
}

void add_context(const Machine& machine, const Plan& plan, const std::string& protocol) {
  benchmark::AddCustomContext("device", machine.name());
  benchmark::AddCustomContext("protocol", protocol);
  benchmark::AddCustomContext("version", std::string(version()));
  benchmark::AddCustomContext("commit", std::string(commit()));
  for (const auto& [what, version] : machine.versions())
    benchmark::AddCustomContext(what, version);
  for (const Refusal& refusal : plan.refusals)
    benchmark::AddCustomContext("refused " + refusal.row, refusal.sentence);
}

void require_memory(const Machine& machine, const Plan& plan) {
  for (const Job& job : plan.jobs) {
    for (const Precision& precision : precisions_of(job)) {
      ladder::require_memory(machine, job.shape, precision.stored,
                             verification_bytes(job.shape, precision.stored));
    }
  }
}

}  // namespace ladder::bench
