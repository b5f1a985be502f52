// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/near_passes.cpp
#include "bench/labs/questions/near_passes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/labs/analysis/paired_slots.hpp"
#include "bench/labs/questions/curves.hpp"

namespace ladder::labs {
namespace {

/// Two ways of the same two passes, for arrays of several sizes.
struct Pair {
  const char* key;
  const char* name;
  TwoPasses reference;
  TwoPasses other;
  std::array<int, 3> percents_of_l2;
  const char* claimed;
};

constexpr std::array kPairs = {
    Pair{.key = "reverse_order",
         .name = "Largest magnitude, then scaling, of {} % of L2: time, backwards against forwards",
         .reference = TwoPasses::scale_forwards,
         .other = TwoPasses::scale_backwards,
         .percents_of_l2 = {100, 200, 400},
         .claimed =
             "If every second kernel works from the end to the start, more of its reads hit L2"},
    Pair{.key = "input_evict",
         .name = "Copy of {} % of L2, then the sum of the copy: time, evicting the input against "
                 "keeping it",
         .reference = TwoPasses::copy_kept,
         .other = TwoPasses::copy_evicted,
         .percents_of_l2 = {25, 50, 75},
         .claimed = "Inputs that leave L2 first make room there for outputs"}};

/// What the other way changes in the time; nothing: there is no GPU.
std::optional<Change> measured(NearMemoryInstrument& memory, const Pair& pair, std::uint64_t bytes,
                               const LabOptions& options) {
  const int repeats = options.quick ? 20 : 100;
  std::vector<Slot> slots;
  for (const TwoPasses passes : {pair.reference, pair.other, pair.other, pair.reference}) {
    slots.push_back({static_cast<int>(passes), memory.two_passes_ms(passes, bytes, repeats)});
    if (slots.back().samples.empty()) return {};
  }
  return change_between(slots, static_cast<int>(pair.reference), static_cast<int>(pair.other),
                        options.seed);
}

/// It holds if the time is shorter beyond doubt at every size, and under a condition if it is at
/// some of them. It is wrong if the time is longer at one and shorter at none.
ClaimCheck claimed_gain(const Pair& pair, const std::vector<Change>& changes) {
  const auto gains =
      std::ranges::count_if(changes, [](const Change& change) { return change.most() < 0; });
  const bool loses =
      std::ranges::any_of(changes, [](const Change& change) { return change.least() > 0; });
  ClaimCheck check = {.row = "R068",
                      .claimed = pair.claimed,
                      .verdict = std::cmp_equal(gains, changes.size()) ? "holds"
                                 : gains > 0                           ? "condition"
                                 : loses                               ? "wrong"
                                                                       : "pending",
                      .because = "The time of both passes changes by"};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    check.because +=
        fmt::format("{} {:+.1f} % ({:+.1f} to {:+.1f} %) at {} % of L2", i == 0 ? "" : ",",
                    change.percent.value, change.least(), change.most(), pair.percents_of_l2.at(i));
  }
  return check;
}

}  // namespace

void add_two_passes(LabReport& report, NearMemoryInstrument& memory, std::uint64_t l2_bytes,
                    const LabOptions& options) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  for (const Pair& pair : kPairs) {
    std::vector<Change> changes;
    for (const int percent : pair.percents_of_l2) {
      const std::uint64_t bytes =
          std::max(kMiB, l2_bytes * static_cast<std::uint64_t>(percent) / 100 / kMiB * kMiB);
      const std::optional<Change> change = measured(memory, pair, bytes, options);
      if (!change) {
        report.notes.push_back(
            "What reverse_order and input_evict save is measured on a GPU, and not simulated.");
        return;
      }
      report.findings.push_back(found(
          fmt::format("{}_{}_percent", pair.key, percent),
          fmt::format(fmt::runtime(pair.name), percent),
          Estimate{change->percent.value, change->least(), change->most()}, "%",
          fmt::format("Arrays of {} MiB, all accesses near; slots of a kind differ by {:.2f} %",
                      bytes / kMiB, change->floor_percent)));
      changes.push_back(*change);
    }
    report.claims.push_back(claimed_gain(pair, changes));
  }
}

}  // namespace ladder::labs
