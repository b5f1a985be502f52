// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/paper_labs_test.cpp
/// \brief The experiments of Karnagel et al. (2017) as they did them, on the emulator. Their cards,
///        simulated: tests/bench/labs/simulated_cards_test.py.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/labs/questions/emulated_grouping.hpp"
#include "bench/labs/questions/tlb_curves.hpp"
#include "bench/labs/simulator/memory_system.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/gpu_that_answers.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kSeed = 3;
constexpr double kMiB = 1 << 20;

TEST(LinearGenerator, AJumpIsSoManySteps) {
  std::uint64_t state = lcg_start(kSeed, 5);
  for (std::uint64_t steps = 0; steps < 70; ++steps) {
    EXPECT_EQ(lcg_after(lcg_start(kSeed, 5), steps), state) << steps;
    state = lcg_next(state);
  }
}

TEST(LinearGenerator, ItsWordsFillARegionEvenly) {
  constexpr std::uint64_t kWords = 10;
  std::vector<int> counts(kWords);
  std::uint64_t state = lcg_start(kSeed, 0);
  for (int i = 0; i < 10000; ++i) {
    state = lcg_next(state);
    ++counts[lcg_word(state, kWords)];
  }
  for (const int count : counts)
    EXPECT_NEAR(count, 1000, 120);
}

TEST(PaperSampling, TheKernelReadsWhatItsGeneratorsSay) {
  constexpr std::uint64_t kThreads = 70;  // no whole blocks
  RandomReads reads = {.region_bytes = std::uint64_t{4} * 12345,
                       .reads = kThreads * kLcgReads,
                       .seed = kSeed,
                       .draw = DrawnBy::lcg_of_thread};
  std::uint64_t sum = 0;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    std::uint64_t state = lcg_start(kSeed, thread);
    for (std::uint64_t i = 0; i < kLcgReads; ++i) {
      state = lcg_next(state);
      sum += static_cast<unsigned>(word_value(lcg_word(state, 12345)));
    }
  }
  EXPECT_EQ(lcg_sum_on_emulator(reads), sum);
  reads.scopes = 7;
  EXPECT_EQ(lcg_sum_on_emulator(reads), sum);
}

TEST(PaperSampling, ItIsRefusedWithAPartOfAThreadOrWithGroups) {
  const auto gpu = make_simulated_instruments("k80", kSeed);
  RandomReads reads = {.region_bytes = 1 << 20, .reads = 1000, .draw = DrawnBy::lcg_of_thread};
  EXPECT_THROW(gpu->random_reads().random_reads(reads, 1), LabError);
  reads.reads = 1024;
  EXPECT_NO_THROW(gpu->random_reads().random_reads(reads, 1));
  reads.group_of_sm.assign(13, 0);
  EXPECT_THROW(gpu->random_reads().random_reads(reads, 1), LabError);
}

Grouping narrow(GroupingWay way, int parts, std::uint64_t chunk, int threads) {
  return {.table_bytes = 1 << 13,
          .tuples = 5003,
          .way = way,
          .parts = parts,
          .seed = kSeed,
          .keys = KeySize::narrow,
          .chunk_tuples = chunk,
          .threads = threads};
}

TEST(PaperGrouping, NarrowKeysChunksAndFewThreadsCountAsTheCpuDoes) {
  for (const auto& [way, parts] :
       {std::pair{GroupingWay::one_pass, 1}, std::pair{GroupingWay::rescan, 5},
        std::pair{GroupingWay::spill, 5}, std::pair{GroupingWay::windows, 7}}) {
    for (const std::uint64_t chunk : {std::uint64_t{0}, std::uint64_t{1000}}) {
      for (const int threads : {0, 32, 992}) {
        const Grouping grouping = narrow(way, parts, chunk, threads);
        SCOPED_TRACE(testing::Message() << "way " << static_cast<int>(way) << ", chunk " << chunk
                                        << ", threads " << threads);
        EXPECT_EQ(grouping.buckets(), 1024u);
        std::vector<TableWord> keys(grouping.tuples);
        for (std::uint64_t i = 0; i < grouping.tuples; ++i)
          keys[i] = tuple_key(grouping.groups(), grouping.seed, i);
        EXPECT_NO_THROW(require_counts(grouped_on_emulator(grouping, keys), keys));
      }
    }
  }
}

/// A TLB of 64 entries of 2 MiB. A miss brings what it is told to.
class MadeUpWalks final : public WalkInstrument {
 public:
  explicit MadeUpWalks(bool forward) : forward_(forward) {}
  std::vector<double> cycles(const Walk& walk, int repeats, std::optional<int>) override {
    constexpr std::uint64_t kPage = 2 << 20;
    const std::uint64_t begin = walk.first_byte % kPage;
    const bool found = forward_ ? walk.partner_bytes < kPage : begin + walk.partner_bytes < kPage;
    return std::vector<double>(static_cast<std::size_t>(repeats), found ? 250 : 300);
  }
  Matrix disturbed_cycles(const Walk&, const Walk&, std::span<const int>,
                          std::span<const int>) override {
    throw std::logic_error("nobody asks");
  }
  Matrix home_cycles(std::span<const int>, std::span<const std::uint64_t>, int) override {
    throw std::logic_error("nobody asks");
  }

 private:
  bool forward_;
};

class GpuOfWalks final : public GpuThatAnswers {
 public:
  explicit GpuOfWalks(bool forward) : walks_(forward) {
    memory_facts.l2_bytes = 4 << 20;
    memory_facts.free_bytes = std::uint64_t{1} << 33;
  }
  WalkInstrument& walks() override { return walks_; }

 private:
  MadeUpWalks walks_;
};

LabReport neighbours(Instruments& gpu, double penalty) {
  TlbLevel level;
  level.reach_bytes = {128 * kMiB, 128 * kMiB, 128 * kMiB};
  level.page_bytes = 2 << 20;
  level.entries = Estimate{64, 64, 64};
  level.penalty_cycles = Estimate{penalty, penalty, penalty};
  LabReport report;
  TlbSearch search;
  search.levels = {level};
  LabOptions options;
  options.quick = true;
  add_neighbours(report, gpu, search, options);
  return report;
}

TEST(TlbNeighbours, WhatIsFetchedFromTheMissOnIsToldFromAnAlignedEntry) {
  GpuOfWalks aligned(false);
  EXPECT_NE(finding(neighbours(aligned, 100), "tlb_1_fetch_bytes").how.find("aligned"),
            std::string::npos);
  GpuOfWalks forward(true);
  const Finding fetch = finding(neighbours(forward, 100), "tlb_1_fetch_bytes");
  EXPECT_NE(fetch.how.find("what follows"), std::string::npos) << fetch.how;
  EXPECT_EQ(fetch.value.value().value, 2 * kMiB);
}

TEST(TlbNeighbours, AStepOfAnotherHeightOrTooLittleMemoryIsNotFound) {
  GpuOfWalks gpu(false);
  EXPECT_FALSE(finding(neighbours(gpu, 1000), "tlb_1_fetch_bytes").value);  // a step of 50 is small
  gpu.memory_facts.free_bytes = std::uint64_t{1} << 28;
  EXPECT_FALSE(finding(neighbours(gpu, 100), "tlb_1_fetch_bytes").value);
}

}  // namespace
}  // namespace ladder::labs
