// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_trace_async_hazard_test.cpp
/// \brief Which faults trace() finds in pipelines of asynchronous copies and in kernels that order
///        warps with mbarriers and named barriers; and that it finds none in sound ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/emulator/copy_arrival_name.hpp"
#include "tests/emulator/trace_checks.hpp"

namespace ladder::trace_probes {
namespace {

constexpr int kTiles = 9;

/// Each test runs with copies that arrive late and with copies that arrive early.
class EmulatorTraceAsyncHazard : public testing::TestWithParam<CopyArrival> {
 protected:
  EmulatorTraceAsyncHazard() { set_copy_arrival(GetParam()); }
  ~EmulatorTraceAsyncHazard() override { set_copy_arrival(before_); }

  template <class Launch>
  KernelTrace traced(Launch launch) const {
    return trace({in.named("in"), out.named("out")}, launch);
  }
  KernelTrace traced_staged_copy(AsyncFault fault) const {
    return traced([&] { staged_copy(fault, 1, kTiles, in.data(), out.data()); });
  }
  KernelTrace traced_boxes(AsyncFault fault) const {
    return traced([&] { boxes(fault, kTiles, in.data(), out.data()); });
  }
  KernelTrace traced_stored_tiles(AsyncFault fault) const {
    return traced([&] { stored_tiles(fault, kTiles, in.data(), out.data()); });
  }

  const Floats in{4 * 32 * kTiles};
  const Floats out{128};

 private:
  CopyArrival before_ = copy_arrival();
};

/// There is one of this kind, between these lines.
void expect_hazard(const KernelTrace& t, FaultKind kind, const std::string& line,
                   const std::string& other) {
  for (const Fault& hazard : t.hazards) {
    if (hazard.kind != kind || hazard.place != probe_place(line)) continue;
    if (other_of(hazard) != probe_place(other)) continue;
    EXPECT_FALSE(element_of(hazard).empty());
    return;
  }
  ADD_FAILURE() << code_of(kind) << " is missing: " << testing::PrintToString(messages_of(t));
}

/// Which of the two comes first is a matter of turns.
void expect_race(const KernelTrace& t, const std::string& line, const std::string& other) {
  const bool found = std::ranges::any_of(t.hazards, [&](const Fault& hazard) {
    const Place a = probe_place(line);
    const Place b = probe_place(other);
    return hazard.kind == FaultKind::kRaceInShared &&
           ((hazard.place == a && other_of(hazard) == b) ||
            (hazard.place == b && other_of(hazard) == a));
  });
  EXPECT_TRUE(found) << testing::PrintToString(messages_of(t));
}

TEST_P(EmulatorTraceAsyncHazard, SoundPipelinesAreClean) {
  expect_clean(traced_staged_copy(AsyncFault::kNone));
  expect_clean(traced_boxes(AsyncFault::kNone));
  expect_clean(traced_stored_tiles(AsyncFault::kNone));
  expect_clean(traced([&] { exchange_in_pairs(AsyncFault::kNone, out.data()); }));
  expect_clean(traced([&] { box_over_stores(true, in.data(), out.data()); }));
  expect_clean(traced([&] { one_box(8, 32, 2, 0, in.data(), out.data()); }));
}

// -- cp.async -----------------------------------------------------------------------------------

TEST_P(EmulatorTraceAsyncHazard, AReadOfWhatACopyHasNotFilled) {
  expect_hazard(traced_staged_copy(AsyncFault::kWaitsForTooFew), FaultKind::kCopyInFlight,
                "read tile", "fetch");
}

TEST_P(EmulatorTraceAsyncHazard, CopiesOfOtherThreadsNeedABarrier) {
  expect_hazard(traced_staged_copy(AsyncFault::kNoBarrier), FaultKind::kRaceInShared, "read tile",
                "fetch");
}

TEST_P(EmulatorTraceAsyncHazard, ACopyOverWhatOthersStillRead) {
  const KernelTrace t = traced_staged_copy(AsyncFault::kFillsTooEarly);
  EXPECT_FALSE(t.hazards.empty());
}

TEST_P(EmulatorTraceAsyncHazard, AStoreToWhatACopyFills) {
  const KernelTrace t = traced([&] { clear_in_flight(in.data(), out.data()); });
  const Fault hazard = only_hazard(t);
  EXPECT_EQ(hazard.kind, FaultKind::kCopyInFlight);
  EXPECT_EQ(hazard.place, probe_place("clear"));
  EXPECT_EQ(other_of(hazard), probe_place("copy to clear"));
  EXPECT_EQ(element_of(hazard), "tile[0]");
  EXPECT_EQ(hazard.times, 32u);
}

TEST_P(EmulatorTraceAsyncHazard, ACopyFromBeyondAnArrayIsOutOfBounds) {
  const TracedArray half = {.name = "in", .data = in.data(), .bytes = 16 * sizeof(float)};
  const KernelTrace t = trace({half, out.named("out")},
                              [&] { copy_with_stride(4, 32, 32, 1, in.data(), out.data()); });
  const Fault hazard = only_hazard(t);
  EXPECT_EQ(hazard.kind, FaultKind::kGlobalOutOfBounds);
  EXPECT_EQ(hazard.place, probe_place("copy 4 bytes"));
  EXPECT_EQ(element_of(hazard), "in[16]");
  EXPECT_EQ(hazard.thread, (Index{16, 0, 0}));
  // Lanes that bring zeros may point anywhere.
  expect_clean(trace({half, out.named("out")},
                     [&] { copy_with_stride(4, 32, 16, 1, in.data(), out.data()); }));
}

TEST_P(EmulatorTraceAsyncHazard, ACopyThatFillsWithZerosMayEndWithTheArray) {
  const TracedArray part = {.name = "in", .data = in.data(), .bytes = 30 * sizeof(float)};
  const auto traced_copies = [&](int elements) {
    return trace({part, out.named("out")}, [&] { copy_in_part(elements, in.data(), out.data()); });
  };
  for (const int elements : {27, 28, 29, 30})
    expect_clean(traced_copies(elements));
  const Fault hazard = only_hazard(traced_copies(31));
  EXPECT_EQ(hazard.kind, FaultKind::kGlobalOutOfBounds);
  EXPECT_EQ(hazard.place, probe_place("copy in part"));
  EXPECT_EQ(hazard.thread, (Index{7, 0, 0}));
}

// -- Boxes --------------------------------------------------------------------------------------

TEST_P(EmulatorTraceAsyncHazard, AReadOfABoxThatNobodyWaitedFor) {
  expect_hazard(traced_boxes(AsyncFault::kWaitsForTooFew), FaultKind::kCopyInFlight, "read box",
                "bring box");
}

TEST_P(EmulatorTraceAsyncHazard, ABoxOverWhatWarpsStillRead) {
  expect_hazard(traced_boxes(AsyncFault::kArrivesTooEarly), FaultKind::kRaceInShared, "bring box",
                "read box");
}

TEST_P(EmulatorTraceAsyncHazard, ABoxWithoutAWaitForTheReaders) {
  EXPECT_FALSE(traced_boxes(AsyncFault::kFillsTooEarly).hazards.empty());
}

TEST_P(EmulatorTraceAsyncHazard, ABoxOverStoresNeedsAFence) {
  const KernelTrace t = traced([&] { box_over_stores(false, in.data(), out.data()); });
  const Fault hazard = only_hazard(t);
  EXPECT_EQ(hazard.kind, FaultKind::kCopyUnfenced);
  EXPECT_EQ(hazard.place, probe_place("box over stores"));
  EXPECT_EQ(other_of(hazard), probe_place("clear box"));
  EXPECT_EQ(element_of(hazard), "slice[0]");
}

TEST_P(EmulatorTraceAsyncHazard, AnMbarrierThatAnotherWarpInitialises) {
  expect_clean(traced([&] { box_of_another_warp(true, in.data(), out.data()); }));
  const KernelTrace t = traced([&] { box_of_another_warp(false, in.data(), out.data()); });
  ASSERT_EQ(t.hazards.size(), 3u) << testing::PrintToString(messages_of(t));
  for (const char* const line :
       {"arrive in another warp", "box of another warp", "wait in another warp"}) {
    const auto found = std::ranges::find(t.hazards, probe_place(line), &Fault::place);
    ASSERT_NE(found, t.hazards.end()) << line;
    EXPECT_EQ(found->kind, FaultKind::kMbarrierTooEarly);
    EXPECT_EQ(found->thread, (Index{32, 0, 0}));
    EXPECT_EQ(other_of(*found), probe_place("for another warp"));
  }
}

// -- Products on tensor cores --------------------------------------------------------------------

TEST_P(EmulatorTraceAsyncHazard, AProductOfStores) {
  const auto traced_product = [&](ProductFault fault) {
    return traced([&] { product_of_stores(fault, out.data()); });
  };
  expect_clean(traced_product(ProductFault::kNone));
  EXPECT_EQ(out.data()[0], 16);
  expect_hazard(traced_product(ProductFault::kNoFence), FaultKind::kCopyUnfenced, "multiply stores",
                "store factor");
  expect_hazard(traced_product(ProductFault::kStoresTooEarly), FaultKind::kRaceInShared,
                "clear factor", "multiply stores");
  const Fault hazard = only_hazard(traced_product(ProductFault::kNoStores));
  EXPECT_EQ(hazard.kind, FaultKind::kUninitialisedShared);
  EXPECT_EQ(hazard.place, probe_place("multiply stores"));
}

TEST_P(EmulatorTraceAsyncHazard, ABoxMayLieOutsideOfItsMatrix) {
  for (const int row : {-5, -2, 7, 20}) {
    for (const int column : {-40, -8, 16, 64}) {
      expect_clean(traced([&] { one_box(8, 32, row, column, in.data(), out.data()); }));
    }
  }
}

TEST_P(EmulatorTraceAsyncHazard, AMatrixThatTheTraceDoesNotKnowIsOutOfBounds) {
  const TracedArray first_row = {.name = "in", .data = in.data(), .bytes = 32 * sizeof(float)};
  const KernelTrace t =
      trace({first_row, out.named("out")}, [&] { one_box(8, 32, 0, 0, in.data(), out.data()); });
  const Fault hazard = only_hazard(t);
  EXPECT_EQ(hazard.kind, FaultKind::kGlobalOutOfBounds);
  EXPECT_EQ(hazard.place, probe_place("one box"));
  EXPECT_EQ(element_of(hazard), "in[32]");
}

// -- Stores that mbarriers and named barriers order ---------------------------------------------

TEST_P(EmulatorTraceAsyncHazard, AReadWithoutAWaitForTheStores) {
  expect_race(traced_stored_tiles(AsyncFault::kWaitsForTooFew), "read stored tile", "fill tile");
}

TEST_P(EmulatorTraceAsyncHazard, AnArrivalBeforeTheStores) {
  expect_race(traced_stored_tiles(AsyncFault::kArrivesTooEarly), "read stored tile", "fill tile");
}

TEST_P(EmulatorTraceAsyncHazard, StoresWithoutAWaitForTheReaders) {
  expect_race(traced_stored_tiles(AsyncFault::kFillsTooEarly), "read stored tile", "fill tile");
}

TEST_P(EmulatorTraceAsyncHazard, ABarrierOfOtherWarpsOrdersNothing) {
  expect_hazard(traced([&] { exchange_in_pairs(AsyncFault::kNoBarrier, out.data()); }),
                FaultKind::kRaceInShared, "read for pair", "store for pair");
}

TEST_P(EmulatorTraceAsyncHazard, LanesOfOneWarpMeetAtANamedBarrier) {
  expect_clean(traced([&] { rotate_in_warps(AsyncFault::kNone, false, out.data()); }));
  expect_hazard(traced([&] { rotate_in_warps(AsyncFault::kNoBarrier, false, out.data()); }),
                FaultKind::kRaceInShared, "read from warp", "store for warp");
}

TEST_P(EmulatorTraceAsyncHazard, LanesOfOneWarpMeetAtTheBarrierOfACluster) {
  expect_clean(traced([&] { rotate_in_warps(AsyncFault::kNone, true, out.data()); }));
  expect_hazard(traced([&] { rotate_in_warps(AsyncFault::kNoBarrier, true, out.data()); }),
                FaultKind::kRaceInShared, "read from warp", "store for warp");
}

INSTANTIATE_TEST_SUITE_P(Both, EmulatorTraceAsyncHazard,
                         testing::Values(CopyArrival::kLate, CopyArrival::kEarly),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace ladder::trace_probes
