// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/probe_fidelity_test.cpp
/// \brief The emulator's counters of each probe are those that Nsight Compute recorded on an H200.
///
/// probes_h200.csv holds the recorded counters; bench/record/probes.py writes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/trace/trace.hpp"
#include "tests/fidelity/probes.hpp"

namespace ladder::fidelity {

void PrintTo(const Probe& probe, std::ostream* out) {
  *out << probe.name;
}

namespace {

using emulator::AccessCounts;
using emulator::FaultGroup;
using emulator::KernelTrace;
using emulator::Operation;

const std::string kGolden = LADDER_SOURCE_DIR "/tests/fidelity/probes_h200.csv";

/// A counter of the emulator, and what Nsight Compute calls it.
struct Comparison {
  std::vector<std::string> metrics;   ///< their sum is compared; an empty cell is not
  std::vector<Operation> operations;  ///< with this sum
  std::function<std::uint64_t(const AccessCounts&)> counter;
  std::uint64_t unit = 1;                 ///< of the metric, in one of the counter
  unsigned access_bytes = 0;              ///< per lane; others do not count. 0: all do
  std::vector<Operation> probes_of = {};  ///< that are compared; empty: all
};

const std::vector<Operation> kGlobal = {Operation::kGlobalLoad, Operation::kGlobalStore,
                                        Operation::kGlobalAtomic, Operation::kAsyncCopy};
const std::vector<Operation> kShared = {Operation::kSharedLoad, Operation::kSharedStore,
                                        Operation::kSharedAtomic, Operation::kAsyncCopy};

const std::vector<Comparison> kComparisons = {
    // cp.async is a load here.
    {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
     {Operation::kGlobalLoad, Operation::kAsyncCopy},
     [](const AccessCounts& counts) { return counts.requests - counts.zeros; }},
    {{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
     {Operation::kGlobalStore},
     &AccessCounts::requests},
    // An atomic whose old value nobody reads is a reduction to the hardware.
    {{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
     {Operation::kGlobalAtomic},
     &AccessCounts::requests},
    {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
     {Operation::kGlobalLoad, Operation::kAsyncCopy},
     &AccessCounts::sectors},
    {{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
     {Operation::kGlobalStore},
     &AccessCounts::sectors},
    {{"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"},
     {Operation::kGlobalAtomic},
     &AccessCounts::sectors},
    // One look-up of a tag for each line.
    {{"l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum"},
     {Operation::kGlobalLoad, Operation::kAsyncCopy},
     &AccessCounts::lines},
    {{"l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum"},
     {Operation::kGlobalStore},
     &AccessCounts::lines},
    // Copies of 4 bytes alone look into L1.
    {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum"},
     {Operation::kAsyncCopy},
     &AccessCounts::sectors,
     1,
     4},
    {{"l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"},
     {Operation::kBoxCopy},
     &AccessCounts::sectors,
     emulator::kSectorBytes},
    {{"memory_l2_theoretical_sectors_global"}, kGlobal, &AccessCounts::distinct_sectors},
    {{"memory_l2_theoretical_sectors_global_ideal"}, kGlobal, &AccessCounts::ideal_sectors},
    {{"smsp__inst_executed_op_shared_ld.sum"}, {Operation::kSharedLoad}, &AccessCounts::requests},
    {{"smsp__inst_executed_op_shared_st.sum"}, {Operation::kSharedStore}, &AccessCounts::requests},
    {{"smsp__inst_executed_op_shared_atom.sum"},
     {Operation::kSharedAtomic},
     &AccessCounts::requests},
    {{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
     {Operation::kSharedLoad},
     &AccessCounts::wavefronts},
    {{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
     {Operation::kSharedStore},
     &AccessCounts::wavefronts},
    // Of global memory alone; probes of copies also store, where ptxas likes.
    {{"l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum"},
     {Operation::kGlobalLoad},
     &AccessCounts::wavefronts,
     1,
     0,
     {Operation::kGlobalLoad, Operation::kSharedLoad, Operation::kSharedStore}},
    {{"memory_l1_wavefronts_shared"}, kShared, &AccessCounts::wavefronts},
    {{"memory_l1_wavefronts_shared_ideal"}, kShared, &AccessCounts::ideal_wavefronts},
};

/// Loads whose wavefronts depend on where in the array their lines are, beside how far they are
/// apart: the emulator takes the first line for the first of the array, and counts fewer.
const std::set<std::string> kLoadsSomewhere = {"global_load_8B_random_distinct_of_1024",
                                               "global_load_16B_random_distinct_of_1024"};

using Counters = std::map<std::string, std::uint64_t>;

/// What the hardware counted.
struct Golden {
  std::vector<std::string> names;  ///< of the probes, line by line
  std::vector<std::string> metrics;
  std::map<std::string, Counters> probes;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');)
    cells.push_back(cell);
  if (line.ends_with(',')) cells.emplace_back();
  return cells;
}

std::uint64_t number_in(const std::string& cell, const std::string& line) {
  std::uint64_t number = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, number);
  if (error != std::errc() || stop != end)
    throw std::runtime_error(kGolden + ": not a count: '" + cell + "' in " + line);
  return number;
}

/// \throws std::runtime_error  the file is missing or is no table of counts
Golden read_golden() {
  std::ifstream file(kGolden);
  if (!file) {
    throw std::runtime_error(kGolden + " is missing; on an H200 with Nsight Compute, " +
                             "bench/record/probes.py writes it");
  }
  Golden golden;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (golden.metrics.empty()) {
      golden.metrics.assign(cells.begin() + 1, cells.end());
      continue;
    }
    if (cells.size() != golden.metrics.size() + 1)
      throw std::runtime_error(kGolden + ": not one count per metric: " + line);
    golden.names.push_back(cells[0]);
    Counters& counters = golden.probes[cells[0]];
    for (std::size_t i = 0; i < golden.metrics.size(); ++i) {
      if (!cells[i + 1].empty()) counters[golden.metrics[i]] = number_in(cells[i + 1], line);
    }
  }
  return golden;
}

/// The file's content; read once. An exception fails the test that asks.
const Golden& golden() {
  static const Golden content = read_golden();
  return content;
}

KernelTrace trace_of(const Probe& probe) {
  alignas(256) static std::array<unsigned char, kDataBytes> data;
  alignas(256) static unsigned sink;
  data.fill(0);
  sink = 0;
  return emulator::trace({{.name = "data", .data = data.data(), .bytes = data.size()},
                          {.name = "sink", .data = &sink, .bytes = sizeof sink}},
                         [&] { probe.run({.data = data.data(), .sink = &sink}); });
}

AccessCounts counts_of(const KernelTrace& trace, const Comparison& comparison) {
  AccessCounts sum;
  for (const emulator::LineCounts& line : trace.lines) {
    if (std::ranges::count(comparison.operations, line.operation) == 0) continue;
    if (comparison.access_bytes != 0 && line.access_bytes != comparison.access_bytes) continue;
    sum += line.counts;
  }
  return sum;
}

std::string sum_of_names(const std::vector<std::string>& metrics) {
  std::string text;
  for (const std::string& metric : metrics)
    text += (text.empty() ? "" : " + ") + metric;
  return text;
}

/// Is this a kind of copy of which no probe has been recorded yet? Of all else there has to be one.
bool awaits_recording(Operation operation) {
  if (operation != Operation::kAsyncCopy && operation != Operation::kBoxCopy) return false;
  return std::ranges::none_of(probes(), [&](const Probe& probe) {
    return probe.operation == operation && golden().probes.contains(probe.name);
  });
}

TEST(ProbeTable, NamesAreUniqueAndAllIsSaid) {
  std::set<std::string> names;
  for (const Probe& probe : probes()) {
    EXPECT_TRUE(names.insert(probe.name).second) << probe.name << " is there twice";
    EXPECT_FALSE(probe.shows.empty()) << probe.name;
    EXPECT_EQ(probe.operation.has_value(), probe.requests > 0) << probe.name;
  }
}

/// A probe that is not there yet skips its test.
TEST(Golden, HasEachProbeOnceAndNoneThatIsGone) {
  std::set<std::string> known;
  for (const Probe& probe : probes())
    known.insert(probe.name);
  EXPECT_EQ(golden().names.size(), golden().probes.size()) << "a probe is there twice";
  for (const std::string& name : golden().names)
    EXPECT_TRUE(known.contains(name)) << name << " is in " << kGolden << ", but not in the table";
}

TEST(Golden, HasEveryMetricThatIsCompared) {
  for (const Comparison& comparison : kComparisons) {
    if (std::ranges::all_of(comparison.operations, awaits_recording)) continue;
    for (const std::string& metric : comparison.metrics) {
      EXPECT_NE(std::ranges::count(golden().metrics, metric), 0)
          << metric << " is not in " << kGolden;
    }
  }
}

class ProbeTest : public testing::TestWithParam<Probe> {};

/// Guards against a compiler that drops or merges what the probe is about.
TEST_P(ProbeTest, MakesItsAccessesAndNoOther) {
  const Probe& probe = GetParam();
  const KernelTrace trace = trace_of(probe);
  for (const emulator::Fault& hazard : trace.hazards) {
    // Nobody writes shared memory before it is read, and lanes write the same to one address.
    const FaultGroup group = group_of(hazard.kind);
    EXPECT_TRUE(group == FaultGroup::kUninitialised || group == FaultGroup::kRace)
        << text_of(hazard);
  }
  AccessCounts all;
  for (const emulator::LineCounts& line : trace.lines) {
    EXPECT_EQ(line.operation, probe.operation) << line.file << ":" << line.line;
    all += line.counts;
  }
  EXPECT_EQ(all.bytes, probe.bytes);
  if (probe.merging == Merging::kNever) {
    EXPECT_EQ(all.requests, probe.requests);
  } else {
    EXPECT_LE(all.requests, probe.requests);
  }
}

TEST_P(ProbeTest, CountsWhatTheHardwareCounts) {
  const Probe& probe = GetParam();
  const auto hardware = golden().probes.find(probe.name);
  if (hardware == golden().probes.end()) {
    GTEST_SKIP() << "no hardware has counted " << probe.name
                 << " yet; bench/record/probes.py records it on an H200";
  }
  const KernelTrace trace = trace_of(probe);
  for (const Comparison& comparison : kComparisons) {
    // That none is missing is a test of its own.
    if (!std::ranges::all_of(comparison.metrics, [&](const std::string& metric) {
          return hardware->second.contains(metric);
        })) {
      continue;
    }
    if (!comparison.probes_of.empty() &&
        (!probe.operation || std::ranges::count(comparison.probes_of, *probe.operation) == 0)) {
      continue;
    }
    const std::uint64_t emulated =
        comparison.counter(counts_of(trace, comparison)) * comparison.unit;
    std::uint64_t counted = 0;
    for (const std::string& metric : comparison.metrics)
      counted += hardware->second.at(metric);
    // Three loads that no lane makes, which ptxas puts in front of a round of copies.
    if (probe.operation == Operation::kAsyncCopy &&
        comparison.metrics[0] == "smsp__inst_executed_op_shared_ld.sum") {
      counted -= 3;
    }
    const std::string message = probe.name + " (" + probe.shows +
                                "): " + sum_of_names(comparison.metrics) + " is " +
                                std::to_string(emulated) + " on the emulator and " +
                                std::to_string(counted) + " on the hardware";
    if (probe.merging == Merging::kBeyondEmulator) {
      if (comparison.metrics[0] == "memory_l1_wavefronts_shared_ideal") continue;  // other bytes
      EXPECT_GE(emulated, counted) << message;
      EXPECT_EQ(emulated > 0, counted > 0) << message;
    } else if (kLoadsSomewhere.contains(probe.name) && !comparison.probes_of.empty()) {
      EXPECT_LT(emulated, counted) << message;
      EXPECT_GT(emulated, counted * 3 / 4) << message;
    } else {
      EXPECT_EQ(emulated, counted) << message;
    }
  }
}

/// Stores that an H200 sends through L1 in more passes than their banks need: those that touch many
/// lines in different banks.
const std::set<std::string> kScatteredStores = {
    "global_store_16B_random_distinct_of_1024",
    "global_store_16B_stride_15",
    "global_store_16B_stride_17",
    "global_store_16B_stride_31",
    "global_store_16B_stride_7",
    "global_store_16B_stride_9",
    "global_store_4B_random_distinct_of_1024",
    "global_store_4B_stride_24",
    "global_store_4B_stride_31",
    "global_store_8B_random_distinct_of_1024",
    "global_store_8B_stride_15",
    "global_store_8B_stride_17",
    "global_store_8B_stride_24",
    "global_store_8B_stride_31",
};

TEST(StoreProbes, PassThroughL1BankByBank) {
  const std::string metric = "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum";
  std::set<std::string> more;
  std::size_t compared = 0;
  for (const Probe& probe : probes()) {
    if (probe.operation != Operation::kGlobalStore) continue;
    const auto hardware = golden().probes.find(probe.name);
    if (hardware == golden().probes.end()) continue;
    const AccessCounts counts = counts_of(
        trace_of(probe), {{metric}, {Operation::kGlobalStore}, &AccessCounts::wavefronts});
    ++compared;
    EXPECT_LE(counts.wavefronts, hardware->second.at(metric)) << probe.name;
    if (counts.wavefronts < hardware->second.at(metric)) more.insert(probe.name);
  }
  EXPECT_GT(compared, 60u);
  EXPECT_EQ(more, kScatteredStores);
}

INSTANTIATE_TEST_SUITE_P(All, ProbeTest, testing::ValuesIn(probes()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace ladder::fidelity
