// SPDX-License-Identifier: MIT
#include "bench/benchmark/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <utility>

#include "bench/benchmark/shapes.hpp"
#include "ladder/program/rotating_buffers.hpp"

namespace ladder::bench {
namespace {

constexpr double kGraphFlops = 3e10;

/// A GEMM of the vendor, as share of the roof.
constexpr double kVendorShare = 0.75;
/// The FP32 peak of the H200 that the recorded climb ran on: 132 SMs * 128 lanes * 2 * 1.98 GHz.
constexpr double kRecordedRoofTflops = 66.9;
/// Launches to verify a rung, its cuBLAS result and its reference in FP64.
constexpr double kVerifyingLaunches = 8;
/// cublasLt proposes about 8 algorithms; each is tried 3 times, 2 launches a time.
constexpr double kTuningLaunches = 8 * 3 * 2;
/// Memory, input data and cuBLAS handles of one shape.
constexpr double kShapeSeconds = 0.2;

/// Google Benchmark's filter on plain names.
class Filter {
 public:
  explicit Filter(std::string text) {
    if (text.empty() || text == "all") text = ".";
    wanted_ = text[0] != '-';
    if (!wanted_) text.erase(0, 1);
    try {
      expression_ = std::regex(text);
    } catch (const std::regex_error&) {
      throw std::invalid_argument(
          fmt::format("--benchmark_filter={}: this is no regular expression", text));
    }
  }
  bool passes(const std::string& name) const {
    return std::regex_search(name, expression_) == wanted_;
  }

 private:
  std::regex expression_;
  bool wanted_ = true;
};

/// Why the table says that a rung will not run; nothing when it will.
std::optional<std::string> refusal(const Rung& rung, const Shape& shape, int compute_capability) {
  if (!runs_on(rung, compute_capability)) {
    return fmt::format("{} needs {}, this GPU has {:.1f}", label(rung), needs(rung),
                       compute_capability / 10.0);
  }
  for (const auto& [dimension, extent] : {std::pair('N', shape.N), std::pair('K', shape.K)}) {
    if (extent % rung.multiple_of == 0) continue;
    return fmt::format("{} refuses {} = {}: {} must be a multiple of {}", label(rung), dimension,
                       extent, dimension, rung.multiple_of);
  }
  return std::nullopt;
}

void require_something_to_measure(const Plan& plan, const std::string& filter) {
  if (plan.jobs.empty() && plan.refusals.empty()) {
    throw std::invalid_argument(
        fmt::format("--benchmark_filter={} matches no row: --list shows their names", filter));
  }
  const bool only_vendors = std::ranges::all_of(plan.jobs, [](const Job& job) {
    return std::ranges::all_of(job.rows,
                               [](const Row& row) { return !row.rung || row.rung->number == 0; });
  });
  if (only_vendors && !plan.refusals.empty()) {
    throw std::invalid_argument(
        fmt::format("no rung is left to measure: {}", plan.refusals[0].sentence));
  }
}

double expected_tflops(const Row& row, const Roof& roof, const Shape& shape,
                       const std::optional<Recording>& recording) {
  const double attainable = attainable_tflops(roof, shape, 0.0f);
  if (row.rung && recording) {
    for (const RecordedFigure& figure : recording->figures) {
      if (figure.rung != row.rung->number) continue;
      return std::min(attainable, figure.tflops / kRecordedRoofTflops * roof.fp32_tflops);
    }
  }
  return kVendorShare * attainable;
}

}  // namespace

Protocol protocol_for(const Shape& shape) {
  return flops(shape) < kGraphFlops ? Protocol::graph : Protocol::burst;
}

Plan make_plan(std::span<const Rung> ladder, const PlanRequest& request) {
  const Filter filter(request.filter);
  std::vector<std::optional<Rung>> lines = {find_rung(ladder, "cublas"), std::nullopt};
  for (const Rung& rung : request.rungs) {
    const bool known = std::ranges::any_of(
        lines, [&](const auto& line) { return line && line->number == rung.number; });
    if (!known) lines.emplace_back(rung);
  }
  Plan plan;
  for (const Shape& shape : request.shapes) {
    Job job{.shape = shape, .protocol = request.protocol.value_or(protocol_for(shape)), .rows = {}};
    for (const std::optional<Rung>& rung : lines) {
      const std::string name = fmt::format("{}/{}/{}", rung ? folder(*rung) : "best_cublaslt",
                                           name_of(shape), ladder::name_of(job.protocol));
      if (!filter.passes(name)) continue;
      const auto sentence = rung ? refusal(*rung, shape, request.compute_capability) : std::nullopt;
      if (sentence) {
        plan.refusals.push_back({name, *sentence});
      } else {
        job.rows.push_back({name, rung});
      }
    }
    if (!job.rows.empty()) plan.jobs.push_back(std::move(job));
  }
  require_something_to_measure(plan, request.filter);
  return plan;
}

double expected_seconds(const Plan& plan, const Roof& roof, std::size_t l2_bytes,
                        const std::optional<Recording>& recording) {
  double seconds = 0.0;
  for (const Job& job : plan.jobs) {
    const double work_ms = flops(job.shape) * 1e-9;  // at 1 TFLOP/s
    const double vendor_ms = work_ms / (kVendorShare * attainable_tflops(roof, job.shape, 0.0f));
    const int sets = buffer_sets(job.shape, l2_bytes);
    // cuBLAS and the best of cublasLt run in any case: the rungs are compared with them.
    double ms = 2 * measuring_ms(job.protocol, vendor_ms, sets) +
                (kVerifyingLaunches + kTuningLaunches) * vendor_ms;
    for (const Row& row : job.rows) {
      if (!row.rung || row.rung->number == 0) continue;
      const double launch_ms = work_ms / expected_tflops(row, roof, job.shape, recording);
      ms += measuring_ms(job.protocol, launch_ms, sets) + launch_ms;
    }
    seconds += kShapeSeconds + ms * 1e-3;
  }
  return seconds;
}

}  // namespace ladder::bench
