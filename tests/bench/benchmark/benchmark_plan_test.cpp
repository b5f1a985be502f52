// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/benchmark_plan_test.cpp
/// \brief What a benchmark will measure: names, protocols, filters and refusals.
#include "bench/benchmark/plan.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace ladder::bench {
namespace {

using Names = std::vector<std::string>;

Names row_names(const Plan& plan) {
  Names names;
  for (const Job& job : plan.jobs) {
    for (const Row& row : job.rows)
      names.push_back(row.name);
  }
  return names;
}

PlanRequest request(const std::vector<std::string>& rungs, std::vector<Shape> shapes) {
  PlanRequest request{
      .rungs = {}, .shapes = std::move(shapes), .protocol = {}, .compute_capability = 90};
  for (const std::string& rung : rungs)
    request.rungs.push_back(find_rung(emulated_rungs(), rung));
  return request;
}

Plan plan_of(const PlanRequest& request) {
  return make_plan(emulated_rungs(), request);
}

TEST(BenchmarkPlanTest, NamesSayRungShapeAndProtocol) {
  const Plan plan = plan_of(request({"07", "03"}, {{512, 512, 512}, {4096, 4100, 4104}}));
  EXPECT_EQ(row_names(plan),
            (Names{"00_cublas/512x512x512/graph", "best_cublaslt/512x512x512/graph",
                   "07_wave_swizzle/512x512x512/graph", "03_shared_tile/512x512x512/graph",
                   "00_cublas/4096x4100x4104/burst", "best_cublaslt/4096x4100x4104/burst",
                   "07_wave_swizzle/4096x4100x4104/burst", "03_shared_tile/4096x4100x4104/burst"}));
  EXPECT_EQ(plan.jobs[0].protocol, Protocol::graph);
  EXPECT_FALSE(plan.jobs[0].rows[1].rung.has_value()) << "the best of cublasLt is no rung";
}

TEST(BenchmarkPlanTest, ShortLaunchesAreReplayedAsGraphs) {
  EXPECT_EQ(protocol_for({2048, 2048, 2048}), Protocol::graph);
  EXPECT_EQ(protocol_for({3072, 3072, 3072}), Protocol::burst);
  PlanRequest fixed = request({"07"}, {{512, 512, 512}});
  fixed.protocol = Protocol::sustained;
  EXPECT_EQ(row_names(plan_of(fixed)).back(), "07_wave_swizzle/512x512x512/sustained");
}

TEST(BenchmarkPlanTest, ARungIsMeasuredOnce) {
  EXPECT_EQ(row_names(plan_of(request({"07", "00", "07"}, {{512, 512, 512}}))).size(), 3u);
}

/// A rung of BF16 that there is not.
Rung bf16_rung() {
  return {.number = 14,
          .name = "bf16",
          .idea = "",
          .builds_on = 3,
          .precision = kBf16,
          .architectures = kAmpereAndNewer,
          .multiple_of = 8,
          .tile = {128, 128},
          .run = [](const Gemm<bfloat16>&, Stream) {}};
}

TEST(BenchmarkPlanTest, EachPrecisionHasItsRivals) {
  PlanRequest mixed = request({"07"}, {{512, 512, 512}});
  mixed.rungs.push_back(bf16_rung());
  const Plan plan = plan_of(mixed);
  EXPECT_EQ(row_names(plan),
            (Names{"00_cublas/512x512x512/graph", "best_cublaslt/512x512x512/graph",
                   "00_cublas_bf16/512x512x512/graph", "best_cublaslt_bf16/512x512x512/graph",
                   "07_wave_swizzle/512x512x512/graph", "14_bf16/512x512x512/graph"}));
  EXPECT_EQ(precisions_of(plan.jobs[0]), (std::vector<Precision>{kFp32, kBf16}));
  EXPECT_EQ(plan.jobs[0].rows[3].precision, kBf16);
  mixed.rungs = {bf16_rung()};
  EXPECT_EQ(row_names(plan_of(mixed)),
            (Names{"00_cublas_bf16/512x512x512/graph", "best_cublaslt_bf16/512x512x512/graph",
                   "14_bf16/512x512x512/graph"}));
}

TEST(BenchmarkPlanTest, WhereRung00CannotRunInAPrecisionNeitherCanCublasLt) {
  PlanRequest old = request({"07"}, {{512, 512, 512}});
  old.rungs.push_back(bf16_rung());
  old.compute_capability = 75;
  const Plan plan = plan_of(old);
  EXPECT_EQ(row_names(plan),
            (Names{"00_cublas/512x512x512/graph", "best_cublaslt/512x512x512/graph",
                   "07_wave_swizzle/512x512x512/graph"}));
  ASSERT_EQ(plan.refusals.size(), 3u);
  EXPECT_EQ(plan.refusals[1].row, "best_cublaslt_bf16/512x512x512/graph");
  EXPECT_EQ(plan.refusals[1].sentence,
            "00 cublas_bf16 needs compute capability 8.0 or higher, this GPU has 7.5");
}

TEST(BenchmarkPlanTest, TheFilterIsGoogleBenchmarks) {
  PlanRequest filtered = request({"07", "03"}, {{512, 512, 512}, {4096, 4096, 4096}});
  filtered.filter = "^07.*/graph$";
  EXPECT_EQ(row_names(plan_of(filtered)), Names{"07_wave_swizzle/512x512x512/graph"});
  filtered.filter = "-cublas|burst";
  EXPECT_EQ(row_names(plan_of(filtered)),
            (Names{"07_wave_swizzle/512x512x512/graph", "03_shared_tile/512x512x512/graph"}));
  for (const char* all : {"all", "", "."}) {
    filtered.filter = all;
    EXPECT_EQ(row_names(plan_of(filtered)).size(), 8u) << all;
  }
}

TEST(BenchmarkPlanTest, AFilterThatLeavesNothingIsRefused) {
  PlanRequest filtered = request({"07"}, {{512, 512, 512}});
  filtered.filter = "no such row";
  try {
    plan_of(filtered);
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()),
              "--benchmark_filter=no such row matches no row: --list shows their names");
  }
  filtered.filter = "(";
  try {
    plan_of(filtered);
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "--benchmark_filter=(: this is no regular expression");
  }
}

TEST(BenchmarkPlanTest, RefusedRowsKeepTheirSentence) {
  const Plan plan = plan_of(request({"03", "07"}, {{510, 511, 512}, {512, 512, 510}}));
  ASSERT_EQ(plan.refusals.size(), 2u);
  EXPECT_EQ(plan.refusals[0].row, "07_wave_swizzle/510x511x512/graph");
  EXPECT_EQ(plan.refusals[0].sentence,
            "07 wave_swizzle refuses N = 511: N must be a multiple of 4");
  EXPECT_EQ(plan.refusals[1].sentence,
            "07 wave_swizzle refuses K = 510: K must be a multiple of 4");
  for (const std::string& name : row_names(plan))
    EXPECT_FALSE(name.starts_with("07")) << "no row without a measurement";
}

TEST(BenchmarkPlanTest, WhereAllRungsRefuseNothingIsMeasured) {
  const auto expect_refused = [](const PlanRequest& request, const std::string& sentence) {
    try {
      plan_of(request);
      ADD_FAILURE() << "accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("no rung is left to measure: " + sentence))
          << error.what();
    }
  };
  expect_refused(request({"07"}, {{510, 511, 512}}),
                 "07 wave_swizzle refuses N = 511: N must be a multiple of 4");
  PlanRequest old = request({"07"}, {{512, 512, 512}});
  old.compute_capability = 70;
  old.filter = "^07";
  expect_refused(old, "07 wave_swizzle needs compute capability 7.5 or higher, this GPU has 7.0");
  PlanRequest newer = request({"11"}, {{512, 512, 512}});
  newer.compute_capability = 100;
  newer.filter = "^11";
  expect_refused(newer, "11 producer_warps is compiled for 90a in this build");
}

constexpr std::size_t kL2Bytes = std::size_t{60} << 20;

TEST(BenchmarkPlanTest, SlowRungsAreExpectedToTakeLonger) {
  const Roof roof{.fp32_tflops = 66.9, .dram_gbps = 4814};
  const Recording recording{
      .device = "H200", .protocol = "burst", .size = 4096, .figures = {{1, 0.5, 0.01}}};
  const std::vector<Shape> shape = {{4096, 4096, 4096}};
  const double top = expected_seconds(plan_of(request({"07"}, shape)), roof, kL2Bytes, recording);
  const double naive = expected_seconds(plan_of(request({"01"}, shape)), roof, kL2Bytes, recording);
  // 5 samples of 3 launches, one to warm each up, and 3 before: 23 launches of 275 ms, and rests.
  EXPECT_NEAR(naive - top, 23 * 0.275, 0.7);
  EXPECT_GT(top, 3 * 5 * 0.25);
  EXPECT_LT(top, 3 * 5 * 0.25 + 1.5);
}

TEST(BenchmarkPlanTest, WhatIsExpectedOfAPrecisionFollowsItsPeak) {
  Roof roof{.fp32_tflops = 66.9, .dram_gbps = 4814, .bf16_tflops = 1070};
  PlanRequest bf16 = request({}, {{16384, 16384, 16384}});
  bf16.rungs = {bf16_rung()};
  const Plan plan = plan_of(bf16);
  const double known = expected_seconds(plan, roof, kL2Bytes, {});
  roof.bf16_tflops.reset();
  EXPECT_GT(expected_seconds(plan, roof, kL2Bytes, {}), 4 * known) << "as if it were FP32";
}

TEST(BenchmarkPlanTest, ALargerL2TakesMoreLaunchesOfAGraph) {
  const Roof roof{.fp32_tflops = 66.9, .dram_gbps = 4814};
  const Plan plan = plan_of(request({"07"}, {{512, 512, 512}}));
  const double launch_s = 2.0 * 512 * 512 * 512 / (0.75 * 66.9e12);
  // cuBLAS, the best of cublasLt and the rung; 9 samples of a replay to warm up and one that
  // counts. With 60 MiB of L2 there are 41 sets of 3 MiB, with 1 MiB there are two.
  EXPECT_NEAR(
      expected_seconds(plan, roof, kL2Bytes, {}) - expected_seconds(plan, roof, 1 << 20, {}),
      3 * 9 * 2 * (41 - 20) * launch_s, 1e-6);
}

}  // namespace
}  // namespace ladder::bench
