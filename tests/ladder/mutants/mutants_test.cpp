// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/mutants_test.cpp
/// \brief Every mutant is called wrong for the stated reason, and its rung is right at that shape.
#include "tests/ladder/mutants/mutants.hpp"
#include "tests/common/wrong_codes.hpp"

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

using emulator::FaultKind;
using emulator::KernelError;

/// A mutant, the problem that shows its mistake, and how the mistake must be called.
struct Case {
  const char* mutant;
  Shape shape;
  float alpha = 1;
  float beta = 0;
  std::vector<std::string> facts = {};  ///< of the verdict, see facts_of()
  std::optional<FaultKind> error = {};  ///< thrown by the emulator
  const char* line = "";                ///< part of the line that the error names

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.mutant; }
};

const std::vector<Case> kCases = {
    // A read beyond A finds guard bytes, which are NaN; a write lands in rows that do not exist.
    {.mutant = "guard_missing_m", .shape = {33, 32, 16}, .facts = {"outside-written"}},
    {.mutant = "guard_missing_n", .shape = {20, 33, 16}},
    {.mutant = "guard_missing_k_of_a", .shape = {32, 32, 33}, .facts = {"nan"}},
    {.mutant = "guard_missing_k_of_b", .shape = {32, 32, 33}, .facts = {"nan"}},
    {.mutant = "guard_missing_m_float4", .shape = {130, 128, 8}, .facts = {"outside-written"}},
    {.mutant = "last_column_unwritten",
     .shape = {130, 132, 8},
     .facts = {"never-written", "last-tile-column", "columns 131-131"}},
    {.mutant = "shared_index_transposed", .shape = {64, 64, 64}, .facts = {"every-element-wrong"}},
    {.mutant = "result_transposed", .shape = {40, 70, 16}, .facts = {"transposed"}},
    {.mutant = "stride_wrong", .shape = {64, 32, 48}, .facts = {"rows 1-63"}},
    {.mutant = "tiles_swapped",
     .shape = {128, 384, 8},
     .facts = {"never-written", "columns 128-383"}},
    {.mutant = "tile_shifted", .shape = {64, 512, 8}, .facts = {"shifted-columns"}},
    {.mutant = "band_edge_skipped",
     .shape = {300, 260, 8},
     .facts = {"never-written", "rows 256-299"}},
    {.mutant = "vector_misaligned",
     .shape = {128, 128, 8},
     .error = FaultKind::kMisalignedVector,
     .line = "reinterpret_cast<const float4*>(gB)"},
    {.mutant = "barrier_missing_after_load", .shape = {64, 64, 64}, .facts = {"nan"}},
    {.mutant = "barrier_missing_after_compute", .shape = {64, 64, 256}},
    {.mutant = "barrier_missing_double_buffer", .shape = {128, 128, 32}, .facts = {"nan"}},
    {.mutant = "barrier_divergent",
     .shape = {32, 32, 32},
     .error = FaultKind::kDivergentBarrier,
     .line = "__syncthreads();"},
    {.mutant = "return_before_barrier", .shape = {33, 32, 32}, .facts = {"nan"}},
    {.mutant = "endless_wait",
     .shape = {32, 32, 32},
     .error = FaultKind::kEndlessLoop,
     .line = "while (*flag == 0.0f)"},
    {.mutant = "wrong_buffer_staged", .shape = {128, 128, 32}, .facts = {"nan"}},
    {.mutant = "last_tile_of_k_skipped", .shape = {50, 60, 16}, .facts = {"every-element-wrong"}},
    {.mutant = "c_read_although_beta_is_0", .shape = {64, 64, 8}, .facts = {"nan"}},
    {.mutant = "alpha_forgotten",
     .shape = {40, 40, 16},
     .alpha = 2,
     .facts = {"wrong-factor", "factor=0.5"}},
    {.mutant = "beta_forgotten",
     .shape = {40, 40, 16},
     .beta = 0.5,
     .facts = {"wrong-beta", "factor=-0.5"}},
};

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
      expect_facts(verdict.wrong, c.facts);
    } catch (const KernelError& error) {
      ASSERT_TRUE(c.error.has_value()) << error.what();
      EXPECT_EQ(error.kind(), *c.error) << error.what();
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
