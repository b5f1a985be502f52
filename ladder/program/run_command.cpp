// SPDX-License-Identifier: MIT
#include "ladder/program/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/terminal/progress.hpp"
#include "ladder/program/prediction_table.hpp"
#include "ladder/program/rung_trace.hpp"

namespace ladder {
namespace {

/// Line touches that the cache model may look at: about a second's worth of them is looked up.
constexpr std::uint64_t kTouches = 600'000'000;

}  // namespace

std::optional<double> counted(const Rung& rung, const CounterRatio& ratio) {
  if (ratio.over) {
    CounterRatio alone = ratio;
    alone.over.reset();
    const auto other = std::ranges::find(emulated_rungs(), *ratio.over, &Rung::number);
    if (other == emulated_rungs().end()) return std::nullopt;  // a program of a single rung
    const std::optional<double> own = counted(rung, alone);
    const std::optional<double> of_other = counted(*other, alone);
    return own && of_other && *of_other != 0 ? std::optional(*own / *of_other) : std::nullopt;
  }
  require_living_instrumentation();
  Problem problem;
  problem.shape = {.M = ratio.size, .N = ratio.size, .K = ratio.size};
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  const DeviceCard card = load_card("h200");
  const Rung& traced = find_rung(traced_rungs(), rung.name);
  const auto with_budget = [&](std::uint64_t touch_budget) {
    TraceChoice choice;
    choice.touch_budget = touch_budget;
    const Metrics metrics = trace_rung(*machine, traced, problem, card, choice).metrics;
    return value_of(ratio, rung.precision.stored, [&](const std::string& name) {
      const auto found = metrics.find(name);
      return found == metrics.end() ? std::nullopt : found->second;
    });
  };
  // Most counters need no caches, and those take the longest to model.
  const std::optional<double> without_caches = with_budget(0);
  return without_caches ? without_caches : with_budget(kTouches);
}

int run_command(const Options& options) {
  ClimbExtras extras;
  extras.command = "run";
  if (options.no_timing) return climb_command(options, extras);
  const Predictions predictions;  // a broken file is found before anything is computed
  extras.to_compare_with = [&](std::span<const Rung> ladder, const std::vector<Rung>& chosen) {
    return rungs_to_compare_with(predictions, ladder, chosen);
  };
  extras.after = [&](const Climb& climb) {
    Progress progress;
    const std::string text =
        predictions_text(predictions, climb, [&](const Rung& rung, const CounterRatio& ratio) {
          progress.show("counting " + label(rung), 0);
          return counted(rung, ratio);
        });
    progress.clear();
    fmt::print("{}", text);
  };
  return climb_command(options, extras);
}

}  // namespace ladder
