// SPDX-License-Identifier: MIT
/// \file  tests/emulator/clang/compilers_agree_test.cpp
/// \brief g++ and clang make the same requests of each rung: what is counted is what the source
///        says, and not what one compiler made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/machine.hpp"
#include "emulator/run/workspace.hpp"
#include "emulator/trace/trace.hpp"
#include "ladder/ladder.hpp"
#include "tests/emulator/clang/clang_rungs.hpp"

namespace ladder {

void PrintTo(const Rung& rung, std::ostream* out) {
  *out << rung.name;
}

namespace {

using emulator::AccessCounts;
using emulator::KernelTrace;
using emulator::OrderOfEvents;

/// What a rung is asked to compute.
struct Problem {
  Shape shape;
  float beta;
};

/// Whole tiles; less than one of some rungs' tiles; several blocks, the last ones incomplete.
const std::vector<Problem> kProblems = {
    {{.M = 128, .N = 128, .K = 128}, 0}, {{.M = 128, .N = 128, .K = 128}, 0.5f},
    {{.M = 77, .N = 45, .K = 131}, 0},   {{.M = 77, .N = 45, .K = 131}, 0.5f},
    {{.M = 300, .N = 260, .K = 68}, 0},  {{.M = 300, .N = 260, .K = 68}, 0.5f},
};

/// The next shape that the rung takes.
Shape rounded_up(const Shape& shape, int multiple) {
  const auto up = [&](int extent) { return ceil_div(extent, multiple) * multiple; };
  return {.M = shape.M, .N = up(shape.N), .K = up(shape.K)};
}

std::string text_of(const Problem& problem) {
  const auto& [M, N, K] = problem.shape;
  std::ostringstream text;
  text << M << " x " << N << " x " << K << ", beta = " << problem.beta;
  return text.str();
}

KernelTrace traced(Machine& machine, const Rung& rung, const Problem& problem) {
  const auto& [M, N, K] = problem.shape;
  const auto count = [](int rows, int columns) { return static_cast<std::size_t>(rows) * columns; };
  const MachineArray<float> a(machine, count(M, K));
  const MachineArray<float> b(machine, count(K, N));
  const MachineArray<float> c(machine, count(M, N));
  const std::span<std::byte> workspace = emulator::whole_workspace();  // of rungs that split tiles
  return emulator::trace(
      {{.name = "A", .data = a.data(), .bytes = a.bytes()},
       {.name = "B", .data = b.data(), .bytes = b.bytes()},
       {.name = "C", .data = c.data(), .bytes = c.bytes()},
       {.name = "workspace", .data = workspace.data(), .bytes = workspace.size()}},
      [&] {
        rung.run({.M = M,
                  .N = N,
                  .K = K,
                  .alpha = 0.5f,
                  .A = a.data(),
                  .B = b.data(),
                  .beta = problem.beta,
                  .C = c.data()},
                 nullptr);
      });
}

/// What was counted for each line, operation and size, as text.
std::map<std::string, std::string> counts_by_line(const KernelTrace& trace) {
  std::map<std::string, AccessCounts> sums;
  for (const emulator::LineCounts& line : trace.lines) {
    sums[line.file + ":" + std::to_string(line.line) + ", " + name_of(line.operation) + " of " +
         std::to_string(line.access_bytes) + " bytes"] += line.counts;
  }
  std::map<std::string, std::string> texts;
  for (const auto& [place, counts] : sums) {
    std::ostringstream text;
    text << counts.requests << " requests, " << counts.lanes << " lanes, " << counts.bytes
         << " bytes, " << counts.sectors << " sectors, " << counts.distinct_sectors << " distinct, "
         << counts.ideal_sectors << " ideal, " << counts.lines << " lines, " << counts.wavefronts
         << " wavefronts, " << counts.ideal_wavefronts << " ideal";
    texts[place] = text.str();
  }
  return texts;
}

/// The times of all tiles, and what is derived from them, as text.
std::map<std::string, std::string> order_as_text(const OrderOfEvents& order) {
  std::map<std::string, std::string> texts;
  const auto set = [&](const std::string& name, auto... values) {
    std::ostringstream text;
    text.precision(17);
    ((text << values << " "), ...);
    texts[name] = text.str();
  };
  set("barriers per tile", order.barriers_per_tile);
  set("shared loads per tile", order.shared_loads_per_tile);
  set("shared loads in flight", order.shared_loads_in_flight);
  set("hidden", order.hidden());
  for (const emulator::TileTimes& tile : order.tiles) {
    set(tile.array + ", tile " + std::to_string(tile.tile) +
            ": loaded, stored, first and last read",
        tile.loaded, tile.stored, tile.first_read, tile.last_read);
  }
  return texts;
}

/// What two of them do not share, a line each; empty: they are equal.
std::string differences(const std::map<std::string, std::string>& gcc,
                        const std::map<std::string, std::string>& clang) {
  std::set<std::string> keys;
  for (const auto* texts : {&gcc, &clang}) {
    for (const auto& [key, text] : *texts)
      keys.insert(key);
  }
  const auto text_in = [](const auto& texts, const std::string& key) {
    const auto found = texts.find(key);
    return found == texts.end() ? "nothing" : found->second;
  };
  std::string all;
  for (const std::string& key : keys) {
    const std::string a = text_in(gcc, key);
    const std::string b = text_in(clang, key);
    if (a != b) all += key + "\n  g++:   " + a + "\n  clang: " + b + "\n";
  }
  return all;
}

std::string differences_of_counts(const KernelTrace& gcc, const KernelTrace& clang) {
  return differences(counts_by_line(gcc), counts_by_line(clang));
}

std::string differences_of_order(const KernelTrace& gcc, const KernelTrace& clang) {
  return differences(order_as_text(gcc.order), order_as_text(clang.order));
}

void expect_whole_and_sound(const KernelTrace& trace) {
  EXPECT_FALSE(trace.lines.empty()) << "nothing was traced";
  EXPECT_EQ(trace.blocks_traced, trace.blocks);
  for (const emulator::Fault& hazard : trace.hazards)
    ADD_FAILURE() << text_of(hazard);
}

std::vector<Rung> rungs_with_kernel() {
  std::vector<Rung> rungs;
  for (const Rung& rung : traced_rungs()) {
    if (rung.tile.BM > 0) rungs.push_back(rung);
  }
  return rungs;
}

const Rung* rung_of_clang(int number) {
  const auto rungs = clang_rungs();
  const auto found = std::ranges::find(rungs, number, &Rung::number);
  return found == rungs.end() ? nullptr : &*found;
}

TEST(ClangRungs, AreThoseOfGccWithAKernel) {
  std::vector<std::string_view> gcc, clang;
  for (const Rung& rung : rungs_with_kernel())
    gcc.push_back(rung.name);
  for (const Rung& rung : clang_rungs())
    clang.push_back(rung.name);
  EXPECT_FALSE(gcc.empty());
  EXPECT_EQ(gcc, clang);
}

TEST(CompilersAgree, UnlessSomethingElseIsTraced) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  const Rung* const rung = rung_of_clang(5);
  ASSERT_NE(rung, nullptr);
  const KernelTrace without = traced(*machine, *rung, kProblems[0]);
  const KernelTrace with = traced(*machine, *rung, kProblems[1]);
  // C is read if beta is not 0.
  EXPECT_NE(differences_of_counts(without, with), "");
  const Rung* const other = rung_of_clang(6);
  ASSERT_NE(other, nullptr);
  const KernelTrace pipelined = traced(*machine, *other, kProblems[0]);
  EXPECT_NE(differences_of_order(without, pipelined), "");
}

class CompilersAgreeOn : public testing::TestWithParam<Rung> {};

TEST_P(CompilersAgreeOn, EveryCounterOfEveryLine) {
  const Rung& gcc = GetParam();
  if (gcc.number >= 13) {
    GTEST_SKIP()
        << "clang makes one load, without a line, of the two ways in which 13 and 14 fetch A";
  }
  const Rung* const clang = rung_of_clang(gcc.number);
  ASSERT_NE(clang, nullptr);
  ASSERT_NE(clang->name.data(), gcc.name.data()) << "each library has a table of its own";
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  for (Problem problem : kProblems) {
    problem.shape = rounded_up(problem.shape, gcc.multiple_of);
    SCOPED_TRACE(text_of(problem));
    const KernelTrace from_gcc = traced(*machine, gcc, problem);
    const KernelTrace from_clang = traced(*machine, *clang, problem);
    expect_whole_and_sound(from_gcc);
    expect_whole_and_sound(from_clang);
    EXPECT_EQ(differences_of_counts(from_gcc, from_clang), "");
    // A ring in dynamic shared memory has no array type that both compilers write down.
    if (!gcc.architectures.front().alone) {
      EXPECT_EQ(differences_of_order(from_gcc, from_clang), "");
    }
    EXPECT_EQ(from_gcc.barriers_per_block, from_clang.barriers_per_block);
    EXPECT_EQ(from_gcc.shared_bytes, from_clang.shared_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CompilersAgreeOn, testing::ValuesIn(rungs_with_kernel()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ladder
