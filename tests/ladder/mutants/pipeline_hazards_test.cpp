// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/pipeline_hazards_test.cpp
/// \brief Mistakes in a pipeline that are hazards within a block are traced to their lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "ladder/program/rung_trace.hpp"
#include "tests/ladder/mutants/mutants.hpp"
#include "tests/ladder/mutants/pipeline_test.hpp"

namespace ladder {
namespace {

using emulator::BlockOrder;
using emulator::CopyArrival;
using emulator::FaultKind;

/// A mutant, the problem that shows its mistake, and what the trace must say of it.
struct Case {
  const char* mutant;
  Shape shape;
  FaultKind kind;
  const char* line;             ///< part of its text
  const char* other = nullptr;  ///< of the earlier access
  int sms = 8;
  CopyArrival arrival = CopyArrival::kEarly;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.mutant; }
};

constexpr const char* kReadsA = "(&rA[buffer][m]) =";
constexpr const char* kReadsB = "(&rB[buffer][n]) =";
constexpr const char* kReads09A = "(&rA[m]) =";
constexpr const char* kReads09B = "(&rB[n]) =";
constexpr const char* kStoresA = "(sA + 1 * BM) = make_float4(";

const std::vector<Case> kCases = {
    // -- cp.async
    {"copy_wait_missing", {128, 128, 64}, FaultKind::kCopyInFlight, kReads09B, "cp_async_16"},
    {"copy_wait_too_lax", {128, 128, 64}, FaultKind::kCopyInFlight, kReads09A, "cp_async_4"},
    {"copy_barrier_missing", {128, 128, 64}, FaultKind::kRaceInShared, kReads09A, "cp_async_4"},
    {"copy_into_stage_being_read",
     {128, 128, 64},
     FaultKind::kRaceInShared,
     "cp_async_4(",
     kReads09A},
    {"wide_copy_wait_missing", {128, 256, 64}, FaultKind::kCopyInFlight, kReadsB, "cp_async_16"},
    {"wide_copy_wait_too_lax", {128, 256, 64}, FaultKind::kCopyInFlight, kReadsA, "cp_async_4"},
    {"wide_copy_barrier_missing", {128, 256, 64}, FaultKind::kRaceInShared, kReadsA, "cp_async_4"},
    {"wide_copy_into_stage_being_read",
     {128, 256, 64},
     FaultKind::kRaceInShared,
     "cp_async_4(",
     kReadsA},
    // -- mbarriers and boxes
    {"full_wait_missing", {128, 256, 64}, FaultKind::kRaceInShared, kReadsA, kStoresA},
    {"producer_parity_wrong", kOneTile, FaultKind::kDeadlock, kProducerWaits},
    {"consumer_parity_wrong", kOneTile, FaultKind::kCopyInFlight, kReadsB, kLoadsBox},
    {"empty_wait_missing", kOneTile, FaultKind::kRaceInShared, kStoresA, kReadsA},
    {"empty_wait_for_the_first_stage", kOneTile, FaultKind::kRaceInShared, kLoadsBox, kReadsB},
    {"too_many_bytes_expected", kOneTile, FaultKind::kDeadlock, kProducerWaits},
    {"too_few_bytes_expected", kOneTile, FaultKind::kDeadlock, kProducerWaits},
    {"empty_arrival_missing", kOneTile, FaultKind::kDeadlock, kProducerWaits},
    {"full_count_too_high", kOneTile, FaultKind::kDeadlock, kProducerWaits},
    {"full_count_too_low", kOneTile, FaultKind::kMbarrierUnseen,
     "ptx::mbarrier_arrive(&stage->full);"},
    // -- Blocks that share tiles
    {"waits_for_itself", kWideSplit, FaultKind::kDeadlock, "ptx::load_acquire(flag)", nullptr, 2},
    {"tile_stored_by_every_peer", kWideSplit, FaultKind::kDeadlock, "ptx::load_acquire(flag)",
     nullptr, 2},
    {"zeros_behind_the_last_missing", kWideSplit, FaultKind::kDeadlock, kNextStageWaits, nullptr,
     2},
    // -- and their warps too
    {"tree_waits_for_itself", kSplit, FaultKind::kDeadlock, "ptx::load_acquire(flag)", nullptr, 2},
    {"sums_barrier_missing", kSplit, FaultKind::kRaceInShared, "mine[(m * kHalf",
     "const float4 other = from[", 2},
    {"sums_overwritten",
     {64, 256, 64},
     FaultKind::kRaceInShared,
     "mine[(m * kHalf",
     "const float4 other = from[",
     2},
    // -- Warps and clusters that share K
    {"small_wait_missing", kSmall, FaultKind::kCopyInFlight, "(rA[m]) =", "cp_async_16"},
    {"small_wait_too_lax", kSmall, FaultKind::kCopyInFlight, "(rA[m]) =", "cp_async_16"},
    {"lanes_not_awaited", kSmall, FaultKind::kRaceInShared, "(rA[m]) =", "cp_async_16"},
    {"small_copy_into_stage_being_read", kSmall, FaultKind::kCopyInFlight,
     "(rA[m]) =", "cp_async_16", 8, CopyArrival::kLate},
    {"sums_over_stages_being_read", kSmall, FaultKind::kRaceInShared, "sums[warp * kRing",
     "(rA[m]) ="},
    {"warps_not_awaited", kSmall, FaultKind::kRaceInShared, "from[w * kRing]", "sums[warp * kRing"},
    // -- Little K
    {"thin_wait_missing", kThin, FaultKind::kCopyInFlight, "(rA[k / 4 % 2][m]) =", "cp_async_16"},
    {"thin_wait_too_lax", kThin, FaultKind::kCopyInFlight, "(rA[k / 4 % 2][m]) =", "cp_async_16"},
    {"thin_barrier_missing", kThin, FaultKind::kRaceInShared,
     "(rA[k / 4 % 2][m]) =", "cp_async_16"},
    {"thin_copy_into_stage_being_read", kThin, FaultKind::kCopyInFlight,
     "(rA[k / 4 % 2][m]) =", "cp_async_16", 8, CopyArrival::kLate},
    {"thin_read_behind_the_end_of_k",
     {64, 64, 20},
     FaultKind::kUninitialisedShared,
     "(rA[k / 4 % 2][m]) ="},
};

class PipelineHazardsTest : public PipelineTest, public testing::WithParamInterface<Case> {
 protected:
  void SetUp() override { set_gpu(GetParam().sms, BlockOrder::kAscending); }
};

TEST_P(PipelineHazardsTest, AreTracedToTheirLines) {
  const Case& c = GetParam();
  const Mutant* const mutant = mutant_named(traced_mutants(), c.mutant);
  ASSERT_NE(mutant, nullptr) << "not in pipeline_mutants.py: " << c.mutant;
  emulator::set_copy_arrival(c.arrival);
  Rung rung = find_rung(traced_rungs(), mutant->rung);
  rung.run = mutant->run;
  const auto machine = make_cpu_machine();
  TraceChoice choice;
  choice.all_blocks = true;
  Problem problem;
  problem.shape = c.shape;
  DeviceCard card = load_card("h200");
  card.sms = c.sms;
  const RungTrace trace = trace_rung(*machine, rung, problem, card, choice);
  std::string all;
  const bool found = std::ranges::any_of(trace.kernel.hazards, [&](const auto& hazard) {
    all += "\n" + text_of(hazard);
    if (hazard.kind != c.kind) return false;
    if (!has_text(hazard.place.file, hazard.place.line, c.line)) return false;
    return c.other == nullptr ||
           (hazard.other && has_text(hazard.other->place.file, hazard.other->place.line, c.other));
  });
  EXPECT_TRUE(found) << "no " << code_of(c.kind) << " at " << c.line << all;
}

INSTANTIATE_TEST_SUITE_P(All, PipelineHazardsTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.mutant); });

}  // namespace
}  // namespace ladder
