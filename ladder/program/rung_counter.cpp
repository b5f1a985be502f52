// SPDX-License-Identifier: MIT
#include "ladder/program/rung_counter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ladder {
namespace {

using emulator::Operation;

/// Several waves of 16 blocks, and matrices beyond the 512 KiB of the classroom card's L2. Four
/// rows of 128 x 128 tiles, so that rung 07's order makes a wave a square, as it does on an H200.
/// K is short because blocks that wait for each other are traced whole, all along K.
constexpr Shape kGainsShape = {.M = 512, .N = 4096, .K = 512};

/// Line touches for the model of caches: a second or two. The rungs without tiles need more.
constexpr std::uint64_t kGainsTouches = 25'000'000;

emulator::AccessCounts global_loads(const RungTrace& trace) {
  emulator::AccessCounts loads = total(trace.kernel, Operation::kGlobalLoad);
  loads += total(trace.kernel, Operation::kAsyncCopy);
  loads += total(trace.kernel, Operation::kBoxCopy);
  return loads;
}

/// How a counter is named, and how its figure is written.
struct Description {
  Counter counter;
  std::string_view code;   ///< for programs
  std::string_view words;  ///< what stands behind the figure
  double scale = 1;
  int digits = 3;
  std::string_view unit = "";
};

constexpr std::array kDescriptions = {
    Description{Counter::kNone, "", ""},
    Description{Counter::kSectorsPerLoad, "sectors_per_load", "sectors per load from global memory",
                1, 1},
    Description{Counter::kGlobalLoads, "global_loads", "loads from global memory per multiply-add",
                1, 4},
    Description{Counter::kWavefronts, "wavefronts",
                "wavefronts of L1 and shared memory per multiply-add"},
    Description{Counter::kSharedStores, "shared_stores", "stores to shared memory per multiply-add",
                1, 4},
    Description{Counter::kHiddenLoads, "hidden_loads", "of a tile's loads hidden by computing", 100,
                0, " %"},
    Description{Counter::kDramBytes, "dram_bytes", "from and to DRAM", 1e-6, 1, " MB"}};

const Description& described(Counter counter) {
  return *std::ranges::find(kDescriptions, counter, &Description::counter);
}

double ratio(double count, double of) {
  return of > 0 ? count / of : 0;
}

}  // namespace

Problem gains_problem() {
  Problem problem;
  problem.shape = kGainsShape;
  return problem;
}

RungTrace trace_gains(Machine& machine, const Rung& rung, const Problem& problem) {
  TraceChoice choice;
  choice.all_blocks = false;
  choice.touch_budget = kGainsTouches;
  return trace_rung(machine, rung, problem, load_card("classroom"), choice);
}

std::optional<double> figure_of(Counter counter, const RungTrace& trace) {
  const double warp_fma = flops(trace.problem.shape) / 2 / 32;
  const auto requests = [](const emulator::AccessCounts& counts) {
    return static_cast<double>(counts.requests);
  };
  switch (counter) {
    case Counter::kNone:
      return std::nullopt;
    case Counter::kSectorsPerLoad: {
      const emulator::AccessCounts loads = global_loads(trace);
      return ratio(static_cast<double>(loads.sectors), requests(loads));
    }
    case Counter::kGlobalLoads:
      return requests(global_loads(trace)) / warp_fma;
    case Counter::kWavefronts: {
      double wavefronts = 0;
      for (const emulator::LineCounts& line : trace.kernel.lines)
        wavefronts += wavefronts_per_multiply_add(trace, line);
      return wavefronts;
    }
    case Counter::kSharedStores:
      return requests(total(trace.kernel, Operation::kSharedStore)) / warp_fma;
    case Counter::kHiddenLoads:
      return trace.kernel.order.tiles.empty() ? 0 : trace.kernel.order.hidden();
    case Counter::kDramBytes: {
      const auto read = trace.metrics.at("dram__bytes_read.sum");
      const auto written = trace.metrics.at("dram__bytes_write.sum");
      if (!read || !written) return std::nullopt;
      return *read + *written;
    }
  }
  return std::nullopt;
}

std::optional<emulator::Place> line_of(Counter counter, const RungTrace& trace) {
  const auto weight = [&](const emulator::LineCounts& line) -> double {
    const auto requests = static_cast<double>(line.counts.requests);
    const bool loads = line.operation == Operation::kGlobalLoad ||
                       line.operation == Operation::kAsyncCopy ||
                       line.operation == Operation::kBoxCopy;
    switch (counter) {
      case Counter::kNone:
      case Counter::kDramBytes:
        return 0;
      case Counter::kSectorsPerLoad:
        return loads ? ratio(static_cast<double>(line.counts.sectors), requests) : 0;
      case Counter::kGlobalLoads:
      case Counter::kHiddenLoads:
        return loads ? requests : 0;
      case Counter::kWavefronts:
        return wavefronts_per_multiply_add(trace, line);
      case Counter::kSharedStores:
        return line.operation == Operation::kSharedStore ? requests : 0;
    }
    return 0;
  };
  const auto most = std::ranges::max_element(trace.kernel.lines, {}, weight);
  if (most == trace.kernel.lines.end() || weight(*most) == 0) return std::nullopt;
  return emulator::Place{most->file, most->line};
}

std::string_view code_of(Counter counter) {
  return described(counter).code;
}

std::string_view words_of(Counter counter) {
  return described(counter).words;
}

std::string figure_text(Counter counter, double value) {
  const Description& of = described(counter);
  return fmt::format("{:.{}f}{}", value * of.scale, of.digits, of.unit);
}

}  // namespace ladder
