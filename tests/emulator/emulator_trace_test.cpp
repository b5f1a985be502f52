// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_trace_test.cpp
/// \brief What trace() counts, which lanes it takes for one request, what it calls a hazard, and
///        what sampling may leave out.
#include "common/emulator/trace/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/emulator/settings.hpp"
#include "common/emulator/trace/access_log.hpp"
#include "tests/emulator/expect_kernel_error.hpp"
#include "tests/emulator/probes.hpp"
#include "tests/emulator/trace_probes.hpp"

namespace ladder::trace_probes {
namespace {

using namespace ladder::emulator;

constexpr const char* kProbeFile = "tests/emulator/trace_probes.cu";

/// Global memory: zeros, aligned to 256 bytes.
template <class T>
class GlobalArray {
 public:
  explicit GlobalArray(std::size_t count)
      : count_(count), data_(static_cast<T*>(::operator new(count * sizeof(T), kAlignment))) {
    std::fill_n(data_.get(), count, T());
  }

  T* data() const { return data_.get(); }
  T& operator[](std::size_t i) const { return data_.get()[i]; }
  TracedArray named(const std::string& name) const {
    return {.name = name, .data = data(), .bytes = count_ * sizeof(T), .element_bytes = sizeof(T)};
  }

 private:
  static constexpr std::align_val_t kAlignment = std::align_val_t{256};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, kAlignment); }
  };
  std::size_t count_;
  std::unique_ptr<T, Free> data_;
};

using Floats = GlobalArray<float>;
using Ints = GlobalArray<int>;

unsigned probe_line(const std::string& marker) {
  const unsigned line = line_of("trace_probes.cu", marker);
  EXPECT_NE(line, 0u) << "no marker " << marker;
  return line;
}

/// What the marked line does in one way, over all sizes or in one.
AccessCounts at(const KernelTrace& trace, const std::string& marker, Operation operation,
                std::optional<unsigned> access_bytes = {}) {
  AccessCounts sum;
  const unsigned line = probe_line(marker);
  for (const LineCounts& one : trace.lines) {
    if (one.file == kProbeFile && one.line == line && one.operation == operation &&
        one.access_bytes == access_bytes.value_or(one.access_bytes)) {
      sum += one.counts;
    }
  }
  return sum;
}

AccessCounts loads_at(const KernelTrace& trace, const std::string& marker,
                      std::optional<unsigned> access_bytes = {}) {
  return at(trace, marker, Operation::kGlobalLoad, access_bytes);
}

AccessCounts shared_loads_at(const KernelTrace& trace, const std::string& marker,
                             std::optional<unsigned> access_bytes = {}) {
  return at(trace, marker, Operation::kSharedLoad, access_bytes);
}

std::uint64_t requests_of(const KernelTrace& trace, Operation operation) {
  std::uint64_t sum = 0;
  for (const LineCounts& one : trace.lines)
    sum += one.operation == operation ? one.counts.requests : 0;
  return sum;
}

/// All hazards in a readable form, to compare them or to show them.
std::vector<std::string> messages_of(const KernelTrace& trace) {
  std::vector<std::string> messages;
  for (const Hazard& hazard : trace.hazards)
    messages.push_back(name_of(hazard.kind) + " x" + std::to_string(hazard.times) + ": " +
                       hazard.message);
  return messages;
}

/// The only hazard; a failure if there is none or more than one.
Hazard only_hazard(const KernelTrace& trace) {
  EXPECT_EQ(trace.hazards.size(), 1u) << testing::PrintToString(messages_of(trace));
  return trace.hazards.empty() ? Hazard() : trace.hazards.front();
}

void expect_clean(const KernelTrace& trace) {
  EXPECT_EQ(messages_of(trace), std::vector<std::string>());
}

/// Sets the number of CPU threads for one scope.
class CpuThreads {
 public:
  explicit CpuThreads(unsigned count) : before_(cpu_threads()) { set_cpu_threads(count); }
  ~CpuThreads() { set_cpu_threads(before_); }
  CpuThreads(const CpuThreads&) = delete;
  CpuThreads& operator=(const CpuThreads&) = delete;

 private:
  unsigned before_;
};

TraceOptions sampling(const std::function<bool(ArrayShifts&)>& complete_shifts,
                      bool sample = true) {
  TraceOptions options;
  options.sample = sample;
  options.complete_shifts = complete_shifts;
  return options;
}

TraceOptions recording(std::uint64_t block, unsigned warp) {
  TraceOptions options;
  options.warp = {block, warp};
  return options;
}

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
    EXPECT_EQ(one.file, kProbeFile);
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
  EXPECT_EQ(t.warp_block, (KernelError::Index{1, 1, 0}));
  const WarpRequest& load = t.warp[0];
  EXPECT_EQ(load.operation, Operation::kGlobalLoad);
  EXPECT_EQ(load.array, "in");
  EXPECT_EQ(load.access_bytes, 4u);
  EXPECT_EQ(load.lanes, 0xFFFFu);
  EXPECT_EQ(load.place, (Place{kProbeFile, probe_line("copy ints")}));
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

// -- Bounds -------------------------------------------------------------------------------------

TEST(EmulatorTrace, BoundsAreExactAtBothEnds) {
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
  const Hazard hazard = only_hazard(behind);
  EXPECT_EQ(hazard.kind, HazardKind::kGlobalOutOfBounds);
  EXPECT_EQ(hazard.element, "A[100]");
  EXPECT_EQ(hazard.block, (KernelError::Index{1, 0, 0}));
  EXPECT_EQ(hazard.thread, (KernelError::Index{5, 0, 0}));
  EXPECT_EQ(hazard.place, (Place{kProbeFile, probe_line("load at")}));
  EXPECT_TRUE(contains(hazard.message, "loads A[100] (A has 100 elements)")) << hazard.message;
  EXPECT_EQ(only_hazard(load(-1)).element, "A[-1]");
}

TEST(EmulatorTrace, AWideAccessMustEndWithinItsArray) {
  const Floats memory(256), out(4);
  const TracedArray A = {.name = "A", .data = memory.data(), .bytes = 24};
  const auto load = [&](long long index) {
    return trace({A, out.named("out")}, [&] { load_wide_at(memory.data(), index, out.data()); });
  };
  expect_clean(load(0));
  EXPECT_EQ(only_hazard(load(4)).kind, HazardKind::kGlobalOutOfBounds);
}

TEST(EmulatorTrace, MisalignedWideAccessIsAHazard) {
  const Floats in(256), out(4);
  const KernelTrace t =
      trace({in.named("in"), out.named("out")}, [&] { load_wide_at(in.data(), 2, out.data()); });
  ASSERT_FALSE(t.hazards.empty());
  EXPECT_EQ(t.hazards[0].kind, HazardKind::kMisaligned);
  EXPECT_EQ(t.hazards[0].element, "in[2]");
  EXPECT_EQ(t.hazards[0].place.line, probe_line("load wide"));
}

TEST(EmulatorTrace, AnArrayThatTheTraceDoesNotKnowIsOutOfBounds) {
  const Floats memory(1 << 20), out(1);
  const TracedArray A = {.name = "A", .data = memory.data(), .bytes = 400};
  for (const std::size_t away : {std::size_t{1} << 12, std::size_t{1} << 19}) {  // 16 KiB, 2 MiB
    const KernelTrace t =
        trace({A}, [&] { load_at(1, 0, memory.data() + away, 0, memory.data()); });
    const Hazard hazard = only_hazard(t);
    EXPECT_EQ(hazard.kind, HazardKind::kGlobalOutOfBounds);
    EXPECT_EQ(hazard.element, "A[" + std::to_string(away) + "]");
    EXPECT_EQ(hazard.thread, (KernelError::Index{5, 0, 0}));
  }
}

TEST(EmulatorTrace, WildPointersAreReportedOnce) {
  const Floats A(64), out(1);
  for (const bool sample : {false, true}) {
    const KernelTrace t = trace(
        {A.named("A"), out.named("out")}, [&] { load_at(4, 2, nullptr, 4, out.data()); },
        sampling({}, sample));
    const Hazard hazard = only_hazard(t);
    EXPECT_EQ(hazard.kind, HazardKind::kGlobalOutOfBounds) << hazard.message;
    EXPECT_EQ(hazard.block, (KernelError::Index{2, 0, 0}));
    EXPECT_EQ(hazard.thread, (KernelError::Index{5, 0, 0}));
    EXPECT_EQ(hazard.place.line, probe_line("load at"));
    EXPECT_TRUE(contains(hazard.message, "an address in no array")) << hazard.message;
  }
}

TEST(EmulatorTrace, AHazardIsReportedOnceForTheLowestBlockAndThread) {
  const Floats memory(256);
  const TracedArray C = {.name = "C", .data = memory.data(), .bytes = 400};
  for (const unsigned threads : {1u, 2u, 3u}) {
    const CpuThreads cpu(threads);
    for (int repetition = 0; repetition < 10; ++repetition) {
      const KernelTrace t = trace({C}, [&] { stores_beyond(100, memory.data()); });
      const Hazard hazard = only_hazard(t);
      EXPECT_EQ(hazard.kind, HazardKind::kGlobalOutOfBounds);
      EXPECT_EQ(hazard.times, 3u * 25u);
      EXPECT_EQ(hazard.block, (KernelError::Index{1, 0, 0}));
      EXPECT_EQ(hazard.thread, (KernelError::Index{7, 0, 0}));
      EXPECT_EQ(hazard.element, "C[107]");
    }
  }
}

TEST(EmulatorTrace, AThreadThatComesLaterMayBeTheLowest) {
  const Floats in(128), out(64);
  const TracedArray A = {.name = "A", .data = in.data(), .bytes = 256};
  const KernelTrace t =
      trace({A, out.named("out")}, [&] { loads_beyond_in_turns(64, in.data(), out.data()); });
  const Hazard hazard = only_hazard(t);
  EXPECT_EQ(hazard.times, 64u);
  EXPECT_EQ(hazard.thread, KernelError::Index());
  EXPECT_EQ(hazard.element, "A[64]");
}

TEST(EmulatorTrace, ARequestMayTouchTwoArrays) {
  const Floats a(32), b(32), out(32);
  const KernelTrace t = trace({a.named("a"), b.named("b"), out.named("out")},
                              [&] { two_arrays_in_one_request(a.data(), b.data(), out.data()); });
  EXPECT_EQ(loads_at(t, "from two arrays").requests, 1u);
  EXPECT_EQ(loads_at(t, "from two arrays").sectors, 4u);
  expect_clean(t);
}

TEST(EmulatorTrace, OneStoreBeyondSharedMemoryIsTheOnlyHazard) {
  const Floats out(32);
  expect_clean(trace({out.named("out")}, [&] { shared_store_beyond(31, out.data()); }));
  const KernelTrace t = trace({out.named("out")}, [&] { shared_store_beyond(32, out.data()); });
  const Hazard hazard = only_hazard(t);
  EXPECT_EQ(hazard.kind, HazardKind::kSharedOutOfBounds);
  EXPECT_EQ(hazard.element, "tile[32]");
  EXPECT_EQ(hazard.thread, (KernelError::Index{31, 0, 0}));
}

// -- Races and failures -------------------------------------------------------------------------

TEST(EmulatorTrace, AMissingBarrierIsARaceBetweenTwoLines) {
  const Floats out(64);
  const KernelTrace t = trace({out.named("out")}, [&] { missing_barrier(3, 64, out.data()); });
  // Blocks run warp by warp: where the load comes first, the store is what races with it.
  ASSERT_EQ(t.hazards.size(), 2u) << testing::PrintToString(messages_of(t));
  const unsigned store = probe_line("racing store");
  const unsigned load = probe_line("racing load");
  std::vector<std::pair<unsigned, unsigned>> pairs;
  for (const Hazard& hazard : t.hazards) {
    EXPECT_EQ(hazard.kind, HazardKind::kRace);
    EXPECT_EQ(hazard.times, 3u * 32u);
    EXPECT_EQ(hazard.block, KernelError::Index());
    EXPECT_EQ(hazard.thread, (KernelError::Index{32, 0, 0}));
    EXPECT_TRUE(contains(hazard.message, "no barrier separates it from thread (31, 0, 0)"))
        << hazard.message;
    ASSERT_TRUE(hazard.other);
    pairs.emplace_back(hazard.place.line, hazard.other->line);
  }
  std::ranges::sort(pairs);
  EXPECT_EQ(pairs, (std::vector<std::pair<unsigned, unsigned>>{{store, load}, {load, store}}));
}

TEST(EmulatorTrace, MeetingsOfTheWarpPutItsAccessesInOrder) {
  const Floats out(32);
  expect_clean(trace({out.named("out")}, [&] { exchange_in_warp(out.data()); }));
}

TEST(EmulatorTrace, ThreadsThatShareAWordButNoByteDoNotRace) {
  alignas(256) std::array<unsigned short, 64> out = {};
  const std::vector<TracedArray> arrays = {
      {.name = "out", .data = out.data(), .bytes = sizeof out, .element_bytes = 2}};
  expect_clean(trace(arrays, [&] { halves_of_words(0, out.data()); }));
  const KernelTrace neighbours = trace(arrays, [&] { halves_of_words(1, out.data()); });
  ASSERT_EQ(neighbours.hazards.size(), 1u);
  EXPECT_EQ(neighbours.hazards[0].kind, HazardKind::kRace);
  EXPECT_EQ(neighbours.hazards[0].element, "line[1]");
  EXPECT_EQ(neighbours.hazards[0].times, 64u);
}

TEST(EmulatorTrace, EachKernelNamesItsOwnSharedArrays) {
  const Floats out(32);
  const KernelTrace t = trace({out.named("out")}, [&] {
    race_in_first(out.data());
    race_in_second(out.data());
  });
  ASSERT_EQ(t.hazards.size(), 2u) << testing::PrintToString(messages_of(t));
  std::vector<std::string> arrays;
  for (const Hazard& hazard : t.hazards)
    arrays.push_back(hazard.element.substr(0, hazard.element.find('[')));
  std::ranges::sort(arrays);
  EXPECT_EQ(arrays, (std::vector<std::string>{"first", "second"}));
}

TEST(EmulatorTrace, AKernelThatFailsStillTellsWhatItDid) {
  const Floats in(64), out(64);
  for (const unsigned threads : {1u, 3u}) {
    const CpuThreads cpu(threads);
    const KernelTrace t = trace({in.named("in"), out.named("out")},
                                [&] { divergent_barrier(12, 4, in.data(), out.data()); });
    std::vector<HazardKind> kinds;
    for (const Hazard& hazard : t.hazards)
      kinds.push_back(hazard.kind);
    EXPECT_EQ(std::ranges::count(kinds, HazardKind::kDivergentBarrier), 1);
    std::ranges::sort(kinds);
    kinds.erase(std::ranges::unique(kinds).begin(), kinds.end());
    EXPECT_EQ(kinds, (std::vector<HazardKind>{HazardKind::kRace, HazardKind::kDivergentBarrier}))
        << testing::PrintToString(messages_of(t));
    for (const Hazard& hazard : t.hazards) {
      if (hazard.kind != HazardKind::kDivergentBarrier) continue;
      EXPECT_EQ(hazard.block, (KernelError::Index{4, 0, 0}));
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

TEST(EmulatorTrace, AFailureIsReportedWhenSampling) {
  const Floats in(64), out(64);
  const KernelTrace t = trace(
      {in.named("in"), out.named("out")}, [&] { divergent_barrier(3, 1, in.data(), out.data()); },
      sampling({}));
  EXPECT_TRUE(std::ranges::any_of(t.hazards, [](const Hazard& hazard) {
    return hazard.kind == HazardKind::kDivergentBarrier;
  })) << testing::PrintToString(messages_of(t));
  EXPECT_TRUE(std::ranges::any_of(t.hazards, [](const Hazard& hazard) {
    return hazard.kind == HazardKind::kRace;
  })) << testing::PrintToString(messages_of(t));
}

// -- Calls of trace() that cannot work ----------------------------------------------------------

TEST(EmulatorTrace, NothingLaunchedIsAMistakeOfTheCaller) {
  EXPECT_THROW(trace({}, [] {}), std::logic_error);
}

TEST(EmulatorTrace, AKernelOfAnUntracedLibraryIsAMistakeOfTheCaller) {
  const Ints visits(32);
  EXPECT_THROW(trace({visits.named("visits")},
                     [&] {
                       probes::count_visits({1, 1, 1}, {32, 1, 1}, 0, visits.data());
                     }),
               std::logic_error);
}

TEST(EmulatorTrace, AKernelMayAccessNothing) {
  const KernelTrace t = trace({}, [] { access_nothing(); });
  EXPECT_TRUE(t.lines.empty());
  EXPECT_EQ(t.blocks_traced, 1u);
  EXPECT_EQ(t.barriers_per_block, 1u);
  expect_clean(t);
}

TEST(EmulatorTrace, TooManyArraysAreRefused) {
  const Floats memory(64);
  const std::vector<TracedArray> arrays(kMaxArrays + 1, memory.named("A"));
  EXPECT_THROW(trace(arrays, [] {}), std::logic_error);
}

TEST(EmulatorTrace, ARefusedLaunchThrows) {
  const Ints in(32), out(32);
  const auto error = error_of([&] {
    trace({in.named("in"), out.named("out")}, [&] {
      copy_ints({1, 1, 1}, {2048, 1, 1}, in.data(), out.data());
    });
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), KernelErrorKind::kBadLaunch);
  // The calling thread is out of the trace.
  EXPECT_NO_THROW(copy_ints({1, 1, 1}, {32, 1, 1}, in.data(), out.data()));
}

TEST(EmulatorTrace, OtherExceptionsOfTheCallerPassThrough) {
  EXPECT_THROW(trace({}, [] { throw std::out_of_range("mine"); }), std::out_of_range);
}

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

TEST(EmulatorTrace, SeveralCpuThreadsSeeTheSame) {
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

TEST(EmulatorTrace, SeveralCpuThreadsFindTheSameRaces) {
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

TEST(EmulatorTrace, SamplesCountWhatTheWholeGridDoes) {
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

TEST(EmulatorTrace, ShiftsThatCannotBeKnownMakeAllBlocksTraced) {
  const Tiles tiles;
  const auto unknown = [](ArrayShifts&) { return false; };
  EXPECT_EQ(tiles.traced(sampling(unknown)).blocks_traced, 12u);
  EXPECT_EQ(tiles.traced(sampling({})).blocks_traced, 12u);
  expect_same(tiles.traced({}), tiles.traced(sampling({})));
}

TEST(EmulatorTrace, ShiftsThatAreNoWholeLinesMakeAllBlocksTraced) {
  const Tiles tiles;
  const auto half_lines = [](ArrayShifts& shifts) {
    shifts[1] = *shifts[0] + 64;
    return true;
  };
  EXPECT_EQ(tiles.traced(sampling(half_lines)).blocks_traced, 12u);
}

// The limit of sampling: what differs only after the first barrier is not seen.
TEST(EmulatorTrace, SamplesMissWhatDiffersAfterTheFirstBarrier) {
  const Tiles tiles;
  const KernelTrace whole = tiles.traced_with_late_difference({});
  const KernelTrace sample = tiles.traced_with_late_difference(sampling(out_is_like_in));
  EXPECT_EQ(loads_at(whole, "late load").requests, 20u);  // a warp per row of the second column
  EXPECT_EQ(loads_at(sample, "late load").requests, 0u);
  EXPECT_EQ(sample.blocks_traced, 2u);
}

TEST(EmulatorTrace, BlocksThatLoadNothingBeforeTheFirstBarrierAreNotTakenForOne) {
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

TEST(EmulatorTrace, OrderIsThatOfTheFirstBlock) {
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
