// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_trace_async_test.cpp
/// \brief What trace() counts of asynchronous copies, what of them reaches the caches, and how far
///        ahead of its use a tile is on its way.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/emulator/copy_arrival_name.hpp"
#include "tests/emulator/trace_checks.hpp"

namespace ladder::trace_probes {
namespace {

constexpr int kTiles = 9;

/// Each test runs with copies that arrive late and with copies that arrive early.
class EmulatorTraceAsync : public testing::TestWithParam<CopyArrival> {
 protected:
  EmulatorTraceAsync() { set_copy_arrival(GetParam()); }
  ~EmulatorTraceAsync() override { set_copy_arrival(before_); }

  KernelTrace traced_copies(unsigned bytes, int lanes, int inside, int stride) const {
    return trace({in.named("in"), out.named("out")},
                 [&] { copy_with_stride(bytes, lanes, inside, stride, in.data(), out.data()); });
  }
  KernelTrace traced_box(int rows, int columns, int row, int column) const {
    return trace({in.named("in"), out.named("out")},
                 [&] { one_box(rows, columns, row, column, in.data(), out.data()); });
  }

  const Floats in{4 * 32 * kTiles};
  const Floats out{128};

 private:
  CopyArrival before_ = copy_arrival();
};

AccessCounts copies_at(const KernelTrace& t, const std::string& marker) {
  return at(t, marker, Operation::kAsyncCopy);
}

TEST_P(EmulatorTraceAsync, AWarpsCopiesAreOneRequestWithTwoSides) {
  const AccessCounts narrow = copies_at(traced_copies(4, 32, 32, 1), "copy 4 bytes");
  EXPECT_EQ(narrow, (AccessCounts{.requests = 1,
                                  .lanes = 32,
                                  .bytes = 128,
                                  .sectors = 4,
                                  .distinct_sectors = 4,
                                  .ideal_sectors = 4,
                                  .lines = 1,
                                  .wavefronts = 1,
                                  .ideal_wavefronts = 1}));
  const AccessCounts wide = copies_at(traced_copies(16, 32, 32, 1), "copy 16 bytes");
  EXPECT_EQ(wide.requests, 1u);
  EXPECT_EQ(wide.bytes, 512u);
  EXPECT_EQ(wide.sectors, 16u);
  EXPECT_EQ(wide.lines, 4u);
  EXPECT_EQ(wide.wavefronts, 4u);
}

TEST_P(EmulatorTraceAsync, WhereACopyGoesDecidesItsWavefronts) {
  for (const int stride : {1, 2, 8, 32}) {
    const AccessCounts counts = copies_at(traced_copies(4, 32, 32, stride), "copy 4 bytes");
    EXPECT_EQ(counts.wavefronts, static_cast<std::uint64_t>(stride));
    EXPECT_EQ(counts.ideal_wavefronts, 1u);
    EXPECT_EQ(counts.sectors, 4u);
  }
}

TEST_P(EmulatorTraceAsync, ZerosAreWrittenAndNotRead) {
  const AccessCounts half = copies_at(traced_copies(4, 32, 16, 1), "copy 4 bytes");
  EXPECT_EQ(half.requests, 1u);
  EXPECT_EQ(half.zeros, 0u);
  EXPECT_EQ(half.lanes, 32u);
  EXPECT_EQ(half.sectors, 2u);
  EXPECT_EQ(half.wavefronts, 1u);
  const AccessCounts none = copies_at(traced_copies(4, 32, 0, 1), "copy 4 bytes");
  EXPECT_EQ(none.requests, 1u);
  EXPECT_EQ(none.zeros, 1u);
  EXPECT_EQ(none.sectors, 0u);
}

TEST_P(EmulatorTraceAsync, AWarpMayBePartial) {
  const AccessCounts counts = copies_at(traced_copies(16, 8, 8, 1), "copy 16 bytes");
  EXPECT_EQ(counts.requests, 1u);
  EXPECT_EQ(counts.lanes, 8u);
  EXPECT_EQ(counts.sectors, 4u);
  EXPECT_EQ(counts.wavefronts, 1u);
}

TEST_P(EmulatorTraceAsync, CopiesAndBoxesReachTheCaches) {
  const auto kinds = [](const KernelTrace& t) {
    std::vector<unsigned> seen;
    for (const BlockStream& stream : t.streams) {
      for (const StreamAccess& access : stream.accesses)
        seen.push_back(access.store);
    }
    return seen;
  };
  EXPECT_EQ(kinds(traced_copies(4, 32, 32, 1)), (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(kinds(traced_copies(16, 32, 32, 1)), (std::vector<unsigned>{2, 1}));
  EXPECT_EQ(kinds(traced_box(8, 32, 0, 0)), (std::vector<unsigned>{2, 2, 2, 2, 1}));
}

TEST_P(EmulatorTraceAsync, ABoxAsksForWhatIsInsideAndArrivesWhole) {
  const auto counts_of = [&](int row, int column) {
    return at(traced_box(8, 64, row, column), "one box", Operation::kBoxCopy);
  };
  const AccessCounts whole = counts_of(2, 32);
  EXPECT_EQ(whole.requests, 1u);
  EXPECT_EQ(whole.bytes, 512u);
  EXPECT_EQ(whole.sectors, 16u);
  EXPECT_EQ(whole.lines, 4u);
  EXPECT_EQ(whole.distinct_sectors, 16u);
  EXPECT_EQ(counts_of(6, 32).bytes, 256u);
  EXPECT_EQ(counts_of(6, 32).distinct_sectors, 8u);
  EXPECT_EQ(counts_of(6, 32).sectors, 16u);
  EXPECT_EQ(counts_of(-1, 48).bytes, 192u);
  EXPECT_EQ(counts_of(-1, 48).distinct_sectors, 6u);
  EXPECT_EQ(counts_of(-1, 48).sectors, 16u);
  EXPECT_EQ(counts_of(2, 4).sectors, 20u);  // 32 floats, the first 16 bytes into a sector
  EXPECT_EQ(counts_of(8, 0).bytes, 0u);
  EXPECT_EQ(counts_of(8, 0).sectors, 16u);
  EXPECT_EQ(counts_of(8, 0).requests, 1u);
}

// As on an H100: also what lies beyond an edge, and what two lines of shared memory share.
TEST_P(EmulatorTraceAsync, L2IsAskedForTheWholeBox) {
  using InsideAndMore = std::pair<int, int>;
  const auto asked_of = [&](int row, int column) {
    const KernelTrace t = traced_box(8, 64, row, column);
    InsideAndMore sectors;
    for (const StreamAccess& access : t.streams.at(0).accesses) {
      if (access.store != 2) continue;
      for (const LineTouch& touch : t.patterns[access.pattern])
        (touch.again ? sectors.second : sectors.first) += std::popcount(touch.sectors);
    }
    return sectors;
  };
  EXPECT_EQ(asked_of(2, 32), (InsideAndMore{16, 0}));
  EXPECT_EQ(asked_of(6, 32), (InsideAndMore{8, 8}));
  EXPECT_EQ(asked_of(-1, 48), (InsideAndMore{6, 10}));
  EXPECT_EQ(asked_of(8, 0), (InsideAndMore{0, 16}));
  EXPECT_EQ(asked_of(2, 4), (InsideAndMore{20, 0}));
}

// Lane 0 arrives for its warp, other lanes do not: their loads are one request all the same.
TEST_P(EmulatorTraceAsync, WhatOneLaneDoesAloneDoesNotSplitRequests) {
  const KernelTrace t = trace({in.named("in"), out.named("out")},
                              [&] { boxes(AsyncFault::kNone, kTiles, in.data(), out.data()); });
  EXPECT_EQ(shared_loads_at(t, "read box").requests, 2u * 4u * kTiles);
  EXPECT_EQ(shared_loads_at(t, "read box").lanes, 32u * 2u * 4u * kTiles);
  EXPECT_EQ(at(t, "bring box", Operation::kBoxCopy).requests, std::uint64_t{kTiles});
}

// The arrays lie so far apart that the shared memory of all blocks is between them.
TEST_P(EmulatorTraceAsync, SharedMemoryOfAnotherBlockIsNoGlobalMemory) {
  static std::array<float, 1> low;
  std::array<float, 64> high = {};
  const KernelTrace t = trace({{.name = "low", .data = low.data(), .bytes = sizeof low},
                               {.name = "high", .data = high.data(), .bytes = sizeof high}},
                              [&] { copy_from_peer(high.data()); });
  expect_clean(t);
  EXPECT_EQ(high[5], 37.0f);
  EXPECT_EQ(at(t, "read from peer", Operation::kGlobalLoad), AccessCounts());
  EXPECT_EQ(at(t, "read from peer", Operation::kGlobalStore).requests, 2u);
}

// A cache model that let a block have all its tiles at once would keep none for its neighbours.
TEST_P(EmulatorTraceAsync, EachTileOfBoxesIsASlice) {
  const KernelTrace t = trace({in.named("in"), out.named("out")},
                              [&] { boxes(AsyncFault::kNone, kTiles, in.data(), out.data()); });
  ASSERT_EQ(t.streams.size(), 1u);
  const std::vector<std::uint32_t>& ends = t.streams.front().slice_ends;
  EXPECT_GE(ends.size(), std::size_t{kTiles});
  for (std::size_t i = 1; i < ends.size(); ++i)
    EXPECT_LE(ends[i] - ends[i - 1], 2u * 4u) << i;  // rows of the two boxes on their way
}

// -- Order of events ----------------------------------------------------------------------------

TEST_P(EmulatorTraceAsync, CopiesAreOnTheirWayForTwoBarriers) {
  const KernelTrace t = trace({in.named("in"), out.named("out")}, [&] {
    staged_copy(AsyncFault::kNone, 1, kTiles, in.data(), out.data());
  });
  ASSERT_EQ(t.order.tiles.size(), std::size_t{kTiles});
  for (int i = 0; i < kTiles; ++i) {
    const TileTimes& tile = t.order.tiles[static_cast<std::size_t>(i)];
    EXPECT_EQ(tile.loaded, std::max(0, i - 1)) << i;
    EXPECT_EQ(tile.stored, i) << i;
    EXPECT_EQ(tile.first_read, i + 1) << i;
    EXPECT_EQ(tile.last_read, i + 1) << i;
  }
  EXPECT_EQ(t.order.barriers_per_tile, 1);
  EXPECT_NEAR(t.order.steps_ahead, 2, 0.2);
  EXPECT_EQ(t.order.hidden(), 1);
}

TEST_P(EmulatorTraceAsync, BoxesAreOnTheirWayUntilTheirPhaseIsOver) {
  const KernelTrace t = trace({in.named("in"), out.named("out")},
                              [&] { boxes(AsyncFault::kNone, kTiles, in.data(), out.data()); });
  ASSERT_EQ(t.order.tiles.size(), std::size_t{kTiles});
  for (int i = 0; i < kTiles; ++i) {
    const TileTimes& tile = t.order.tiles[static_cast<std::size_t>(i)];
    EXPECT_EQ(tile.first_read, 2 + i) << i;  // one barrier, and the phases until its own
    EXPECT_EQ(tile.last_read, 2 + i) << i;
    EXPECT_LT(tile.loaded, tile.first_read) << i;
  }
  EXPECT_GT(t.order.steps_ahead, 1);
  EXPECT_GT(t.order.shared_loads_per_tile, 0);
}

INSTANTIATE_TEST_SUITE_P(Both, EmulatorTraceAsync,
                         testing::Values(CopyArrival::kLate, CopyArrival::kEarly),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace ladder::trace_probes
