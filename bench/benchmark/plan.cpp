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
  const std::optional<ladder::Refusal> why_not = why_not_on(rung, compute_capability, "this GPU");
  if (why_not) return label(rung) + " " + text_of(*why_not);
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

/// Of a precision whose peak is not known as if it were FP32: rather too little.
double expected_ceiling(const Roof& roof, const Shape& shape, const Precision& precision) {
  const auto known = attainable_tflops(roof, shape, 0.0f, precision);
  return known ? *known : attainable_tflops(roof, shape, 0.0f, kFp32).value();
}

double expected_tflops(const Row& row, const Roof& roof, const Shape& shape,
                       const std::optional<Recording>& recording) {
  const double attainable = expected_ceiling(roof, shape, row.precision);
  const RecordedFigure* figure = row.rung && recording ? figure_of(*recording, *row.rung) : nullptr;
  if (figure == nullptr) return kVendorShare * attainable;
  return std::min(attainable, figure->tflops / kRecordedRoofTflops * roof.fp32_tflops);
}

}  // namespace

Protocol protocol_for(const Shape& shape) {
  return flops(shape) < kGraphBelowFlop ? Protocol::graph : Protocol::burst;
}

std::vector<Precision> precisions_of(const Job& job) {
  std::vector<Precision> found;
  for (const Row& row : job.rows) {
    if (std::ranges::find(found, row.precision) == found.end()) found.push_back(row.precision);
  }
  return found;
}

Plan make_plan(std::span<const Rung> ladder, const PlanRequest& request) {
  const Filter filter(request.filter);
  struct Line {
    std::string name;
    std::optional<Rung> rung;
    Rung asked;  ///< whether it takes the shape
  };
  std::vector<Line> lines;
  for (const Precision& precision : precisions_of(request.rungs)) {
    const Rung& rival = rival_in(precision, ladder);
    lines.push_back({folder(rival), rival, rival});
    lines.push_back({best_cublaslt_name(precision), std::nullopt, rival});
  }
  for (const Rung& rung : request.rungs) {
    const std::string name = folder(rung);
    if (std::ranges::find(lines, name, &Line::name) == lines.end()) {
      lines.push_back({name, rung, rung});
    }
  }
  Plan plan;
  for (const Shape& shape : request.shapes) {
    Job job{.shape = shape, .protocol = request.protocol.value_or(protocol_for(shape)), .rows = {}};
    for (const Line& line : lines) {
      const std::string name =
          fmt::format("{}/{}/{}", line.name, name_of(shape), ladder::name_of(job.protocol));
      if (!filter.passes(name)) continue;
      if (const auto sentence = refusal(line.asked, shape, request.compute_capability)) {
        plan.refusals.push_back({name, *sentence});
      } else {
        job.rows.push_back({name, line.rung, line.asked.precision});
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
    double ms = 0.0;
    // cuBLAS and the best of cublasLt run in any case: the rungs are compared with them.
    for (const Precision& precision : precisions_of(job)) {
      const int sets = buffer_sets(job.shape, precision.stored, l2_bytes);
      const double vendor_ms =
          work_ms / (kVendorShare * expected_ceiling(roof, job.shape, precision));
      ms += 2 * measuring_ms(job.protocol, vendor_ms, sets) +
            (kVerifyingLaunches + kTuningLaunches) * vendor_ms;
    }
    for (const Row& row : job.rows) {
      if (!row.rung || row.rung->number == 0) continue;
      const int sets = buffer_sets(job.shape, row.precision.stored, l2_bytes);
      const double launch_ms = work_ms / expected_tflops(row, roof, job.shape, recording);
      ms += measuring_ms(job.protocol, launch_ms, sets) + launch_ms;
    }
    seconds += kShapeSeconds + ms * 1e-3;
  }
  return seconds;
}

}  // namespace ladder::bench
