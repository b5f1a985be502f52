// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/drawn_reads_test.cpp
/// \brief Of times that follow one count of a warp's requests, the coalescing lab names that count.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "bench/labs/questions/counted.hpp"
#include "bench/labs/questions/labs.hpp"
#include "tests/bench/labs/drawn_reports.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/gpu_that_answers.hpp"
#include "tests/bench/labs/tally.hpp"

namespace ladder::labs {
namespace {

/// What times may follow.
struct Law {
  const char* name;  ///< as the lab has it; empty: nothing but noise
  double (*count)(const CountedReads&);
};

constexpr std::array kLaws = {
    Law{"more of the requests takes",
        [](const CountedReads& c) { return c.per_warp(c.counts.requests); }},
    Law{"more of the wavefronts of L1 takes",
        [](const CountedReads& c) { return c.per_warp(c.counts.wavefronts); }},
    Law{"more of the sectors looked up in L1 takes",
        [](const CountedReads& c) { return c.per_warp(c.counts.sectors); }},
    Law{"more of the different sectors of a warp takes",
        [](const CountedReads& c) { return c.per_warp(c.distinct_sectors); }},
    Law{"more of the sectors that L1 fetches takes",
        [](const CountedReads& c) { return c.per_warp(c.l2_sectors); }},
    Law{"more of the different lines of a warp takes",
        [](const CountedReads& c) { return c.per_warp(c.distinct_lines); }},
    Law{"", [](const CountedReads&) { return 8.0; }}};

TEST(DrawnReads, TakeTheTimeOfWhatTheLabNames) {
  Tally tally("What a warp's requests take their time for",
              "times that follow one of six counts with 0.5 to 3 % noise, or none", 0.7);
  for (int draw = 0; draw < few_draws(); ++draw) {
    Draw drawn(seed_of_draw(draw));
    std::map<Home, const Law*> laws;
    for (const Home home : {Home::l1, Home::l2, Home::dram})
      laws[home] = &kLaws.at(static_cast<std::size_t>(drawn.between(0, kLaws.size() - 1)));
    const double slope = drawn.octaves(0.05, 2);
    const double fixed = drawn.octaves(0.1, 4);
    const double noise = drawn.octaves(0.005, 0.03);
    std::normal_distribution<double> normal(1, noise);
    GpuThatAnswers gpu;
    gpu.answered_reads.answer = [&](const AccessPattern& pattern, Home home) {
      return (fixed + slope * laws[home]->count(count_reads(pattern))) * normal(drawn.random());
    };
    const LabReport report = coalescing(&gpu, {.quick = true});
    for (const auto& [key, home] : {std::pair("L1_best_ns", Home::l1),
                                    {"L2_best_ns", Home::l2},
                                    {"DRAM_best_ns", Home::dram}}) {
      const Finding& best = finding(report, key);
      const std::string name = laws[home]->name;
      if (name.empty())
        tally.take_nothing(seed_of_draw(draw), best.value);
      else
        tally.take(seed_of_draw(draw), best.value, best.name.find(name) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace ladder::labs
