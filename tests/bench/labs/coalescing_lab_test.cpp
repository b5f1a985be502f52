// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/coalescing_lab_test.cpp
/// \brief L06: counters agree with the formula, and of a GPU's times the lab names the cause.
#include <gtest/gtest.h>

#include "bench/labs/questions/counted.hpp"
#include "bench/labs/questions/labs.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/gpu_that_answers.hpp"

namespace ladder::labs {
namespace {

TEST(CountReadsTest, EachWarpReadsItsOwnPlaces) {
  const CountedReads row = count_reads({});
  EXPECT_EQ(row.warps, 64u);
  EXPECT_EQ(row.counts.requests, 64u);
  EXPECT_EQ(row.counts.sectors, 4u * 64u);
  EXPECT_EQ(row.l2_sectors, 4u * 64u);
  const CountedReads column = count_reads({.stride_bytes = 128});
  EXPECT_EQ(column.counts.sectors, 32u * 64u);
  EXPECT_EQ(column.counts.lines, 32u * 64u);
  EXPECT_EQ(column.counts.wavefronts, 32u * 64u);
}

TEST(CountReadsTest, NeighboursShareTheSectorOfAnOffset) {
  const CountedReads shifted = count_reads({.first_byte = 4});
  EXPECT_EQ(shifted.counts.sectors, 5u * 64u);
  EXPECT_EQ(shifted.l2_sectors, 4u * 64u + 1u);
}

TEST(CountReadsTest, LoadsOfOneRecordShareItsSectors) {
  const CountedReads records = count_reads({.bytes = 4, .loads = 5, .stride_bytes = 20});
  EXPECT_EQ(records.counts.requests, 5u * 64u);
  EXPECT_EQ(records.counts.sectors, 100u * 64u);
  EXPECT_EQ(records.distinct_sectors, 20u * 64u);
  EXPECT_EQ(records.l2_sectors, 20u * 64u);
}

TEST(CountReadsTest, FormulaAndCounterAgreeOnRandomPlaces) {
  for (const AccessPattern& pattern :
       {AccessPattern{.random = true},
        AccessPattern{.bytes = 4, .loads = 5, .stride_bytes = 20, .random = true},
        AccessPattern{.bytes = 16, .loads = 2, .stride_bytes = 32, .random = true}}) {
    const CountedReads counted = count_reads(pattern);
    EXPECT_EQ(counted.counts.sectors, counted.model_sectors);
    EXPECT_EQ(counted.counts.lines, counted.model_lines);
    EXPECT_GT(counted.counts.sectors, 31u * counted.counts.requests);
  }
}

TEST(CountReadsTest, RefusesWhatNoKernelReads) {
  EXPECT_THROW(count_reads({.bytes = 4, .loads = 3, .stride_bytes = 12}), std::invalid_argument);
}

TEST(CoalescingLabTest, WithoutAGpuNothingIsTimed) {
  const LabReport report = coalescing(nullptr, {.quick = true});
  EXPECT_EQ(value_of(report, "patterns_that_differ"), 0.0);
  EXPECT_THROW(finding(report, "DRAM_sectors_r2"), std::out_of_range);
  EXPECT_EQ(claim(report, "R120").verdict, "wrong");
  EXPECT_NE(claim(report, "R120").because.find("8x"), std::string::npos);
  EXPECT_EQ(claim(report, "R121").verdict, "wrong");
  EXPECT_EQ(claim(report, "R119").verdict, "condition");  // beginning at a line
  std::vector<std::string> float4;
  for (const ClaimCheck& check : report.claims)
    if (check.row == "R123") float4.push_back(check.verdict);
  EXPECT_EQ(float4, (std::vector<std::string>{"holds", "wrong"}));  // lines, and instructions
  EXPECT_EQ(claim(report, "R036").verdict, "condition");
  EXPECT_NE(report.notes.at(0).find("time was not measured"), std::string::npos);
}

TEST(CoalescingLabTest, NamesWhatExplainsTheTime) {
  GpuThatAnswers gpu;
  gpu.answered_reads.answer = [](const AccessPattern& pattern, Home home) {
    const CountedReads counted = count_reads(pattern);
    if (home == Home::dram) return 3.0 + 0.5 * counted.per_warp(counted.l2_sectors);
    if (home == Home::l2) return 2.0 + 0.25 * counted.per_warp(counted.distinct_lines);
    return 1.0 + 0.125 * counted.per_warp(counted.counts.wavefronts);
  };
  const LabReport report = coalescing(&gpu, {.quick = true});
  EXPECT_NEAR(value_of(report, "DRAM_sectors_r2"), 1.0, 1e-9);
  EXPECT_LT(value_of(report, "DRAM_lines_r2"), 0.99);
  EXPECT_NEAR(value_of(report, "DRAM_best_ns"), 0.5, 1e-9);
  EXPECT_NE(finding(report, "DRAM_best_ns").name.find("sectors that L1 fetches"),
            std::string::npos);
  EXPECT_NE(finding(report, "L2_best_ns").name.find("different lines of a warp"),
            std::string::npos);
  EXPECT_NEAR(value_of(report, "L2_best_ns"), 0.25, 1e-9);
  EXPECT_NE(finding(report, "L1_best_ns").name.find("wavefronts"), std::string::npos);
  EXPECT_NEAR(value_of(report, "L1_best_ns"), 0.125, 1e-9);
}

}  // namespace
}  // namespace ladder::labs
