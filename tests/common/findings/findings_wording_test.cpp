// SPDX-License-Identifier: MIT
/// \file  tests/common/findings/findings_wording_test.cpp
/// \brief How wrong results, refusals and findings of small problems read.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "common/findings/finding.hpp"
#include "common/machine.hpp"

namespace ladder {
namespace {

TEST(FindingsWordingTest, WhatTheElementsHold) {
  const std::vector<std::pair<Wrong, std::string>> cases = {
      {{.kind = WrongKind::kNeverWritten, .fields = {{"share", 1.0}, {"holds_old_c", false}}},
       "all of them never written"},
      {{.kind = WrongKind::kNeverWritten, .fields = {{"share", 0.364}, {"holds_old_c", true}}},
       "37 % of them unchanged: they hold the C from before the call"},
      {{.kind = WrongKind::kNan, .fields = {{"share", 1.0}}},
       "all of them NaN: words read before they were written, a read beyond A or B, or C read "
       "although beta is 0"},
      {{.kind = WrongKind::kInfinite, .fields = {{"share", 1.0}}}, "all of them infinite"},
      {{.kind = WrongKind::kAllZero}, "all of them 0"},
      {{.kind = WrongKind::kWrongBeta, .fields = {{"factor", -0.5}}},
       "off by -0.5 times the C from before the call: is beta applied, and once?"},
      {{.kind = WrongKind::kWrongFactor, .fields = {{"factor", 0.5}}},
       "right but for a factor of 0.5: alpha, or a part of K left out or taken twice?"},
      {{.kind = WrongKind::kLowPrecision, .fields = {{"log2_error", -11.2}}},
       "values off by about 2^-11 of their size: inputs or sums of low precision?"},
      {{.kind = WrongKind::kTransposed}, "the result is transposed"},
      {{.kind = WrongKind::kShiftedColumns, .fields = {{"shift", 32}}},
       "right values 32 columns too far to the left"},
      {{.kind = WrongKind::kShiftedColumns, .fields = {{"shift", -1}}},
       "right values 1 column too far to the right"},
      {{.kind = WrongKind::kShiftedRows, .fields = {{"shift", 1}}},
       "right values 1 row too far up"},
      {{.kind = WrongKind::kShiftedRows, .fields = {{"shift", -128}}},
       "right values 128 rows too far down"},
  };
  for (const auto& [wrong, text] : cases)
    EXPECT_EQ(text_of_pattern(wrong), text) << code_of(wrong.kind);
}

TEST(FindingsWordingTest, WhereTheyAre) {
  const auto text = [](WrongKind kind, WrongRange rows, WrongRange columns) {
    return text_of_pattern({.kind = kind, .where = WrongPlace{kind, rows, columns}});
  };
  const WrongRange all = {0, 99, true, false};
  EXPECT_EQ(text(WrongKind::kEveryElement, all, all), "every element is wrong");
  EXPECT_EQ(text(WrongKind::kSomeElements, all, all), "scattered over the whole matrix");
  EXPECT_EQ(text(WrongKind::kSomeElements, {64, 69, false, false}, {1, 1, false, false}),
            "all in rows 64 to 69 and column 1");
  EXPECT_EQ(text(WrongKind::kLastTileRow, {96, 99, false, true}, all),
            "all in rows 96 to 99, the last tile row (is the guard in M right?)");
  EXPECT_EQ(text(WrongKind::kLastTileColumn, all, {99, 99, false, true}),
            "all in column 99, the last tile column (is the guard in N right?)");
}

Wrong one_wrong_element() {
  Wrong wrong = {.kind = WrongKind::kInfinite, .fields = {{"share", 1.0}}};
  wrong.where =
      WrongPlace{WrongKind::kSomeElements, {70, 70, false, false}, {33, 33, false, false}};
  wrong.first = WrongElement{70, 33, 123.5, 0.25, {{1, 2}}};
  wrong.wrong_elements = 1;
  wrong.elements = 10000;
  return wrong;
}

TEST(FindingsWordingTest, AWrongResult) {
  EXPECT_EQ(text_of(one_wrong_element()),
            "1 of 10000 elements are wrong. The first is C[70][33] of block tile (1, 2): got "
            "123.5, expected 0.25. Pattern: all of them infinite; all in row 70 and column 33. ");
  EXPECT_EQ(text_of(std::vector<Wrong>{
                {.kind = WrongKind::kOutsideWritten, .fields = {{"array", "C"}}},
                {.kind = WrongKind::kInputChanged, .fields = {{"array", "A"}, {"changed", 2}}}}),
            "Memory outside of C was written. The input A was changed in 2 elements. ");
}

TEST(FindingsWordingTest, ASmallProblemIsNamedOnce) {
  const ProblemCase of = {.problem = {{69, 33, 81}, -2, 0.5},
                          .configuration = "128 x 64",
                          .late = false,
                          .last_block_first = true};
  const std::vector<Finding> findings = {
      {Wrong{.kind = WrongKind::kOutsideWritten, .fields = {{"array", "C"}}}, of},
      {Wrong{.kind = WrongKind::kOutsideWritten, .fields = {{"array", "A"}}}, of}};
  EXPECT_EQ(
      text_of(findings),
      "right for this problem, but wrong for a small one of integers (M = 69, N = 33, K = "
      "81, alpha = -2, beta = 0.5, configuration 128 x 64, copies that arrive at once, the "
      "last block first): Memory outside of C was written. Memory outside of A was written. ");
}

TEST(FindingsWordingTest, Refusals) {
  using Kind = RefusalKind;
  const std::vector<std::pair<Refusal, std::string>> cases = {
      {{Kind::kShape,
        {{"rung", "05 vector_access"},
         {"dimension", "K"},
         {"extent", 131},
         {"multiple", 4},
         {"reason", "rows of A are read as float4"}}},
       "05 vector_access refuses K = 131: K must be a multiple of 4 (rows of A are read as "
       "float4)"},
      {{Kind::kUnknownRung,
        {{"wanted", "99"}, {"known", emulator::FieldValue::Words{"01 naive", "02 coalesced"}}}},
       "unknown rung '99': choose one of 01 naive, 02 coalesced"},
      {{Kind::kNoKernel, {{"rung", "00 cublas"}}},
       "00 cublas has no kernel of its own to trace: choose another rung"},
      {{Kind::kBlockDoesNotFit,
        {{"rung", "03 shared_tile"},
         {"card", "NVIDIA H200 SXM"},
         {"limit", "registers"},
         {"threads", 1024},
         {"registers", 65},
         {"shared_bytes", 8192},
         {"most_shared_bytes", 232448}}},
       "03 shared_tile does not fit on a NVIDIA H200 SXM: registers decides. Its block has 1024 "
       "threads "
       "of 65 registers and 8192 bytes of shared memory; the card gives a block at most 232448 "
       "bytes"},
      {{Kind::kOutOfMemory,
        {{"m", 1024},
         {"n", 1024},
         {"k", 1024},
         {"matrix_bytes", 12.0 * (1 << 20)},
         {"bytes", 3.25 * (1 << 30)},
         {"machine", "the CPU"},
         {"free_bytes", 1000.0}}},
       "M = 1024, N = 1024, K = 1024 needs 12 MiB for A, B and C, 3.25 GiB in all with the FP64 "
       "reference, and the CPU has 1e+03 B free: choose a smaller shape"},
      {{Kind::kFactorNotFinite, {{"factor", "beta"}, {"value", -HUGE_VAL}}},
       "beta = -inf is not a finite number: no kernel can be judged by the NaN and infinities that "
       "it gives. Choose a finite beta"},
      {{Kind::kFactorTooLarge,
        {{"factor", "alpha"}, {"value", 1e38}, {"k", 256}, {"limit", 5.5e34}}},
       "alpha = 1e+38 is too large for K = 256: the exact result too may exceed 3.4e+38, the "
       "largest number of FP32. Choose alpha below 5.5e+34"},
      {{Kind::kComputeCapability,
        {{"needs", "compute capability 8.0 or higher"},
         {"machine", "Made Up 2"},
         {"compute_capability", 75}}},
       "needs compute capability 8.0 or higher, Made Up 2 has 7.5"},
      {{Kind::kNotCompiled,
        {{"compiled", "90a"},
         {"machine", "Made Up 2"},
         {"compute_capability", 103},
         {"code", "103a"}}},
       "is compiled for 90a in this build, and Made Up 2 has 10.3. On that machine, with an nvcc "
       "that "
       "knows sm_103a, `make clean` and `make` build it again"},
      {{Kind::kGpuLost, {{"by", "02 coalesced"}}},
       "not run, because 02 coalesced made the GPU unusable"},
      {{Kind::kGpuError, {{"reason", "CUDA: bad"}}}, "CUDA: bad"},
      {{Kind::kMachine, {{"reason", "no GPU"}}}, "no GPU"},
  };
  EXPECT_EQ(cases.size(), static_cast<std::size_t>(kRefusalKinds)) << "one for each kind";
  for (const auto& [refusal, text] : cases)
    EXPECT_EQ(text_of(refusal), text) << code_of(refusal.kind);
  EXPECT_STREQ(ShapeRefused("05 vector_access", 'K', 131, 4, "rows of A are read as float4").what(),
               cases[0].second.c_str())
      << "what a rung throws reads the same";
}

TEST(FindingsWordingTest, StrayShuffles) {
  const auto text = [](std::uint64_t times) {
    const emulator::StrayShuffles strays = {{"k.cu", 3}, "__shfl_sync", times};
    return text_of(Finding(strays));
  };
  EXPECT_EQ(text(1),
            "__shfl_sync in k.cu:3 asked lanes outside of its mask once: what it got is undefined, "
            "and may be why the result is wrong.");
  EXPECT_NE(text(12345).find("12,345 times"), std::string::npos) << text(12345);
}

}  // namespace
}  // namespace ladder
