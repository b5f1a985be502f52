// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/configuration_times_test.cpp
/// \brief Times of a rung's configurations, on a GPU whose time is made up.
#include "bench/benchmark/configuration_times.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/common/made_up_gpu.hpp"

namespace ladder::bench {
namespace {

using nlohmann::json;

double now_ms = 0.0;  ///< of the GPU that there is not

/// A right product that takes so long.
Run taking(double ms) {
  return Run([ms](const Gemm<float>& gemm, Stream) {
    rival_in(kFp32, emulated_rungs()).run(gemm, nullptr);
    now_ms += ms;
  });
}

class ScriptedStopwatch final : public Stopwatch {
 public:
  Stream stream() override { return nullptr; }
  double time_ms(const std::function<void()>& work) override {
    const double start = now_ms;
    work();
    return now_ms - start;
  }
  std::function<void()> record_graph(const std::function<void()>& work) override {
    const double start = now_ms;
    work();
    return [duration = now_ms - start] { now_ms += duration; };
  }
  void rest_ms(double) override {}
  void log_clocks(ClockLog&) override {}
};

class ScriptedGpu final : public testing_machine::MadeUpGpu {
 public:
  ScriptedGpu() : MadeUpGpu(90) {}
  bool is_gpu() const override { return true; }
  std::string name() const override { return "Made Up 1"; }
  std::size_t free_bytes() const override { return std::size_t{1} << 30; }
  std::size_t l2_bytes() const override { return 1 << 20; }
  std::unique_ptr<Stopwatch> make_stopwatch() override {
    return std::make_unique<ScriptedStopwatch>();
  }
  Run tuned_vendor_gemm(const Precision&, const GemmOf&, Stopwatch&) override {
    return taking(0.016);
  }
};

WorkPlan plan(std::string_view name, int cluster, double expected_us, Run launch) {
  return {.name = name,
          .tile = {32, 32},
          .BK = 8,
          .blocks_per_sm = 1,
          .cluster = cluster,
          .taken = false,
          .tiles = 1,
          .k_tiles = 1,
          .whole_tiles = 1,
          .ranks = 0,
          .share = 0,
          .longer = 0,
          .fan_in = 0,
          .expected_us = expected_us,
          .launch = std::move(launch)};
}

/// With more columns, the clusters are larger.
std::vector<WorkPlan> plans(const Shape& shape) {
  const Run wrong([](const Gemm<float>& gemm, Stream) {
    rival_in(kFp32, emulated_rungs()).run(gemm, nullptr);
    gemm.C[0] += 1.0f;
  });
  return {plan("fast", 1, 10.0, taking(0.012345)),
          plan("clusters", shape.N / 4, 12.0, taking(0.02)), plan("wrong", 1, 13.0, wrong),
          plan("slow", 1, 10.0 * kWorthTiming + 0.1, taking(1.0))};
}

Rung rung(int number, std::string_view name, Run run) {
  return {.number = number,
          .name = name,
          .idea = "",
          .precision = kFp32,
          .tile = {32, 32},
          .run = std::move(run)};
}

class ConfigurationTimesTest : public testing::Test {
 protected:
  json times(const std::vector<Shape>& shapes) {
    Rung choosing = rung(1, "choosing", taking(1.0));
    choosing.plans = plans;
    return configuration_times(
        gpu_, ladder_, choosing, shapes, Protocol::graph,
        [this](const json& so_far) { rows_.push_back(so_far["benchmarks"].size()); });
  }

  ScriptedGpu gpu_;
  const std::vector<Rung> ladder_ = {rung(0, "cublas", taking(0.018))};
  std::vector<std::size_t> rows_;
};

TEST_F(ConfigurationTimesTest, EachRightConfigurationThatMayBeFastIsTimed) {
  const json row = times({{8, 12, 4}})["benchmarks"].at(0);
  EXPECT_EQ(row["name"], "8x12x4");
  EXPECT_EQ(row["k"], 4);
  EXPECT_DOUBLE_EQ(row["library_us"], 16.0) << "the better one of the two";
  EXPECT_EQ(row["us"].size(), 2u) << row << ": neither a wrong one nor one that must be slow";
  EXPECT_DOUBLE_EQ(row["us"]["fast"], 12.35) << "four digits";
  EXPECT_DOUBLE_EQ(row["us"]["clusters of 3"], 20.0);
}

TEST_F(ConfigurationTimesTest, TheTextHasAColumnForEachSizeOfClusters) {
  const json text = json::parse(configuration_times_text(times({{8, 12, 4}, {8, 8, 4}})));
  EXPECT_EQ(text["context"]["device"], "Made Up 1");
  EXPECT_EQ(text["context"]["rung"], 1);
  EXPECT_EQ(text["context"]["configurations"],
            json::parse(R"(["clusters of 2", "clusters of 3", "fast"])"));
  EXPECT_EQ(text["benchmarks"][0]["us"], json::parse("[null, 20.0, 12.35]"));
  EXPECT_EQ(text["benchmarks"][1]["us"], json::parse("[20.0, null, 12.35]"));
  EXPECT_EQ(rows_, (std::vector<std::size_t>{1, 2})) << "what was found is told after each shape";
}

TEST_F(ConfigurationTimesTest, ARungWithOneConfigurationIsRefused) {
  try {
    configuration_times(gpu_, ladder_, ladder_[0], std::vector<Shape>{{8, 8, 4}}, Protocol::graph,
                        [](const json&) {});
    FAIL() << "it was timed";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("00 cublas"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ladder::bench
