// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_trace_sampling_test.cpp
/// \brief What several CPU threads, and sampling, may not change; what sampling may leave out.
#include <tuple>
#include <vector>

#include "tests/emulator/trace_checks.hpp"

namespace ladder::trace_probes {
namespace {

// -- Several CPU threads, and sampling ----------------------------------------------------------

/// What a block asks of global memory: array, line and sectors of each line, in order.
using Touches = std::vector<std::tuple<unsigned, std::int64_t, std::uint32_t, unsigned>>;

Touches touches_of(const KernelTrace& trace, std::size_t block) {
  Touches touches;
  const TracedBlock& launched = trace.launched[block];
  for (const StreamAccess& access : trace.streams[launched.stream].accesses) {
    for (const LineTouch& touch : trace.patterns[access.pattern]) {
      touches.emplace_back(access.array,
                           access.line + launched.line_shift[access.array] + touch.line,
                           touch.sectors, access.store);
    }
  }
  return touches;
}

/// Tiles of 8 by 32 of a matrix with a ragged last row of tiles.
struct Tiles {
  static constexpr int kRows = 20;
  static constexpr unsigned kAcross = 4;

  Floats in{kRows * 32 * kAcross};
  Floats out{kRows * 32 * kAcross};

  KernelTrace traced(const TraceOptions& options, int slow_steps = 0) const {
    return trace(
        {in.named("in"), out.named("out")},
        [&] { copy_tiles(kRows, kAcross, slow_steps, in.data(), out.data()); }, options);
  }
  KernelTrace traced_with_late_difference(const TraceOptions& options) const {
    return trace(
        {in.named("in"), out.named("out")},
        [&] { copy_tiles_with_late_difference(kRows, kAcross, in.data(), out.data()); }, options);
  }
};

/// `out` is laid out like `in`.
bool out_is_like_in(ArrayShifts& shifts) {
  shifts[1] = shifts[0];
  return true;
}

void expect_same(const KernelTrace& a, const KernelTrace& b) {
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (std::size_t i = 0; i < a.lines.size(); ++i) {
    EXPECT_EQ(a.lines[i].line, b.lines[i].line);
    EXPECT_EQ(a.lines[i].operation, b.lines[i].operation);
    EXPECT_EQ(a.lines[i].access_bytes, b.lines[i].access_bytes);
    EXPECT_EQ(a.lines[i].counts, b.lines[i].counts) << "line " << a.lines[i].line;
  }
  EXPECT_EQ(messages_of(a), messages_of(b));
  ASSERT_EQ(a.launched.size(), b.launched.size());
  for (std::size_t block = 0; block < a.launched.size(); ++block)
    EXPECT_EQ(touches_of(a, block), touches_of(b, block)) << "block " << block;
}

TEST(EmulatorTraceSampling, SeveralCpuThreadsSeeTheSame) {
  const Tiles tiles;
  const auto run = [&](unsigned threads) {
    const CpuThreads cpu(threads);
    return tiles.traced({});
  };
  const KernelTrace one = run(1);
  EXPECT_EQ(one.blocks, 12u);
  EXPECT_EQ(one.barriers_per_block, 1u);
  for (const unsigned threads : {2u, 3u}) {
    const KernelTrace several = run(threads);
    expect_same(one, several);
    ASSERT_EQ(one.order.tiles.size(), several.order.tiles.size());
    EXPECT_EQ(one.order.barriers_per_tile, several.order.barriers_per_tile);
    EXPECT_EQ(one.order.shared_loads_per_tile, several.order.shared_loads_per_tile);
  }
}

TEST(EmulatorTraceSampling, SeveralCpuThreadsFindTheSameRaces) {
  const Floats out(256);
  const auto run = [&](unsigned threads) {
    const CpuThreads cpu(threads);
    return trace({out.named("out")}, [&] { missing_barrier(40, 256, out.data()); });
  };
  const KernelTrace one = run(1);
  ASSERT_EQ(one.hazards.size(), 2u) << testing::PrintToString(messages_of(one));
  EXPECT_EQ(one.hazards[0].times, 40u * 128u);
  expect_same(one, run(3));
}

TEST(EmulatorTraceSampling, SamplesCountWhatTheWholeGridDoes) {
  const Tiles tiles;
  for (const unsigned threads : {1u, 2u, 3u}) {
    const CpuThreads cpu(threads);
    const KernelTrace whole = tiles.traced({});
    for (int repetition = 0; repetition < 10; ++repetition) {
      const KernelTrace sample = tiles.traced(sampling(out_is_like_in));
      EXPECT_EQ(sample.blocks, 12u);
      EXPECT_EQ(sample.blocks_traced, 2u);  // of a whole tile and of a ragged one
      expect_same(whole, sample);
    }
  }
}

TEST(EmulatorTraceSampling, ShiftsThatCannotBeKnownMakeAllBlocksTraced) {
  const Tiles tiles;
  const auto unknown = [](ArrayShifts&) { return false; };
  EXPECT_EQ(tiles.traced(sampling(unknown)).blocks_traced, 12u);
  EXPECT_EQ(tiles.traced(sampling({})).blocks_traced, 12u);
  expect_same(tiles.traced({}), tiles.traced(sampling({})));
}

TEST(EmulatorTraceSampling, ShiftsThatAreNoWholeLinesMakeAllBlocksTraced) {
  const Tiles tiles;
  const auto half_lines = [](ArrayShifts& shifts) {
    shifts[1] = *shifts[0] + 64;
    return true;
  };
  EXPECT_EQ(tiles.traced(sampling(half_lines)).blocks_traced, 12u);
}

// The limit of sampling: what differs only after the first barrier is not seen.
TEST(EmulatorTraceSampling, SamplesMissWhatDiffersAfterTheFirstBarrier) {
  const Tiles tiles;
  const KernelTrace whole = tiles.traced_with_late_difference({});
  const KernelTrace sample = tiles.traced_with_late_difference(sampling(out_is_like_in));
  EXPECT_EQ(loads_at(whole, "late load").requests, 20u);  // a warp per row of the second column
  EXPECT_EQ(loads_at(sample, "late load").requests, 0u);
  EXPECT_EQ(sample.blocks_traced, 2u);
}

TEST(EmulatorTraceSampling, BlocksThatLoadNothingBeforeTheFirstBarrierAreNotTakenForOne) {
  const Floats in(128), out(128);
  const auto unknown = [](ArrayShifts&) { return false; };
  const KernelTrace t = trace(
      {in.named("in"), out.named("out")}, [&] { barrier_first(4, in.data(), out.data()); },
      sampling(unknown));
  EXPECT_EQ(t.blocks_traced, 4u);
  for (std::size_t block = 0; block < 4; ++block) {
    const Touches touches = touches_of(t, block);
    ASSERT_FALSE(touches.empty());
    EXPECT_EQ(std::get<1>(touches[0]), static_cast<std::int64_t>(block));
  }
}

TEST(EmulatorTraceSampling, BlocksGoOnUntilTheyShowWhereTheyAre) {
  const Floats in(128), out(128);
  const auto run = [&](bool sample) {
    return trace(
        {in.named("in"), out.named("out")}, [&] { barrier_first(4, in.data(), out.data()); },
        sampling(
            [](ArrayShifts& shifts) {
              if (!shifts[0]) return false;
              shifts[1] = shifts[0];
              return true;
            },
            sample));
  };
  const KernelTrace sampled = run(true);
  EXPECT_EQ(sampled.blocks_traced, 1u);
  expect_same(run(false), sampled);
}

TEST(EmulatorTraceSampling, PipelinesOfCopiesAreSampled) {
  const Floats in(64 * 9), out(64);
  const auto run = [&](bool sample) {
    return trace(
        {in.named("in"), out.named("out")},
        [&] { staged_copy(AsyncFault::kNone, 3, 9, in.data(), out.data()); },
        sampling(
            [](ArrayShifts& shifts) {
              if (!shifts[0]) return false;
              shifts[1] = shifts[0];
              return true;
            },
            sample));
  };
  const KernelTrace sampled = run(true);
  EXPECT_EQ(sampled.blocks_traced, 1u);
  expect_same(run(false), sampled);
}

// A block whose last thread ends the first slice by ending has ended: nothing of it may be left on
// the CPU threads that other kernels then run on.
TEST(EmulatorTraceSampling, BlocksThatEndWithTheirFirstSliceLeaveNothingBehind) {
  const Floats in(64 * 9), out(128);
  const CpuThreads cpu(2);
  const TraceOptions options = sampling([](ArrayShifts& shifts) {
    if (!shifts[0]) return false;
    shifts[1] = shifts[0];
    return true;
  });
  for (int repetition = 0; repetition < 50; ++repetition) {
    trace(
        {in.named("in"), out.named("out")}, [&] { barrier_first(4, in.data(), out.data()); },
        options);
    const KernelTrace t = trace(
        {in.named("in"), out.named("out")},
        [&] { staged_copy(AsyncFault::kNone, 3, 9, in.data(), out.data()); }, options);
    ASSERT_EQ(t.blocks_traced, 1u) << repetition;
  }
}

TEST(EmulatorTraceSampling, OrderIsThatOfTheFirstBlock) {
  const Tiles tiles;
  for (const bool sample : {false, true}) {
    const KernelTrace t = tiles.traced(sampling(out_is_like_in, sample));
    ASSERT_EQ(t.order.tiles.size(), 1u);
    EXPECT_EQ(t.order.tiles[0].array, "tile");
    EXPECT_EQ(t.order.tiles[0].loaded, 0);
    EXPECT_EQ(t.order.tiles[0].stored, 0);
    EXPECT_EQ(t.order.tiles[0].first_read, 1);
    EXPECT_EQ(t.order.barriers_per_tile, 1.0);
  }
}

}  // namespace
}  // namespace ladder::trace_probes
