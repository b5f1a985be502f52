// SPDX-License-Identifier: MIT
/// \file  tests/common/precision_test.cpp
/// \brief What follows from a precision: the types of a GEMM, bytes, peaks, and the bound's terms.
#include "common/precision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "common/device_card.hpp"
#include "common/error_bound.hpp"
#include "common/gemm.hpp"
#include "common/roofline.hpp"

namespace ladder {
namespace {

TEST(PrecisionTest, UnitRoundoffIsHalfAStepAtOne) {
  EXPECT_EQ(unit_roundoff(Format::fp32), std::nextafter(1.0f, 2.0f) / 2 - 0.5f);
  EXPECT_EQ(float(bfloat16(1.0f + 0x1p-8f)), 1.0f) << "half a step goes to the even number";
  EXPECT_EQ(float(bfloat16(1.0f + 0x1.02p-8f)), 1.0f + 0x1p-7f);
  EXPECT_EQ(unit_roundoff(Format::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(Format::tf32), 0x1p-11) << "10 bits of fraction";
}

TEST(PrecisionTest, TheStoredFormatIsTheElementType) {
  EXPECT_EQ(kFormatOf<float>, Format::fp32);
  EXPECT_EQ(kFormatOf<bfloat16>, Format::bf16);
  for (const Precision& precision : {kFp32, kTf32, kBf16}) {
    with_element_of(precision.stored, [&]<class T>(T) {
      EXPECT_EQ(kFormatOf<T>, precision.stored) << precision.name;
      EXPECT_EQ(static_cast<int>(sizeof(T)), bytes_of(precision.stored)) << precision.name;
    });
  }
}

TEST(PrecisionTest, ARunTakesMatricesOfOneType) {
  const ladder::Run floats = [](const Gemm<float>& gemm, Stream) { *gemm.C = 1.0f; };
  const ladder::Run bfloats = [](const Gemm<bfloat16>& gemm, Stream) { *gemm.C = bfloat16(2.0f); };
  float c = 0.0f;
  bfloat16 short_c(0.0f);
  const Gemm<float> gemm = {1, 1, 1, 1.0f, nullptr, nullptr, 0.0f, &c};
  const Gemm<bfloat16> short_gemm = {1, 1, 1, 1.0f, nullptr, nullptr, 0.0f, &short_c};
  EXPECT_EQ(floats.stored(), Format::fp32);
  EXPECT_EQ(bfloats.stored(), Format::bf16);
  floats(gemm, nullptr);
  bfloats(short_gemm, nullptr);
  EXPECT_EQ(c, 1.0f);
  EXPECT_EQ(short_c, 2.0f);
  const auto said = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said([&] { bfloats(gemm, nullptr); }),
            "matrices of FP32 were given to a GEMM of BF16 matrices");
  EXPECT_EQ(said([&] { floats(short_gemm, nullptr); }),
            "matrices of BF16 were given to a GEMM of FP32 matrices");
  EXPECT_TRUE(floats && bfloats);
  EXPECT_FALSE(ladder::Run());
  void (*const missing)(const Gemm<bfloat16>&, Stream) = nullptr;
  EXPECT_FALSE(ladder::Run(missing));
  EXPECT_EQ(ladder::Run(missing).stored(), Format::bf16);
}

TEST(PrecisionTest, BytesAreThoseOfTheStoredFormat) {
  const Shape shape = {10, 20, 30};
  EXPECT_EQ(compulsory_bytes(shape, 0.0f, kFp32.stored), 4 * (300 + 600 + 200));
  EXPECT_EQ(compulsory_bytes(shape, 0.0f, kTf32.stored), 4 * (300 + 600 + 200));
  EXPECT_EQ(compulsory_bytes(shape, 1.0f, kBf16.stored), 2 * (300 + 600 + 2 * 200));
}

TEST(PrecisionTest, ThePeakIsThatOfTheUnitsThatMultiply) {
  const Roof h200 = roof_of(load_card("h200"));
  EXPECT_NEAR(peak_tflops(h200, kFp32).value(), 66.9, 0.1);
  EXPECT_NEAR(peak_tflops(h200, kTf32).value(), 535.3, 0.1);
  EXPECT_NEAR(peak_tflops(h200, kBf16).value(), 1070.5, 0.1);
  const Shape large = {8192, 8192, 8192};
  EXPECT_EQ(attainable_tflops(h200, large, 0.0f, kBf16), peak_tflops(h200, kBf16));
  // With one row per matrix, DRAM decides: two operations for each element of B.
  const Shape thin = {1, 8192, 8192};
  const double fp32 = attainable_tflops(h200, thin, 0.0f, kFp32).value();
  EXPECT_NEAR(attainable_tflops(h200, thin, 0.0f, kTf32).value(), fp32, 1e-9);
  EXPECT_NEAR(attainable_tflops(h200, thin, 0.0f, kBf16).value(), 2 * fp32, 1e-9);
}

TEST(PrecisionTest, AGpuWithoutTheUnitsHasNoPeak) {
  const Roof t4 = roof_of(load_card("t4"));
  EXPECT_TRUE(peak_tflops(t4, kFp32));
  EXPECT_FALSE(peak_tflops(t4, kTf32));
  EXPECT_FALSE(attainable_tflops(t4, {64, 64, 64}, 0.0f, kBf16));
}

TEST(PrecisionTest, TheBoundHasATermForEachRounding) {
  constexpr int K = 1024;
  const auto bound = [](const Precision& precision) { return ErrorBound::of(K, -2.0, precision); };
  const ErrorBound fp32 = bound(kFp32);
  EXPECT_EQ(fp32.per_scale, 12 * 2.0 * 0x1p-24 * 32);
  EXPECT_EQ(fp32.per_size, 4 * 0x1p-24);
  EXPECT_EQ(fp32.per_result, 0.0) << "the last rounding is one of the epilogue's";
  EXPECT_EQ(bound(kTf32).per_scale, fp32.per_scale + 6 * 2.0 * 0x1p-11) << "inputs are rounded";
  EXPECT_EQ(bound(kTf32).per_result, 0.0);
  EXPECT_EQ(bound(kBf16).per_scale, fp32.per_scale) << "inputs are used as they are";
  EXPECT_EQ(bound(kTf32).per_size, (4 + K / 16) * 0x1p-24) << "tensor cores cut sums off";
  EXPECT_EQ(bound(kBf16).per_size, (4 + K / 16) * 0x1p-24);
  EXPECT_EQ(bound(kBf16).per_result, 0x1p-8);
  EXPECT_NEAR(bound(kBf16)(0.0, 3.0, -1.0), 2 * 0x1p-8 + 4 * (4 + K / 16) * 0x1p-24, 1e-12)
      << "of the result, not of what it was added up from";
}

}  // namespace
}  // namespace ladder
