// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/near_passes_test.cpp
/// \brief What reverse_order and input_evict save, from times that the test makes up.
#include "bench/labs/questions/near_passes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>

#include "tests/bench/labs/find_in_report.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class AnsweredPasses final : public NearMemoryInstrument {
 public:
  NearMemoryFacts facts() override { return {}; }
  double near_share(Assignment) override { return 1.0; }
  StreamResult run(const StreamRun&) override { return {}; }
  std::vector<double> two_passes_ms(TwoPasses passes, std::uint64_t bytes, int repeats) override {
    sizes.insert(bytes);
    last_bytes = bytes;
    std::vector<double> ms;
    ms.reserve(static_cast<std::size_t>(repeats));
    for (int i = 0; i < repeats; ++i)
      ms.push_back(answer(passes) * (1 + 0.001 * (i % 7)));
    return ms;
  }
  std::function<double(TwoPasses)> answer;
  std::set<std::uint64_t> sizes;
  std::uint64_t last_bytes = 0;
};

/// Times of both ways of both pairs; the second ones take `percent` more.
LabReport report_of(double percent) {
  AnsweredPasses gpu;
  gpu.answer = [&](TwoPasses passes) {
    const bool other = passes == TwoPasses::scale_backwards || passes == TwoPasses::copy_evicted;
    return other ? 1 + percent / 100 : 1.0;
  };
  LabReport report;
  add_two_passes(report, gpu, 50 * kMiB, {.quick = true});
  EXPECT_TRUE(gpu.sizes.contains(200 * kMiB) && gpu.sizes.contains(25 * kMiB));
  return report;
}

TEST(NearPasses, TheChangeAndTheVerdictFollowFromTheTimes) {
  for (const auto& [percent, verdict] :
       {std::pair(-8.0, "holds"), std::pair(5.0, "wrong"), std::pair(0.0, "pending")}) {
    const LabReport report = report_of(percent);
    for (const char* key :
         {"reverse_order_100_percent", "reverse_order_200_percent", "reverse_order_400_percent",
          "input_evict_25_percent", "input_evict_50_percent", "input_evict_75_percent"}) {
      EXPECT_NEAR(value_of(report, key), percent, 0.1) << key;
    }
    ASSERT_EQ(report.claims.size(), 2u);
    for (const ClaimCheck& check : report.claims)
      EXPECT_EQ(check.verdict, verdict) << check.because;
  }
}

TEST(NearPasses, AGainAtSomeSizesHoldsUnderACondition) {
  for (const auto& [elsewhere, verdict] :
       {std::pair(1.0, "condition"), std::pair(1.05, "condition"), std::pair(0.92, "holds")}) {
    AnsweredPasses gpu;
    gpu.answer = [&, at = elsewhere](TwoPasses passes) {
      if (passes != TwoPasses::copy_evicted) return 1.0;
      return gpu.last_bytes == 37 * kMiB ? 0.92 : at;
    };
    LabReport report;
    add_two_passes(report, gpu, 50 * kMiB, {.quick = true});
    ASSERT_EQ(report.claims.size(), 2u);
    EXPECT_EQ(report.claims.back().verdict, verdict) << report.claims.back().because;
    EXPECT_EQ(report.claims.front().verdict, "pending");
  }
}

TEST(NearPasses, SlotsThatDisagreeDecideNothing) {
  constexpr std::array kOfSlot = {1.2, 1.3, 0.8, 1.0};
  AnsweredPasses gpu;
  std::size_t slot = 0;
  gpu.answer = [&](TwoPasses) { return kOfSlot.at(slot++ / 20 % kOfSlot.size()); };
  LabReport report;
  add_two_passes(report, gpu, 50 * kMiB, {.quick = true});
  EXPECT_LT(value_of(report, "reverse_order_200_percent"), -3.0);
  ASSERT_EQ(report.claims.size(), 2u);
  for (const ClaimCheck& check : report.claims)
    EXPECT_EQ(check.verdict, "pending") << check.because;
}

TEST(NearPasses, WithoutAGpuNothingIsSaid) {
  class NoGpu final : public NearMemoryInstrument {
   public:
    NearMemoryFacts facts() override { return {}; }
    double near_share(Assignment) override { return 1.0; }
    StreamResult run(const StreamRun&) override { return {}; }
    std::vector<double> two_passes_ms(TwoPasses, std::uint64_t, int) override { return {}; }
  } simulated;
  LabReport report;
  add_two_passes(report, simulated, 50 * kMiB, {});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.claims.empty());
  EXPECT_EQ(report.notes.size(), 1u);
}

}  // namespace
}  // namespace ladder::labs
