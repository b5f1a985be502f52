// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/split_mutants_test.cpp
/// \brief Every mistake in rung 23 shows on some input that is hard to split: a result beyond the
///        bound, or other parts than the rung takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark/hard_inputs.hpp"
#include "tests/ladder/mutants/mutants.hpp"

namespace ladder {
namespace {

using bench::HardInput;
using bench::HardOutcome;

constexpr int kSize = 16;
constexpr Shape kSeveralChunks = {70, 50, 1100};
constexpr Shape kFullOfNumbers = {70, 56, 1152};  ///< as large as the other with its padding

/// A mutant, and the input that tells.
struct Case {
  const char* mutant;
  const char* input;
  const char* before = nullptr;  ///< the input of the run before
  bool takes_others = false;     ///< only what it takes tells

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.mutant; }
};

const std::vector<Case> kCases = {
    {"split_scale_too_large", "mixed_2_40"},
    {"split_half_scale_too_large", "normal", nullptr, true},
    {"split_scale_in_one_factor", "scaled_rows"},
    {"split_scale_cut_too_early", "subnormal_sums"},
    {"split_lo_not_scaled_back", "normal"},
    {"split_parts_in_other_order", "normal"},
    {"split_chunk_off_by_one", "normal"},
    {"split_chunk_of_sums_lost", "normal"},
    {"split_outcome_not_reset", "normal", "mixed_2_40", true},
    {"split_loses_silently", "along_k"},
    {"split_infinity_in_first_part", "infinity"},
    {"split_padding_not_zeroed", "normal", "normal"},
};

class SplitMutantsTest : public testing::TestWithParam<Case> {
 protected:
  HardOutcome outcome(const Rung& rung, const char* input, const Shape& shape) {
    const auto found =
        std::ranges::find(bench::hard_inputs(), std::string_view(input), &HardInput::name);
    return run_hard_input(*machine_, rung, library_, *found, shape);
  }

  /// The first and the last element of a product with B = 2, where A is 1 but for its first row;
  /// three BF16 parts, because its last element is infinite.
  static std::pair<float, float> corners(const Rung& rung, float first_row) {
    std::vector<float> a(kSize * kSize, 1.0f), b(kSize * kSize, 2.0f), c(kSize * kSize);
    std::fill_n(a.begin(), kSize, first_row);
    a.back() = std::numeric_limits<float>::infinity();
    rung.run(Gemm<float>{kSize, kSize, kSize, 1.0f, a.data(), b.data(), 0.0f, c.data()}, nullptr);
    return {c.front(), c.back()};
  }
  /// An infinity times whole numbers of few bits: NaN if it meets their second parts, zeros.
  static bool keeps_infinity(const Rung& rung) { return std::isinf(corners(rung, 1.0f).second); }
  /// Sums that no bound tells of, because they may be flushed to zero; but here all are exact.
  static bool keeps_subnormal_sums(const Rung& rung) {
    return corners(rung, 0x1p-140f).first == kSize * 0x1p-139f;
  }

  /// Whether rung or mutant passes the case.
  bool is_right(const Case& c, const ladder::Run& run) {
    Rung rung = find_rung(emulated_rungs(), "split_precision");
    rung.run = run;
    if (c.input == std::string_view("infinity")) return keeps_infinity(rung);
    if (c.input == std::string_view("subnormal_sums")) return keeps_subnormal_sums(rung);
    if (c.before != nullptr) outcome(rung, c.before, kFullOfNumbers);
    const HardOutcome found = outcome(rung, c.input, kSeveralChunks);
    const bool fits =
        std::ranges::find(bench::hard_inputs(), std::string_view(c.input), &HardInput::name)
            ->fits_half;
    const bool takes_right = found.took.starts_with("two FP16 parts") == fits;
    if (c.takes_others) {
      EXPECT_LE(found.error_over_bound, 1.0);
      return takes_right;
    }
    return found.error_over_bound <= 1.0;
  }

  std::unique_ptr<Machine> machine_ = make_cpu_machine();
  const Rung& library_ = find_rung(emulated_rungs(), "cublas");
};

TEST_P(SplitMutantsTest, AreFound) {
  const Mutant* const mutant = mutant_named(split_mutants(), GetParam().mutant);
  ASSERT_NE(mutant, nullptr) << "not in split_mutants.py";
  EXPECT_TRUE(is_right(GetParam(), find_rung(emulated_rungs(), "split_precision").run))
      << "the rung";
  EXPECT_FALSE(is_right(GetParam(), mutant->run)) << "nobody noticed the mistake";
}

INSTANTIATE_TEST_SUITE_P(All, SplitMutantsTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.mutant); });

TEST(SplitMutantTableTest, EveryMutantHasACase) {
  for (const Mutant& mutant : split_mutants())
    EXPECT_NE(std::ranges::find(kCases, mutant.name, &Case::mutant), kCases.end()) << mutant.name;
}

}  // namespace
}  // namespace ladder
