// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/pipeline_mutants_test.cpp
/// \brief Every mistake in a pipeline is found for its reason, in the result or by the emulator's
///        error, and it is said which arrival of copies shows it.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"
#include "ladder/program/small_problems.hpp"
#include "tests/common/wrong_codes.hpp"
#include "tests/ladder/mutants/mutants.hpp"
#include "tests/ladder/mutants/pipeline_test.hpp"

namespace ladder {
namespace {

using emulator::BlockOrder;
using emulator::CopyArrival;
using emulator::FaultKind;
using emulator::Fields;
using emulator::KernelError;

/// How copies have to arrive for a mistake to change the result.
enum class ShownBy { kLate, kEarly, kBoth };

/// A mutant, the problem that shows its mistake, and what must be said of it.
struct Case {
  const char* mutant = {};
  Shape shape = {};
  ShownBy shown_by = ShownBy::kBoth;
  std::vector<std::string> facts = {};     ///< of the verdict, see facts_of()
  std::optional<FaultKind> error = {};     ///< thrown by the emulator
  std::optional<FaultKind> or_error = {};  ///< or this one, as copies arrive
  std::vector<Fields> missing = {};        ///< what its threads wait for, among others
  std::string waiting = {};                ///< "128-159": threads that wait for a flag
  std::vector<const char*> lines = {};     ///< where threads wait, or of the error
  int sms = 8;
  BlockOrder order = BlockOrder::kAscending;
  bool second_launch = false;   ///< the first is right
  bool right_otherwise = true;  ///< where the other arrival does not show it

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.mutant; }
};

constexpr const char* kUnwritten = "nan";
constexpr Shape kManyPeers = {64, 64, 4096};  // 64 x 64 on 12 SMs: more than a tree adds at once
constexpr auto kDeadlock = FaultKind::kDeadlock;
constexpr const char* kFirstStageWaits = "ptx::mbarrier_wait(&stages->full, phase);";

/// What is missing of a phase of an mbarrier.
Fields phase(int parity, int missing_arrivals, int arrivals, int missing_bytes) {
  return {{"parity", parity},
          {"missing_arrivals", missing_arrivals},
          {"arrivals", arrivals},
          {"missing_bytes", missing_bytes}};
}

const Fields kEmptyIsMissing = phase(0, 8, 8, 0);

const std::vector<Case> kCases = {
    // -- cp.async
    {.mutant = "copy_wait_missing",
     .shape = {128, 128, 64},
     .shown_by = ShownBy::kLate,
     .facts = {"nan"}},
    {.mutant = "copy_wait_too_lax",
     .shape = {128, 128, 64},
     .shown_by = ShownBy::kLate,
     .facts = {kUnwritten}},
    {.mutant = "copy_barrier_missing", .shape = {128, 128, 64}, .facts = {kUnwritten}},
    {.mutant = "copy_into_stage_being_read", .shape = {128, 128, 64}, .facts = {kUnwritten}},
    {.mutant = "wide_copy_wait_missing",
     .shape = {128, 256, 64},
     .shown_by = ShownBy::kLate,
     .facts = {"nan"}},
    {.mutant = "wide_copy_wait_too_lax",
     .shape = {128, 256, 64},
     .shown_by = ShownBy::kLate,
     .facts = {kUnwritten}},
    {.mutant = "wide_copy_barrier_missing", .shape = {128, 256, 64}, .facts = {kUnwritten}},
    {.mutant = "wide_copy_into_stage_being_read", .shape = {128, 256, 64}, .facts = {kUnwritten}},
    // -- mbarriers and boxes
    {.mutant = "full_wait_missing",
     .shape = {128, 256, 64},
     .shown_by = ShownBy::kLate,
     .error = FaultKind::kCopyUnfinished,
     .lines = {kLoadsBox},
     .right_otherwise = false},
    {.mutant = "producer_parity_wrong",
     .shape = kOneTile,
     .error = kDeadlock,
     .missing = {kEmptyIsMissing, phase(0, 2, 2, 0)},
     .lines = {kProducerWaits, kFirstStageWaits}},
    {.mutant = "consumer_parity_wrong",
     .shape = kOneTile,
     .error = FaultKind::kMbarrierUnseen,
     .or_error = FaultKind::kMbarrierOverfull,
     .lines = {"ptx::mbarrier_arrive_expect("}},
    {.mutant = "empty_wait_missing",
     .shape = kOneTile,
     .shown_by = ShownBy::kLate,
     .error = FaultKind::kMbarrierOverfull,
     .lines = {"ptx::mbarrier_arrive_expect("},
     .right_otherwise = false},
    {.mutant = "empty_wait_for_the_first_stage",
     .shape = kOneTile,
     .shown_by = ShownBy::kEarly,
     .error = FaultKind::kMbarrierUnseen,
     .lines = {"ptx::mbarrier_arrive_expect("},
     .right_otherwise = false},
    {.mutant = "too_many_bytes_expected",
     .shape = kOneTile,
     .error = kDeadlock,
     .missing = {kEmptyIsMissing, phase(0, 0, 2, 4096)},
     .lines = {kProducerWaits, kFirstStageWaits}},
    {.mutant = "too_few_bytes_expected",
     .shape = kOneTile,
     .error = kDeadlock,
     .missing = {phase(0, 0, 2, -4096)},
     .lines = {kProducerWaits, kFirstStageWaits}},
    {.mutant = "empty_arrival_missing",
     .shape = kOneTile,
     .error = kDeadlock,
     .missing = {kEmptyIsMissing, phase(1, 2, 2, 0)},
     .lines = {kProducerWaits, kNextStageWaits}},
    {.mutant = "full_count_too_high",
     .shape = kOneTile,
     .error = kDeadlock,
     .missing = {kEmptyIsMissing, phase(0, 1, 3, 0)},
     .lines = {kProducerWaits, kFirstStageWaits}},
    {.mutant = "full_count_too_low",
     .shape = kOneTile,
     .shown_by = ShownBy::kLate,
     .error = FaultKind::kMbarrierOverfull,
     .lines = {"ptx::mbarrier_arrive(&stage->full);"},
     .right_otherwise = false},
    {.mutant = "box_coordinates_swapped", .shape = kOneTile, .facts = {"every-element-wrong"}},
    // -- Blocks that share tiles
    {.mutant = "flag_not_reset",
     .shape = kWideSplit,
     .facts = {"columns 512-767"},
     .sms = 2,
     .order = BlockOrder::kDescending,
     .second_launch = true},
    {.mutant = "flag_seen_by_one_thread",
     .shape = kWideSplit,
     .facts = {"columns 512-767"},  // row 0 is that of the warp that looks
     .sms = 2,
     .order = BlockOrder::kDescending},
    {.mutant = "k_tile_left_out", .shape = kWideSplit, .facts = {"columns 512-767"}, .sms = 2},
    {.mutant = "k_tile_counted_twice", .shape = kWideSplit, .facts = {"columns 512-767"}, .sms = 2},
    {.mutant = "waits_for_itself",
     .shape = kWideSplit,
     .error = kDeadlock,
     .missing = {{{"value", 0}}, {{"barrier", 1}, {"arrived", 224}, {"expected", 256}}},
     .waiting = "128-159",
     .lines = {"ptx::load_acquire(flag)", "ptx::barrier_sync<1, kConsumers>();"},
     .sms = 2},
    {.mutant = "whole_tile_left_out",
     .shape = kWideSplit,
     .facts = {"never-written", "columns 256-511"},
     .sms = 2},
    {.mutant = "tile_stored_by_every_peer",
     .shape = kWideSplit,
     .error = kDeadlock,
     .waiting = "128-159",
     .lines = {"ptx::load_acquire(flag)"},
     .sms = 2},
    {.mutant = "zeros_behind_the_last_missing",
     .shape = kWideSplit,
     .error = kDeadlock,
     .lines = {kNextStageWaits},
     .sms = 2},
    // -- and their warps too
    {.mutant = "tree_flag_not_reset",
     .shape = kSplit,
     .facts = {"columns 128-191"},
     .sms = 2,
     .order = BlockOrder::kDescending,
     .second_launch = true},
    {.mutant = "tree_flag_seen_by_one_thread",
     .shape = kSplit,
     .facts = {"columns 128-191"},  // row 0 is that of the warp that looks
     .sms = 2,
     .order = BlockOrder::kDescending},
    {.mutant = "tree_k_tile_left_out", .shape = kSplit, .facts = {"columns 128-191"}, .sms = 2},
    {.mutant = "tree_k_tile_counted_twice",
     .shape = kSplit,
     .facts = {"columns 128-191"},
     .sms = 2},
    {.mutant = "tree_waits_for_itself",
     .shape = kSplit,
     .error = kDeadlock,
     .missing = {{{"value", 0}}, {{"barrier", 1}, {"arrived", 224}, {"expected", 256}}},
     .waiting = "128-159",
     .lines = {"ptx::load_acquire(flag)", "ptx::barrier_sync<1, kConsumers>();"},
     .sms = 2},
    {.mutant = "tree_ends_early", .shape = kManyPeers, .sms = 12},
    {.mutant = "sums_barrier_missing", .shape = kSplit, .facts = {kUnwritten}, .sms = 2},
    {.mutant = "sums_overwritten", .shape = {64, 256, 64}, .sms = 2},
    // -- Warps and clusters that share K
    {.mutant = "small_wait_missing", .shape = kSmall, .shown_by = ShownBy::kLate, .facts = {"nan"}},
    {.mutant = "small_wait_too_lax", .shape = kSmall, .shown_by = ShownBy::kLate, .facts = {"nan"}},
    {.mutant = "lanes_not_awaited", .shape = kSmall},
    {.mutant = "small_copy_into_stage_being_read", .shape = kSmall},
    {.mutant = "sums_over_stages_being_read", .shape = kSmall},
    {.mutant = "warps_not_awaited", .shape = kSmall},
    {.mutant = "cluster_sync_missing_before_reading", .shape = kSmall},
    {.mutant = "cluster_sync_missing_at_the_end",
     .shape = kSmall,
     .error = FaultKind::kClusterBlockLeft,
     .lines = {"ptx::in_block(sums"}},
    // -- Little K
    {.mutant = "thin_wait_missing", .shape = kThin, .shown_by = ShownBy::kLate, .facts = {"nan"}},
    {.mutant = "thin_wait_too_lax", .shape = kThin, .shown_by = ShownBy::kLate, .facts = {"nan"}},
    {.mutant = "thin_barrier_missing", .shape = kThin, .facts = {kUnwritten}},
    {.mutant = "thin_copy_into_stage_being_read", .shape = kThin},
    {.mutant = "thin_read_behind_the_end_of_k", .shape = {64, 64, 20}, .facts = {kUnwritten}},
    {.mutant = "thin_guard_missing_m", .shape = {63, 64, 20}, .facts = {"outside-written"}},
};

class PipelineMutantsTest : public PipelineTest, public testing::WithParamInterface<Case> {
 protected:
  void SetUp() override { set_gpu(GetParam().sms, GetParam().order); }

  void expect_error(const KernelError& error) {
    const Case& c = GetParam();
    ASSERT_TRUE(c.error.has_value()) << error.what();
    const auto& groups = error.fault().groups;
    EXPECT_TRUE(error.kind() == *c.error || error.kind() == c.or_error) << error.what();
    for (const Fields& fields : c.missing) {
      EXPECT_TRUE(std::ranges::any_of(groups, [&](const auto& group) {
        return group.missing == fields;
      })) << error.what();
    }
    if (!c.waiting.empty()) {
      EXPECT_TRUE(std::ranges::any_of(groups, [&](const auto& group) {
        return group.wait == emulator::WaitKind::kFlag && range_of(group) == c.waiting;
      })) << error.what();
    }
    for (const char* line : c.lines) {
      const bool at_place = has_text(error.file(), error.line(), line);
      const bool among_waiters = std::ranges::any_of(groups, [&](const auto& group) {
        return has_text(group.place.file, group.place.line, line);
      });
      EXPECT_TRUE(at_place || among_waiters) << "not named: " << line << "\nbut: " << error.what();
    }
  }

  /// "128-159" of threads that follow each other.
  static std::string range_of(const emulator::ThreadGroup& group) {
    return std::to_string(group.threads.front()) + "-" + std::to_string(group.threads.back());
  }

  /// Fails the test unless the verdict or the emulator's error says what the case expects.
  void expect_called_wrong(Verifier& verifier, const Mutant& mutant, const Rung& rung) {
    try {
      const Verdict verdict = verifier.verify(mutant.run, 1.0f, 0.0f, rung.tile);
      ASSERT_FALSE(verdict.right) << "nobody noticed the mistake";
      ASSERT_FALSE(GetParam().error.has_value()) << "not stopped, but: " << text_of(verdict.wrong);
      expect_facts(verdict.wrong, GetParam().facts);
    } catch (const KernelError& error) {
      expect_error(error);
    }
  }
};

TEST_P(PipelineMutantsTest, IsCalledWrongForItsReason) {
  const Case& c = GetParam();
  const Mutant* const mutant = mutant_named(mutants(), c.mutant);
  ASSERT_NE(mutant, nullptr) << "not in mutants.py: " << c.mutant;
  const Rung& rung = find_rung(emulated_rungs(), mutant->rung);
  const auto machine = make_cpu_machine();
  Verifier verifier(*machine, c.shape, 1);
  for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
    SCOPED_TRACE(arrival == CopyArrival::kLate ? "copies arrive late" : "copies arrive early");
    emulator::set_copy_arrival(arrival);
    emulator::clear_workspace();
    if (c.second_launch) {
      Verifier other_numbers(*machine, c.shape, 2);
      EXPECT_TRUE(other_numbers.verify(mutant->run, 1.0f, 0.0f, rung.tile).right);
    }
    const ShownBy this_one = arrival == CopyArrival::kLate ? ShownBy::kLate : ShownBy::kEarly;
    if (c.shown_by == ShownBy::kBoth || c.shown_by == this_one) {
      expect_called_wrong(verifier, *mutant, rung);
    } else if (c.right_otherwise) {
      EXPECT_TRUE(verifier.verify(mutant->run, 1.0f, 0.0f, rung.tile).right)
          << "it shows: then the case should say so";
    }
    emulator::clear_workspace();
    const Verdict verdict = verifier.verify(rung.run, 1.0f, 0.0f, rung.tile);
    EXPECT_TRUE(verdict.right) << "the rung itself: " << text_of(verdict.wrong);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PipelineMutantsTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.mutant); });

// Each launch is right if the one before has left no flag: the next problem stumbles.
TEST_F(PipelineTest, CheckSeesAFlagThatIsNotReset) {
  set_gpu(kSmallProblemSms, BlockOrder::kAscending);
  const auto machine = make_cpu_machine();
  for (const char* const name : {"flag_not_reset", "tree_flag_not_reset"}) {
    const Mutant* const mutant = mutant_named(mutants(), name);
    ASSERT_NE(mutant, nullptr) << name;
    Rung rung = find_rung(emulated_rungs(), mutant->rung);
    rung.run = mutant->run;
    rung.plans = mutant->plans;
    const SmallProblems found = verify_small_problems(*machine, rung);
    EXPECT_FALSE(found.findings.empty()) << name << ": " << found.verified << " are right";
    emulator::clear_workspace();
  }
}

TEST(PipelineMutantTableTest, EveryTracedMutantHasACase) {
  for (const Mutant& mutant : traced_mutants())
    EXPECT_NE(std::ranges::find(kCases, mutant.name, &Case::mutant), kCases.end()) << mutant.name;
}

}  // namespace
}  // namespace ladder
