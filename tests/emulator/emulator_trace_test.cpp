// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_trace_test.cpp
/// \brief What trace() counts, and which lanes it takes for one request.
#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/trace/access_log.hpp"
#include "tests/emulator/trace_checks.hpp"

namespace ladder::trace_probes {
namespace {

// -- Lanes that go different ways ---------------------------------------------------------------

TEST(EmulatorTrace, EachSideOfABranchIsARequest) {
  const Floats in(32), low(32), high(32);
  const KernelTrace t = trace({in.named("in"), low.named("low"), high.named("high")},
                              [&] { copy_sides(in.data(), low.data(), high.data()); });
  EXPECT_EQ(loads_at(t, "low side").requests, 1u);
  EXPECT_EQ(loads_at(t, "low side").lanes, 10u);
  EXPECT_EQ(loads_at(t, "low side").sectors, 2u);
  EXPECT_EQ(loads_at(t, "high side").requests, 1u);
  EXPECT_EQ(loads_at(t, "high side").lanes, 22u);
  EXPECT_EQ(loads_at(t, "high side").bytes, 88u);
  EXPECT_EQ(loads_at(t, "high side").sectors, 3u);
  EXPECT_EQ(at(t, "low side", Operation::kGlobalStore).requests, 1u);
  EXPECT_EQ(at(t, "high side", Operation::kGlobalStore).requests, 1u);
  expect_clean(t);
}

TEST(EmulatorTrace, IdleLanesTakeNoPartInARequest) {
  const Floats in(128), out(32);
  const KernelTrace t =
      trace({in.named("in"), out.named("out")}, [&] { idle_lanes(in.data(), out.data()); });
  const AccessCounts counts = loads_at(t, "idle lanes");
  EXPECT_EQ(counts.requests, 4u);
  EXPECT_EQ(counts.lanes, 32u + 24u + 16u + 8u);
  EXPECT_EQ(counts.sectors, 4u + 3u + 2u + 1u);
  EXPECT_EQ(counts.lines, 4u);
}

TEST(EmulatorTrace, LoopsOfUnequalLengthMeetInEachIteration) {
  const Floats in(1024), out(32);
  const KernelTrace t =
      trace({in.named("in"), out.named("out")}, [&] { unequal_loops(in.data(), out.data()); });
  const AccessCounts counts = loads_at(t, "unequal loops");
  EXPECT_EQ(counts.requests, 32u);
  EXPECT_EQ(counts.lanes, 32u * 33u / 2u);
  // Lane i and those above it are in iteration i.
  std::uint64_t sectors = 0;
  for (unsigned i = 0; i < 32; ++i)
    sectors += 4 - i / 8;
  EXPECT_EQ(counts.sectors, sectors);
}

TEST(EmulatorTrace, MoreAccessesThanALogHasRows) {
  const Floats in(32), out(96);
  for (const int barrier_every : {0, 1, 300}) {
    for (const unsigned threads : {32u, 96u}) {
      const KernelTrace t = trace({in.named("in"), out.named("out")}, [&] {
        long_loop(threads, 1000, barrier_every, in.data(), out.data());
      });
      const AccessCounts counts = loads_at(t, "long loop");
      EXPECT_EQ(counts.requests, 1000u * threads / 32) << barrier_every;
      EXPECT_EQ(counts.lanes, 1000u * threads) << barrier_every;
      EXPECT_EQ(counts.sectors, 4000u * threads / 32) << barrier_every;
    }
  }
}

TEST(EmulatorTrace, MoreAccessesThanALogHasRowsInUnequalLoops) {
  const Floats in(64), out(32);
  const KernelTrace t =
      trace({in.named("in"), out.named("out")}, [&] { long_unequal_loops(in.data(), out.data()); });
  const AccessCounts counts = loads_at(t, "long unequal loops");
  EXPECT_EQ(counts.requests, 20u * 31u);
  EXPECT_EQ(counts.lanes, 20u * 31u * 32u / 2u);
}

TEST(EmulatorTrace, SomeLanesDoMorePerIteration) {
  const Floats a(32), b(32), out(32);
  constexpr unsigned kSteps = 100;
  const KernelTrace t = trace({a.named("a"), b.named("b"), out.named("out")},
                              [&] { two_rates(kSteps, a.data(), b.data(), out.data()); });
  EXPECT_EQ(loads_at(t, "of all lanes").requests, kSteps);
  EXPECT_EQ(loads_at(t, "of all lanes").lanes, 32 * kSteps);
  EXPECT_EQ(loads_at(t, "of even lanes").requests, kSteps);
  EXPECT_EQ(loads_at(t, "of even lanes").lanes, 16 * kSteps);
}

// -- Grids --------------------------------------------------------------------------------------

TEST(EmulatorTrace, LastWarpOfABlockMayBePartial) {
  const Ints in(100), out(100);
  for (const unsigned threads : {1u, 31u, 32u, 33u, 48u, 100u}) {
    const KernelTrace t = trace({in.named("in"), out.named("out")}, [&] {
      copy_ints({1, 1, 1}, {threads, 1, 1}, in.data(), out.data());
    });
    const AccessCounts counts = loads_at(t, "copy ints");
    EXPECT_EQ(counts.requests, (threads + 31) / 32);
    EXPECT_EQ(counts.lanes, threads);
    EXPECT_EQ(counts.bytes, 4 * threads);
    EXPECT_EQ(counts.sectors, (threads + 7) / 8);
    EXPECT_EQ(counts, at(t, "copy ints", Operation::kGlobalStore));
    EXPECT_EQ(t.threads_per_block, threads);
    expect_clean(t);
  }
}

TEST(EmulatorTrace, WarpsRunAlongXThenYThenZ) {
  const Ints in(1024), out(1024);
  const std::vector<Extents> blocks = {{8, 8, 1}, {4, 4, 4}, {2, 1, 32}, {16, 3, 1}, {5, 5, 5}};
  for (const Extents& block : blocks) {
    const unsigned threads = block[0] * block[1] * block[2];
    const KernelTrace t = trace({in.named("in"), out.named("out")}, [&] {
      copy_ints({1, 1, 1}, block, in.data(), out.data());
    });
    const AccessCounts counts = loads_at(t, "copy ints");
    EXPECT_EQ(counts.requests, (threads + 31) / 32);
    EXPECT_EQ(counts.lanes, threads);
    EXPECT_EQ(counts.sectors, (threads + 7) / 8);  // neighbours in memory share a warp
  }
}

TEST(EmulatorTrace, SeveralLaunchesAddUp) {
  const Ints in(256), out(256);
  const Floats low(32), high(32), source(32);
  const KernelTrace t = trace({in.named("in"), out.named("out"), low.named("low"),
                               high.named("high"), source.named("source")},
                              [&] {
                                copy_ints({2, 1, 1}, {64, 1, 1}, in.data(), out.data());
                                copy_ints({4, 1, 1}, {32, 1, 1}, in.data(), out.data());
                                copy_sides(source.data(), low.data(), high.data());
                              });
  EXPECT_EQ(loads_at(t, "copy ints").requests, 8u);
  EXPECT_EQ(loads_at(t, "high side").requests, 1u);
  EXPECT_EQ(t.blocks, 7u);
  EXPECT_EQ(t.blocks_traced, 7u);
  EXPECT_EQ(t.launched.size(), 7u);
}

TEST(EmulatorTrace, LinesAreSortedAndNameAFileOfTheRepository) {
  const Floats in(32), low(32), high(32);
  const KernelTrace t = trace({in.named("in"), low.named("low"), high.named("high")},
                              [&] { copy_sides(in.data(), low.data(), high.data()); });
  ASSERT_EQ(t.lines.size(), 4u);
  const auto key = [](const LineCounts& one) {
    return std::tuple(one.file, one.line, one.operation, one.access_bytes);
  };
  EXPECT_TRUE(std::ranges::is_sorted(t.lines, {}, key));
  for (const LineCounts& one : t.lines)
    EXPECT_EQ(one.file, probe_place("high side").file);
}

// -- Sizes and types ----------------------------------------------------------------------------

TEST(EmulatorTrace, EverySizeIsCountedAsItIs) {
  const GlobalArray<unsigned char> in(512), out(512);
  for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
    const KernelTrace t = trace({in.named("in"), out.named("out")},
                                [&] { copy_elements(bytes, in.data(), out.data()); });
    for (const Operation operation : {Operation::kGlobalLoad, Operation::kGlobalStore}) {
      const AccessCounts counts = at(t, "copy elements", operation, bytes);
      EXPECT_EQ(counts.requests, 1u) << bytes;
      EXPECT_EQ(counts.lanes, 32u) << bytes;
      EXPECT_EQ(counts.bytes, 32u * bytes);
      EXPECT_EQ(counts.sectors, bytes);
      EXPECT_EQ(counts.ideal_sectors, bytes);
      EXPECT_EQ(requests_of(t, operation), 1u) << bytes;
    }
  }
}

TEST(EmulatorTrace, HalvesAndPairsOfHalves) {
  const GlobalArray<unsigned short> in(96), out(96);
  const KernelTrace t =
      trace({in.named("in"), out.named("out")}, [&] { copy_halves(in.data(), out.data()); });
  EXPECT_EQ(loads_at(t, "copy halves", 2).requests, 1u);
  EXPECT_EQ(loads_at(t, "copy pairs", 4).requests, 1u);
  EXPECT_EQ(loads_at(t, "copy pairs", 4).sectors, 4u);
  EXPECT_EQ(requests_of(t, Operation::kGlobalLoad), 2u);
  EXPECT_EQ(requests_of(t, Operation::kGlobalStore), 2u);
}

// A GPU's compiler knows a struct's alignment, and cuts a copy accordingly.
TEST(EmulatorTrace, StructsAreCopiedInPiecesOfTheirAlignment) {
  const Floats in(160), out(160);
  const std::vector<TracedArray> arrays = {in.named("in"), out.named("out")};
  const KernelTrace three = trace(arrays, [&] { copy_float3(in.data(), out.data()); });
  EXPECT_EQ(loads_at(three, "copy structs", 4).requests, 3u);
  EXPECT_EQ(loads_at(three, "copy structs").requests, 3u);
  EXPECT_EQ(at(three, "copy structs", Operation::kGlobalStore, 4).requests, 3u);
  const KernelTrace five = trace(arrays, [&] { copy_five_floats(in.data(), out.data()); });
  EXPECT_EQ(loads_at(five, "copy structs", 4).requests, 5u);
  EXPECT_EQ(loads_at(five, "copy structs").requests, 5u);
  EXPECT_EQ(at(five, "copy structs", Operation::kGlobalStore, 4).requests, 5u);

  const GlobalArray<double> doubles(64), more(64);
  const KernelTrace two = trace({doubles.named("doubles"), more.named("more")},
                                [&] { copy_two_doubles(doubles.data(), more.data()); });
  EXPECT_EQ(loads_at(two, "copy structs", 16).requests, 1u);
  EXPECT_EQ(loads_at(two, "copy structs").bytes, 512u);
}

// -- Atomics ------------------------------------------------------------------------------------

TEST(EmulatorTrace, GlobalAtomicIsOneRequestInTurns) {
  const Ints ints(4);
  const Floats floats(1);
  const KernelTrace t = trace({ints.named("ints"), floats.named("floats")},
                              [&] { global_atomics(ints.data(), floats.data()); });
  for (const char* marker :
       {"global add", "global max", "global CAS", "global exchange", "global float add"}) {
    const AccessCounts counts = at(t, marker, Operation::kGlobalAtomic, 4);
    EXPECT_EQ(counts.requests, 1u) << marker;
    EXPECT_EQ(counts.lanes, 32u) << marker;
    EXPECT_EQ(counts.sectors, 32u) << marker;  // one address: 32 turns
    EXPECT_EQ(counts.distinct_sectors, 1u) << marker;
  }
  EXPECT_EQ(requests_of(t, Operation::kGlobalLoad), 0u);
  EXPECT_EQ(requests_of(t, Operation::kGlobalStore), 0u);
  EXPECT_EQ(floats[0], 32.0f);
  expect_clean(t);
}

TEST(EmulatorTrace, SharedAtomicIsOneRequestInTurns) {
  const Ints ints(4);
  const Floats floats(1);
  const KernelTrace t = trace({ints.named("ints"), floats.named("floats")},
                              [&] { shared_atomics(ints.data(), floats.data()); });
  for (const char* marker : {"shared add", "shared CAS", "shared exchange", "shared float add"}) {
    const AccessCounts counts = at(t, marker, Operation::kSharedAtomic, 4);
    EXPECT_EQ(counts.requests, 1u) << marker;
    EXPECT_EQ(counts.lanes, 32u) << marker;
    EXPECT_EQ(counts.wavefronts, 32u) << marker;
  }
  EXPECT_EQ(floats[0], 32.0f);
  expect_clean(t);
}

TEST(EmulatorTrace, AtomicsAtManyAddressesTakeOneTurn) {
  const Floats floats(32);
  const KernelTrace t =
      trace({floats.named("floats")}, [&] { spread_float_atomic(floats.data()); });
  const AccessCounts counts = at(t, "spread float add", Operation::kGlobalAtomic);
  EXPECT_EQ(counts.requests, 1u);
  EXPECT_EQ(counts.sectors, 4u);
  EXPECT_EQ(counts.distinct_sectors, 4u);
}

TEST(EmulatorTrace, AWarpThatSpinsLetsTheOtherWarpRun) {
  const Ints flag(1), out(33);
  const KernelTrace t = trace({flag.named("flag"), out.named("out")},
                              [&] { wait_for_other_warp(flag.data(), out.data()); });
  EXPECT_LT(requests_of(t, Operation::kGlobalLoad), WarpLog::kRows / 2);  // it gives way soon
  for (unsigned i = 0; i < 33; ++i)
    EXPECT_EQ(out[i], 7);
}

// -- What is no memory access -------------------------------------------------------------------

TEST(EmulatorTrace, LocalVariablesAreNotMemory) {
  const Ints in(256), out(32);
  const KernelTrace t =
      trace({in.named("in"), out.named("out")}, [&] { local_variables(in.data(), out.data()); });
  EXPECT_EQ(loads_at(t, "local load").requests, 8u);
  EXPECT_EQ(requests_of(t, Operation::kGlobalLoad), 8u);
  EXPECT_EQ(requests_of(t, Operation::kGlobalStore), 1u);
  EXPECT_EQ(requests_of(t, Operation::kSharedLoad), 0u);
  expect_clean(t);
}

// Stacks of CUDA threads may lie between two arrays.
TEST(EmulatorTrace, LocalVariablesBetweenTwoArraysAreNotMemory) {
  alignas(256) static int in_program[256];
  alignas(256) int on_host_stack[32];
  const KernelTrace t =
      trace({{.name = "in", .data = in_program, .bytes = sizeof in_program},
             {.name = "out", .data = on_host_stack, .bytes = sizeof on_host_stack}},
            [&] { local_variables(in_program, on_host_stack); });
  EXPECT_EQ(requests_of(t, Operation::kGlobalLoad), 8u);
  EXPECT_EQ(requests_of(t, Operation::kGlobalStore), 1u);
  expect_clean(t);
}

TEST(EmulatorTrace, ConstantsAreNotGlobalMemory) {
  const Ints in(32), out(32);
  std::iota(in.data(), in.data() + 32, 0);
  const KernelTrace t =
      trace({in.named("in"), out.named("out")}, [&] { constant_table(in.data(), out.data()); });
  EXPECT_EQ(out[4], 5);
  EXPECT_EQ(loads_at(t, "constant table").requests, 1u);
  EXPECT_EQ(requests_of(t, Operation::kGlobalLoad), 1u);
  expect_clean(t);
}

// -- Scalar shared loads that a GPU's compiler merges -------------------------------------------

TEST(EmulatorTrace, AlignedRunsBecomeWideLoads) {
  const Floats out(32);
  struct Case {
    int words, offset;
    std::uint64_t of_16_bytes, of_8_bytes, of_4_bytes;
  };
  const std::vector<Case> cases = {{4, 0, 1, 0, 0}, {3, 0, 0, 1, 1}, {2, 0, 0, 1, 0},
                                   {1, 0, 0, 0, 1}, {2, 1, 0, 0, 2}, {4, 1, 0, 1, 2},
                                   {2, 2, 0, 1, 0}, {4, 2, 0, 2, 0}};
  for (const Case& c : cases) {
    const KernelTrace t =
        trace({out.named("out")}, [&] { load_run(c.words, c.offset, out.data()); });
    EXPECT_EQ(shared_loads_at(t, "run", 16).requests, c.of_16_bytes) << c.words << "+" << c.offset;
    EXPECT_EQ(shared_loads_at(t, "run", 8).requests, c.of_8_bytes) << c.words << "+" << c.offset;
    EXPECT_EQ(shared_loads_at(t, "run", 4).requests, c.of_4_bytes) << c.words << "+" << c.offset;
    EXPECT_EQ(shared_loads_at(t, "run").bytes, 128u * static_cast<unsigned>(c.words));
    expect_clean(t);
  }
}

TEST(EmulatorTrace, WavefrontsOfAWideLoad) {
  const Floats out(32);
  const KernelTrace wide = trace({out.named("out")}, [&] { load_run(4, 0, out.data()); });
  EXPECT_EQ(shared_loads_at(wide, "run").wavefronts, 4u);
  EXPECT_EQ(shared_loads_at(wide, "run").ideal_wavefronts, 4u);
  // One word of each 16 bytes: lanes l and l + 8 share a bank.
  const KernelTrace narrow = trace({out.named("out")}, [&] { load_run(1, 0, out.data()); });
  EXPECT_EQ(shared_loads_at(narrow, "run").wavefronts, 4u);
  EXPECT_EQ(shared_loads_at(narrow, "run").ideal_wavefronts, 1u);
}

TEST(EmulatorTrace, AStoreEndsARun) {
  const Floats out(32);
  const KernelTrace t = trace({out.named("out")}, [&] { run_across_store(out.data()); });
  EXPECT_EQ(shared_loads_at(t, "first of run with store", 8).requests, 1u);
  EXPECT_EQ(shared_loads_at(t, "third of run with store", 8).requests, 1u);
  EXPECT_EQ(shared_loads_at(t, "second of run with store").requests, 0u);
  EXPECT_EQ(shared_loads_at(t, "fourth of run with store").requests, 0u);
}

TEST(EmulatorTrace, ABarrierEndsARun) {
  const Floats out(32);
  const KernelTrace t = trace({out.named("out")}, [&] { run_across_barrier(out.data()); });
  EXPECT_EQ(shared_loads_at(t, "first of run with barrier", 8).requests, 1u);
  EXPECT_EQ(shared_loads_at(t, "third of run with barrier", 8).requests, 1u);
  EXPECT_EQ(requests_of(t, Operation::kSharedLoad), 2u);
}

TEST(EmulatorTrace, InterleavedRunsOfTwoArraysBothMerge) {
  const Floats out(32);
  const KernelTrace t = trace({out.named("out")}, [&] { two_interleaved_runs(out.data()); });
  EXPECT_EQ(shared_loads_at(t, "interleaved runs", 16).requests, 2u);
  EXPECT_EQ(shared_loads_at(t, "interleaved runs").requests, 2u);
}

TEST(EmulatorTrace, EachRunHasTheWavefrontsOfItsOwnAddresses) {
  const Floats out(32);
  const KernelTrace t = trace({out.named("out")}, [&] { runs_of_two_patterns(out.data()); });
  const AccessCounts counts = shared_loads_at(t, "two patterns", 8);
  EXPECT_EQ(counts.requests, 2u);
  // One address for all lanes: 1 wavefront. Every second word pair: 4.
  EXPECT_EQ(counts.wavefronts, 1u + 4u);
}

// -- One warp, access by access -----------------------------------------------------------------

TEST(EmulatorTrace, RecordsTheRequestsOfOneWarp) {
  const Ints in(512), out(512);
  const KernelTrace t = trace(
      {in.named("in"), out.named("out")},
      [&] {
        copy_ints({2, 2, 1}, {80, 1, 1}, in.data(), out.data());
      },
      recording(3, 2));
  ASSERT_EQ(t.warp.size(), 2u);
  EXPECT_EQ(t.warp_block, (Index{1, 1, 0}));
  const WarpRequest& load = t.warp[0];
  EXPECT_EQ(load.operation, Operation::kGlobalLoad);
  EXPECT_EQ(load.array, "in");
  EXPECT_EQ(load.access_bytes, 4u);
  EXPECT_EQ(load.lanes, 0xFFFFu);
  EXPECT_EQ(load.place, probe_place("copy ints"));
  for (unsigned lane = 0; lane < 16; ++lane)
    EXPECT_EQ(load.addresses[lane], 4 * (3 * 80 + 64 + lane));
  EXPECT_EQ(load.counts.sectors, 2u);
  EXPECT_EQ(t.warp[1].operation, Operation::kGlobalStore);
  EXPECT_EQ(t.warp[1].array, "out");
}

TEST(EmulatorTrace, RecordsSharedAddressesFromTheStartOfTheirArray) {
  const Floats out(32);
  const KernelTrace t = trace(
      {out.named("out")}, [&] { two_interleaved_runs(out.data()); }, recording(0, 0));
  std::vector<std::string> loaded;
  for (const WarpRequest& request : t.warp) {
    if (request.operation != Operation::kSharedLoad) continue;
    loaded.push_back(request.array);
    EXPECT_EQ(request.access_bytes, 16u);
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(request.addresses[lane], 16 * lane);
  }
  std::ranges::sort(loaded);
  EXPECT_EQ(loaded, (std::vector<std::string>{"a", "b"}));
}

TEST(EmulatorTrace, RecordingEndsAtItsLimitAndCountingDoesNot) {
  const Floats in(32), out(32);
  const KernelTrace t = trace(
      {in.named("in"), out.named("out")}, [&] { long_loop(32, 500, 0, in.data(), out.data()); },
      recording(0, 0));
  EXPECT_EQ(t.warp.size(), kMaxRecordedRequests);
  EXPECT_EQ(loads_at(t, "long loop").requests, 500u);
}

}  // namespace
}  // namespace ladder::trace_probes
