// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/interference_lab_test.cpp
/// \brief L17 on simulated memory: each cure is worth what the model says.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/labs/analysis/replacement.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/simulator/memory_system.hpp"
#include "tests/bench/labs/find_in_report.hpp"

namespace ladder::labs {
namespace {

LabReport on(const MemorySystemShape& shape) {
  const auto gpu = make_simulated_instruments(shape, 1);
  return interference(gpu.get(), {.quick = true});
}

TEST(InterferenceLab, EveryCureKeepsWhatTheProductWouldRemove) {
  const LabReport report = on(memory_system_of("h200"));
  EXPECT_EQ(value_of(report, "none_share"), 0.0);
  for (const char* cure : {"set_aside", "evict_first", "both", "order"})
    EXPECT_EQ(value_of(report, std::string(cure) + "_share"), 100.0) << cure;
  EXPECT_EQ(claim(report, "R021").verdict, "holds");
  EXPECT_EQ(claim(report, "R025").verdict, "holds");
  EXPECT_EQ(claim(report, "R024").verdict, "condition");
}

TEST(InterferenceLab, TheTimeSavedFollowsFromTheBandwidths) {
  const MemorySystemShape shape = memory_system_of("h200");
  const LabReport report = on(shape);
  const double bytes = report.series[0].points[3].x;  // the size next to a quarter of L2
  const double before = bytes / shape.dram_read_gbps * 1e-3;
  const double after = bytes / shape.l2_gbps * 1e-3;
  EXPECT_NEAR(value_of(report, "evict_first_saves_us"), before - after, 0.05 * before);
}

TEST(InterferenceLab, BeyondTheSetAsidePartOnlyAShareIsKept) {
  const LabReport report = on(memory_system_of("classroom"));
  const Series& set_aside = report.series[1];
  EXPECT_EQ(set_aside.points.front().samples[0], 100.0);
  const MemoryFacts facts = memory_system_of("classroom").facts;
  const Point& last = set_aside.points.back();
  const double share = static_cast<double>(facts.most_persisting_bytes) / last.x;
  EXPECT_NEAR(last.samples[0], 100.0 * std::min(share, 1.0), 3.0);
}

TEST(InterferenceLab, WithoutAnL2NothingIsFound) {
  const LabReport report = on(memory_system_of("flat"));
  for (const Finding& finding : report.findings)
    EXPECT_FALSE(finding.value) << finding.key;
  EXPECT_TRUE(report.claims.empty());
}

}  // namespace
}  // namespace ladder::labs
