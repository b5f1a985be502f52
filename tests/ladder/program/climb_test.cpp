// SPDX-License-Identifier: MIT
/// \file  tests/ladder/program/climb_test.cpp
/// \brief A climb on a GPU leaves out the rungs that it cannot run, says what they need, and times
///        each rung beside the rivals of its own precision.
#include "ladder/program/climb.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "ladder/ladder.hpp"
#include "ladder/program/print.hpp"
#include "ladder/program/results.hpp"
#include "tests/common/timed_gpu.hpp"

namespace ladder {
namespace {

/// What a climb leaves a rung out for on such a GPU: what the rung needs; "right" if it ran.
std::string needs_on(const char* rung, int compute_capability) {
  testing_machine::MadeUpGpu machine(compute_capability);
  Problem problem;
  problem.shape = {.M = 16, .N = 16, .K = 16};
  const Climb result = climb(machine, {.ladder = emulated_rungs(),
                                       .chosen = {find_rung(emulated_rungs(), rung)},
                                       .problem = problem});
  const Entry& entry = result.entries.at(0);
  if (entry.outcome == Outcome::right) return "right";
  EXPECT_EQ(entry.outcome, Outcome::left_out);
  const auto& refusal = std::get<Refusal>(entry.findings.at(0).what);
  if (refusal.kind == RefusalKind::kNotCompiled) return "code of its own";
  EXPECT_EQ(refusal.kind, RefusalKind::kComputeCapability);
  EXPECT_EQ(refusal.fields.number("compute_capability"), compute_capability);
  return refusal.fields.word("needs");
}

TEST(ClimbTest, RungsWithoutTheirInstructionsAreLeftOut) {
  EXPECT_EQ(needs_on("09", 75), "compute capability 8.0 or higher");
  EXPECT_EQ(needs_on("11", 89), "compute capability 9.0, 10.0, 10.3 or 12.0");
  EXPECT_EQ(needs_on("09", 80), "right");
}

TEST(ClimbTest, NewerGpusRunWhatIsNotForOneArchitectureAlone) {
  EXPECT_EQ(needs_on("09", 100), "right");
  // A build has code for the GPUs that it was made for.
  for (const int hopper_or_blackwell : {90, 100, 103, 120}) {
    const std::string needs = needs_on("11", hopper_or_blackwell);
    EXPECT_TRUE(needs == "right" || needs == "code of its own") << hopper_or_blackwell << needs;
  }
  EXPECT_EQ(needs_on("13", 121), "compute capability 9.0, 10.0, 10.3 or 12.0");
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
    return text_of_wrong_climb(shape).ends_with(":\n  " + command + "\n");
  };
  EXPECT_TRUE(ends({.M = 65, .N = 65, .K = 65}, "build/ladder check 02 04 --size 65"));
  EXPECT_TRUE(ends({.M = 9, .N = 8, .K = 7}, "build/ladder check 02 04 --m 9 --n 8 --k 7"));
  EXPECT_TRUE(ends({.M = 4096, .N = 64, .K = 64}, "build/ladder check 02 04"));
}

// -- Small problems -------------------------------------------------------------------------------

/// Rung 02, but wrong where M is odd: the last row gets 1 ulp more.
Rung wrong_where_m_is_odd() {
  Rung rung = find_rung(emulated_rungs(), "02");
  rung.run = [run = rung.run](const Gemm<float>& gemm, Stream stream) {
    run(gemm, stream);
    if (gemm.M % 2 == 1) {
      float& last = gemm.C[static_cast<std::size_t>(gemm.M) * gemm.N - 1];
      last = std::nextafter(last, 1e9f);
    }
  };
  return rung;
}

Entry climbed_alone(const Rung& rung, bool small_too) {
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  const Climb result = climb(*machine, {.ladder = emulated_rungs(),
                                        .chosen = {rung},
                                        .problem = {.shape = {32, 32, 32}},
                                        .small_too = small_too});
  return result.entries.at(0);
}

TEST(SmallProblemsTest, ARungThatOnlyTheSmallProblemsCallWrongIsWrong) {
  const Entry entry = climbed_alone(wrong_where_m_is_odd(), true);
  EXPECT_EQ(entry.outcome, Outcome::wrong);
  EXPECT_TRUE(entry.verdict->right) << "the problem that was asked for";
  ASSERT_EQ(entry.findings.size(), 1u);
  const ProblemCase& of = entry.findings[0].small_case.value();
  EXPECT_EQ(of.problem.shape, (Shape{69, 33, 81}));
  EXPECT_EQ(of.problem.alpha, -2.0f);
  EXPECT_EQ(of.problem.beta, 0.5f);
  const Wrong& wrong = std::get<Wrong>(entry.findings[0].what);
  EXPECT_EQ(wrong.wrong_elements, 1);
  EXPECT_EQ(wrong.elements, 69 * 33);
  EXPECT_EQ(wrong.first.value().row, 68);
  EXPECT_EQ(wrong.first->column, 32);
  EXPECT_EQ(climbed_alone(wrong_where_m_is_odd(), false).outcome, Outcome::right)
      << "under a profiler they would be in the way";
}

TEST(SmallProblemsTest, ARungMayRefuseThem) {
  Rung rung = find_rung(emulated_rungs(), "02");
  rung.run = [run = rung.run](const Gemm<float>& gemm, Stream stream) {
    if (gemm.M % 32 != 0) throw ShapeRefused("02 coalesced refuses M");
    run(gemm, stream);
  };
  const Entry entry = climbed_alone(rung, true);
  EXPECT_EQ(entry.outcome, Outcome::right) << note_of(entry);
  EXPECT_EQ(entry.small->verified, 1) << "M = 32, of the problems for BM = 32";
}

TEST(SmallProblemsTest, TheyReachEdgesPipelinesAndTheSecondThousand) {
  for (const Rung& rung : emulated_rungs()) {
    if (rung.number == 0) continue;
    SCOPED_TRACE(label(rung));
    const auto& [BM, BN] = rung.tile;
    int tiles_and_edges = 0, long_m = 0, long_n = 0, beta_is_0 = 0, less_than_a_k_tile = 0;
    for (const auto& [shape, alpha, beta, seed] : small_problems_of(rung)) {
      const auto& [M, N, K] = shape;
      EXPECT_EQ(N % rung.multiple_of, 0);
      EXPECT_EQ(K % rung.multiple_of, 0);
      EXPECT_NE(alpha, 1.0f);
      tiles_and_edges += M > BM && M % BM != 0 && N > BN && N % BN != 0 && K > 64 && beta != 0.0f;
      long_m += M > 2048 && M > 16 * BM;
      long_n += N > 2048;
      beta_is_0 += beta == 0.0f;
      less_than_a_k_tile += K == rung.multiple_of;
    }
    for (const int count : {tiles_and_edges, long_m, long_n, beta_is_0, less_than_a_k_tile})
      EXPECT_GE(count, 1);
  }
}

// -- Rungs of several precisions -----------------------------------------------------------------

using testing_machine::taking;

Rung rival(const Precision& precision) {
  return rival_in(precision, emulated_rungs());
}

/// Rung 00 that takes 2 ms, and 4 ms in BF16; 02 that takes 10 ms; 14, of BF16, that takes 5 ms.
class MixedLadder {
 public:
  MixedLadder() {
    Rung cublas_bf16 = rival(kBf16);
    cublas_bf16.run = taking(4, cublas_bf16);
    Rung cublas = rival(kFp32);
    cublas.run = taking(2, cublas);
    cublas.in_other_precisions = {cublas_bf16};
    Rung coalesced = find_rung(emulated_rungs(), "02");
    coalesced.run = taking(10, coalesced);
    const Rung bf16 = {.number = 14,
                       .name = "bf16",
                       .idea = "",
                       .builds_on = 2,
                       .precision = kBf16,
                       .architectures = kAmpereAndNewer,
                       .tile = {16, 16},
                       .run = taking(5, rival(kBf16))};
    rungs = {cublas, coalesced, bf16};
  }

  std::vector<Rung> rungs;
};

class GpuWithRoof final : public testing_machine::TimedGpu {
 public:
  std::optional<Roof> roof() const override {
    return Roof{.fp32_tflops = 1, .dram_gbps = 1e9, .bf16_tflops = 10};
  }
};

Climb climbed(const MixedLadder& ladder, const std::vector<Rung>& chosen,
              const std::vector<Rung>& compared = {}) {
  GpuWithRoof machine;
  return climb(machine, {.ladder = ladder.rungs,
                         .chosen = chosen,
                         .problem = {.shape = {16, 16, 16}},
                         .protocol = Protocol::burst,
                         .compared = compared});
}

using Names = std::vector<std::string>;

Names names_of(const std::vector<Rung>& rungs) {
  Names names;
  for (const Rung& rung : rungs)
    names.push_back(folder(rung));
  return names;
}

TEST(MixedClimbTest, Rung00StandsForItselfInEachPrecision) {
  const MixedLadder ladder;
  const Rung& cublas = ladder.rungs[0];
  const Rung& fp32 = ladder.rungs[1];
  const Rung& bf16 = ladder.rungs[2];
  const auto names = [&](const std::vector<Rung>& chosen) {
    return names_of(with_rivals(ladder.rungs, chosen));
  };
  EXPECT_EQ(names(ladder.rungs), (Names{"00_cublas", "00_cublas_bf16", "02_coalesced", "14_bf16"}));
  EXPECT_EQ(names({bf16, cublas}), (Names{"14_bf16", "00_cublas_bf16"}));
  EXPECT_EQ(names({cublas, fp32}), (Names{"00_cublas", "02_coalesced"}));
  EXPECT_EQ(names({cublas}), Names{"00_cublas"}) << "nobody to stand beside";
  EXPECT_EQ(names({bf16}), Names{"14_bf16"}) << "00 was not asked for";
  std::vector<Rung> in_fp32;
  std::ranges::copy_if(emulated_rungs(), std::back_inserter(in_fp32),
                       [](const Rung& rung) { return rung.precision == kFp32; });
  EXPECT_EQ(names_of(with_rivals(emulated_rungs(), in_fp32)), names_of(in_fp32));
}

TEST(MixedClimbTest, EachRungIsComparedInItsOwnPrecision) {
  const MixedLadder ladder;
  const Climb result = climbed(ladder, with_rivals(ladder.rungs, ladder.rungs));
  ASSERT_EQ(result.entries.size(), 4u);
  for (const Entry& entry : result.entries) {
    ASSERT_EQ(entry.outcome, Outcome::right) << label(entry.rung) << note_of(entry);
    ASSERT_TRUE(entry.timing) << label(entry.rung);
  }
  const auto timing = [&](int i) { return *result.entries[i].timing; };
  EXPECT_DOUBLE_EQ(timing(0).time_ms, 2);
  EXPECT_DOUBLE_EQ(timing(1).time_ms, 4);
  EXPECT_DOUBLE_EQ(timing(2).ratio_to_cublas, 0.2) << "2 ms / 10 ms";
  EXPECT_DOUBLE_EQ(timing(3).ratio_to_cublas, 0.8) << "4 ms / 5 ms";
  EXPECT_DOUBLE_EQ(timing(3).ratio_to_best, 0.2) << "1 ms / 5 ms";
  EXPECT_DOUBLE_EQ(*timing(2).share_of_roof, timing(2).tflops / 1);
  EXPECT_DOUBLE_EQ(*timing(3).share_of_roof, timing(3).tflops / 10);
  EXPECT_EQ(result.entries[3].verdict->difference_to_cublas, 0.0) << "of the BF16 results";
  ASSERT_EQ(result.best_cublaslt.size(), 2u);
  EXPECT_EQ(result.best_cublaslt[0].precision, kFp32);
  EXPECT_EQ(result.best_cublaslt[1].precision, kBf16);
  EXPECT_DOUBLE_EQ(result.best_cublaslt[1].timing.ratio_to_cublas, 4.0);
}

TEST(MixedClimbTest, ResultsNameThePrecision) {
  const MixedLadder ladder;
  const Climb result = climbed(ladder, with_rivals(ladder.rungs, ladder.rungs));
  const nlohmann::json results = to_json(result, {});
  Names names;
  for (const nlohmann::json& entry : results["benchmarks"]) {
    names.push_back(entry["name"].get<std::string>() + " " + entry["precision"].get<std::string>());
  }
  EXPECT_EQ(names, (Names{"00_cublas FP32", "00_cublas_bf16 BF16", "02_coalesced FP32",
                          "14_bf16 BF16", "best_cublaslt FP32", "best_cublaslt_bf16 BF16"}));
  const std::string text = climb_text(result, std::nullopt);
  for (const char* row :
       {"\n00 cublas  ", "\n00 cublas_bf16 ", "\nbest of cublasLt ", "\nbest Lt, BF16 "}) {
    EXPECT_NE(text.find(row), std::string::npos) << row << text;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80u) << line;
}

TEST(MixedClimbTest, RecordedFiguresAreThoseOfTheSamePrecision) {
  const Recording recording{.device = "a GPU",
                            .protocol = "burst",
                            .size = 4096,
                            .figures = {{0, 50, 1.0}, {0, 700, 1.0, "BF16"}}};
  EXPECT_EQ(figure_of(recording, rival(kFp32))->tflops, 50);
  EXPECT_EQ(figure_of(recording, rival(kBf16))->tflops, 700);
  EXPECT_EQ(figure_of(recording, rival(kTf32)), nullptr);
}

TEST(ClimbTextTest, ARungWithoutARecordedFigureSaysWhy) {
  const auto text = [](const Recording& recording) {
    Climb climb{.device = "CPU emulator",
                .on_gpu = false,
                .protocol = {},
                .problem = {},
                .entries = {},
                .best_cublaslt = {}};
    for (const int number : {0, 1, 2, 3, 4}) {
      Rung rung = rival(kFp32);
      rung.number = number;
      climb.entries.push_back({.rung = rung,
                               .problem = {},
                               .outcome = number == 4 ? Outcome::wrong : Outcome::right,
                               .verdict = {},
                               .timing = {},
                               .counts = {}});
    }
    return climb_text(climb, recording);
  };
  Recording recording{
      .device = "H200", .protocol = "burst", .size = 4096, .figures = {{1, 50, 1.0}}};
  const auto says = [&](const char* sentence) {
    return text(recording).find(sentence) != std::string::npos;
  };
  EXPECT_TRUE(
      says("No recorded figure for 02, 03: not recorded yet.\n"
           "No recorded figure for 04: the result is wrong.\n"));
  recording.other_device = "H100";
  recording.on_other_device = {1, 2, 4};
  EXPECT_TRUE(
      says("No recorded figure for 02: timed on an H100 only.\n"
           "No recorded figure for 03: not recorded yet.\n"));
  recording.edited = {2, 3};
  EXPECT_TRUE(says("No recorded figure for 02: the source is not"));
  EXPECT_TRUE(says("No recorded figure for 03: not recorded yet.\n"));
}

TEST(MixedClimbTest, ARungOfAnotherPrecisionThatIsOnlyComparedIsTimedAndNotShown) {
  const MixedLadder ladder;
  const Climb result = climbed(ladder, {ladder.rungs[2]}, {ladder.rungs[1]});
  ASSERT_EQ(result.entries.size(), 1u);
  EXPECT_DOUBLE_EQ(result.entries[0].timing->ratio_to_cublas, 0.8);
  EXPECT_DOUBLE_EQ(result.compared.at(0).timing->time_ms, 10);
  ASSERT_EQ(result.best_cublaslt.size(), 1u);
  EXPECT_EQ(result.best_cublaslt[0].precision, kBf16);
}

TEST(MixedClimbTest, AfterAGpuErrorNoPrecisionIsVerifiedOrTimed) {
  MixedLadder ladder;
  ladder.rungs[1].run = [](const Gemm<float>&, Stream) { throw GpuError("CUDA: misaligned"); };
  const Climb result = climbed(ladder, {ladder.rungs[1], ladder.rungs[2]});
  EXPECT_EQ(result.entries[0].outcome, Outcome::wrong);
  EXPECT_EQ(result.entries[1].outcome, Outcome::left_out);
  const auto& lost = std::get<Refusal>(result.entries[1].findings.at(0).what);
  EXPECT_EQ(lost.kind, RefusalKind::kGpuLost);
  EXPECT_EQ(lost.fields.word("by"), "02 coalesced");
  EXPECT_TRUE(result.best_cublaslt.empty());
}

}  // namespace
}  // namespace ladder
