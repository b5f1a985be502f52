// SPDX-License-Identifier: MIT
/// \file  tests/ladder/plan_times_test.cpp
/// \brief Rung 14's model picks well: of the configurations that were timed on a card, it takes the
///        fastest or one that is close.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {
namespace {

using nlohmann::json;

constexpr const char* kTimes =
    LADDER_SOURCE_DIR "/bench/results/nvidia-h100/configuration_times.json";

class PlanTimesTest : public testing::Test {
 protected:
  void SetUp() override { emulator::set_multiprocessors(132); }
  void TearDown() override { emulator::set_multiprocessors(usual_sms_); }

 private:
  int usual_sms_ = emulator::multiprocessors();
};

/// \return what rung 14 takes for a shape, by its name in the records: "32 x 64, clusters of 6"
std::string taken(const Shape& shape) {
  const std::vector<WorkPlan> plans = find_rung(emulated_rungs(), "every_shape").plans(shape);
  const WorkPlan& plan = *std::ranges::find_if(plans, &WorkPlan::taken);
  return std::string(plan.name) + (plan.cluster > 1 ? " of " + std::to_string(plan.cluster) : "");
}

TEST_F(PlanTimesTest, TheChoiceIsTheFastestOrClose) {
  const json recorded = json::parse(std::ifstream(kTimes));
  const auto names = recorded["context"]["configurations"].get<std::vector<std::string>>();
  std::vector<double> regrets;  // time of what is taken / time of the fastest
  for (const json& row : recorded["benchmarks"]) {
    const Shape shape = {row["m"], row["n"], row["k"]};
    const auto place = std::ranges::find(names, taken(shape)) - names.begin();
    if (place == std::ssize(names)) continue;  // a size of clusters that was not timed
    double best = 1e30;
    for (const json& us : row["us"])
      if (!us.is_null()) best = std::min(best, us.get<double>());
    const json& us = row["us"][place];
    if (!us.is_null()) regrets.push_back(us.get<double>() / best);
  }
  ASSERT_GT(regrets.size(), recorded["benchmarks"].size() * 2 / 3) << "too few choices were timed";
  std::ranges::sort(regrets);
  const double mean = std::accumulate(regrets.begin(), regrets.end(), 0.0) / regrets.size();
  EXPECT_LT(mean, 1.02);
  EXPECT_LT(regrets[regrets.size() * 95 / 100], 1.10);
  EXPECT_LT(regrets.back(), 1.5);
  RecordProperty("shapes", std::to_string(regrets.size()));
  RecordProperty("mean", std::to_string(mean));
}

}  // namespace
}  // namespace ladder
