// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/l2_bandwidth_lab_test.cpp
/// \brief L03: what falls at the size of L2 and what does not, by curves that GPUs recorded.
#include "bench/labs/questions/l2_bandwidth.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bench/labs/report_json.hpp"
#include "tests/bench/labs/find_in_report.hpp"

namespace ladder::labs {
namespace {

constexpr double kMiB = 1 << 20;

TEST(L2BandwidthLab, TheOrderOfReadingDecidesWhetherTheRecordedCurvesFall) {
  for (const auto& [gpu, size] :
       {std::pair("nvidia-h100", 50 * kMiB), {"nvidia-h200", 60 * kMiB}}) {
    const LabRun run = load_run(std::string(RESULTS_DIR) + "/" + gpu + "/lab_l2_bandwidth.json");
    const std::vector<Series>& curves = run.report.series;
    EXPECT_TRUE(rates_around(curves.at(0), size).fall_sharply()) << gpu;
    EXPECT_FALSE(rates_around(curves.at(1), size).fall_sharply()) << gpu;
    EXPECT_FALSE(rates_around(curves.at(2), size).fall_sharply()) << gpu;
  }
}

TEST(L2BandwidthLab, WithoutPointsAroundTheSizeNothingFalls) {
  Series curve;
  curve.points = {{.x = 10, .samples = {100}}, {.x = 200, .samples = {1}}};
  EXPECT_FALSE(rates_around(curve, 100).fall_sharply());
  curve.points.push_back({.x = 90, .samples = {10}});
  EXPECT_FALSE(rates_around(curve, 100).fall_sharply());
  curve.points.push_back({.x = 120, .samples = {5}});
  EXPECT_TRUE(rates_around(curve, 100).fall_sharply());
}

}  // namespace
}  // namespace ladder::labs
