// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/ablation_test.cpp
/// \brief Copies of rungs from which something was taken away: all of them end, leave no flag set,
///        and those that only cost or save time are still right. Ratios and results file.
#include "bench/benchmark/ablation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/benchmark/ablation_run.hpp"
#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/workspace.hpp"
#include "tests/emulator/copy_arrival_name.hpp"

namespace ladder::bench {
namespace {

using emulator::CopyArrival;

constexpr std::size_t kFlagBytes = 4096;  // where the workspace of rung 14 has its flags
constexpr int kSms = 3;
constexpr Shape kFourTiles = {256, 512, 160};  // for three SMs: rung 14 splits the last

class AblationTest : public testing::TestWithParam<CopyArrival> {
 protected:
  void SetUp() override {
    emulator::set_multiprocessors(kSms);
    emulator::set_copy_arrival(GetParam());
  }
  void TearDown() override {
    emulator::set_multiprocessors(usual_sms_);
    emulator::set_copy_arrival(usual_arrival_);
  }

  static bool flags_are_zero() {
    return std::ranges::all_of(emulator::whole_workspace().first(kFlagBytes),
                               [](std::byte byte) { return byte == std::byte{}; });
  }

  std::unique_ptr<Machine> machine_ = make_cpu_machine();

 private:
  const int usual_sms_ = emulator::multiprocessors();
  const CopyArrival usual_arrival_ = emulator::copy_arrival();
};

TEST_P(AblationTest, EveryCopyEndsAndSomeAreRight) {
  ASSERT_GE(ablations().size(), 15u);
  Verifier verifier(*machine_, kFourTiles, 1);
  for (const Ablation& ablation : ablations()) {
    SCOPED_TRACE(ablation.name);
    Verdict verdict;
    ASSERT_NO_THROW(verdict = verifier.verify(ablation.run, 1.0f, 0.0f));
    if (ablation.right) {
      EXPECT_TRUE(verdict.right) << text_of(verdict.wrong);
    }
    EXPECT_TRUE(flags_are_zero()) << "the next launch would take old sums for new ones";
    EXPECT_EQ(ablation.resources->registers, 0) << "the emulator knows of no registers";
  }
}

INSTANTIATE_TEST_SUITE_P(Arrivals, AblationTest,
                         testing::Values(CopyArrival::kLate, CopyArrival::kEarly),
                         testing::PrintToStringParamName());

AblationEntry entry(std::string name, std::optional<int> rung, std::string taken_away,
                    std::vector<double> ms) {
  return {.name = std::move(name),
          .rung = rung,
          .taken_away = std::move(taken_away),
          .verified = false,
          .resources = {},
          .samples = {.name = {}, .ms = std::move(ms), .launches_per_sample = 10, .clocks = {}},
          .ratio_to_unchanged = {},
          .ratio_to_best = 0.0};
}

AblationRun made_up_run() {
  AblationRun run{.problem = {.shape = {1000, 1000, 1000}}, .entries = {}};
  run.entries = {entry("00_cublas", {}, "", {5.0, 5.0, 5.0}),
                 entry("best_cublaslt", {}, "", {4.0, 4.0, 4.0}),
                 entry("11_producer_warps", 11, "", {3.0, 3.0, 3.0}),
                 entry("11_less", 11, "something", {2.0, 2.0, 2.0}),
                 entry("14_every_shape", 14, "", {2.0, 2.0, 4.0}),
                 entry("14_less", 14, "something", {1.0, 1.0, 2.0})};
  fill_ratios(run.entries);
  return run;
}

TEST(AblationResultsTest, RatiosAreToTheRungInFrontAndToTheBetterLibrary) {
  const AblationRun run = made_up_run();
  EXPECT_FALSE(run.entries[0].ratio_to_unchanged.has_value());
  EXPECT_EQ(run.entries[0].ratio_to_best, 0.8);
  EXPECT_EQ(run.entries[3].ratio_to_unchanged, 1.5);
  EXPECT_EQ(run.entries[4].ratio_to_unchanged, 1.0);
  EXPECT_EQ(run.entries[5].ratio_to_unchanged, 2.0);
  EXPECT_EQ(run.entries[5].ratio_to_best, 4.0);
}

TEST(AblationResultsTest, TheFileHasTheFormOfTheOthers) {
  AblationRun run = made_up_run();
  run.entries[5].resources = KernelResources{.registers = 168, .local_bytes = 8};
  const nlohmann::json results =
      to_json({run}, "NVIDIA H200", Protocol::burst, {{"cuda_driver", "13.0"}});
  EXPECT_EQ(results["context"]["device"], "NVIDIA H200");
  EXPECT_EQ(results["context"]["protocol"], "burst");
  EXPECT_TRUE(results["context"].contains("commit"));
  ASSERT_EQ(results["benchmarks"].size(), 6u);
  EXPECT_TRUE(results["benchmarks"][0]["rung"].is_null());
  EXPECT_TRUE(results["benchmarks"][4]["taken_away"].is_null());
  const nlohmann::json& last = results["benchmarks"][5];
  EXPECT_EQ(last["name"], "14_less");
  EXPECT_EQ(last["rung"], 14);
  EXPECT_EQ(last["taken_away"], "something");
  EXPECT_EQ(last["time_ms"], 1.0);
  EXPECT_DOUBLE_EQ(last["tflops"].get<double>(), 2.0);
  EXPECT_EQ(last["registers"], 168);
  EXPECT_EQ(last["local_bytes"], 8);
  EXPECT_EQ(last["verified"], false);
}

TEST(AblationResultsTest, TheTableNamesEveryCopy) {
  const std::string text = ablation_text(made_up_run());
  for (const char* part : {"1000 x 1000 x 1000", "14_less", "2.0000", "4.0000"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
}

}  // namespace
}  // namespace ladder::bench
