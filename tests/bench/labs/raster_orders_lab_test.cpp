// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/raster_orders_lab_test.cpp
/// \brief L16: products are right in any order, and what they move ranks as the formula says.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bench/labs/questions/counted_heads.hpp"
#include "bench/labs/questions/counted_product.hpp"
#include "bench/labs/questions/labs.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/gpu_that_answers.hpp"

namespace ladder::labs {
namespace {

std::vector<float> small_numbers(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  std::ranges::generate(numbers, [&] { return static_cast<float>(random() % 16) - 8.0f; });
  return numbers;
}

/// Whole numbers, so that every order of sums gives the same.
std::vector<float> product_of(const ProductPlan& plan, const std::vector<float>& A,
                              const std::vector<float>& B) {
  std::vector<float> C(static_cast<std::size_t>(plan.M) * plan.N);
  for (int m = 0; m < plan.M; ++m)
    for (int k = 0; k < plan.K; ++k)
      for (int n = 0; n < plan.N; ++n)
        C[m * plan.N + n] += A[m * plan.K + k] * B[k * plan.N + n];
  return C;
}

TEST(TiledProductTest, IsRightInEveryOrderAndInParts) {
  const ProductPlan size = {.M = 96, .N = 64, .K = 128, .order = {}};
  const std::vector<float> A = small_numbers(size.M * size.K, 1);
  const std::vector<float> B = small_numbers(size.K * size.N, 2);
  const std::vector<float> expected = product_of(size, A, B);
  const TileGrid grid = grid_of(size);
  for (const TileOrder& order : {row_major_order(grid), column_major_order(grid),
                                 grouped_order(grid, 2), hilbert_order(grid)}) {
    for (const int chunk : {0, 32, 96}) {
      ProductPlan plan = size;
      plan.order = order;
      plan.k_chunk = chunk;
      EXPECT_EQ(emulated_product(plan, A, B), expected) << "chunk " << chunk;
    }
  }
}

TEST(CountProductTest, WhatFitsL2IsReadOnce) {
  ProductPlan plan = {.M = 128, .N = 128, .K = 128, .order = row_major_order({4, 4})};
  const ProductTraffic traffic = count_product(plan, load_card("classroom"));
  // The order of the blocks is 64 bytes more.
  EXPECT_EQ(traffic.read_bytes, 2 * 4.0 * 128 * 128 + 64);
  EXPECT_EQ(traffic.written_bytes, 4.0 * 128 * 128);
}

TEST(CountProductTest, RefusesRaggedEdges) {
  EXPECT_THROW(count_product({.M = 100, .N = 128, .K = 128, .order = {0}}, load_card("classroom")),
               std::invalid_argument);
}

TEST(CountHeadsTest, OnlySharedKeysAreReadAgain) {
  const DeviceCard card = load_card("classroom");
  AttentionHeads heads = {.queries = 16, .queries_per_head = 1, .vectors_per_head = 4096};
  constexpr double kBytes = 16.0 * 4096 * 16;  // of all heads; twice the L2
  for (const int blocks : {16, 8}) {
    heads.queries_per_head = 1;
    EXPECT_EQ(count_heads(heads, blocks, card).requested_bytes, kBytes);
    EXPECT_EQ(count_heads(heads, blocks, card).dram_bytes, kBytes);
    heads.queries_per_head = 4;
    EXPECT_EQ(count_heads(heads, blocks, card).requested_bytes, kBytes);
    EXPECT_EQ(count_heads(heads, blocks, card).dram_bytes, kBytes / 4);
  }
}

TEST(RasterLabTest, FormulaAndCountRankAlike) {
  const LabReport report = raster_orders(nullptr, {.quick = true});
  EXPECT_GT(value_of(report, "rank_correlation"), 0.85);
  EXPECT_LT(value_of(report, "best_bytes"), 0.6 * value_of(report, "row_major_bytes"));
  EXPECT_LT(value_of(report, "hilbert_bytes"), 0.6 * value_of(report, "row_major_bytes"));
  EXPECT_GT(value_of(report, "chunked_bytes"), value_of(report, "row_major_bytes"));
  EXPECT_EQ(claim(report, "R033").verdict, "simulated");
  EXPECT_EQ(claim(report, "R035").verdict, "simulated");
  EXPECT_EQ(claim(report, "R230").verdict, "wrong");
  EXPECT_EQ(claim(report, "R231").verdict, "holds");
  EXPECT_EQ(claim(report, "R232").verdict, "pending");
  EXPECT_EQ(claim(report, "R233").verdict, "simulated");
  EXPECT_EQ(claim(report, "R234").verdict, "simulated");
}

/// A GPU whose time is what the formula's bytes take.
class ProductsByFormula final : public ProductInstrument {
 public:
  int blocks_in_flight() override { return 264; }
  std::vector<double> ms(const ProductPlan& plan, int repeats) override {
    const WaveReads reads = wave_reads(plan.order, grid_of(plan), {32, 32, 32}, plan.K, 264);
    const double factor = plan.k_chunk > 0 && plan.k_chunk < plan.K ? chunked_factor : 1.0;
    return std::vector<double>(static_cast<std::size_t>(repeats),
                               factor * reads.unique_bytes / 1e9);
  }

  double chunked_factor = 1.0;  ///< of the time, where K is cut
};

class GpuWithProducts final : public GpuThatAnswers {
 public:
  GpuWithProducts() {
    memory_facts.l2_bytes = 60 << 20;
    memory_facts.dram_gbps = 4800;
  }
  ProductInstrument* products() override { return &by_formula; }

  ProductsByFormula by_formula;
};

TEST(RasterLabTest, CuttingKHoldsWhereTheClockSaysThatItPays) {
  GpuWithProducts gpu;
  EXPECT_EQ(claim(raster_orders(&gpu, {.quick = true}), "R033").verdict, "wrong");
  gpu.by_formula.chunked_factor = 1e-3;
  EXPECT_EQ(claim(raster_orders(&gpu, {.quick = true}), "R033").verdict, "condition");
}

TEST(RasterLabTest, AGpuThatTellsTimesDecidesNothingThatWasCountedWithOtherCaches) {
  GpuWithProducts gpu;
  const LabReport report = raster_orders(&gpu, {.quick = true});
  for (const char* const row : {"R035", "R233", "R234"})
    EXPECT_EQ(claim(report, row).verdict, "simulated") << row;
  EXPECT_EQ(claim(report, "R230").verdict, "wrong");
}

TEST(RasterLabTest, TimesThatFollowTheBytesMakeThemTheBottleneck) {
  GpuWithProducts gpu;
  const LabReport report = raster_orders(&gpu, {.quick = true});
  EXPECT_NEAR(value_of(report, "time_rank_correlation"), 1.0, 1e-9);
  EXPECT_EQ(claim(report, "R232").verdict, "wrong");
  EXPECT_EQ(finding(report, "chunked_ms").how, "TILE_K = 1920");
}

}  // namespace
}  // namespace ladder::labs
