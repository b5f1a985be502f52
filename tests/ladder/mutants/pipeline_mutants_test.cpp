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
#include "tests/ladder/mutants/mutants.hpp"
#include "tests/ladder/mutants/pipeline_test.hpp"

namespace ladder {
namespace {

using emulator::BlockOrder;
using emulator::CopyArrival;
using emulator::KernelError;
using emulator::KernelErrorKind;

/// How copies have to arrive for a mistake to change the result.
enum class ShownBy { kLate, kEarly, kBoth };

/// A mutant, the problem that shows its mistake, and what must be said of it.
struct Case {
  const char* mutant = {};
  Shape shape = {};
  ShownBy shown_by = ShownBy::kBoth;
  std::vector<std::string> said = {};         ///< in the verdict's complaint, or in the error
  std::optional<KernelErrorKind> error = {};  ///< thrown by the emulator
  std::vector<const char*> lines = {};        ///< where threads wait, or of the error
  int sms = 8;
  BlockOrder order = BlockOrder::kAscending;
  bool second_launch = false;   ///< the first is right
  bool right_otherwise = true;  ///< where the other arrival does not show it

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.mutant; }
};

constexpr const char* kUnwritten = "NaN: shared memory read before it was written";
constexpr Shape kManyPeers = {64, 64, 4096};  // 64 x 64 on 12 SMs: more than a tree adds at once
constexpr auto kDeadlock = KernelErrorKind::kDeadlock;
constexpr const char* kFirstStageWaits = "ptx::mbarrier_wait(&stages->full, phase);";
constexpr const char* kEmptyIsMissing = "phase parity 0: 8 of 8 arrivals and 0 bytes are missing";

const std::vector<Case> kCases = {
    // -- cp.async
    {.mutant = "copy_wait_missing",
     .shape = {128, 128, 64},
     .shown_by = ShownBy::kLate,
     .said = {"all of them NaN", "shared memory read before it was written"}},
    {.mutant = "copy_wait_too_lax",
     .shape = {128, 128, 64},
     .shown_by = ShownBy::kLate,
     .said = {kUnwritten}},
    {.mutant = "copy_barrier_missing", .shape = {128, 128, 64}, .said = {kUnwritten}},
    {.mutant = "copy_into_stage_being_read", .shape = {128, 128, 64}, .said = {kUnwritten}},
    {.mutant = "wide_copy_wait_missing",
     .shape = {128, 256, 64},
     .shown_by = ShownBy::kLate,
     .said = {"all of them NaN", "shared memory read before it was written"}},
    {.mutant = "wide_copy_wait_too_lax",
     .shape = {128, 256, 64},
     .shown_by = ShownBy::kLate,
     .said = {kUnwritten}},
    {.mutant = "wide_copy_barrier_missing", .shape = {128, 256, 64}, .said = {kUnwritten}},
    {.mutant = "wide_copy_into_stage_being_read", .shape = {128, 256, 64}, .said = {kUnwritten}},
    // -- mbarriers and boxes
    {.mutant = "full_wait_missing",
     .shape = {128, 256, 64},
     .shown_by = ShownBy::kLate,
     .said = {"the block has ended while a tma_load still writes into its shared memory"},
     .error = KernelErrorKind::kCopyUnfinished,
     .lines = {kLoadsBox},
     .right_otherwise = false},
    {.mutant = "producer_parity_wrong",
     .shape = kOneTile,
     .said = {kEmptyIsMissing, "phase parity 0: 2 of 2 arrivals and 0 bytes are missing"},
     .error = kDeadlock,
     .lines = {kProducerWaits, kFirstStageWaits}},
    {.mutant = "consumer_parity_wrong",
     .shape = kOneTile,
     .said = {"at an mbarrier"},  // one too many, or of a phase too early
     .error = KernelErrorKind::kMbarrier,
     .lines = {"ptx::mbarrier_arrive_expect("}},
    {.mutant = "empty_wait_missing",
     .shape = kOneTile,
     .shown_by = ShownBy::kLate,
     .said = {"more arrivals at an mbarrier than the 2 of its phase", "waits for 8192 bytes"},
     .error = KernelErrorKind::kMbarrier,
     .lines = {"ptx::mbarrier_arrive_expect("},
     .right_otherwise = false},
    {.mutant = "empty_wait_for_the_first_stage",
     .shape = kOneTile,
     .shown_by = ShownBy::kEarly,
     .said = {"no thread has seen the end of its phase before"},
     .error = KernelErrorKind::kMbarrier,
     .lines = {"ptx::mbarrier_arrive_expect("},
     .right_otherwise = false},
    {.mutant = "too_many_bytes_expected",
     .shape = kOneTile,
     .said = {kEmptyIsMissing, "0 of 2 arrivals and 4096 bytes are missing"},
     .error = kDeadlock,
     .lines = {kProducerWaits, kFirstStageWaits}},
    {.mutant = "too_few_bytes_expected",
     .shape = kOneTile,
     .said = {"0 of 2 arrivals and 0 bytes are missing, and 4096 bytes have come that nobody "
              "announced"},
     .error = kDeadlock,
     .lines = {kProducerWaits, kFirstStageWaits}},
    {.mutant = "empty_arrival_missing",
     .shape = kOneTile,
     .said = {kEmptyIsMissing, "phase parity 1: 2 of 2 arrivals and 0 bytes are missing"},
     .error = kDeadlock,
     .lines = {kProducerWaits, kNextStageWaits}},
    {.mutant = "full_count_too_high",
     .shape = kOneTile,
     .said = {kEmptyIsMissing, "1 of 3 arrivals and 0 bytes are missing"},
     .error = kDeadlock,
     .lines = {kProducerWaits, kFirstStageWaits}},
    {.mutant = "full_count_too_low",
     .shape = kOneTile,
     .shown_by = ShownBy::kLate,
     .said = {"more arrivals at an mbarrier than the 1 of its phase"},
     .error = KernelErrorKind::kMbarrier,
     .lines = {"ptx::mbarrier_arrive(&stage->full);"},
     .right_otherwise = false},
    {.mutant = "box_coordinates_swapped", .shape = kOneTile, .said = {"every element is wrong"}},
    // -- Blocks that share tiles
    {.mutant = "flag_not_reset",
     .shape = kWideSplit,
     .said = {"all in columns 512 to 767"},
     .sms = 2,
     .order = BlockOrder::kDescending,
     .second_launch = true},
    {.mutant = "flag_seen_by_one_thread",
     .shape = kWideSplit,
     .said = {"columns 512 to 767"},  // row 0 is that of the warp that looks
     .sms = 2,
     .order = BlockOrder::kDescending},
    {.mutant = "k_tile_left_out",
     .shape = kWideSplit,
     .said = {"all in columns 512 to 767"},
     .sms = 2},
    {.mutant = "k_tile_counted_twice",
     .shape = kWideSplit,
     .said = {"all in columns 512 to 767"},
     .sms = 2},
    {.mutant = "waits_for_itself",
     .shape = kWideSplit,
     .said = {"threads 128-159 wait for a flag", "(it holds 0)", "224 of 256 threads are here"},
     .error = kDeadlock,
     .lines = {"ptx::load_acquire(flag)", "ptx::barrier_sync<1, kConsumers>();"},
     .sms = 2},
    {.mutant = "whole_tile_left_out",
     .shape = kWideSplit,
     .said = {"all of them never written", "columns 256 to 511"},
     .sms = 2},
    {.mutant = "tile_stored_by_every_peer",
     .shape = kWideSplit,
     .said = {"threads 128-159 wait for a flag"},
     .error = kDeadlock,
     .lines = {"ptx::load_acquire(flag)"},
     .sms = 2},
    {.mutant = "zeros_behind_the_last_missing",
     .shape = kWideSplit,
     .said = {"2 of 2 arrivals and 0 bytes are missing"},
     .error = kDeadlock,
     .lines = {kNextStageWaits},
     .sms = 2},
    // -- and their warps too
    {.mutant = "tree_flag_not_reset",
     .shape = kSplit,
     .said = {"all in columns 128 to 191"},
     .sms = 2,
     .order = BlockOrder::kDescending,
     .second_launch = true},
    {.mutant = "tree_flag_seen_by_one_thread",
     .shape = kSplit,
     .said = {"columns 128 to 191"},  // row 0 is that of the warp that looks
     .sms = 2,
     .order = BlockOrder::kDescending},
    {.mutant = "tree_k_tile_left_out",
     .shape = kSplit,
     .said = {"all in columns 128 to 191"},
     .sms = 2},
    {.mutant = "tree_k_tile_counted_twice",
     .shape = kSplit,
     .said = {"all in columns 128 to 191"},
     .sms = 2},
    {.mutant = "tree_waits_for_itself",
     .shape = kSplit,
     .said = {"threads 128-159 wait for a flag", "(it holds 0)", "224 of 256 threads are here"},
     .error = kDeadlock,
     .lines = {"ptx::load_acquire(flag)", "ptx::barrier_sync<1, kConsumers>();"},
     .sms = 2},
    {.mutant = "tree_ends_early", .shape = kManyPeers, .said = {"elements are wrong"}, .sms = 12},
    {.mutant = "sums_barrier_missing", .shape = kSplit, .said = {kUnwritten}, .sms = 2},
    {.mutant = "sums_overwritten",
     .shape = {64, 256, 64},
     .said = {"elements are wrong"},
     .sms = 2},
    // -- Warps and clusters that share K
    {.mutant = "small_wait_missing",
     .shape = kSmall,
     .shown_by = ShownBy::kLate,
     .said = {"all of them NaN", "shared memory read before it was written"}},
    {.mutant = "small_wait_too_lax",
     .shape = kSmall,
     .shown_by = ShownBy::kLate,
     .said = {"all of them NaN", "shared memory read before it was written"}},
    {.mutant = "lanes_not_awaited", .shape = kSmall, .said = {"elements are wrong"}},
    {.mutant = "small_copy_into_stage_being_read", .shape = kSmall, .said = {"elements are wrong"}},
    {.mutant = "sums_over_stages_being_read", .shape = kSmall, .said = {"elements are wrong"}},
    {.mutant = "warps_not_awaited", .shape = kSmall, .said = {"elements are wrong"}},
    {.mutant = "cluster_sync_missing_before_reading",
     .shape = kSmall,
     .said = {"elements are wrong"}},
    {.mutant = "cluster_sync_missing_at_the_end",
     .shape = kSmall,
     .said = {"in_block() asks for block", "which has left the kernel"},
     .error = KernelErrorKind::kCluster,
     .lines = {"ptx::in_block(sums"}},
    // -- Little K
    {.mutant = "thin_wait_missing",
     .shape = kThin,
     .shown_by = ShownBy::kLate,
     .said = {"all of them NaN", "shared memory read before it was written"}},
    {.mutant = "thin_wait_too_lax",
     .shape = kThin,
     .shown_by = ShownBy::kLate,
     .said = {"all of them NaN", "shared memory read before it was written"}},
    {.mutant = "thin_barrier_missing", .shape = kThin, .said = {kUnwritten}},
    {.mutant = "thin_copy_into_stage_being_read", .shape = kThin, .said = {"elements are wrong"}},
    {.mutant = "thin_read_behind_the_end_of_k", .shape = {64, 64, 20}, .said = {kUnwritten}},
    {.mutant = "thin_guard_missing_m",
     .shape = {63, 64, 20},
     .said = {"Memory outside of C was written"}},
};

class PipelineMutantsTest : public PipelineTest, public testing::WithParamInterface<Case> {
 protected:
  void SetUp() override { set_gpu(GetParam().sms, GetParam().order); }

  void expect_error(const KernelError& error) {
    const Case& c = GetParam();
    ASSERT_TRUE(c.error.has_value()) << error.what();
    EXPECT_EQ(error.kind(), *c.error) << error.what();
    expect_said(error.what());
    for (const char* line : c.lines) {
      const bool at_place = has_text(error.file(), error.line(), line);
      const bool among_waiters = std::ranges::any_of(error.waiters(), [&](const auto& waiters) {
        return has_text(waiters.file, waiters.line, line);
      });
      EXPECT_TRUE(at_place || among_waiters) << "not named: " << line << "\nbut: " << error.what();
    }
  }

  void expect_said(const std::string& text) {
    for (const std::string& part : GetParam().said)
      EXPECT_NE(text.find(part), std::string::npos) << "not said: " << part << "\nbut: " << text;
  }

  /// Fails the test unless the verdict or the emulator's error says what the case expects.
  void expect_called_wrong(Verifier& verifier, const Mutant& mutant, const Rung& rung) {
    try {
      const Verdict verdict = verifier.verify(mutant.run, 1.0f, 0.0f, rung.tile);
      ASSERT_FALSE(verdict.right) << "nobody noticed the mistake";
      ASSERT_FALSE(GetParam().error.has_value()) << "not stopped, but: " << text_of(verdict.wrong);
      expect_said(text_of(verdict.wrong));
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
    forget_workspace();
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
    forget_workspace();
    const Verdict verdict = verifier.verify(rung.run, 1.0f, 0.0f, rung.tile);
    EXPECT_TRUE(verdict.right) << "the rung itself: " << text_of(verdict.wrong);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PipelineMutantsTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.mutant); });

TEST(PipelineMutantTableTest, EveryTracedMutantHasACase) {
  for (const Mutant& mutant : traced_mutants())
    EXPECT_NE(std::ranges::find(kCases, mutant.name, &Case::mutant), kCases.end()) << mutant.name;
}

}  // namespace
}  // namespace ladder
