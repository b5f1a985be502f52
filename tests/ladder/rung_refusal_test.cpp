// SPDX-License-Identifier: MIT
/// \file  tests/ladder/rung_refusal_test.cpp
/// \brief A refusal names the rung, the dimension, its value and the rule, and touches no memory.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "common/gemm.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

/// Why `rung` refuses; nothing when it does not. All pointers are null.
std::optional<ShapeRefused> refusal_of(const Rung& rung, const Shape& shape) {
  const auto& [M, N, K] = shape;
  try {
    with_element_of(rung.precision.stored, [&]<class T>(T) {
      rung.run(Gemm<T>{M, N, K, 1.0f, nullptr, nullptr, 0.0f, nullptr}, nullptr);
    });
  } catch (const ShapeRefused& refusal) {
    return refusal;
  }
  return std::nullopt;
}

TEST(RungRefusalTest, NamesRungDimensionValueAndRule) {
  int refusing = 0;
  for (const Rung& rung : emulated_rungs()) {
    if (rung.multiple_of == 1) continue;
    ++refusing;
    const int m = rung.multiple_of;
    const auto expect_named = [&](const Shape& shape, char dimension, int value) {
      const std::optional<ShapeRefused> refusal = refusal_of(rung, shape);
      ASSERT_TRUE(refusal.has_value()) << label(rung);
      EXPECT_EQ(refusal->rung(), label(rung));
      EXPECT_EQ(refusal->dimension(), dimension);
      EXPECT_EQ(refusal->extent(), value);
      EXPECT_EQ(refusal->multiple(), m);
      EXPECT_GT(refusal->reason().size(), 10u) << "no reason: " << refusal->what();
    };
    expect_named({5, 10 * m + 1, 4 * m}, 'N', 10 * m + 1);
    expect_named({5, 10 * m, 4 * m - 1}, 'K', 4 * m - 1);
    expect_named({5, 1, 1}, 'N', 1);
    expect_named({m, m - 1, m}, 'N', m - 1);
  }
  EXPECT_GE(refusing, 9) << "rungs 05 to 13 refuse";
}

TEST(RungRefusalTest, TheOtherRungsTakeAnyShape) {
  for (const Rung& rung : emulated_rungs()) {
    if (rung.multiple_of > 1) continue;
    with_element_of(rung.precision.stored, [&]<class T>(T) {
      const T a(2.0f);
      const T b(3.0f);
      T c(0.0f);
      EXPECT_NO_THROW(rung.run(Gemm<T>{1, 1, 1, 1.0f, &a, &b, 0.0f, &c}, nullptr)) << label(rung);
      EXPECT_EQ(c, 6.0f) << label(rung);
    });
  }
}

TEST(RungRefusalTest, RequireMultiple) {
  EXPECT_NO_THROW(require_multiple("05 vector_access", 'N', 8, 4, "reason"));
  EXPECT_NO_THROW(require_multiple("05 vector_access", 'N', 7, 1, "reason"));
  try {
    require_multiple("05 vector_access", 'K', 131, 4, "rows of A are read as float4");
    FAIL() << "131 was accepted as a multiple of 4";
  } catch (const ShapeRefused& refusal) {
    EXPECT_EQ(refusal.rung(), "05 vector_access");
    EXPECT_EQ(refusal.dimension(), 'K');
    EXPECT_EQ(refusal.extent(), 131);
    EXPECT_EQ(refusal.multiple(), 4);
    EXPECT_EQ(refusal.reason(), "rows of A are read as float4");
  }
}

}  // namespace
}  // namespace ladder
