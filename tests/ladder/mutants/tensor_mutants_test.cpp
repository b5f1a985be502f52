// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/tensor_mutants_test.cpp
/// \brief Every mistake in a rung on tensor cores is found for its reason: as a hazard at its line,
///        or as a pattern of wrong results.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "ladder/program/rung_trace.hpp"
#include "tests/common/wrong_codes.hpp"
#include "tests/ladder/mutants/mutants.hpp"
#include "tests/ladder/mutants/pipeline_test.hpp"

namespace ladder {
namespace {

using emulator::BlockOrder;
using emulator::CopyArrival;
using emulator::FaultKind;

/// A mutant, and what the trace must say of it.
struct Case {
  const char* mutant;
  std::optional<FaultKind> kind = {};   ///< nothing: its threads do nothing that is forbidden
  const char* line = nullptr;           ///< part of the hazard's text
  const char* other = nullptr;          ///< of the earlier access
  std::vector<std::string> facts = {};  ///< of the wrong results, see facts_of()
  Shape shape = {128, 256, 320};        ///< a tile of C, and more of K than all stages hold
  float beta = 0.0f;
  const char* card = "h200";
  bool is_right = false;  ///< only what it costs, or what it leaves, tells: see the tests below
  std::optional<FaultKind> or_kind = {};  ///< which of two faults comes first may be left open
  int traces = 1;  ///< until one has found it: it shows only if a block comes before another

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.mutant; }
};

constexpr Shape kPairOfTiles = {256, 256, 320};  // for a cluster of rung 19
// For four clusters of rung 20: one has a second tile, and enough of K for them to keep in step.
constexpr Shape kFiveTiles = {256, 1280, 2048};

// A tile for each of four clusters of rung 21, two on each side.
constexpr Shape kFourTiles = {256, 1024, 2048};
// Tiles of 64 x 64 of rung 22, on 8 SMs: two for each; and one more than these, which they share.
constexpr Shape kTwoRounds = {64, 1024, 256};
constexpr Shape kSharedTile = {64, 576, 4096};

constexpr const char* kCopiesA = "cp_async_16(sA";
constexpr const char* kCopiesB = "cp_async_16(sB";
constexpr const char* kReadsA = "ptx::ldmatrix<false>(rA";
constexpr const char* kReadsB = "rB[buffer][n][i] =";
constexpr const char* kMultiplies = "ptx::wgmma<BN";
constexpr const char* kSharedPartOfA = "ptx::tma_load_multicast(stage.A";
constexpr const char* kBoxOfA = "ptx::tma_load(stage.A";
constexpr const char* kBoxOfB = "ptx::tma_load(stage.B";
constexpr const char* kAnnounces = "ptx::mbarrier_arrive_expect(";
constexpr const char* kProducerWaitsForEmpty = "ptx::mbarrier_wait(&shared.empty";
constexpr const char* kWaitsForFull = "ptx::mbarrier_wait(&shared.full";
constexpr const char* kArrivesInPair = "ptx::mbarrier_arrive_in_block(";
constexpr const char* kHalfOfB = "ptx::tma_load_multicast(stage.B";
constexpr const char* kWritesResults = "ptx::stmatrix<";
constexpr const char* kStoresResults = "ptx::tma_store(map_c";
constexpr const char* kWaitsForStep = "ptx::load_acquire(&counters_";
constexpr const char* kReadsSeat = "const int seat = __shfl_sync(";
constexpr const char* kReadsIsLast = "return *is_last";
constexpr const char* kReadsPart = "const float4 four = __ldcg(";
constexpr const char* kLeavesPart = "to[i * 128] = make_float4(";
constexpr const char* kReadsC = "c = __bfloat1622float2(";

/// A mistake of rung 19 that shows in one tile of a cluster.
Case pair(const char* mutant, FaultKind kind, const char* line, const char* other = nullptr) {
  return {mutant, kind, line, other, {}, kPairOfTiles};
}
Case pair(const char* mutant, std::vector<std::string> facts) {
  return {.mutant = mutant, .facts = std::move(facts), .shape = kPairOfTiles};
}

/// A mistake of rung 20, on a GPU that is small enough for a second tile.
Case step(const char* mutant, FaultKind kind) {
  return {mutant, kind, kWaitsForStep, nullptr, {}, kFiveTiles, 0.0f, "classroom"};
}
Case step(const char* mutant, std::vector<std::string> facts = {}) {
  const bool is_right = facts.empty();
  return {.mutant = mutant,
          .facts = std::move(facts),
          .shape = kFiveTiles,
          .card = "classroom",
          .is_right = is_right};
}

/// A mistake of rung 21, which is told that all of four clusters are on side 0.
Case seat(const char* mutant, std::vector<std::string> facts, const Shape& shape = kFourTiles) {
  return {.mutant = mutant, .facts = std::move(facts), .shape = shape, .card = "classroom"};
}
Case seat(const char* mutant, FaultKind kind, const char* line, const char* other = nullptr) {
  return {mutant, kind, line, other, {}, kFourTiles, 0.0f, "classroom"};
}

/// A mistake of rung 22, on the same small GPU.
Case summit(const char* mutant, Shape shape, FaultKind kind, const char* line,
            const char* other = nullptr) {
  return {mutant, kind, line, other, {}, shape, 0.0f, "classroom"};
}
Case summit(const char* mutant, Shape shape, std::vector<std::string> facts = {}) {
  Case made = step(mutant, std::move(facts));
  made.shape = shape;
  return made;
}

const std::vector<Case> kCases = {
    // -- mma.sync
    {"tf32_copy_wait_missing", FaultKind::kCopyInFlight, kReadsB, kCopiesB},
    {"tf32_copy_wait_too_lax", FaultKind::kCopyInFlight, kReadsA, kCopiesA},
    {"tf32_copy_barrier_missing", FaultKind::kRaceInShared, kReadsA, kCopiesA},
    {"tf32_copy_into_stage_being_read", FaultKind::kRaceInShared, kCopiesA, kReadsA},
    {.mutant = "tf32_words_of_a_swapped", .facts = {"some-elements-wrong"}},
    {.mutant = "tf32_sums_of_other_rows", .facts = {"columns 0-254"}},
    {.mutant = "tf32_copied_without_swizzle", .facts = {"rows 2-127"}},
    {.mutant = "tf32_cut_off_as_bf16", .shape = {128, 256, 4}},
    {"bf16_copy_wait_missing", FaultKind::kCopyInFlight, "ptx::ldmatrix<true>", kCopiesB},
    {"bf16_copy_barrier_missing", FaultKind::kRaceInShared, "ptx::ldmatrix<true>", kCopiesB},
    {.mutant = "bf16_b_not_transposed", .facts = {"some-elements-wrong"}},
    {.mutant = "bf16_copied_without_swizzle", .facts = {"rows 2-127"}},
    {.mutant = "bf16_swizzled_by_another_row", .facts = {"some-elements-wrong"}},
    // -- wgmma
    {"wgmma_full_wait_missing", FaultKind::kCopyInFlight, kMultiplies, kBoxOfA},
    {"wgmma_parity_wrong", FaultKind::kDeadlock, kWaitsForFull},
    {"wgmma_not_awaited", FaultKind::kRaceInShared, kBoxOfA, kMultiplies},
    {"wgmma_barrier_missing", FaultKind::kRaceInShared, kBoxOfA, kMultiplies},
    {"wgmma_refilled_while_read", FaultKind::kRaceInShared, kBoxOfA, kMultiplies},
    {"wgmma_wait_too_lax", FaultKind::kWgmmaUnfinished, kMultiplies},
    {"wgmma_too_few_bytes", FaultKind::kCopyInFlight, kMultiplies, kBoxOfB},
    {.mutant = "wgmma_box_without_swizzle", .facts = {"some-elements-wrong"}},
    {.mutant = "wgmma_stride_wrong", .facts = {"rows 8-127"}},
    {.mutant = "wgmma_offset_missing", .facts = {"some-elements-wrong"}},
    {.mutant = "wgmma_leading_wrong", .facts = {"columns 64-255"}},
    {"wgmma_b_by_columns", FaultKind::kOutsideShared, kMultiplies},
    {"wgmma_fence_missing", FaultKind::kWgmmaUnfenced, kMultiplies},
    // -- A producer
    {"box_empty_wait_missing", FaultKind::kMbarrierUnseen, kAnnounces},
    {"box_parity_wrong", FaultKind::kDeadlock, kProducerWaitsForEmpty},
    {"released_before_the_wait", FaultKind::kRaceInShared, kBoxOfA, kMultiplies},
    {"box_empty_arrival_missing", FaultKind::kDeadlock, kProducerWaitsForEmpty},
    {"box_empty_count_too_high", FaultKind::kDeadlock, kProducerWaitsForEmpty},
    {"box_too_many_bytes", FaultKind::kDeadlock, kWaitsForFull},
    {.mutant = "box_of_other_rows", .facts = {"shifted-rows"}},
    {.mutant = "warpgroups_at_the_same_rows", .facts = {"never-written", "rows 64-127"}},
    // -- Pairs of blocks
    pair("pair_leaves_early", FaultKind::kClusterLeftEarly, kArrivesInPair),
    pair("pair_empty_counts_one_block", FaultKind::kCopyInFlight, kHalfOfB, kHalfOfB),
    pair("pair_arrives_at_one_block", FaultKind::kDeadlock, kProducerWaitsForEmpty),
    pair("pair_released_before_the_wait", FaultKind::kRaceInShared, kHalfOfB, kMultiplies),
    pair("pair_multicast_to_one", FaultKind::kDeadlock, kWaitsForFull),
    pair("pair_too_few_bytes", FaultKind::kCopyInFlight, kMultiplies, kHalfOfB),
    pair("pair_wrong_half_of_b", {"columns 128-255"}),
    pair("pair_at_the_same_rows", {"rows 128-255"}),
    // -- Results as boxes
    pair("results_rewritten_before_read", FaultKind::kCopyStillReads, kWritesResults,
         kStoresResults),
    pair("results_wait_too_lax", FaultKind::kCopyStillReads, kWritesResults, kStoresResults),
    pair("results_fence_missing", FaultKind::kCopyUnfenced, kStoresResults, kWritesResults),
    pair("results_barrier_missing", FaultKind::kRaceInShared, kStoresResults, kWritesResults),
    pair("results_last_not_awaited", FaultKind::kStoreUnfinished, kStoresResults),
    pair("results_transposed", {"some-elements-wrong"}),
    pair("results_box_without_swizzle", {"some-elements-wrong"}),
    pair("results_swizzled_by_another_row", {"some-elements-wrong"}),
    pair("results_read_c_although_beta_is_0", FaultKind::kUninitialisedMatrix, kReadsC),
    {.mutant = "results_of_other_columns",
     .facts = {"some-elements-wrong"},
     .shape = kPairOfTiles,
     .beta = 0.5f},
    pair("begins_with_the_sums_before", {"every-element-wrong"}),
    // -- Clusters in step
    step("step_early_end_uncounted", FaultKind::kDeadlock),
    step("step_never_counted", FaultKind::kDeadlock),
    step("step_of_one_more_cluster", FaultKind::kDeadlock),
    step("step_counters_not_reset"),
    step("snake_missing"),
    step("snake_of_a_alone", {"columns 1024-1279"}),
    step("snake_off_by_one", {"columns 1024-1279"}),
    // -- Sides of L2
    {.mutant = "seats_not_reset", .shape = kFourTiles, .card = "classroom", .is_right = true},
    seat("seat_without_the_other_ticket", {"never-written"}),
    seat("seat_of_a_full_side", {"never-written"}),
    seat("seat_of_the_own_block", FaultKind::kUninitialisedShared, kReadsSeat),
    seat("seat_taken_by_both_blocks", {"never-written"}),
    {.mutant = "seat_sent_too_early",
     .kind = FaultKind::kUninitialisedShared,
     .line = kReadsSeat,
     .shape = kFourTiles,
     .card = "classroom",
     .traces = 10},
    seat("halves_of_odd_columns", {"never-written", "columns 1024-1279"}, kFiveTiles),
    seat("both_sides_the_same_half", {"never-written", "columns 512-1023"}),
    // -- Results under the next tile, and shared tiles
    summit("summit_reads_before_it_waits", kTwoRounds, FaultKind::kBeforePreviousKernel, kBoxOfA),
    summit("summit_one_buffer_for_all_boxes", kTwoRounds, FaultKind::kCopyStillReads,
           kWritesResults, kStoresResults),
    summit("summit_results_rewritten_before_read", {64, 2048, 256}, FaultKind::kCopyStillReads,
           kWritesResults, kStoresResults),
    summit("summit_results_fence_missing", kTwoRounds, FaultKind::kCopyUnfenced, kStoresResults,
           kWritesResults),
    summit("summit_results_at_the_next_tile", kTwoRounds, {"never-written", "columns 0-511"}),
    summit("summit_last_results_stay", kTwoRounds, {"never-written", "columns 512-1023"}),
    summit("summit_part_added_twice", kSharedTile, {"last-tile-column"}),
    summit("summit_part_counted_twice", kSharedTile, {"columns 512-567"}),
    summit("summit_first_to_come_adds", kSharedTile, FaultKind::kRaceBetweenBlocks, kLeavesPart,
           kReadsPart),
    summit("summit_last_is_not_awaited", kSharedTile, FaultKind::kRaceInShared, kReadsIsLast),
    summit("summit_counter_not_reset", kSharedTile),
    summit("summit_stage_released_too_early", {512, 64, 2048}, FaultKind::kRaceInShared, kBoxOfA),
    summit("summit_share_rounded_down", {256, 128, 50 * 64}, {"columns 0-127", "rows 0-255"}),
    summit("summit_fewer_k_tiles_than_boxes", {256, 128, 64}, FaultKind::kDeadlock, kWaitsForFull),
    summit("summit_results_of_one_warpgroup", {256, 128, 64}, FaultKind::kRaceInShared,
           kWritesResults),
    // A block that is told too much goes on too early; one that is told too little waits for ever.
    {.mutant = "summit_tells_itself",
     .kind = FaultKind::kMbarrierUnseen,
     .line = kArrivesInPair,
     .shape = {256, 256, 1024},
     .card = "classroom",
     .or_kind = FaultKind::kDeadlock},
    summit("summit_a_for_another_row", {256, 256, 1024}, FaultKind::kCopyInFlight, kSharedPartOfA),
    summit("summit_b_at_the_same_k", {256, 256, 1024}, {"columns 0-255", "rows 0-255"}),
};

/// What a trace of the mutant's kernel finds.
RungTrace traced(const Mutant& mutant, const Shape& shape, float beta, const DeviceCard& card) {
  Rung rung = find_rung(traced_rungs(), mutant.rung);
  rung.run = mutant.run;
  TraceChoice choice;
  choice.all_blocks = true;
  Problem problem;
  problem.shape = shape;
  problem.beta = beta;
  return trace_rung(*make_cpu_machine(), rung, problem, card, choice);
}

class TensorMutantsTest : public PipelineTest, public testing::WithParamInterface<Case> {
 protected:
  void SetUp() override {
    set_gpu(8, BlockOrder::kAscending);
    emulator::set_copy_arrival(CopyArrival::kEarly);
  }
};

TEST_P(TensorMutantsTest, AreFoundForTheirReason) {
  const Case& c = GetParam();
  const Mutant* const mutant = mutant_named(tensor_mutants(), c.mutant);
  ASSERT_NE(mutant, nullptr) << "not in tensor_mutants.py: " << c.mutant;
  const RungTrace trace = traced(*mutant, c.shape, c.beta, load_card(c.card));
  if (!c.kind) {
    EXPECT_TRUE(trace.kernel.hazards.empty());
    EXPECT_EQ(trace.verified, c.is_right);
    if (c.is_right) return;
    EXPECT_FALSE(trace.wrong.empty()) << "nobody noticed the mistake";
    expect_facts(trace.wrong, c.facts);
    return;
  }
  std::string all;
  const auto is_it = [&](const auto& hazard) {
    all += "\n" + text_of(hazard);
    if (hazard.kind == c.or_kind) return true;
    if (hazard.kind != *c.kind) return false;
    const bool among_waiters = std::ranges::any_of(hazard.groups, [&](const auto& group) {
      return has_text(group.place.file, group.place.line, c.line);
    });
    if (!among_waiters && !has_text(hazard.place.file, hazard.place.line, c.line)) return false;
    return c.other == nullptr ||
           (hazard.other && has_text(hazard.other->place.file, hazard.other->place.line, c.other));
  };
  bool found = std::ranges::any_of(trace.kernel.hazards, is_it);
  for (int i = 1; i < c.traces && !found; ++i) {
    const RungTrace again = traced(*mutant, c.shape, c.beta, load_card(c.card));
    found = std::ranges::any_of(again.kernel.hazards, is_it);
  }
  EXPECT_TRUE(found) << "no " << code_of(*c.kind) << " at " << c.line << all;
}

INSTANTIATE_TEST_SUITE_P(All, TensorMutantsTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.mutant); });

TEST(TensorMutantTableTest, EveryMutantHasACase) {
  for (const Mutant& mutant : tensor_mutants())
    EXPECT_NE(std::ranges::find(kCases, mutant.name, &Case::mutant), kCases.end()) << mutant.name;
}

// What a launch of rung 21 leaves of its tickets sends the clusters of the next one past the seats.
TEST_F(PipelineTest, SeatsThatStayTakenAreMissedByTheNextLaunch) {
  set_gpu(8, BlockOrder::kAscending);
  const DeviceCard card = load_card("classroom");
  const Mutant& mutant = *mutant_named(tensor_mutants(), "seats_not_reset");
  EXPECT_EQ(traced(mutant, kFourTiles, 0.0f, card).verified, true);
  const RungTrace second = traced(mutant, kFourTiles, 0.0f, card);
  EXPECT_EQ(second.verified, false) << "nobody noticed the mistake";
  expect_facts(second.wrong, {"never-written"});
}

/// The rung as it is, or a mistake in it.
RungTrace traced_in_step(const Mutant* mutant, const DeviceCard& card) {
  const Rung& rung = find_rung(traced_rungs(), "in_step");
  const Mutant itself = {.name = "", .rung = "in_step", .configuration = "", .run = rung.run};
  return traced(mutant == nullptr ? itself : *mutant, kFiveTiles, 0.0f, card);
}

bool counters_are_zero() {
  return std::ranges::all_of(emulator::whole_workspace().first(3 * sizeof(unsigned)),
                             [](std::byte byte) { return byte == std::byte{}; });
}

// A launch that leaves its counts makes the next one, which finds them reached, wait for nobody.
TEST_F(PipelineTest, RungInStepLeavesNoCounts) {
  set_gpu(8, BlockOrder::kAscending);
  const DeviceCard card = load_card("classroom");
  for (int launch = 0; launch < 2; ++launch) {
    EXPECT_EQ(traced_in_step(nullptr, card).verified, true);
    EXPECT_TRUE(counters_are_zero());
  }
  traced_in_step(mutant_named(tensor_mutants(), "step_counters_not_reset"), card);
  EXPECT_FALSE(counters_are_zero()) << "nobody noticed the mistake";
}

// Rung 22 shares a tile in both launches: the next one would take old sums for new ones.
TEST_F(PipelineTest, RungSummitLeavesNoFlags) {
  set_gpu(8, BlockOrder::kAscending);
  const auto flags_after = [](const char* mutant) {
    emulator::clear_workspace();
    const Mutant* const found = mutant_named(tensor_mutants(), mutant);
    EXPECT_EQ(traced(*found, kSharedTile, 0.0f, load_card("classroom")).verified, true);
    const std::span<const std::byte> words = emulator::whole_workspace().first(4096);
    return words.size() - std::ranges::count(words, std::byte{});
  };
  EXPECT_GT(flags_after("summit_counter_not_reset"), 0) << "nobody noticed the mistake";
}

// Either direction along K is right, but one reads again what L2 has just lost: the five tiles of a
// single cluster share A, 1 MiB, and L2 has room for what one of them reads, 2 MiB.
TEST_F(PipelineTest, TheSnakeSparesDram) {
  set_gpu(2, BlockOrder::kAscending);
  DeviceCard card = load_card("classroom");
  card.sms = 2;
  card.l2_bytes = 2 << 20;
  const auto read = [&](const char* mutant) {
    const RungTrace trace = traced_in_step(mutant_named(tensor_mutants(), mutant), card);
    for (const auto& hazard : trace.kernel.hazards)
      ADD_FAILURE() << text_of(hazard);
    return trace.metrics.at("dram__bytes_read.sum").value() / (1 << 20);
  };
  const double forwards = read("snake_missing");
  EXPECT_LT(read("the rung"), 0.92 * forwards);
}

// What finds the mistakes finds none in the rungs: stages are refilled, and copies come late too.
TEST_F(PipelineTest, RungsOnTensorCoresHaveNoHazards) {
  set_gpu(8, BlockOrder::kAscending);
  const auto machine = make_cpu_machine();
  for (const Rung& rung : traced_rungs()) {
    if (rung.precision == kFp32 && rung.took == nullptr)
      continue;  // rung 23 multiplies parts there
    for (const CopyArrival arrival : {CopyArrival::kLate, CopyArrival::kEarly}) {
      emulator::set_copy_arrival(arrival);
      TraceChoice choice;
      choice.all_blocks = true;
      Problem problem;
      problem.shape = {200, 264, 648};
      const RungTrace trace = trace_rung(*machine, rung, problem, load_card("h200"), choice);
      EXPECT_EQ(trace.verified, true) << label(rung);
      for (const auto& hazard : trace.kernel.hazards)
        ADD_FAILURE() << label(rung) << ": " << text_of(hazard);
    }
  }
}

// Rung 22 starts early where no tile is split, and waits before it reads; rung 23 never does.
TEST_F(PipelineTest, RungsWithTwoRoundsOfTilesHaveNoHazards) {
  set_gpu(8, BlockOrder::kAscending);
  for (const char* name : {"hopper_summit", "split_precision"}) {
    const Rung& rung = find_rung(traced_rungs(), name);
    const Mutant itself = {.name = "", .rung = name, .configuration = "", .run = rung.run};
    const RungTrace trace = traced(itself, kTwoRounds, 0.0f, load_card("classroom"));
    EXPECT_EQ(trace.verified, true) << name;
    for (const auto& hazard : trace.kernel.hazards)
      ADD_FAILURE() << name << ": " << text_of(hazard);
  }
}

}  // namespace
}  // namespace ladder
