// SPDX-License-Identifier: MIT
/// \file  tests/ladder/bf16_rung_test.cpp
/// \brief A BF16 rung is a line of a table: verified, climbed, traced on the emulator as FP32 rungs
///        are.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/verify.hpp"
#include "ladder/ladder.hpp"
#include "ladder/program/climb.hpp"
#include "ladder/program/rung_trace.hpp"
#include "tests/common/wrong_codes.hpp"
#include "tests/ladder/bf16_tile.hpp"

namespace ladder {
namespace {

Rung bf16_rung(Bf16Mistake mistake = Bf16Mistake::none) {
  return {.number = 24,
          .name = "bf16_tile",
          .idea = "made up",
          .builds_on = 3,
          .precision = kBf16,
          .architectures = kAmpereAndNewer,
          .multiple_of = 2,
          .tile = {16, 32},
          .run = bf16_tile(mistake)};
}

class Bf16RungTest : public testing::Test {
 protected:
  Verdict judge(const Rung& rung, const Shape& shape, float alpha = 1.0f, float beta = 0.0f) {
    Verifier verifier(*machine_, shape, 3, rung.precision);
    return verifier.verify(rung.run, alpha, beta, rung.tile);
  }

  std::unique_ptr<Machine> machine_ = make_cpu_machine();
};

TEST_F(Bf16RungTest, IsRightAtTheEdgesOfItsTile) {
  for (const Shape& shape : {Shape{1, 2, 2}, Shape{16, 32, 32}, Shape{17, 34, 34},
                             Shape{15, 30, 30}, Shape{7, 66, 514}}) {
    for (const auto& [alpha, beta] : {std::pair(1.0f, 0.0f), std::pair(-0.5f, 1.7320508f)}) {
      const Verdict verdict = judge(bf16_rung(), shape, alpha, beta);
      EXPECT_TRUE(verdict.right) << shape.M << " x " << shape.N << ": " << text_of(verdict.wrong);
    }
  }
}

TEST_F(Bf16RungTest, EveryMistakeIsCalledWrong) {
  struct Case {
    Bf16Mistake mistake;
    float beta;
    std::string code;
  };
  const std::vector<Case> cases = {
      {Bf16Mistake::cuts_results_off, 0.0f, "low-precision"},
      {Bf16Mistake::sums_in_bf16, 0.0f, ""},
      {Bf16Mistake::rounds_twice, 0.5f, "low-precision"},
      {Bf16Mistake::no_guard_in_m, 0.0f, "outside-written"},
      {Bf16Mistake::reads_c_always, 0.0f, "nan"},
      {Bf16Mistake::writes_a, 0.0f, "input-changed"},
      {Bf16Mistake::half_of_the_columns, 0.0f, "never-written"},
  };
  const Shape shape = {70, 64, 128};
  for (const Case& c : cases) {
    const Verdict verdict = judge(bf16_rung(c.mistake), shape, 1.25f, c.beta);
    EXPECT_FALSE(verdict.right) << c.code;
    if (!c.code.empty()) expect_facts(verdict.wrong, {c.code});
  }
}

TEST_F(Bf16RungTest, ItClimbsBesideItsRival) {
  std::vector<Rung> ladder(emulated_rungs().begin(), emulated_rungs().end());
  ladder.push_back(bf16_rung());
  const std::vector<Rung> chosen = {ladder[0], ladder[2], ladder.back()};
  const Climb result = climb(*machine_, {.ladder = ladder,
                                         .chosen = with_rivals(ladder, chosen),
                                         .problem = {.shape = {40, 32, 64}}});
  std::vector<std::string> labels;
  for (const Entry& entry : result.entries) {
    EXPECT_EQ(entry.outcome, Outcome::right) << label(entry.rung) << ": " << note_of(entry);
    labels.push_back(label(entry.rung));
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"00 cublas", "00 cublas_bf16", "02 coalesced",
                                              "24 bf16_tile"}));
  EXPECT_EQ(result.entries[3].counts->blocks, 3u);

  const Climb refused = climb(
      *machine_, {.ladder = ladder, .chosen = {bf16_rung()}, .problem = {.shape = {40, 31, 64}}});
  EXPECT_EQ(refused.entries[0].outcome, Outcome::refused);
  const auto& refusal = std::get<Refusal>(refused.entries[0].findings.at(0).what);
  EXPECT_EQ(refusal.kind, RefusalKind::kShape);
  EXPECT_EQ(refusal.fields, (emulator::Fields{{"rung", "24 bf16_tile"},
                                              {"dimension", "N"},
                                              {"extent", 31},
                                              {"multiple", 2},
                                              {"reason", "the test says so"}}));
}

TEST_F(Bf16RungTest, ItsTraceCountsTwoBytesAnElement) {
  TraceChoice choice;
  const Problem problem = {.shape = {64, 64, 64}};
  const RungTrace trace = trace_rung(*machine_, bf16_rung(), problem, load_card("h200"), choice);
  EXPECT_EQ(trace.verified, true) << text_of(trace.wrong);
  EXPECT_TRUE(trace.kernel.hazards.empty());
  const auto stores = total(trace.kernel, emulator::Operation::kGlobalStore);
  EXPECT_EQ(stores.requests, 64u * 64 / 32);
  EXPECT_EQ(stores.bytes, 64u * 64 * 2);
  EXPECT_EQ(stores.sectors, 2 * stores.requests) << "64 bytes of a row";
  EXPECT_EQ(trace.metrics.at("dram__bytes_read.sum"), 2 * 64 * 64 * 2) << "A and B";

  choice.all_blocks = false;
  const RungTrace sampled =
      trace_rung(*machine_, bf16_rung(), {.shape = {512, 512, 64}}, load_card("h200"), choice);
  EXPECT_LT(sampled.kernel.blocks_traced, sampled.kernel.blocks);
  EXPECT_EQ(total(sampled.kernel, emulator::Operation::kGlobalStore).bytes, 512u * 512 * 2);
}

TEST_F(Bf16RungTest, HazardsNameElementsOfTwoBytes) {
  TraceChoice choice;
  choice.all_blocks = true;
  const RungTrace trace = trace_rung(*machine_, bf16_rung(Bf16Mistake::no_guard_in_m),
                                     {.shape = {15, 32, 32}}, load_card("h200"), choice);
  ASSERT_FALSE(trace.kernel.hazards.empty());
  const emulator::Fault& hazard = trace.kernel.hazards[0];
  EXPECT_EQ(hazard.kind, emulator::FaultKind::kMatrixOutOfBounds) << text_of(hazard);
  EXPECT_EQ(name_of(hazard.element.value()), "C[480]");
  EXPECT_EQ(hazard.element->extents, (std::vector<std::int64_t>{15, 32}));
}

// -- Rung 00 -------------------------------------------------------------------------------------

TEST_F(Bf16RungTest, Rung00IsRightInEachPrecision) {
  for (const Precision& precision : {kFp32, kTf32, kBf16}) {
    const Rung& rung = rival_in(precision, emulated_rungs());
    EXPECT_EQ(rung.precision, precision);
    EXPECT_EQ(rung.number, 0);
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{33, 65, 300}}) {
      for (const auto& [alpha, beta] : {std::pair(1.0f, 0.0f), std::pair(-0.5f, 1.7320508f)}) {
        const Verdict verdict = judge(rung, shape, alpha, beta);
        EXPECT_TRUE(verdict.right) << precision.name << ": " << text_of(verdict.wrong);
      }
    }
  }
}

TEST_F(Bf16RungTest, Rung00InAnotherPrecisionIsFoundByName) {
  const auto found = [](const char* wanted) {
    return find_rung(emulated_rungs(), wanted).precision;
  };
  EXPECT_EQ(found("00"), kFp32);
  EXPECT_EQ(found("cublas"), kFp32);
  EXPECT_EQ(found("cublas_tf32"), kTf32);
  EXPECT_EQ(found("cublas_bf16"), kBf16);
  EXPECT_EQ(found("00_cublas_bf16"), kBf16);
}

TEST_F(Bf16RungTest, ARivalThatThereIsNotIsAnError) {
  Rung alone = find_rung(emulated_rungs(), "00");
  alone.in_other_precisions.clear();
  const std::vector<Rung> ladder = {alone};
  EXPECT_EQ(rival_in(kFp32, ladder).number, 0);
  try {
    rival_in(kBf16, ladder);
    ADD_FAILURE() << "found";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "00 cublas cannot be had in BF16");
  }
}

// -- Precision and run() -------------------------------------------------------------------------

TEST_F(Bf16RungTest, ATableLineWhoseRunTakesOtherMatricesIsAnError) {
  EXPECT_NO_THROW(require_run_of_its_precision(bf16_rung()));
  for (const Rung& rung : emulated_rungs())
    EXPECT_NO_THROW(require_run_of_its_precision(rung));
  Rung wrong = bf16_rung();
  wrong.precision = kTf32;
  try {
    require_run_of_its_precision(wrong);
    ADD_FAILURE() << "accepted";
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(),
                 "the table says that rung 24, bf16_tile, computes in TF32, but its run() takes "
                 "BF16 matrices");
  }
}

TEST_F(Bf16RungTest, PrecisionsComeOnceEach) {
  const Rung fp32 = find_rung(emulated_rungs(), "03");
  const std::vector<Rung> rungs = {bf16_rung(), fp32, bf16_rung(), fp32};
  EXPECT_EQ(precisions_of(rungs), (std::vector<Precision>{kBf16, kFp32}));
}

}  // namespace
}  // namespace ladder
