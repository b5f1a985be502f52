// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/drawn_labs_test.cpp
/// \brief What labs say of drawn systems is true; where there is nothing, they find nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bench/labs/questions/labs.hpp"
#include "tests/bench/labs/drawn_reports.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/tally.hpp"

namespace ladder::labs {
namespace {

/// Labs that measure, and what each finds of the structure of a memory system.
const std::map<std::string, std::vector<std::string>> kStructure = {
    {"latency", {"l1_bytes", "l2_first_bytes"}},
    {"sectors", {"l1_fetch_bytes", "l2_fetch_bytes"}},
    {"l2_bandwidth",
     {"l2_read_gbps", "l2_knee_bytes", "cyclic_capacity_bytes", "random_capacity_bytes"}},
    {"set_aside", {"nothing_protected_bytes", "all_protected_bytes", "half_protected_bytes"}},
    {"l2_sides", {"penalty_cycles", "mask", "sms_of_side_1", "granularity_bytes"}},
    {"near_memory", {"near_right_percent", "copy_right_over_off_percent"}},
    {"tlb_reach", {"tlb_1_reach_bytes", "tlb_1_page_bytes", "tlb_1_entries"}},
    {"tlb_sharing", {"tlb_1_groups"}},
    {"remote_memory", {"remote_knee_bytes"}},
    {"cache_operators", {"operator_0_in_l1", "operator_1_in_l1"}},
    {"interference", {"none_share", "order_share", "both_saves_us"}},
    {"hash_grouping", {"reach", "crossover"}},
};

TEST(FlatMemory, HasNoStructureInAnyLab) {
  for (int seed = 0; seed < few_draws(); ++seed) {
    const std::uint64_t number = seed_of_draw(seed);
    for (const auto& [lab, keys] : kStructure) {
      const LabReport report = find_lab(lab).run(make_simulated_instruments("flat", number).get(),
                                                 {.quick = true, .seed = number});
      for (const std::string& key : keys)
        EXPECT_FALSE(estimate(report, key)) << lab << ", " << key << ", seed " << seed;
    }
  }
}

TEST(OddSizes, OfADriverEndNoLab) {
  // No multiple of a line, nor of anything else.
  for (const char* const preset : {"classroom", "flat"}) {
    MemorySystemShape shape = memory_system_of(preset);
    shape.facts.l2_bytes += 13;
    shape.facts.l1_bytes += 7;
    shape.facts.most_persisting_bytes += 5;
    shape.facts.free_bytes -= 11;
    for (const Lab& lab : labs()) {
      if (lab.needs != Needs::instruments && lab.needs != Needs::two_gpus) continue;
      const auto gpu = make_simulated_instruments(shape, 1);
      EXPECT_NO_THROW(lab.run(gpu.get(), {.quick = true})) << lab.name << ", " << preset;
    }
  }
}

TEST(OddSizes, OfAnArrayAreRefusedByTheSimulatorAsAGpuFaults) {
  const auto gpu = make_simulated_instruments("classroom", 1);
  EXPECT_THROW(gpu->survival()->survivors({.hot_bytes = 1000, .stream_bytes = 1280}, 1), LabError);
  EXPECT_THROW(gpu->survival()->survivors({.hot_bytes = 1280, .stream_bytes = 1000}, 1), LabError);
}

TEST(DrawnSides, AreToldAsTheyAreOrNotAtAll) {
  Tally masks("Bits of an address that choose a side of L2", "whole GPUs", 0.75);
  Tally counts("SMs on each side of L2", "whole GPUs");
  for (int seed = 0; seed < few_draws(); ++seed) {
    const Drawn drawn(seed);
    const LabReport report = drawn.run("l2_sides");
    const auto mask = estimate(report, "mask");
    const std::uint64_t truth = drawn.shape.l2->sides == 2 ? drawn.shape.l2->home_mask : 0;
    if (truth == 0)
      masks.take_nothing(drawn.seed, mask ? mask : estimate(report, "penalty_cycles"));
    else
      masks.take(drawn.seed, mask, mask && static_cast<std::uint64_t>(mask->value) == truth);
    const auto ones = estimate(report, "sms_of_side_1");
    if (truth == 0) continue;
    const auto count = static_cast<double>(std::ranges::count(drawn.shape.side_of_sm, 1));
    counts.take(drawn.seed, ones,
                ones && (ones->value == count || ones->value == drawn.shape.facts.sms - count));
  }
}

}  // namespace
}  // namespace ladder::labs
