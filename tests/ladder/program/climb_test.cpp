// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/climb_test.cpp
/// \brief A climb on a GPU leaves out the rungs that it cannot run, and says what they need.
#include "ladder/program/climb.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ladder/ladder.hpp"
#include "ladder/program/print.hpp"
#include "tests/common/made_up_gpu.hpp"

namespace ladder {
namespace {

/// What a climb notes of a rung on such a GPU; "right" if it ran.
std::string note_of(const char* rung, int compute_capability) {
  testing_machine::MadeUpGpu machine(compute_capability);
  Problem problem;
  problem.shape = {.M = 16, .N = 16, .K = 16};
  const Climb result = climb(machine, emulated_rungs(), {find_rung(emulated_rungs(), rung)},
                             problem, std::nullopt, [](const std::string&, double) {});
  const Entry& entry = result.entries.at(0);
  if (entry.outcome == Outcome::right) return "right";
  EXPECT_EQ(entry.outcome, Outcome::left_out);
  return entry.note;
}

TEST(ClimbTest, RungsWithoutTheirInstructionsAreLeftOut) {
  EXPECT_EQ(note_of("09", 75), "needs compute capability 8.0, Made Up 2 has 7.5");
  EXPECT_EQ(note_of("11", 89), "needs compute capability 9.0 exactly, Made Up 2 has 8.9");
  EXPECT_EQ(note_of("09", 80), "right");
}

TEST(ClimbTest, NewerGpusRunWhatIsNotForOneArchitectureAlone) {
  EXPECT_EQ(note_of("09", 100), "right");
  EXPECT_EQ(note_of("11", 90), "right");
  EXPECT_EQ(note_of("11", 100), "needs compute capability 9.0 exactly, Made Up 2 has 10.0");
  EXPECT_EQ(note_of("13", 120), "needs compute capability 9.0 exactly, Made Up 2 has 12.0");
}

/// What is printed of a climb in which rungs 02 and 04 gave wrong results, and 03 was stopped.
std::string text_of_wrong_climb(const Shape& shape) {
  Climb result{.device = "CPU emulator",
               .on_gpu = false,
               .protocol = {},
               .problem = {},
               .entries = {},
               .best_cublaslt = {}};
  result.problem.shape = shape;
  for (const char* name : {"02", "03", "04"}) {
    Entry entry{.rung = find_rung(emulated_rungs(), name),
                .problem = result.problem,
                .outcome = Outcome::wrong,
                .note = "",
                .verdict = {},
                .timing = {},
                .counts = {}};
    if (entry.rung.number != 3) entry.verdict = Verdict{};
    result.entries.push_back(entry);
  }
  return climb_text(result, std::nullopt);
}

TEST(ClimbTest, WrongResultsNameTheCommandThatLooksForTheCause) {
  const auto ends = [](const Shape& shape, const std::string& command) {
    return text_of_wrong_climb(shape).ends_with("\nTo look for races and bad accesses: " + command +
                                                "\n");
  };
  EXPECT_TRUE(ends({.M = 65, .N = 65, .K = 65}, "build/ladder check 02 04 --size 65"));
  EXPECT_TRUE(ends({.M = 9, .N = 8, .K = 7}, "build/ladder check 02 04 --m 9 --n 8 --k 7"));
  EXPECT_TRUE(ends({.M = 4096, .N = 64, .K = 64}, "build/ladder check 02 04"));
}

}  // namespace
}  // namespace ladder
