// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/mutants_test.cpp
/// \brief Every mutant is called wrong for the stated reason, and its rung is right at that shape.
#include "tests/ladder/mutants/mutants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/verify.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

using emulator::KernelError;
using emulator::KernelErrorKind;

/// A mutant, the problem that shows its mistake, and how the mistake must be called.
struct Case {
  const char* mutant;
  Shape shape;
  float alpha;
  float beta;
  std::vector<std::string> said;         ///< in the verdict's complaint, or in the error
  std::optional<KernelErrorKind> error;  ///< thrown by the emulator
  const char* line = "";                 ///< part of the line that the error names

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.mutant; }
};

const std::vector<Case> kCases = {
    // A read beyond A finds guard bytes, which are NaN; a write lands in rows that do not exist.
    {"guard_missing_m", {33, 32, 16}, 1, 0, {"Memory outside of C was written"}, {}},
    {"guard_missing_n", {20, 33, 16}, 1, 0, {"elements are wrong"}, {}},
    {"guard_missing_k_of_a", {32, 32, 33}, 1, 0, {"NaN"}, {}},
    {"guard_missing_k_of_b", {32, 32, 33}, 1, 0, {"all of them NaN", "a read beyond A or B"}, {}},
    {"guard_missing_m_float4", {130, 128, 8}, 1, 0, {"Memory outside of C was written"}, {}},
    {"last_column_unwritten",
     {130, 132, 8},
     1,
     0,
     {"all of them never written", "column 131, the last tile column (is the guard in N right?)"},
     {}},
    {"shared_index_transposed", {64, 64, 64}, 1, 0, {"every element is wrong"}, {}},
    {"result_transposed", {40, 70, 16}, 1, 0, {"the result is transposed"}, {}},
    {"stride_wrong", {64, 32, 48}, 1, 0, {"all in rows 1 to 63"}, {}},
    {"tiles_swapped", {128, 384, 8}, 1, 0, {"all of them never written", "columns 128 to 383"}, {}},
    {"tile_shifted", {64, 512, 8}, 1, 0, {"right values 128 columns too far to the left"}, {}},
    {"band_edge_skipped", {300, 260, 8}, 1, 0, {"never written", "rows 256 to 299"}, {}},
    {"vector_misaligned",
     {128, 128, 8},
     1,
     0,
     {"misaligned"},
     KernelErrorKind::kMisalignedAddress,
     "reinterpret_cast<const float4*>(gB)"},
    {"barrier_missing_after_load",
     {64, 64, 64},
     1,
     0,
     {"NaN: shared memory read before it was written"},
     {}},
    {"barrier_missing_after_compute", {64, 64, 256}, 1, 0, {"elements are wrong"}, {}},
    {"barrier_missing_double_buffer",
     {128, 128, 32},
     1,
     0,
     {"NaN: shared memory read before it was written"},
     {}},
    {"barrier_divergent",
     {32, 32, 32},
     1,
     0,
     {"divergent barrier", "wait at the barrier of line"},
     KernelErrorKind::kDivergentBarrier,
     "__syncthreads();"},
    {"return_before_barrier",
     {33, 32, 32},
     1,
     0,
     {"NaN: shared memory read before it was written"},
     {}},
    {"endless_wait",
     {32, 32, 32},
     1,
     0,
     {"endless loop: for 0.3 s"},
     KernelErrorKind::kEndlessLoop,
     "while (*flag == 0.0f)"},
    {"wrong_buffer_staged",
     {128, 128, 32},
     1,
     0,
     {"NaN: shared memory read before it was written"},
     {}},
    {"last_tile_of_k_skipped", {50, 60, 16}, 1, 0, {"every element is wrong"}, {}},
    {"c_read_although_beta_is_0",
     {64, 64, 8},
     1,
     0,
     {"all of them NaN", "C read although beta is 0"},
     {}},
    {"alpha_forgotten", {40, 40, 16}, 2, 0, {"right but for a factor of 0.5: alpha"}, {}},
    {"beta_forgotten", {40, 40, 16}, 1, 0.5, {"off by -0.5 times the C from before the call"}, {}},
};

void expect_said(const std::string& text, const std::vector<std::string>& said) {
  for (const std::string& part : said) {
    EXPECT_NE(text.find(part), std::string::npos) << "not said: " << part << "\nbut: " << text;
  }
}

class MutantsTest : public testing::TestWithParam<Case> {
 protected:
  // One CPU thread: which of two blocks writes an element last is then the same in every run.
  void SetUp() override {
    emulator::set_hang_limit(emulator::Seconds(0.3));
    emulator::set_cpu_threads(1);
  }
  void TearDown() override {
    emulator::set_hang_limit(usual_limit_);
    emulator::set_cpu_threads(usual_threads_);
  }

  /// Fails the test unless the verdict or the emulator's error says what the case expects.
  void expect_called_wrong(Verifier& verifier, const Mutant& mutant, const Rung& rung) {
    const Case& c = GetParam();
    try {
      const Verdict verdict = verifier.verify(mutant.run, c.alpha, c.beta, rung.tile);
      ASSERT_FALSE(verdict.right) << "nobody noticed the mistake";
      ASSERT_FALSE(c.error.has_value()) << "not stopped, but: " << text_of(verdict.wrong);
      expect_said(text_of(verdict.wrong), c.said);
    } catch (const KernelError& error) {
      ASSERT_TRUE(c.error.has_value()) << error.what();
      EXPECT_EQ(error.kind(), *c.error) << error.what();
      expect_said(error.what(), c.said);
      EXPECT_NE(error.file().find("mutant_" + mutant.name + ".cpp"), std::string::npos)
          << error.what();
      EXPECT_NE(line_of(error.file(), error.line()).find(c.line), std::string::npos)
          << error.what() << "\nnames the line: " << line_of(error.file(), error.line());
    }
  }

 private:
  emulator::Seconds usual_limit_ = emulator::hang_limit();
  unsigned usual_threads_ = emulator::cpu_threads();
};

TEST_P(MutantsTest, IsCalledWrongForItsReason) {
  const Case& c = GetParam();
  const Mutant* mutant = mutant_named(mutants(), c.mutant);
  ASSERT_NE(mutant, nullptr) << "not in mutants.py: " << c.mutant;
  const Rung& rung = find_rung(emulated_rungs(), mutant->rung);
  const auto machine = make_cpu_machine();
  Verifier verifier(*machine, c.shape, 1);
  expect_called_wrong(verifier, *mutant, rung);

  // The same verifier, so that no damage of the mutant is laid at the rung's door.
  const Verdict verdict = verifier.verify(rung.run, c.alpha, c.beta, rung.tile);
  EXPECT_TRUE(verdict.right) << "the rung itself: " << text_of(verdict.wrong);
}

INSTANTIATE_TEST_SUITE_P(All, MutantsTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.mutant); });

TEST(MutantTableTest, EveryMutantHasACase) {
  std::set<std::string> made, tested;
  for (const Mutant& mutant : mutants())
    made.insert(mutant.name);
  for (const Mutant& mutant : traced_mutants())  // those of pipelines have a test of their own
    made.erase(mutant.name);
  for (const Case& c : kCases)
    tested.insert(c.mutant);
  EXPECT_EQ(made, tested);
}

}  // namespace
}  // namespace ladder
