// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/hash_grouping_lab_test.cpp
/// \brief L14: its kernels on the emulator count as the CPU does, and simulated TLBs give the
///        answers that follow from them.
#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/labs/questions/emulated_grouping.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/simulator/memory_system.hpp"
#include "tests/bench/labs/find_in_report.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kSeed = 3;

std::vector<TableWord> keys_of(const Grouping& grouping) {
  std::vector<TableWord> keys(grouping.tuples);
  for (std::uint64_t i = 0; i < grouping.tuples; ++i)
    keys[i] = tuple_key(grouping.groups(), grouping.seed, i);
  return keys;
}

/// Tuples that fill neither a block nor a warp.
Grouping some(GroupingWay way, int parts, bool zero_copy) {
  return {.table_bytes = 1 << 14,
          .tuples = 5003,
          .way = way,
          .parts = parts,
          .zero_copy = zero_copy,
          .seed = kSeed};
}

void expect_exact(const Grouping& grouping) {
  SCOPED_TRACE(testing::Message() << "way " << static_cast<int>(grouping.way) << ", parts "
                                  << grouping.parts << ", zero-copy " << grouping.zero_copy
                                  << ", seed " << grouping.seed);
  const std::vector<TableWord> keys = keys_of(grouping);
  EXPECT_NO_THROW(require_counts(grouped_on_emulator(grouping, keys), keys));
}

TEST(HashGroupingLab, AllWaysCountAsTheCpuDoes) {
  expect_exact(some(GroupingWay::one_pass, 1, false));
  for (const bool zero_copy : {false, true}) {
    for (const int parts : {1, 2, 7}) {
      expect_exact(some(GroupingWay::rescan, parts, zero_copy));
      expect_exact(some(GroupingWay::spill, parts, zero_copy));
      expect_exact(some(GroupingWay::windows, parts, zero_copy));
    }
  }
  expect_exact(some(GroupingWay::windows, kMostParts, false));
}

TEST(HashGroupingLab, ATableWithoutAnEmptyBucketIsWalkedAround) {
  Grouping full = some(GroupingWay::one_pass, 1, false);
  full.tuples = full.buckets();
  std::vector<TableWord> keys(full.tuples);
  for (std::uint64_t i = 0; i < full.tuples; ++i)
    keys[i] = key_of(i);
  EXPECT_NO_THROW(require_counts(grouped_on_emulator(full, keys), keys));
}

TEST(HashGroupingLab, AWrongTableIsTold) {
  const Grouping grouping = some(GroupingWay::one_pass, 1, false);
  const std::vector<TableWord> keys = keys_of(grouping);
  const std::vector<Bucket> right = grouped_on_emulator(grouping, keys);
  const auto taken = [&] {
    std::size_t place = 0;
    while (right[place].key == kNoKey)
      ++place;
    return place;
  }();
  std::vector<Bucket> wrong = right;
  ++wrong[taken].count;
  EXPECT_THROW(require_counts(wrong, keys), std::logic_error);
  wrong = right;
  wrong[taken] = {};
  EXPECT_THROW(require_counts(wrong, keys), std::logic_error);
  wrong = right;
  wrong.push_back(right[taken]);
  EXPECT_THROW(require_counts(wrong, keys), std::logic_error);
  wrong = right;
  wrong[taken].key = kNoKey;
  EXPECT_THROW(require_counts(wrong, keys), std::logic_error);
}

TEST(HashGroupingLab, APartIsAWindowOfTheTable) {
  const Grouping grouping = some(GroupingWay::windows, 7, false);
  std::uint64_t last = 0;
  std::vector<std::uint64_t> part_of_bucket(grouping.buckets(), 7);
  for (const TableWord key : keys_of(grouping))
    part_of_bucket[part_of_hash(murmur_mix(key), grouping.buckets())] =
        part_of_hash(murmur_mix(key), 7);
  for (const std::uint64_t part : part_of_bucket) {
    if (part == 7) continue;  // no key is at home there
    EXPECT_GE(part, last);
    last = part;
  }
  EXPECT_EQ(last, 6u);
}

LabReport on(const char* preset) {
  const auto gpu = make_simulated_instruments(preset, kSeed);
  return hash_grouping(gpu.get(), {.quick = true, .seed = kSeed});
}

TEST(HashGroupingLab, ItIsSlowBeyondTheReachAndPartsHelp) {
  const LabReport report = on("p100");
  constexpr double kGiB = 1 << 30;
  const Estimate reach = finding(report, "reach").value.value();
  EXPECT_LT(reach.low, 2.1 * kGiB);
  EXPECT_GT(reach.high, 2.0 * kGiB);
  EXPECT_GT(value_of(report, "best_tuples"), 2 * value_of(report, "largest_tuples"));
  EXPECT_GT(value_of(report, "cure_windows_2"), 2 * value_of(report, "largest_tuples"));
  EXPECT_EQ(claim(report, "R152").verdict, "holds");
  // Every pass reads all tuples over the bus again, and a buffer on the GPU saves that.
  EXPECT_GT(value_of(report, "cure_zero_copy_spill_4"),
            2 * value_of(report, "cure_zero_copy_rescan_4"));
}

TEST(HashGroupingLab, WithoutTlbsNothingFallsAndNothingHelps) {
  const LabReport report = on("flat");
  EXPECT_FALSE(finding(report, "reach").value);
  EXPECT_FALSE(finding(report, "crossover").value);
  // It may just not have been far enough.
  EXPECT_EQ(claim(report, "R152").verdict, "pending");
  EXPECT_EQ(claim(report, "R180").verdict, "wrong");
}

}  // namespace
}  // namespace ladder::labs
