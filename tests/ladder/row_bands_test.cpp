// SPDX-License-Identifier: MIT
/// \file  tests/ladder/row_bands_test.cpp
/// \brief Problems with more rows of blocks than a grid holds are cut into bands, computed whole.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "common/gemm.hpp"
#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

constexpr int kMaxGridY = 65535;

/// A problem whose matrices are never touched.
Gemm<float> gemm_of(int M, int N, int K) {
  return {.M = M,
          .N = N,
          .K = K,
          .alpha = 2.0f,
          .A = reinterpret_cast<const float*>(std::uintptr_t{1} << 44),
          .B = reinterpret_cast<const float*>(std::uintptr_t{1} << 45),
          .beta = 3.0f,
          .C = reinterpret_cast<float*>(std::uintptr_t{1} << 46)};
}

std::uintptr_t address(const float* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

TEST(RowBandsTest, CeilDiv) {
  EXPECT_EQ(ceil_div(1, 32), 1);
  EXPECT_EQ(ceil_div(31, 32), 1);
  EXPECT_EQ(ceil_div(32, 32), 1);
  EXPECT_EQ(ceil_div(33, 32), 2);
  EXPECT_EQ(ceil_div(7, 1), 7);
  // (extent + tile - 1) / tile would overflow here.
  EXPECT_EQ(ceil_div(std::numeric_limits<int>::max(), 128), 1 << 24);
}

TEST(RowBandsTest, UsualProblemsAreOneBand) {
  for (const int M : {1, 4096, kMaxGridY * 128}) {
    const std::vector<Gemm<float>> bands = row_bands(gemm_of(M, 10, 20), 128);
    ASSERT_EQ(bands.size(), 1u);
    EXPECT_EQ(bands[0].M, M);
    EXPECT_EQ(bands[0].A, gemm_of(M, 10, 20).A);
    EXPECT_EQ(bands[0].C, gemm_of(M, 10, 20).C);
  }
}

TEST(RowBandsTest, BandsCoverAllRowsOnce) {
  struct Case {
    int M, N, K, BM;
    std::size_t bands;
  };
  for (const Case& c :
       {Case{kMaxGridY * 32 + 5, 1, 1, 32, 2}, Case{kMaxGridY * 64, 3, 7, 32, 2},
        Case{kMaxGridY * 128 + 1, 1000, 3000, 128, 2}, Case{1 << 30, 1 << 30, 1 << 30, 32, 513},
        Case{std::numeric_limits<int>::max(), 5, 6, 1, 32769}}) {
    SCOPED_TRACE(testing::Message() << "M = " << c.M << ", BM = " << c.BM);
    const Gemm<float> whole = gemm_of(c.M, c.N, c.K);
    const std::vector<Gemm<float>> bands = row_bands(whole, c.BM);
    EXPECT_EQ(bands.size(), c.bands);
    std::uint64_t row = 0;
    for (const Gemm<float>& band : bands) {
      ASSERT_GE(band.M, 1);
      ASSERT_LE(ceil_div(band.M, c.BM), kMaxGridY);
      ASSERT_EQ(address(band.A), address(whole.A) + 4 * row * c.K);
      ASSERT_EQ(address(band.C), address(whole.C) + 4 * row * c.N);
      ASSERT_EQ(band.B, whole.B);
      ASSERT_EQ(band.N, c.N);
      ASSERT_EQ(band.K, c.K);
      ASSERT_EQ(band.alpha, 2.0f);
      ASSERT_EQ(band.beta, 3.0f);
      row += band.M;
    }
    EXPECT_EQ(row, static_cast<std::uint64_t>(c.M));
  }
}

TEST(RowBandsTest, ARungComputesMoreBlockRowsThanAGridHolds) {
  const Rung& rung = find_rung(emulated_rungs(), "02");
  const Shape shape{.M = kMaxGridY * rung.tile.BM + 5, .N = 1, .K = 1};
  const auto machine = make_cpu_machine();
  Verifier verifier(*machine, shape, 1);
  const Verdict verdict = verifier.verify(rung.run, 1.0f, 0.0f, rung.tile);
  EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
  EXPECT_EQ(emulator::last_run().blocks, 1u) << "the second band holds the last five rows";
}

}  // namespace
}  // namespace ladder
