// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_trace_hazard_test.cpp
/// \brief What trace() calls a hazard, and the calls that cannot work.
#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/emulator/probes.hpp"
#include "tests/emulator/trace_checks.hpp"

namespace ladder::trace_probes {
namespace {

// -- Bounds -------------------------------------------------------------------------------------

TEST(EmulatorTraceHazard, BoundsAreExactAtBothEnds) {
  const Floats memory(256), out(1);
  // A lies between others' memory; its last element is number 99.
  const TracedArray A = {.name = "A", .data = memory.data() + 64, .bytes = 400};
  const auto load = [&](long long index) {
    return trace({A, out.named("out")},
                 [&] { load_at(2, 1, memory.data() + 64, index, out.data()); });
  };
  expect_clean(load(0));
  expect_clean(load(99));
  const KernelTrace behind = load(100);
  const Fault hazard = only_hazard(behind);
  EXPECT_EQ(hazard.kind, FaultKind::kGlobalOutOfBounds);
  EXPECT_EQ(element_of(hazard), "A[100]");
  EXPECT_EQ(hazard.block, (Index{1, 0, 0}));
  EXPECT_EQ(hazard.thread, (Index{5, 0, 0}));
  EXPECT_EQ(hazard.place, probe_place("load at"));
  EXPECT_EQ(hazard.access.value().verb, AccessVerb::kLoad);
  EXPECT_EQ(hazard.access->bytes, 4u);
  EXPECT_EQ(hazard.element.value().extents, (std::vector<std::int64_t>{100}));
  EXPECT_EQ(element_of(only_hazard(load(-1))), "A[-1]");
}

TEST(EmulatorTraceHazard, AWideAccessMustEndWithinItsArray) {
  const Floats memory(256), out(4);
  const TracedArray A = {.name = "A", .data = memory.data(), .bytes = 24};
  const auto load = [&](long long index) {
    return trace({A, out.named("out")}, [&] { load_wide_at(memory.data(), index, out.data()); });
  };
  expect_clean(load(0));
  EXPECT_EQ(only_hazard(load(4)).kind, FaultKind::kGlobalOutOfBounds);
}

TEST(EmulatorTraceHazard, MisalignedWideAccessIsAHazard) {
  const Floats in(256), out(4);
  const KernelTrace t =
      trace({in.named("in"), out.named("out")}, [&] { load_wide_at(in.data(), 2, out.data()); });
  ASSERT_FALSE(t.hazards.empty());
  EXPECT_EQ(t.hazards[0].kind, FaultKind::kMisaligned);
  EXPECT_EQ(element_of(t.hazards[0]), "in[2]");
  EXPECT_EQ(t.hazards[0].place.line, probe_place("load wide").line);
}

TEST(EmulatorTraceHazard, AnArrayThatTheTraceDoesNotKnowIsOutOfBounds) {
  const Floats memory(1 << 20), out(1);
  const TracedArray A = {.name = "A", .data = memory.data(), .bytes = 400};
  for (const std::size_t away : {std::size_t{1} << 12, std::size_t{1} << 19}) {  // 16 KiB, 2 MiB
    const KernelTrace t =
        trace({A}, [&] { load_at(1, 0, memory.data() + away, 0, memory.data()); });
    const Fault hazard = only_hazard(t);
    EXPECT_EQ(hazard.kind, FaultKind::kGlobalOutOfBounds);
    EXPECT_EQ(element_of(hazard), "A[" + std::to_string(away) + "]");
    EXPECT_EQ(hazard.thread, (Index{5, 0, 0}));
  }
}

TEST(EmulatorTraceHazard, WildPointersAreReportedOnce) {
  const Floats A(64), out(1);
  for (const bool sample : {false, true}) {
    const KernelTrace t = trace(
        {A.named("A"), out.named("out")}, [&] { load_at(4, 2, nullptr, 4, out.data()); },
        sampling({}, sample));
    const Fault hazard = only_hazard(t);
    EXPECT_EQ(hazard.kind, FaultKind::kNoArray) << text_of(hazard);
    EXPECT_EQ(hazard.block, (Index{2, 0, 0}));
    EXPECT_EQ(hazard.thread, (Index{5, 0, 0}));
    EXPECT_EQ(hazard.place.line, probe_place("load at").line);
  }
}

TEST(EmulatorTraceHazard, AHazardIsReportedOnceForTheLowestBlockAndThread) {
  const Floats memory(256);
  const TracedArray C = {.name = "C", .data = memory.data(), .bytes = 400};
  for (const unsigned threads : {1u, 2u, 3u}) {
    const CpuThreads cpu(threads);
    for (int repetition = 0; repetition < 10; ++repetition) {
      const KernelTrace t = trace({C}, [&] { stores_beyond(100, memory.data()); });
      const Fault hazard = only_hazard(t);
      EXPECT_EQ(hazard.kind, FaultKind::kGlobalOutOfBounds);
      EXPECT_EQ(hazard.times, 3u * 25u);
      EXPECT_EQ(hazard.block, (Index{1, 0, 0}));
      EXPECT_EQ(hazard.thread, (Index{7, 0, 0}));
      EXPECT_EQ(element_of(hazard), "C[107]");
    }
  }
}

TEST(EmulatorTraceHazard, AThreadThatComesLaterMayBeTheLowest) {
  const Floats in(128), out(64);
  const TracedArray A = {.name = "A", .data = in.data(), .bytes = 256};
  const KernelTrace t =
      trace({A, out.named("out")}, [&] { loads_beyond_in_turns(64, in.data(), out.data()); });
  const Fault hazard = only_hazard(t);
  EXPECT_EQ(hazard.times, 64u);
  EXPECT_EQ(hazard.thread, Index());
  EXPECT_EQ(element_of(hazard), "A[64]");
}

TEST(EmulatorTraceHazard, ARequestMayTouchTwoArrays) {
  const Floats a(32), b(32), out(32);
  const KernelTrace t = trace({a.named("a"), b.named("b"), out.named("out")},
                              [&] { two_arrays_in_one_request(a.data(), b.data(), out.data()); });
  EXPECT_EQ(loads_at(t, "from two arrays").requests, 1u);
  EXPECT_EQ(loads_at(t, "from two arrays").sectors, 4u);
  expect_clean(t);
}

TEST(EmulatorTraceHazard, OneStoreBeyondSharedMemoryIsTheOnlyHazard) {
  const Floats out(32);
  expect_clean(trace({out.named("out")}, [&] { shared_store_beyond(31, out.data()); }));
  const KernelTrace t = trace({out.named("out")}, [&] { shared_store_beyond(32, out.data()); });
  const Fault hazard = only_hazard(t);
  EXPECT_EQ(hazard.kind, FaultKind::kDynamicSharedOutOfBounds);
  EXPECT_EQ(element_of(hazard), "tile[32]");
  EXPECT_EQ(hazard.thread, (Index{31, 0, 0}));
}

// -- Races and failures -------------------------------------------------------------------------

TEST(EmulatorTraceHazard, AMissingBarrierIsARaceBetweenTwoLines) {
  const Floats out(64);
  const KernelTrace t = trace({out.named("out")}, [&] { missing_barrier(3, 64, out.data()); });
  // Blocks run warp by warp: where the load comes first, the store is what races with it.
  ASSERT_EQ(t.hazards.size(), 2u) << testing::PrintToString(messages_of(t));
  const unsigned store = probe_place("racing store").line;
  const unsigned load = probe_place("racing load").line;
  std::vector<std::pair<unsigned, unsigned>> pairs;
  for (const Fault& hazard : t.hazards) {
    EXPECT_EQ(hazard.kind, FaultKind::kRaceInShared);
    EXPECT_EQ(hazard.times, 3u * 32u);
    EXPECT_EQ(hazard.block, Index());
    EXPECT_EQ(hazard.thread, (Index{32, 0, 0}));
    ASSERT_TRUE(hazard.other);
    EXPECT_EQ(hazard.other->thread, (Index{31, 0, 0}));
    pairs.emplace_back(hazard.place.line, hazard.other->place.line);
  }
  std::ranges::sort(pairs);
  EXPECT_EQ(pairs, (std::vector<std::pair<unsigned, unsigned>>{{store, load}, {load, store}}));
}

TEST(EmulatorTraceHazard, TheSameLinesRaceInTwoArrays) {
  const Floats out(64);
  const KernelTrace t = trace({out.named("out")}, [&] { races_in_two_arrays(out.data()); });
  std::set<std::string> arrays;
  for (const Fault& hazard : t.hazards) {
    if (hazard.kind != FaultKind::kRaceInShared) continue;
    arrays.insert(array_of(hazard));
  }
  EXPECT_EQ(arrays, (std::set<std::string>{"first", "second"}));
}

TEST(EmulatorTraceHazard, AnotherFaultHidesNoRace) {
  const Floats out(64);
  const KernelTrace t = trace({out.named("out")}, [&] { race_beside_an_overrun(64, out.data()); });
  std::set<std::pair<FaultKind, unsigned>> found;
  for (const Fault& hazard : t.hazards)
    found.emplace(hazard.kind, hazard.place.line);
  EXPECT_TRUE(found.contains({FaultKind::kDynamicSharedOutOfBounds, probe_place("overrun").line}));
  EXPECT_TRUE(found.contains({FaultKind::kRaceInShared, probe_place("races beside it").line}));
}

// -- Undefined values ---------------------------------------------------------------------------

TEST(EmulatorTraceHazard, AShuffleFromOutsideTheMaskIsReportedWhereItIsUsed) {
  const Floats out(32);
  const KernelTrace t = trace({out.named("out")}, [&] { broadcast_to_half(0xFFFF, out.data()); });
  const Fault hazard = only_hazard(t);
  EXPECT_EQ(hazard.kind, FaultKind::kUndefinedShuffle);
  EXPECT_EQ(hazard.place, probe_place("from lane 31"));
  EXPECT_EQ(element_of(hazard), "out[0]");
  EXPECT_EQ(hazard.fields.word("why"), "not-in-mask");
  EXPECT_EQ(hazard.fields.number("lane"), 31);
  EXPECT_EQ(hazard.fields.number("mask"), 0xFFFF);
  expect_clean(trace({out.named("out")}, [&] { broadcast_to_half(~0u, out.data()); }));
}

TEST(EmulatorTraceHazard, ALocalVariableThatNobodySetIsReportedWhereItIsStored) {
  const Floats out(32);
  const KernelTrace t = trace({out.named("out")}, [&] { set_below(20, out.data()); });
  const Fault hazard = only_hazard(t);
  EXPECT_EQ(hazard.kind, FaultKind::kUninitialisedLocal);
  EXPECT_EQ(hazard.place, probe_place("of a local"));
  EXPECT_EQ(element_of(hazard), "out[20]");
  expect_clean(trace({out.named("out")}, [&] { set_below(32, out.data()); }));
}

TEST(EmulatorTraceHazard, WhatWasUndefinedBeforeTheLaunchIsNoHazard) {
  const Floats out(64);
  EXPECT_EQ(trace({out.named("out")}, [&] { set_below(20, out.data()); }).hazards.size(), 1u);
  expect_clean(trace({out.named("out")}, [&] { exchange_in_warp(out.data() + 32); }));
}

TEST(EmulatorTraceHazard, MeetingsOfTheWarpPutItsAccessesInOrder) {
  const Floats out(32);
  expect_clean(trace({out.named("out")}, [&] { exchange_in_warp(out.data()); }));
}

TEST(EmulatorTraceHazard, ThreadsThatShareAWordButNoByteDoNotRace) {
  alignas(256) std::array<unsigned short, 64> out = {};
  const std::vector<TracedArray> arrays = {
      {.name = "out", .data = out.data(), .bytes = sizeof out, .element_bytes = 2}};
  expect_clean(trace(arrays, [&] { halves_of_words(0, out.data()); }));
  const KernelTrace neighbours = trace(arrays, [&] { halves_of_words(1, out.data()); });
  ASSERT_EQ(neighbours.hazards.size(), 1u);
  EXPECT_EQ(neighbours.hazards[0].kind, FaultKind::kRaceInShared);
  EXPECT_EQ(element_of(neighbours.hazards[0]), "line[1]");
  EXPECT_EQ(neighbours.hazards[0].times, 64u);
}

// Arguments are read from wherever the host program keeps them; code inlined there does it.
TEST(EmulatorTraceHazard, VectorsMayBeArguments) {
  const Floats out(32);
  expect_clean(trace({out.named("out")}, [&] { vectors_by_value(out.data()); }));
  EXPECT_EQ(out.data()[7], 3.0f);
  EXPECT_EQ(out.data()[8], 4.0f);
}

TEST(EmulatorTraceHazard, EachKernelNamesItsOwnSharedArrays) {
  const Floats out(32);
  const KernelTrace t = trace({out.named("out")}, [&] {
    race_in_first(out.data());
    race_in_second(out.data());
  });
  ASSERT_EQ(t.hazards.size(), 2u) << testing::PrintToString(messages_of(t));
  std::vector<std::string> arrays;
  for (const Fault& hazard : t.hazards)
    arrays.push_back(array_of(hazard));
  std::ranges::sort(arrays);
  EXPECT_EQ(arrays, (std::vector<std::string>{"first", "second"}));
}

TEST(EmulatorTraceHazard, AKernelThatFailsStillTellsWhatItDid) {
  const Floats in(64), out(64);
  for (const unsigned threads : {1u, 3u}) {
    const CpuThreads cpu(threads);
    const KernelTrace t = trace({in.named("in"), out.named("out")},
                                [&] { divergent_barrier(12, 4, in.data(), out.data()); });
    std::vector<FaultKind> kinds;
    for (const Fault& hazard : t.hazards)
      kinds.push_back(hazard.kind);
    EXPECT_EQ(std::ranges::count(kinds, FaultKind::kDivergentBarrier), 1);
    std::ranges::sort(kinds);
    kinds.erase(std::ranges::unique(kinds).begin(), kinds.end());
    EXPECT_EQ(kinds,
              (std::vector<FaultKind>{FaultKind::kRaceInShared, FaultKind::kDivergentBarrier}))
        << testing::PrintToString(messages_of(t));
    for (const Fault& hazard : t.hazards) {
      if (hazard.kind != FaultKind::kDivergentBarrier) continue;
      EXPECT_EQ(hazard.block, (Index{4, 0, 0}));
    }
    EXPECT_GE(loads_at(t, "before failure").requests, 2u * 5u);
    // What did not run replays nothing.
    for (const TracedBlock& block : t.launched)
      EXPECT_LT(block.stream, t.streams.size());
  }
  // The next trace knows nothing of it.
  const KernelTrace next = trace({in.named("in"), out.named("out")},
                                 [&] { long_loop(32, 3, 0, in.data(), out.data()); });
  expect_clean(next);
  EXPECT_EQ(next.lines.size(), 2u);
  EXPECT_EQ(next.blocks_traced, 1u);
}

TEST(EmulatorTraceHazard, ShufflesFromBeyondTheMaskAreCounted) {
  // Integers that are added up show no more where they come from.
  std::vector<int> out(4);
  const KernelTrace t = trace({{.name = "out", .data = out.data(), .bytes = 16}},
                              [&] { add_from_beyond_the_mask(1, out.data()); });
  expect_clean(t);
  ASSERT_EQ(t.strays.size(), 1u);
  EXPECT_EQ(t.strays[0].place, probe_place("beyond the mask"));
  EXPECT_EQ(t.strays[0].function, "__shfl_down_sync");
  EXPECT_EQ(t.strays[0].times, 4u + 2u + 1u);
}

TEST(EmulatorTraceHazard, ThreadsThatLeftBeforeABarrierAreNamed) {
  const Floats out(128);
  const auto run = [&](unsigned threads, int first, int end, bool sample = false) {
    return trace(
        {out.named("out")}, [&] { left_before_barrier(threads, first, end, out.data()); },
        sampling({}, sample));
  };
  for (const bool sample : {false, true}) {
    const Fault hazard = only_hazard(run(64, 0, 40, sample));
    EXPECT_EQ(hazard.kind, FaultKind::kMissingBarrier);
    EXPECT_EQ(hazard.place, probe_place("some have left"));
    EXPECT_EQ(hazard.block, (Index{0, 0, 0}));
    EXPECT_EQ(hazard.times, 3u);
    EXPECT_TRUE(hazard.fields.truth("passed"));
    EXPECT_EQ(hazard.fields.number("return_line"), hazard.place.line - 1);
    ASSERT_EQ(hazard.groups.size(), 2u);
    EXPECT_EQ(threads_of(hazard.groups[0]), "0-39");
    EXPECT_EQ(hazard.groups[0].place, hazard.place);
    EXPECT_EQ(threads_of(hazard.groups[1]), "40-63");
    EXPECT_EQ(hazard.groups[1].wait, WaitKind::kGone);
  }
  const Fault first = only_hazard(run(64, 3, 64));
  EXPECT_EQ(first.thread, (Index{3, 0, 0}));
  EXPECT_EQ(threads_of(first.groups.at(1)), "0-2");
  const Fault warps = only_hazard(run(128, 32, 96));
  EXPECT_EQ(threads_of(warps.groups.at(0)), "32-95");
  EXPECT_EQ(threads_of(warps.groups.at(1)), "0-31, 96-127");
  expect_clean(run(64, 0, 64));
}

TEST(EmulatorTraceHazard, AFailureIsReportedWhenSampling) {
  const Floats in(64), out(64);
  std::fill_n(in.data(), 64, 1.0f);  // another value than what is there
  const KernelTrace t = trace(
      {in.named("in"), out.named("out")}, [&] { divergent_barrier(3, 1, in.data(), out.data()); },
      sampling({}));
  EXPECT_TRUE(std::ranges::any_of(t.hazards, [](const Fault& hazard) {
    return hazard.kind == FaultKind::kDivergentBarrier;
  })) << testing::PrintToString(messages_of(t));
  EXPECT_TRUE(std::ranges::any_of(t.hazards, [](const Fault& hazard) {
    return hazard.kind == FaultKind::kRaceInShared;
  })) << testing::PrintToString(messages_of(t));
}

// -- Calls of trace() that cannot work ----------------------------------------------------------

TEST(EmulatorTraceHazard, NothingLaunchedIsAMistakeOfTheCaller) {
  EXPECT_THROW(trace({}, [] {}), std::logic_error);
}

TEST(EmulatorTraceHazard, AKernelOfAnUntracedLibraryIsAMistakeOfTheCaller) {
  const Ints visits(32);
  EXPECT_THROW(trace({visits.named("visits")},
                     [&] {
                       probes::count_visits({1, 1, 1}, {32, 1, 1}, 0, visits.data());
                     }),
               std::logic_error);
}

TEST(EmulatorTraceHazard, AKernelMayAccessNothing) {
  const KernelTrace t = trace({}, [] { access_nothing(); });
  EXPECT_TRUE(t.lines.empty());
  EXPECT_EQ(t.blocks_traced, 1u);
  EXPECT_EQ(t.barriers_per_block, 1u);
  expect_clean(t);
}

/// For as long as it lives.
class HangLimit {
 public:
  explicit HangLimit(Seconds limit) { set_hang_limit(limit); }
  ~HangLimit() { set_hang_limit(usual_); }
  HangLimit(const HangLimit&) = delete;
  HangLimit& operator=(const HangLimit&) = delete;

 private:
  Seconds usual_ = hang_limit();
};

TEST(EmulatorTraceHazard, ALongLoopIsNoEndlessOne) {
  constexpr std::size_t kCount = 600'000;  // several times the limit
  const HangLimit limit(Seconds(0.05));
  const Floats in(kCount), out(32);
  in[kCount - 1] = 3.0f;
  const KernelTrace t = trace({in.named("in"), out.named("out")},
                              [&] { sum_in_each_thread(kCount, in.data(), out.data()); });
  expect_clean(t);
  EXPECT_EQ(out[31], 3.0f);
}

TEST(EmulatorTraceHazard, AnEndlessLoopIsReportedAtItsOwnLine) {
  const HangLimit limit(Seconds(0.1));
  const Ints in(4), out(32);
  for (int run = 0; run < 3; ++run) {
    const KernelTrace t =
        trace({in.named("in"), out.named("out")}, [&] { loop_over_few(in.data(), out.data()); });
    const Fault hazard = only_hazard(t);
    EXPECT_EQ(hazard.kind, FaultKind::kEndlessLoop);
    const Place loop = probe_place("around again");
    EXPECT_EQ(hazard.place.file, loop.file) << text_of(hazard);
    EXPECT_TRUE(hazard.place.line == loop.line || hazard.place.line == loop.line + 1)
        << text_of(hazard);
    EXPECT_EQ(hazard.fields, (Fields{{"seconds", 0.1}, {"traced", true}}));
  }
}

TEST(EmulatorTraceHazard, BlocksThatPollAreNamed) {
  const Ints flag(1), out(64);
  const std::vector<TracedArray> arrays = {flag.named("flag"), out.named("out")};
  const unsigned usual = cpu_threads();
  set_cpu_threads(1);  // block 0 has to wait for certain
  const KernelTrace t = trace(arrays, [&] { wait_for_next_block(flag.data(), out.data()); });
  set_cpu_threads(usual);
  expect_clean(t);
  ASSERT_EQ(t.polls.size(), 1u);
  EXPECT_EQ(t.polls[0], probe_place("look again"));
  // Within one block, the order in which threads run is always the same.
  flag[0] = 0;
  EXPECT_TRUE(trace(arrays, [&] { wait_for_other_warp(flag.data(), out.data()); }).polls.empty());
}

TEST(EmulatorTraceHazard, AnyNumberOfArrays) {
  const Ints in(32), out(32), other(1);
  std::vector<TracedArray> arrays(300, other.named("other"));
  arrays.push_back(in.named("in"));
  arrays.push_back(out.named("out"));
  const KernelTrace t = trace(arrays, [&] {
    copy_ints({1, 1, 1}, {32, 1, 1}, in.data(), out.data());
  });
  expect_clean(t);
  ASSERT_EQ(t.uses.size(), 302u);
  EXPECT_TRUE(t.uses[300].loaded && !t.uses[300].stored);
  EXPECT_TRUE(t.uses[301].stored && !t.uses[301].loaded);
  EXPECT_FALSE(t.uses[0].loaded || t.uses[0].stored);
}

TEST(EmulatorTraceHazard, ARefusedLaunchThrows) {
  const Ints in(32), out(32);
  const auto error = error_of([&] {
    trace({in.named("in"), out.named("out")}, [&] {
      copy_ints({1, 1, 1}, {2048, 1, 1}, in.data(), out.data());
    });
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), FaultKind::kLaunchExtentTooLarge);
  // The calling thread is out of the trace.
  EXPECT_NO_THROW(copy_ints({1, 1, 1}, {32, 1, 1}, in.data(), out.data()));
}

TEST(EmulatorTraceHazard, OtherExceptionsOfTheCallerPassThrough) {
  EXPECT_THROW(trace({}, [] { throw std::out_of_range("mine"); }), std::out_of_range);
}

}  // namespace
}  // namespace ladder::trace_probes
