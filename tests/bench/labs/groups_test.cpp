// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/groups_test.cpp
/// \brief SMs that share a TLB are told from those that do not, through noise and outliers; where
///        that cannot be told, nothing is.
#include "bench/labs/analysis/groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "tests/bench/labs/drawn_gpus.hpp"
#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {
namespace {

constexpr double kPenalty = 55;

/// Numbers groups in the order of their first members.
std::vector<int> renumbered(const std::vector<int>& groups) {
  std::vector<int> seen;
  std::vector<int> result;
  result.reserve(groups.size());
  for (const int group : groups) {
    auto found = std::ranges::find(seen, group);
    if (found == seen.end()) found = seen.insert(seen.end(), group);
    result.push_back(static_cast<int>(found - seen.begin()));
  }
  return result;
}

/// What a made-up GPU measures; SMs differ by 25 cycles.
class MadeUp {
 public:
  MadeUp(std::vector<int> groups, std::uint64_t seed, double penalty = kPenalty,
         const NoiseShape& shape = {})
      : groups_(std::move(groups)), penalty_(penalty), noise_(shape, seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(280, 25);
    for (std::size_t i = 0; i < groups_.size(); ++i)
      alone_.push_back(normal(random));
  }

  GroupSearch search() {
    return find_groups(static_cast<int>(groups_.size()),
                       [&](int sm, std::span<const int> partners) { return row(sm, partners); });
  }

  /// What a pair loses, as a share of the penalty.
  std::function<double(int, int)> share = [this](int sm, int partner) {
    return group_of(sm) == group_of(partner) ? 1.0 : 0.0;
  };

 private:
  int group_of(int sm) const { return groups_[static_cast<std::size_t>(sm)]; }

  std::vector<double> row(int sm, std::span<const int> partners) {
    const double exact = alone_[static_cast<std::size_t>(sm)];
    std::vector<double> base(5);
    std::ranges::generate(base, [&] { return noise_.cycles(exact); });
    std::vector<double> cycles = {median_of(base)};
    for (const int partner : partners)
      cycles.push_back(noise_.cycles(exact + penalty_ * share(sm, partner)) - cycles.front());
    return cycles;
  }

  std::vector<int> groups_;
  double penalty_;
  Noise noise_;
  std::vector<double> alone_;
};

void expect_found(const std::vector<int>& groups, std::uint64_t seed, const std::string& what) {
  const GroupSearch found = MadeUp(groups, seed).search();
  ASSERT_TRUE(found.groups) << what << ": " << found.why_not;
  EXPECT_EQ(found.groups->of_row, renumbered(groups)) << what;
  EXPECT_EQ(found.groups->count, std::ranges::max(renumbered(groups)) + 1) << what;
  EXPECT_NEAR(found.groups->shared_cycles, kPenalty, 2) << what;
}

TEST(Groups, LayoutsOfAnH200AreFound) {
  std::vector<int> pairs;
  std::vector<int> gpcs;
  std::vector<int> alone;
  for (int sm = 0; sm < 132; ++sm) {
    pairs.push_back(sm / 2);
    gpcs.push_back(sm / 2 % 8);  // 16 or 18 SMs each
    alone.push_back(sm);
  }
  for (int seed = 0; seed < draws() / 5; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    expect_found(pairs, number, "pairs, seed " + std::to_string(seed));
    expect_found(gpcs, number, "GPCs, seed " + std::to_string(seed));
    expect_found(alone, number, "alone, seed " + std::to_string(seed));
    expect_found(std::vector<int>(20, 0), number, "all, seed " + std::to_string(seed));
  }
}

TEST(Groups, RandomLayoutsAreFound) {
  for (int seed = 0; seed < draws(); ++seed) {
    Draw draw(static_cast<std::uint64_t>(seed));
    expect_found(drawn_groups(draw, draw.between(2, 72)), static_cast<std::uint64_t>(seed),
                 "seed " + std::to_string(seed));
  }
}

TEST(Groups, AreNeverMadeOfOutliers) {
  // One measurement in eight is an outlier: whatever is told is true, and most of it is.
  int recovered = 0;
  for (int seed = 0; seed < draws(); ++seed) {
    Draw draw(static_cast<std::uint64_t>(seed));
    const std::vector<int> groups = drawn_groups(draw, 60);
    MadeUp gpu(groups, static_cast<std::uint64_t>(seed), 40, {.outlier_share = 0.12});
    const GroupSearch found = gpu.search();
    if (!found.groups) continue;
    ++recovered;
    EXPECT_EQ(found.groups->of_row, renumbered(groups)) << "seed " << seed;
  }
  EXPECT_GE(recovered, draws() * 3 / 4);
}

TEST(Groups, AreMeasuredMoreOftenWhereNoiseIsLarge) {
  std::vector<int> groups;
  for (int sm = 0; sm < 30; ++sm)
    groups.push_back(sm / 3);
  // Three standard deviations of one measurement: half of that is not enough to tell a pair.
  const GroupSearch found = MadeUp(groups, 3, 12, {.sigma_cycles = 4}).search();
  ASSERT_TRUE(found.groups) << found.why_not;
  EXPECT_EQ(found.groups->of_row, groups);
  EXPECT_FALSE(MadeUp(groups, 3, 4, {.sigma_cycles = 4}).search().groups);
}

TEST(Groups, OfOneSmAreItself) {
  const GroupSearch found = MadeUp({0}, 1).search();
  ASSERT_TRUE(found.groups) << found.why_not;
  EXPECT_EQ(found.groups->count, 1);
}

TEST(Groups, AreNotFoundWhereSmsDoNotEvenDisturbThemselves) {
  MadeUp flat(std::vector<int>(20, 0), 1);
  flat.share = [](int, int) { return 0.0; };
  const GroupSearch found = flat.search();
  EXPECT_FALSE(found.groups);
  EXPECT_FALSE(found.why_not.empty());
}

TEST(Groups, AreNotFoundWhereSharingIsNotTransitive) {
  // Each SM shares with its neighbours in a ring.
  MadeUp ring(std::vector<int>(20, 0), 1);
  ring.share = [](int sm, int partner) {
    const int apart = std::abs(sm - partner);
    return std::min(apart, 20 - apart) <= 1 ? 1.0 : 0.0;
  };
  EXPECT_FALSE(ring.search().groups);
  // One pair too many joins two groups of eight.
  std::vector<int> groups;
  for (int sm = 0; sm < 32; ++sm)
    groups.push_back(sm / 8);
  MadeUp joined(groups, 4);
  joined.share = [&](int sm, int partner) {
    const bool odd = std::min(sm, partner) == 3 && std::max(sm, partner) == 12;
    return odd || sm / 8 == partner / 8 ? 1.0 : 0.0;
  };
  EXPECT_FALSE(joined.search().groups);
}

TEST(Groups, AreNotFoundWhereAPairLosesHalf) {
  // Two levels in one: half of the loss is neither sharing nor not.
  std::vector<int> groups;
  for (int sm = 0; sm < 32; ++sm)
    groups.push_back(sm / 4);
  MadeUp gpu(groups, 4);
  gpu.share = [&](int sm, int partner) {
    return sm / 4 == partner / 4 ? 1.0 : sm / 16 == partner / 16 ? 0.5 : 0.0;
  };
  EXPECT_FALSE(gpu.search().groups);
}

TEST(Groups, AreNotFoundWhereOneDirectionContradictsTheOther) {
  MadeUp gpu({0, 1, 2, 3}, 4);
  gpu.share = [](int sm, int partner) { return sm >= partner ? 1.0 : 0.0; };
  EXPECT_FALSE(gpu.search().groups);
}

TEST(Groups, NeedSms) {
  const Disturbance none = [](int, std::span<const int>) { return std::vector<double>{}; };
  EXPECT_THROW(find_groups(0, none), std::invalid_argument);
}

}  // namespace
}  // namespace ladder::labs
