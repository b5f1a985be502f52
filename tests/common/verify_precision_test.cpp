// SPDX-License-Identifier: MIT
/// \file  tests/common/verify_precision_test.cpp
/// \brief Each precision is held to its own bound: what rounds as it says passes, what rounds more
///        often, or cuts bits off, does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/common/wrong_codes.hpp"

#include "common/verify.hpp"

namespace ladder {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr BlockTile kTile = {.BM = 32, .BN = 32};
/// Large enough for each mistake to show in some element.
constexpr Shape kShape = {128, 128, 256};

using Rounding = std::function<float(float)>;

float unchanged(float x) {
  return x;
}
float to_bf16(float x) {
  return bfloat16(x);
}
/// Cuts off all but `bits` bits of fraction.
float cut_off(float x, int bits) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) >> (23 - bits) << (23 - bits));
}
float to_bf16_cut_off(float x) {
  return cut_off(x, 7);
}
float to_tf32_cut_off(float x) {
  return cut_off(x, 10);
}
/// To nearest, ties away from zero, as cvt.rna does it.
float to_tf32(float x) {
  return to_tf32_cut_off(std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) + 0x1000));
}

/// How a made-up kernel rounds. It computes in FP32.
struct Roundings {
  Rounding input = unchanged;
  Rounding sum = unchanged;      ///< after each addition
  Rounding product = unchanged;  ///< alpha*(A*B), before beta*C is added
  Rounding initial = unchanged;  ///< beta*C
  Rounding result = unchanged;
};

template <class T>
ladder::Run kernel(Roundings rounding) {
  return [rounding](const Gemm<T>& g, Stream) {
    std::vector<float> acc(g.N);
    for (int row = 0; row < g.M; ++row) {
      std::fill(acc.begin(), acc.end(), 0.0f);
      for (int k = 0; k < g.K; ++k) {
        const float a = rounding.input(g.A[static_cast<std::size_t>(row) * g.K + k]);
        const T* const B = g.B + static_cast<std::size_t>(k) * g.N;
        for (int col = 0; col < g.N; ++col)
          acc[col] = rounding.sum(acc[col] + a * rounding.input(B[col]));
      }
      for (int col = 0; col < g.N; ++col) {
        T& c = g.C[static_cast<std::size_t>(row) * g.N + col];
        const float product = rounding.product(g.alpha * acc[col]);
        const float initial = g.beta == 0.0f ? 0.0f : rounding.initial(g.beta * c);
        c = T(rounding.result(product + initial));
      }
    }
  };
}

class VerifyPrecisionTest : public testing::Test {
 protected:
  Verdict judge(const Precision& precision, const ladder::Run& run, const Shape& shape = kShape,
                float alpha = 1.0f, float beta = 0.0f) {
    Verifier verifier(*machine_, shape, kSeed, precision);
    return verifier.verify(run, alpha, beta, kTile);
  }

  void expect_wrong(const Verdict& verdict, const std::vector<std::string>& facts = {}) {
    EXPECT_FALSE(verdict.right) << verdict.error_over_bound;
    expect_facts(verdict.wrong, facts);
  }

  std::unique_ptr<Machine> machine_ = make_cpu_machine();
};

TEST_F(VerifyPrecisionTest, WhatRoundsAsItSaysPasses) {
  const ladder::Run bf16 = kernel<bfloat16>({});
  const ladder::Run tf32 = kernel<float>({.input = to_tf32});
  const ladder::Run fp32 = kernel<float>({});
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{3, 5, 7}, Shape{129, 65, 1}, Shape{40, 30, 4096}, kShape}) {
    for (const float alpha : {1.0f, 0.0f, -1.7320508f}) {
      for (const float beta : {0.0f, 1.0f, -0.75f}) {
        SCOPED_TRACE(testing::Message() << shape.M << " x " << shape.N << " x " << shape.K
                                        << ", alpha " << alpha << ", beta " << beta);
        for (const auto& [precision, run] : {std::pair(kBf16, bf16), std::pair(kTf32, tf32),
                                             std::pair(kTf32, fp32), std::pair(kFp32, fp32)}) {
          const Verdict verdict = judge(precision, run, shape, alpha, beta);
          EXPECT_TRUE(verdict.right) << precision.name << ": " << text_of(verdict.wrong);
          EXPECT_LE(verdict.error_over_bound, 1.0);
        }
      }
    }
  }
}

TEST_F(VerifyPrecisionTest, RightResultsLeaveRoom) {
  // Rounding to BF16 may use up its half step; the rest of the bound is for sums.
  EXPECT_GT(judge(kBf16, kernel<bfloat16>({})).error_over_bound, 0.9);
  EXPECT_LT(judge(kTf32, kernel<float>({.input = to_tf32})).error_over_bound, 0.6);
  EXPECT_LT(judge(kTf32, kernel<float>({})).error_over_bound, 0.01)
      << "FP32 is more than asked for";
}

TEST_F(VerifyPrecisionTest, InputsOfLessThanFp32) {
  const ladder::Run tf32 = kernel<float>({.input = to_tf32});
  expect_wrong(judge(kFp32, tf32), {"low-precision"});
  const ladder::Run bf16_inputs = kernel<float>({.input = to_bf16});
  expect_wrong(judge(kTf32, bf16_inputs), {"low-precision"});
}

TEST_F(VerifyPrecisionTest, Tf32InputsThatAreCutOff) {
  expect_wrong(judge(kTf32, kernel<float>({.input = to_tf32_cut_off})));
}

TEST_F(VerifyPrecisionTest, Bf16ResultsThatAreCutOff) {
  const Verdict verdict = judge(kBf16, kernel<bfloat16>({.result = to_bf16_cut_off}));
  expect_wrong(verdict, {"low-precision"});
  EXPECT_NEAR(verdict.error_over_bound, 2.0, 0.1);
}

TEST_F(VerifyPrecisionTest, Bf16SumsThatAreNotKeptInFp32) {
  expect_wrong(judge(kBf16, kernel<bfloat16>({.sum = to_bf16})));
  expect_wrong(judge(kBf16, kernel<bfloat16>({.sum = to_bf16}), {32, 32, 16}));
}

TEST_F(VerifyPrecisionTest, Bf16ResultsThatAreRoundedTwice) {
  const ladder::Run product = kernel<bfloat16>({.product = to_bf16});
  expect_wrong(judge(kBf16, product, kShape, 1.0f, 0.5f));
  EXPECT_TRUE(judge(kBf16, product, kShape, 1.0f, 0.0f).right) << "then it is rounded once";
  const ladder::Run initial = kernel<bfloat16>({.initial = to_bf16});
  expect_wrong(judge(kBf16, initial, kShape, 1.0f, 1.7320508f));
}

TEST_F(VerifyPrecisionTest, Bf16MistakesAreNamed) {
  const auto spoilt = [](std::function<void(const Gemm<bfloat16>&)> spoil) -> ladder::Run {
    return [=, right = kernel<bfloat16>({})](const Gemm<bfloat16>& g, Stream stream) {
      right(g, stream);
      spoil(g);
    };
  };
  const Shape shape = {40, 40, 30};
  expect_wrong(judge(kBf16, spoilt([](const Gemm<bfloat16>& g) {
                       for (int i = 0; i < g.M * g.N; ++i)
                         g.C[i] = bfloat16(2 * g.C[i]);
                     }),
                     shape),
               {"wrong-factor"});
  expect_wrong(judge(kBf16, spoilt([](const Gemm<bfloat16>& g) {
                       const std::vector<bfloat16> c(g.C, g.C + g.M * g.N);
                       for (int i = 0; i < g.M * g.N; ++i)
                         g.C[i] = c[i % g.M * g.N + i / g.M];
                     }),
                     shape),
               {"transposed"});
  const ladder::Run without_beta = [right = kernel<bfloat16>({})](const Gemm<bfloat16>& g,
                                                                  Stream stream) {
    Gemm<bfloat16> without = g;
    without.beta = 0.0f;
    right(without, stream);
  };
  expect_wrong(judge(kBf16, without_beta, shape, 1.0f, 0.5f), {"wrong-beta"});
}

TEST_F(VerifyPrecisionTest, Bf16ResultsThatNobodyWrote) {
  // An odd number of elements: C ends in the middle of a word.
  const Shape shape = {5, 7, 9};
  const ladder::Run nothing = [](const Gemm<bfloat16>&, Stream) {};
  expect_wrong(judge(kBf16, nothing, shape), {"35 of 35"});
  expect_wrong(judge(kBf16, nothing, shape), {"never-written", "share=1", "every-element-wrong"});
  expect_wrong(judge(kBf16, nothing, shape, 1.0f, 0.5f), {"never-written", "holds_old_c=true"});
  const ladder::Run reads_c = [](const Gemm<bfloat16>& g, Stream stream) {
    const std::vector<float> before(g.C, g.C + g.M * g.N);
    kernel<bfloat16>({})(g, stream);
    volatile float beta = g.beta;
    for (int i = 0; i < g.M * g.N; ++i)
      g.C[i] = bfloat16(g.C[i] + beta * before[i]);
  };
  const Verdict verdict = judge(kBf16, reads_c, shape);
  expect_wrong(verdict, {"35 of 35"});
  expect_wrong(verdict, {"nan"});
}

TEST_F(VerifyPrecisionTest, Bf16DamageIsSeenAndRepaired) {
  Verifier verifier(*machine_, {5, 7, 9}, kSeed, kBf16);
  constexpr int kGuardElements = MachineArray<bfloat16>::kGuardBytes / sizeof(bfloat16);
  const auto written = [](const bfloat16* array, int index) {
    const_cast<bfloat16*>(array)[index] = bfloat16(0.0f);
  };
  struct Case {
    std::vector<std::string> facts;
    std::function<void(const Gemm<bfloat16>&)> spoil;
  };
  const std::vector<Case> cases = {
      {{"outside-written", "array=C"}, [&](const Gemm<bfloat16>& g) { written(g.C, -1); }},
      {{"outside-written", "array=C"}, [&](const Gemm<bfloat16>& g) { written(g.C, g.M * g.N); }},
      {{"outside-written", "array=C"},
       [&](const Gemm<bfloat16>& g) { written(g.C, -kGuardElements); }},
      {{"outside-written", "array=C"},
       [&](const Gemm<bfloat16>& g) { written(g.C, g.M * g.N + kGuardElements - 1); }},
      {{"outside-written", "array=A"}, [&](const Gemm<bfloat16>& g) { written(g.A, g.M * g.K); }},
      {{"outside-written", "array=B"}, [&](const Gemm<bfloat16>& g) { written(g.B, -1); }},
      {{"input-changed", "array=A", "changed=1"},
       [&](const Gemm<bfloat16>& g) { written(g.A, 44); }},
      {{"input-changed", "array=B", "changed=1"},
       [&](const Gemm<bfloat16>& g) { written(g.B, 0); }}};
  const ladder::Run right = kernel<bfloat16>({});
  for (const Case& c : cases) {
    const ladder::Run spoilt = [&](const Gemm<bfloat16>& g, Stream stream) {
      right(g, stream);
      c.spoil(g);
    };
    expect_wrong(verifier.verify(spoilt, 1.0f, 0.0f), c.facts);
    const Verdict after = verifier.verify(right, 1.0f, 0.0f);
    EXPECT_TRUE(after.right) << "damage of the run before: " << text_of(after.wrong);
  }
}

TEST_F(VerifyPrecisionTest, Bf16InputsAreThoseOfFp32Rounded) {
  const ladder::Run looks = [](const Gemm<bfloat16>& g, Stream) {
    for (int i = 0; i < g.M * g.K; ++i)
      ASSERT_EQ(g.A[i], to_bf16(RandomArray{kSeed, 0}[i]));
    for (int i = 0; i < g.K * g.N; ++i)
      ASSERT_EQ(g.B[i], to_bf16(RandomArray{kSeed, 1}[i]));
    for (int i = 0; i < g.M * g.N; ++i)
      ASSERT_EQ(g.C[i], to_bf16(RandomArray{kSeed, 2}[i]));
  };
  judge(kBf16, looks, {6, 7, 8}, 1.0f, 1.0f);
}

TEST_F(VerifyPrecisionTest, TheVendorsResultIsCompared) {
  Verifier verifier(*machine_, {16, 16, 64}, kSeed, kBf16);
  const ladder::Run right = kernel<bfloat16>({});
  EXPECT_EQ(verifier.verify(right, 1.0f, 0.5f, kTile, right).difference_to_cublas, 0.0);
  const ladder::Run other = kernel<bfloat16>({.result = to_bf16_cut_off});
  const double difference =
      verifier.verify(right, 1.0f, 0.5f, kTile, other).difference_to_cublas.value();
  EXPECT_GT(difference, 0x1p-10);
  EXPECT_LT(difference, 0x1p-7);
}

TEST_F(VerifyPrecisionTest, ARunOfOtherMatricesIsRefused) {
  EXPECT_THROW(judge(kBf16, kernel<float>({})), std::invalid_argument);
  EXPECT_THROW(judge(kTf32, kernel<bfloat16>({})), std::invalid_argument);
}

TEST_F(VerifyPrecisionTest, Bf16NeedsHalfTheMemory) {
  const Shape shape = {1000, 2000, 3000};
  const double matrices = 1000. * 3000 + 3000. * 2000 + 2 * 1000. * 2000;  // and the vendor's C
  EXPECT_EQ(verification_bytes(shape, Format::fp32) - verification_bytes(shape, Format::bf16),
            2 * matrices);
  try {
    require_memory(*machine_, {1 << 30, 1 << 30, 1 << 30}, Format::bf16, 1e30);
    ADD_FAILURE() << "accepted";
  } catch (const MachineError& error) {
    EXPECT_EQ(error.refusal().kind, RefusalKind::kOutOfMemory);
    EXPECT_EQ(error.refusal().fields.real("matrix_bytes"), 6 * 0x1p60);
  }
}

}  // namespace
}  // namespace ladder
