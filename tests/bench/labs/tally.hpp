// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/tally.hpp
/// \brief Counts what an analysis makes of systems drawn at random.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// \brief  What an analysis told of drawn systems: right, nothing, or wrong. At its end it records
///         the counts as properties of the test, from which the page about them is made, and fails
///         the test for each wrong answer.
class Tally {
 public:
  /// \param  analysis  "Capacity of L1"
  /// \param  family    what is drawn: "whole GPUs"
  /// \param  least     of the answers, this share has to be there and right
  Tally(std::string analysis, std::string family, double least = 0.5)
      : analysis_(std::move(analysis)), family_(std::move(family)), least_(least) {}
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally() {
    const std::string key = "tally: " + analysis_ + ": ";
    testing::Test::RecordProperty(key + "family", family_);
    testing::Test::RecordProperty(key + "recovered", recovered_);
    testing::Test::RecordProperty(key + "not_found", not_found_);
    testing::Test::RecordProperty(key + "wrong", static_cast<int>(wrong_.size()));
    if (!widths_.empty())
      testing::Test::RecordProperty(key + "width_percent",
                                    std::to_string(100 * median_of(widths_)));
    for (const std::string& wrong : wrong_)
      ADD_FAILURE() << analysis_ << ", " << wrong;
    // Of few systems, more may be hard ones by chance.
    const double all = recovered_ + not_found_;
    EXPECT_GE(recovered_ + std::sqrt(all), least_ * all) << analysis_;
  }

  /// \param  right  whether what was told, if anything, is true
  void take(std::uint64_t seed, const std::optional<Estimate>& told, bool right) {
    if (!told) {
      ++not_found_;
    } else if (right) {
      ++recovered_;
      if (told->value != 0) widths_.push_back((told->high - told->low) / std::abs(told->value));
    } else {
      wrong_.push_back("seed " + std::to_string(seed) + ": " + std::to_string(told->value) + " (" +
                       std::to_string(told->low) + " to " + std::to_string(told->high) + ")");
    }
  }
  /// The interval has to hold the truth.
  void take(std::uint64_t seed, const std::optional<Estimate>& told, double truth) {
    const bool right = told && told->low <= truth && truth <= told->high;
    take(seed, told, right);
    if (told && !right) wrong_.back() += ", not " + std::to_string(truth);
  }
  /// There is nothing to find.
  void take_nothing(std::uint64_t seed, const std::optional<Estimate>& told) {
    if (told)
      take(seed, told, false);
    else
      ++recovered_;
  }

 private:
  std::string analysis_;
  std::string family_;
  double least_;
  int recovered_ = 0;
  int not_found_ = 0;
  std::vector<std::string> wrong_;
  std::vector<double> widths_;
};

}  // namespace ladder::labs
