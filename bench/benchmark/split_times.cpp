// SPDX-License-Identifier: MIT
#include "bench/benchmark/split_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace ladder::bench {
namespace {

using nlohmann::json;

/// Any run as a line of the table, so that a climb verifies and times it.
Rung as_rung(const Rung& rung, std::string_view name, const Run& run) {
  Rung other = rung;
  other.name = name;
  other.run = run;
  other.took = nullptr;
  return other;
}

json number_or_null(double value) {
  return std::isfinite(value) ? json(value) : json();
}

}  // namespace

double relative_error(Machine& machine, const Run& run, const Shape& shape, int rows) {
  const auto count = [](int m, int n) {
    return static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
  };
  const auto [M, N, K] = shape;
  const MachineArray<float> a(machine, count(M, K)), b(machine, count(K, N)),
      c(machine, count(M, N));
  machine.fill_random(a.data(), a.size(), {.seed = 1, .array = 0});
  machine.fill_random(b.data(), b.size(), {.seed = 1, .array = 1});
  run(Gemm<float>{M, N, K, 1.0f, a.data(), b.data(), 0.0f, c.data()}, nullptr);
  machine.synchronize();
  std::vector<float> found(count(rows, N));
  machine.copy_to_host(found.data(), c.data(), found.size() * sizeof(float));
  const MachineArray<double> product(machine, found.size()), scale(machine, found.size());
  machine.compute_reference({rows, N, K}, a.data(), b.data(), product.data(), scale.data());
  std::vector<double> exact(found.size());
  machine.copy_to_host(exact.data(), product.data(), exact.size() * sizeof(double));
  double errors = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    errors += (found[i] - exact[i]) * (found[i] - exact[i]);
    squares += exact[i] * exact[i];
  }
  return std::sqrt(errors / squares);
}

json split_times(Machine& machine, std::span<const Rung> ladder, const Rung& rung,
                 const EmulatedSgemm& emulated, int size, Protocol protocol) {
  constexpr int kRows = 128;
  const Shape shape = {size, size, size};
  std::vector<Rung> chosen = {rival_in(kFp32, ladder), rival_in(kTf32, ladder), rung};
  if (emulated.run) chosen.push_back(as_rung(rung, "cublas_bf16x9", emulated.run));
  const Climb climb = ladder::climb(machine, {.ladder = ladder,
                                              .chosen = chosen,
                                              .problem = {.shape = shape},
                                              .protocol = protocol,
                                              .small_too = false});
  const double sgemm_ms = climb.entries.at(0).timing ? climb.entries[0].timing->time_ms : 0.0;
  json rows = json::array();
  for (const Entry& entry : climb.entries) {
    json row = {{"name", entry.rung.name},
                {"size", size},
                {"outcome", name_of(entry.outcome)},
                {"took", entry.took},
                {"error_over_bound", json()},
                {"time_ms", json()},
                {"tflops", json()},
                {"over_sgemm", json()},
                {"spread", json()},
                {"relative_error", number_or_null(relative_error(machine, entry.rung.run, shape,
                                                                 std::min(kRows, size)))}};
    if (entry.verdict) row["error_over_bound"] = number_or_null(entry.verdict->error_over_bound);
    if (entry.timing) {
      row["time_ms"] = entry.timing->time_ms;
      row["tflops"] = entry.timing->tflops;
      row["over_sgemm"] = sgemm_ms / entry.timing->time_ms;
      row["spread"] = entry.timing->spread;
    }
    rows.push_back(row);
  }
  return rows;
}

json hard_input_results(Machine& machine, std::span<const Rung> ladder, const Rung& rung,
                        const Shape& shape) {
  json rows = json::array();
  for (const HardInput& input : hard_inputs()) {
    const HardOutcome outcome =
        run_hard_input(machine, rung, rival_in(kFp32, ladder), input, shape);
    rows.push_back({{"name", input.name},
                    {"about", input.about},
                    {"took", outcome.took},
                    {"error_over_bound", number_or_null(outcome.error_over_bound)},
                    {"error", number_or_null(outcome.error)},
                    {"error_of_sgemm", number_or_null(outcome.error_of_library)}});
  }
  return rows;
}

}  // namespace ladder::bench
