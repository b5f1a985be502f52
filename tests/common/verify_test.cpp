// SPDX-License-Identifier: MIT
/// \file  tests/common/verify_test.cpp
/// \brief The verifier passes right results, and calls every kind of wrong one wrong with a reason.
#include "common/verify.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/common/wrong_codes.hpp"

namespace ladder {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr BlockTile kTile = {.BM = 32, .BN = 32};

std::size_t at(const Gemm<float>& g, int row, int col) {
  return static_cast<std::size_t>(row) * g.N + col;
}

/// How a made-up kernel rounds.
struct Rounding {
  std::function<float(float)> input = [](float x) { return x; };
  std::function<float(float)> sum = [](float x) { return x; };
};

/// C = alpha*A*B + beta*C, as a right rung would, except for the rounding asked for.
void multiply(const Gemm<float>& g, const Rounding& rounding) {
  for (int row = 0; row < g.M; ++row) {
    for (int col = 0; col < g.N; ++col) {
      float acc = 0.0f;
      for (int k = 0; k < g.K; ++k) {
        acc = rounding.sum(acc + rounding.input(g.A[static_cast<std::size_t>(row) * g.K + k]) *
                                     rounding.input(g.B[static_cast<std::size_t>(k) * g.N + col]));
      }
      float& c = g.C[at(g, row, col)];
      c = g.beta == 0.0f ? g.alpha * acc : g.alpha * acc + g.beta * c;
    }
  }
}

void multiply(const Gemm<float>& g) {
  const float* const A = g.A;
  std::vector<float> acc(g.N);
  for (int row = 0; row < g.M; ++row) {
    std::fill(acc.begin(), acc.end(), 0.0f);
    for (int k = 0; k < g.K; ++k) {
      for (int col = 0; col < g.N; ++col) {
        acc[col] += A[static_cast<std::size_t>(row) * g.K + k] *
                    g.B[static_cast<std::size_t>(k) * g.N + col];
      }
    }
    for (int col = 0; col < g.N; ++col) {
      float& c = g.C[at(g, row, col)];
      c = g.beta == 0.0f ? g.alpha * acc[col] : g.alpha * acc[col] + g.beta * c;
    }
  }
}

const ladder::Run kRight = [](const Gemm<float>& g, Stream) { multiply(g); };

/// A right result, then spoilt.
ladder::Run spoilt(std::function<void(const Gemm<float>&)> spoil) {
  return [spoil = std::move(spoil)](const Gemm<float>& g, Stream) {
    multiply(g);
    spoil(g);
  };
}

/// C, right, in a buffer of its own: what a kernel would have written elsewhere.
std::vector<float> right_result(const Gemm<float>& g) {
  std::vector<float> c(g.C, g.C + static_cast<std::size_t>(g.M) * g.N);
  Gemm<float> copy = g;
  copy.C = c.data();
  multiply(copy);
  return c;
}

/// Rounds to nearest, ties to even, keeping `bits` bits of the mantissa.
float rounded_to(float x, int bits) {
  const int dropped = 23 - bits;
  std::uint32_t word = std::bit_cast<std::uint32_t>(x);
  word += (1u << (dropped - 1)) - 1 + (word >> dropped & 1);
  return std::bit_cast<float>(word >> dropped << dropped);
}

float to_tf32(float x) {
  return rounded_to(x, 10);
}
float to_bf16(float x) {
  return rounded_to(x, 7);
}
float to_fp16(float x) {
  // Below 2^-14 the numbers of FP16 lie 2^-24 apart.
  return std::fabs(x) < 0x1p-14f ? std::nearbyint(x * 0x1p24f) * 0x1p-24f : rounded_to(x, 10);
}

class VerifyTest : public testing::Test {
 protected:
  Verdict judge(const Shape& shape, const ladder::Run& run, float alpha = 1.0f, float beta = 0.0f) {
    Verifier verifier(*machine_, shape, kSeed);
    return verifier.verify(run, alpha, beta, kTile);
  }

  void expect_wrong(const Verdict& verdict, const std::vector<std::string>& facts) {
    EXPECT_FALSE(verdict.right);
    expect_facts(verdict.wrong, facts);
  }

  std::unique_ptr<Machine> machine_ = make_cpu_machine();
};

TEST_F(VerifyTest, RightResultsPass) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{1, 1, 500}, Shape{33, 1, 7}, Shape{1, 65, 3},
                             Shape{40, 50, 1}, Shape{64, 64, 64}, Shape{7, 9, 5000}}) {
    for (const float alpha : {1.0f, 0.0f, -2.5f}) {
      for (const float beta : {0.0f, 1.0f, -0.75f}) {
        SCOPED_TRACE(testing::Message() << shape.M << " x " << shape.N << " x " << shape.K
                                        << ", alpha " << alpha << ", beta " << beta);
        const Verdict verdict = judge(shape, kRight, alpha, beta);
        EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
        EXPECT_TRUE(verdict.wrong.empty());
        EXPECT_LE(verdict.error_over_bound, 1.0);
        EXPECT_FALSE(verdict.difference_to_cublas.has_value());
      }
    }
  }
}

TEST_F(VerifyTest, TheErrorIsMeasuredNotAssumed) {
  const Verdict exact = judge({20, 20, 300}, [](const Gemm<float>& g, Stream) {
    for (int row = 0; row < g.M; ++row) {
      for (int col = 0; col < g.N; ++col) {
        double acc = 0.0;
        for (int k = 0; k < g.K; ++k) {
          acc += 1.0 * g.A[row * g.K + k] * g.B[k * g.N + col];
        }
        g.C[at(g, row, col)] = static_cast<float>(acc);
      }
    }
  });
  const Verdict summed = judge({20, 20, 300}, kRight);
  EXPECT_GT(exact.error_over_bound, 0.0);
  EXPECT_GT(summed.error_over_bound, exact.error_over_bound);
}

TEST_F(VerifyTest, TheVendorsResultIsCompared) {
  Verifier verifier(*machine_, {16, 16, 64}, kSeed);
  EXPECT_EQ(verifier.verify(kRight, 1.0f, 0.5f, kTile, kRight).difference_to_cublas, 0.0);
  const ladder::Run backwards = [](const Gemm<float>& g, Stream) {
    for (int row = 0; row < g.M; ++row) {
      for (int col = 0; col < g.N; ++col) {
        float acc = 0.0f;
        for (int k = g.K - 1; k >= 0; --k)
          acc += g.A[row * g.K + k] * g.B[k * g.N + col];
        float& c = g.C[at(g, row, col)];
        c = g.alpha * acc + g.beta * c;
      }
    }
  };
  const Verdict verdict = verifier.verify(kRight, 1.0f, 0.5f, kTile, backwards);
  EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
  EXPECT_GT(verdict.difference_to_cublas.value(), 0.0);
  EXPECT_LT(verdict.difference_to_cublas.value(), 1e-5);
}

TEST_F(VerifyTest, OneNanIsWrong) {
  const Verdict verdict = judge({100, 100, 10}, spoilt([](const Gemm<float>& g) {
                                  g.C[at(g, 70, 33)] = std::numeric_limits<float>::quiet_NaN();
                                }));
  expect_wrong(verdict, {"1 of 10000", "C[70][33]", "tile (1, 2)", "nan", "share=1", "rows 70-70",
                         "columns 33-33"});
  EXPECT_TRUE(std::isinf(verdict.error_over_bound));
}

TEST_F(VerifyTest, OneInfinityIsWrong) {
  const Verdict verdict = judge({10, 10, 10}, spoilt([](const Gemm<float>& g) {
                                  g.C[at(g, 3, 4)] = -std::numeric_limits<float>::infinity();
                                }));
  expect_wrong(verdict, {"C[3][4]", "infinite", "share=1"});
  EXPECT_TRUE(std::isinf(verdict.error_over_bound));
}

TEST_F(VerifyTest, OneWrongElementIsNamed) {
  const Verdict verdict =
      judge({100, 130, 40}, spoilt([](const Gemm<float>& g) { g.C[at(g, 65, 129)] += 0.5f; }), 1.0f,
            1.0f);
  expect_wrong(verdict,
               {"1 of 13000", "C[65][129]", "tile (4, 2)", "rows 65-65", "columns 129-129"});
  // One element shows no law.
  EXPECT_EQ(verdict.wrong.at(0).kind, WrongKind::kLastTileColumn) << text_of(verdict.wrong);
}

TEST_F(VerifyTest, GotAndExpectedAreStated) {
  const Verdict verdict = judge({1, 1, 1}, [](const Gemm<float>& g, Stream) { g.C[0] = 123.5f; });
  const float expected = RandomArray{kSeed, 0}[0] * RandomArray{kSeed, 1}[0];
  expect_wrong(verdict, {"got 123.5", fmt::format("expected {:.6g}", expected)});
}

TEST_F(VerifyTest, TheSignOfANanIsNotStated) {
  const Verdict verdict = judge({1, 1, 1}, [](const Gemm<float>& g, Stream) {
    g.C[0] = std::copysign(std::numeric_limits<float>::quiet_NaN(), -1.0f);
  });
  const std::string all = text_of(verdict.wrong);
  EXPECT_EQ(all.find("-nan"), std::string::npos) << all;
}

TEST_F(VerifyTest, TransposedResults) {
  for (const Shape& shape : {Shape{48, 48, 20}, Shape{30, 70, 20}, Shape{70, 30, 20}}) {
    const Verdict verdict = judge(shape, [](const Gemm<float>& g, Stream) {
      const std::vector<float> c = right_result(g);
      for (int row = 0; row < g.M; ++row) {
        for (int col = 0; col < g.N; ++col) {
          g.C[static_cast<std::size_t>(col) * g.M + row] = c[at(g, row, col)];
        }
      }
    });
    expect_wrong(verdict, {"transposed"});
  }
}

TEST_F(VerifyTest, HalfWritten) {
  const ladder::Run half = [](const Gemm<float>& g, Stream) {
    Gemm<float> upper = g;
    upper.M = g.M / 2;
    multiply(upper);
  };
  expect_wrong(judge({64, 20, 10}, half),
               {"640 of 1280", "never-written", "share=1", "holds_old_c=false", "rows 32-63"});
  expect_wrong(judge({64, 20, 10}, half, 1.0f, 0.5f),
               {"never-written", "share=1", "holds_old_c=true", "rows 32-63"});
}

TEST_F(VerifyTest, WritingNothing) {
  const ladder::Run nothing = [](const Gemm<float>&, Stream) {};
  expect_wrong(judge({5, 5, 5}, nothing), {"never-written", "share=1", "every-element-wrong"});
  expect_wrong(judge({5, 5, 5}, nothing, 1.0f, -1.0f),
               {"never-written", "share=1", "holds_old_c=true"});
}

TEST_F(VerifyTest, OffByOneTile) {
  struct Case {
    int rows, cols;
    std::vector<std::string> facts;
  };
  for (const Case& c :
       {Case{0, 32, {"shifted-columns", "shift=32"}},
        Case{0, -32, {"shifted-columns", "shift=-32"}},
        Case{0, 128, {"shifted-columns", "shift=128"}}, Case{32, 0, {"shifted-rows", "shift=32"}},
        Case{-128, 0, {"shifted-rows", "shift=-128"}}, Case{1, 0, {"shifted-rows", "shift=1"}}}) {
    const Verdict verdict = judge({320, 300, 8}, [&](const Gemm<float>& g, Stream) {
      const std::vector<float> right = right_result(g);
      for (int row = 0; row < g.M; ++row) {
        for (int col = 0; col < g.N; ++col) {
          const int from_row = (row + c.rows + g.M) % g.M;
          const int from_col = (col + c.cols + g.N) % g.N;
          g.C[at(g, row, col)] = right[at(g, from_row, from_col)];
        }
      }
    });
    expect_wrong(verdict, c.facts);
  }
}

TEST_F(VerifyTest, LowPrecision) {
  struct Case {
    const char* name;
    Rounding rounding;
  };
  const std::vector<Case> cases = {{"TF32 inputs", {.input = to_tf32}},
                                   {"BF16 inputs", {.input = to_bf16}},
                                   {"FP16 inputs", {.input = to_fp16}},
                                   {"FP16 sums", {.sum = to_fp16}}};
  for (const int K : {256, 1024, 4096}) {
    for (const Case& c : cases) {
      SCOPED_TRACE(testing::Message() << c.name << ", K = " << K);
      const ladder::Run run = [&](const Gemm<float>& g, Stream) { multiply(g, c.rounding); };
      const Verdict verdict = judge({16, 16, K}, run, 1.0f, 0.0f);
      expect_wrong(verdict, {"low-precision"});
      EXPECT_GT(verdict.error_over_bound, 2.0);
    }
  }
}

TEST_F(VerifyTest, TheRoundingOfTheseTestsIsRight) {
  EXPECT_EQ(to_tf32(1.0f + 0x1p-10f), 1.0f + 0x1p-10f);
  EXPECT_EQ(to_tf32(1.0f + 0x1p-11f), 1.0f);
  EXPECT_EQ(to_tf32(1.0f + 0x1.8p-10f), 1.0f + 0x1p-9f);
  EXPECT_EQ(to_bf16(-3.02f), -3.015625f);
  EXPECT_EQ(to_fp16(0x1.8p-24f), 0x1p-23f);
}

TEST_F(VerifyTest, ZerosEverywhere) {
  const ladder::Run zeros = [](const Gemm<float>& g, Stream) {
    std::fill_n(g.C, static_cast<std::size_t>(g.M) * g.N, 0.0f);
  };
  expect_wrong(judge({33, 20, 10}, zeros), {"all-zero", "every-element-wrong"});
}

TEST_F(VerifyTest, TheLastTileHintsAtTheGuard) {
  // 100 = 3 * 32 + 4: the last tile row begins at 96.
  expect_wrong(judge({100, 90, 5}, spoilt([](const Gemm<float>& g) {
                       for (int row = 96; row < g.M; ++row) {
                         for (int col = 0; col < g.N; ++col)
                           g.C[at(g, row, col)] = 1e6f + col;
                       }
                     })),
               {"rows 96-99", "last-tile-row"});
  expect_wrong(judge({90, 100, 5}, spoilt([](const Gemm<float>& g) {
                       for (int row = 0; row < g.M; ++row) {
                         for (int col = 97; col < g.N; ++col)
                           g.C[at(g, row, col)] = 1e6f + row;
                       }
                     })),
               {"columns 97-99", "last-tile-column"});
}

TEST_F(VerifyTest, OtherTilesDoNotHintAtTheGuard) {
  const Verdict verdict = judge({100, 90, 5}, spoilt([](const Gemm<float>& g) {
                                  for (int row = 64; row < 70; ++row)
                                    g.C[at(g, row, 1)] = 1e6f + row;
                                }));
  expect_wrong(verdict, {"rows 64-69", "some-elements-wrong"});
}

TEST_F(VerifyTest, ScaledByAConstant) {
  for (const float factor : {2.0f, -1.0f, 0.5f}) {
    const Verdict verdict = judge({40, 40, 30}, spoilt([&](const Gemm<float>& g) {
                                    for (int i = 0; i < g.M * g.N; ++i)
                                      g.C[i] *= factor;
                                  }));
    expect_wrong(verdict,
                 {"wrong-factor", fmt::format("factor={:.4g}", factor), "every-element-wrong"});
  }
}

TEST_F(VerifyTest, BetaIgnored) {
  const ladder::Run ignores_beta = [](const Gemm<float>& g, Stream) {
    Gemm<float> without = g;
    without.beta = 0.0f;
    multiply(without);
  };
  expect_wrong(judge({40, 40, 30}, ignores_beta, 1.0f, 0.5f), {"wrong-beta", "factor=-0.5"});
}

TEST_F(VerifyTest, BetaAppliedTwice) {
  const ladder::Run twice = [](const Gemm<float>& g, Stream) {
    Gemm<float> doubled = g;
    doubled.beta *= 2;
    multiply(doubled);
  };
  expect_wrong(judge({40, 40, 30}, twice, 1.5f, 0.25f), {"wrong-beta", "factor=0.25"});
}

TEST_F(VerifyTest, CReadAlthoughBetaIsZero) {
  // The kernel multiplies what C held, NaN, by beta: that is NaN, but not "never written".
  const ladder::Run reads_c = [](const Gemm<float>& g, Stream) {
    std::vector<float> before(g.C, g.C + static_cast<std::size_t>(g.M) * g.N);
    multiply(g);
    volatile float beta = g.beta;
    for (int i = 0; i < g.M * g.N; ++i)
      g.C[i] += beta * before[i];
  };
  const Verdict verdict = judge({20, 20, 10}, reads_c);
  expect_wrong(verdict, {"nan", "share=1"});
}

TEST_F(VerifyTest, ReadsBeyondTheInputsGiveNan) {
  const Verdict verdict = judge({20, 20, 10}, spoilt([](const Gemm<float>& g) {
                                  volatile float one = 1.0f;
                                  g.C[0] += one * g.A[g.M * g.K];
                                  g.C[1] += one * g.B[-1];
                                }));
  expect_wrong(verdict, {"2 of 400", "nan", "share=1"});
}

TEST_F(VerifyTest, InputsMustStayAsTheyWere) {
  Verifier verifier(*machine_, {20, 30, 40}, kSeed);
  const auto change = [](const float* input, int index) {
    const_cast<float*>(input)[index] += 1.0f;
  };
  expect_wrong(verifier.verify(spoilt([&](const Gemm<float>& g) { change(g.A, 799); }), 1.0f, 0.0f),
               {"input-changed", "array=A", "changed=1"});
  expect_wrong(verifier.verify(spoilt([&](const Gemm<float>& g) {
                                 change(g.B, 0);
                                 change(g.B, 1199);
                               }),
                               1.0f, 0.0f),
               {"input-changed", "array=B", "changed=2"});
  const Verdict after = verifier.verify(kRight, 1.0f, 0.0f);
  EXPECT_TRUE(after.right) << "damage of the run before: " << text_of(after.wrong);
}

TEST_F(VerifyTest, NothingAroundTheMatricesMayBeWritten) {
  Verifier verifier(*machine_, {20, 30, 40}, kSeed);
  constexpr int kGuardFloats = MachineArray<float>::kGuardBytes / sizeof(float);
  struct Case {
    const char* array;
    std::function<void(const Gemm<float>&)> spoil;
  };
  const auto write = [](const float* array, std::ptrdiff_t index) {
    const_cast<float*>(array)[index] = 0.0f;
  };
  const std::vector<Case> cases = {
      {"C", [&](const Gemm<float>& g) { write(g.C, -1); }},
      {"C", [&](const Gemm<float>& g) { write(g.C, g.M * g.N); }},
      {"C", [&](const Gemm<float>& g) { write(g.C, -kGuardFloats); }},
      {"C", [&](const Gemm<float>& g) { write(g.C, g.M * g.N + kGuardFloats - 1); }},
      {"A", [&](const Gemm<float>& g) { write(g.A, -1); }},
      {"B", [&](const Gemm<float>& g) { write(g.B, g.K * g.N); }}};
  for (const Case& c : cases) {
    const Verdict verdict = verifier.verify(spoilt(c.spoil), 1.0f, 0.0f);
    expect_wrong(verdict, {"outside-written", std::string("array=") + c.array});
    const Verdict after = verifier.verify(kRight, 1.0f, 0.0f);
    EXPECT_TRUE(after.right) << "damage of the run before: " << text_of(after.wrong);
  }
}

TEST_F(VerifyTest, NanFromBeyondAIsSeenAlsoBeyondC) {
  // A missing guard in M reads the guard band behind A and writes what comes of it behind C.
  const ladder::Run one_row_too_many = [](const Gemm<float>& g, Stream) {
    Gemm<float> larger = g;
    larger.M += 1;
    multiply(larger);
  };
  expect_wrong(judge({20, 30, 40}, one_row_too_many), {"outside-written", "array=C"});
}

TEST_F(VerifyTest, AnAbortedRunDoesNotSpoilTheNext) {
  Verifier verifier(*machine_, {20, 30, 40}, kSeed);
  const ladder::Run aborts = [](const Gemm<float>& g, Stream) {
    const_cast<float*>(g.A)[3] = 0.0f;
    const_cast<float*>(g.B)[3] = 0.0f;
    g.C[-1] = 0.0f;
    throw std::runtime_error("aborted");
  };
  EXPECT_THROW(verifier.verify(aborts, 1.0f, 0.0f), std::runtime_error);
  const Verdict after = verifier.verify(kRight, 1.0f, 0.0f);
  EXPECT_TRUE(after.right) << text_of(after.wrong);
}

TEST_F(VerifyTest, AWrongResultDoesNotSpoilTheNext) {
  Verifier verifier(*machine_, {20, 30, 40}, kSeed);
  for (const float beta : {0.5f, 0.0f, 0.5f}) {
    EXPECT_FALSE(verifier.verify(spoilt([](const Gemm<float>& g) { g.C[0] += 9; }), 1, beta).right);
    const Verdict after = verifier.verify(kRight, 1.0f, beta);
    EXPECT_TRUE(after.right) << text_of(after.wrong);
  }
}

TEST_F(VerifyTest, InputsAreAsymmetricSoThatNoMixUpPasses) {
  // B in place of A, A transposed, and B transposed would pass if the inputs were symmetric.
  const Shape shape{24, 24, 24};
  const ladder::Run swapped = [](const Gemm<float>& g, Stream) {
    Gemm<float> other = g;
    std::swap(other.A, other.B);
    multiply(other);
  };
  EXPECT_FALSE(judge(shape, swapped).right);
  const ladder::Run a_transposed = [](const Gemm<float>& g, Stream) {
    std::vector<float> a(g.M * g.K);
    for (int m = 0; m < g.M; ++m) {
      for (int k = 0; k < g.K; ++k)
        a[m * g.K + k] = g.A[k * g.M + m];
    }
    Gemm<float> other = g;
    other.A = a.data();
    multiply(other);
  };
  EXPECT_FALSE(judge(shape, a_transposed).right);
}

TEST_F(VerifyTest, TooLargeAProblemIsRefusedBeforeAnythingIsAllocated) {
  try {
    Verifier verifier(*machine_, {kMaxExtent, kMaxExtent, kMaxExtent}, kSeed);
    FAIL() << "2^30 x 2^30 was accepted";
  } catch (const MachineError& error) {
    EXPECT_EQ(error.refusal().kind, RefusalKind::kOutOfMemory);
    EXPECT_EQ(error.refusal().fields.number("m"), kMaxExtent);
    EXPECT_EQ(error.refusal().fields.real("matrix_bytes"), 12 * 0x1p60);
  }
}

// -- Integers, whose results are exact ------------------------------------------------------------

class VerifyIntegersTest : public VerifyTest {
 protected:
  /// Seeds 2 and 3: numbers that TF32 cannot hold in A, and in B.
  bool is_right(const Shape& shape, const ladder::Run& run, float alpha = -2.0f,
                float beta = 0.5f) {
    bool right = true;
    for (const std::uint64_t seed : {2, 3}) {
      Verifier verifier(*machine_, shape, seed, kFp32, Inputs::integers);
      right = verifier.verify(run, alpha, beta, kTile).right && right;
    }
    return right;
  }
};

TEST_F(VerifyIntegersTest, AnyOrderOfAdditionsIsExact) {
  const ladder::Run backwards = [](const Gemm<float>& g, Stream) {
    for (int row = 0; row < g.M; ++row) {
      for (int col = 0; col < g.N; ++col) {
        float acc = 0.0f;
        for (int k = g.K - 1; k >= 0; --k)
          acc += g.alpha * g.A[row * g.K + k] * g.B[k * g.N + col];
        float& c = g.C[at(g, row, col)];
        c = g.beta == 0.0f ? acc : acc + g.beta * c;
      }
    }
  };
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{33, 34, 7}, Shape{5, 6, 4000}}) {
    for (const ladder::Run& run : {kRight, backwards}) {
      EXPECT_TRUE(is_right(shape, run));
      EXPECT_TRUE(is_right(shape, run, 4.0f, 0.0f));
    }
  }
}

TEST_F(VerifyIntegersTest, OneProductTooFewOrTooManyIsWrong) {
  const Shape shape = {9, 8, 1000};
  const auto with_one_product = [](float factor) {
    return spoilt([=](const Gemm<float>& g) {
      g.C[at(g, 4, 5)] += factor * g.A[4 * g.K + 999] * g.B[999 * g.N + 5];
    });
  };
  EXPECT_TRUE(is_right(shape, with_one_product(0.0f)));
  EXPECT_FALSE(is_right(shape, with_one_product(2.0f))) << "left out";
  EXPECT_FALSE(is_right(shape, with_one_product(-2.0f))) << "taken twice";
  EXPECT_FALSE(
      is_right(shape, spoilt([](const Gemm<float>& g) { g.C[0] = std::nextafter(g.C[0], 1e9f); })))
      << "the last bit";
}

/// As multiply(), of inputs that are rounded to TF32 once; sums of 1024 products are added up one
/// by one, as a kernel that splits K does.
void multiply_in_tf32(const Gemm<float>& g) {
  std::vector<float> a(g.A, g.A + static_cast<std::size_t>(g.M) * g.K);
  std::vector<float> b(g.B, g.B + static_cast<std::size_t>(g.K) * g.N);
  std::ranges::transform(a, a.begin(), to_tf32);
  std::ranges::transform(b, b.begin(), to_tf32);
  constexpr int kPart = 1024;
  for (int row = 0; row < g.M; ++row) {
    for (int col = 0; col < g.N; ++col) {
      float sum = 0.0f;
      for (int k0 = 0; k0 < g.K; k0 += kPart) {
        float part = 0.0f;
        for (int k = k0; k < std::min(k0 + kPart, g.K); ++k) {
          part += a[static_cast<std::size_t>(row) * g.K + k] *
                  b[static_cast<std::size_t>(k) * g.N + col];
        }
        sum += part;
      }
      float& c = g.C[at(g, row, col)];
      c = g.beta == 0.0f ? g.alpha * sum : g.alpha * sum + g.beta * c;
    }
  }
}

TEST_F(VerifyIntegersTest, Tf32InputsAreToldApartWhateverKIs) {
  const ladder::Run tf32 = [](const Gemm<float>& g, Stream) { multiply_in_tf32(g); };
  EXPECT_FALSE(judge({8, 8, 1 << 12}, tf32).right);
  // What so many additions may lose in FP32 is as much as what TF32 loses: the bound lets it pass.
  Verifier long_sums(*machine_, {8, 8, 1 << 20}, 1);
  EXPECT_TRUE(long_sums.verify(tf32, 1.0f, 0.0f).right);
  for (const int K : {4, 84, 1024})
    EXPECT_FALSE(is_right({8, 8, K}, tf32)) << K;
}

TEST_F(VerifyIntegersTest, InputsOfOtherPrecisionsAreExactInThem) {
  const ladder::Run tf32 = [](const Gemm<float>& g, Stream) { multiply_in_tf32(g); };
  for (const std::uint64_t seed : {2, 3}) {
    Verifier verifier(*machine_, {16, 16, 200}, seed, kTf32, Inputs::integers);
    const Verdict verdict = verifier.verify(tf32, -2.0f, 0.5f);
    EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
  }
}

// -- Factors that say nothing about a kernel ------------------------------------------------------

TEST_F(VerifyTest, FactorsThatAreNotFiniteAreNotTheKernelsFault) {
  Verifier verifier(*machine_, {4, 4, 4}, kSeed);
  const float infinity = std::numeric_limits<float>::infinity();
  const auto refused_factor = [&](float alpha, float beta) -> std::string {
    try {
      verifier.verify(kRight, alpha, beta);
    } catch (const BadRequest& error) {
      EXPECT_EQ(error.refusal().kind, RefusalKind::kFactorNotFinite);
      return error.refusal().fields.word("factor");
    }
    return "accepted";
  };
  EXPECT_EQ(refused_factor(infinity, 0.0f), "alpha");
  EXPECT_EQ(refused_factor(1.0f, -infinity), "beta");
  EXPECT_EQ(refused_factor(std::nanf(""), 0.0f), "alpha");
}

TEST_F(VerifyTest, AnOverflowThatTheReferenceHasTooIsNotTheKernelsFault) {
  const auto refusal = [&](int K, float alpha, float beta) -> std::optional<Refusal> {
    try {
      const Verdict verdict = judge({9, 7, K}, kRight, alpha, beta);
      EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
    } catch (const BadRequest& error) {
      return error.refusal();
    }
    return std::nullopt;
  };
  const Refusal of_alpha = refusal(256, 1e38f, 0.0f).value();
  EXPECT_EQ(of_alpha.kind, RefusalKind::kFactorTooLarge);
  EXPECT_EQ(of_alpha.fields.word("factor"), "alpha");
  EXPECT_EQ(of_alpha.fields.number("k"), 256);
  EXPECT_NEAR(of_alpha.fields.real("limit"), 5.5e34, 0.1e34);
  EXPECT_EQ(refusal(1, 1.0f, -3e38f).value().fields.word("factor"), "beta");
  for (const int K : {1, 16, 256, 5000}) {
    const float largest = 1.7e38f / (static_cast<float>(K) * 12.01f);
    EXPECT_FALSE(refusal(K, largest, 0.0f)) << K;
    EXPECT_FALSE(refusal(K, -largest, 1e37f)) << K;
  }
}

TEST_F(VerifyTest, MinusZeroIsZeroToBeta) {
  EXPECT_TRUE(judge({20, 20, 10}, kRight, 1.0f, -0.0f).right);
  const ladder::Run reads_c = [](const Gemm<float>& g, Stream) {
    Gemm<float> general = g;
    std::vector<float> before(g.C, g.C + static_cast<std::size_t>(g.M) * g.N);
    multiply(general);
    for (int i = 0; i < g.M * g.N; ++i)
      g.C[i] += g.beta * before[i];
  };
  expect_wrong(judge({20, 20, 10}, reads_c, 1.0f, -0.0f), {"nan"});
}

}  // namespace
}  // namespace ladder
