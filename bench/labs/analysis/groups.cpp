// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/groups.cpp
#include "bench/labs/analysis/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {
namespace {

constexpr int kMostRounds = 12;
/// A measurement is the median of so many, if fewer scatter too much.
constexpr std::array kRepeats = {1, 3, 9};
/// Logarithm of the odds at which a pair is settled: of 10^4 pairs, one in 10^4 searches errs.
constexpr double kSettled = 18.4;
constexpr double kEachDirection = 4;
/// Something else often makes a measurement slower, and hardly ever faster.
constexpr double kSlower = 0.05;
constexpr double kFaster = 0.001;
/// What an SM does to itself has to stand out by so many standard deviations.
constexpr double kLeastContrast = 5;

double density(double x, double sigma) {
  const double z = x / sigma;
  return std::exp(-z * z / 2) / (sigma * std::sqrt(2 * std::numbers::pi));
}

/// What the excess of a measurement says about a pair.
struct Contrast {
  double shared = 0;  ///< excess of a pair that shares
  double sigma = 0;
  double spread = 1;  ///< of what else makes it slower or faster

  /// \brief  Logarithm of how much more likely an excess is if the pair shares. What fits neither
  ///         case says nothing, however often it comes.
  double odds(double excess) const {
    if (!is_shared(excess) && std::abs(excess) >= 4 * sigma) return 0;
    const auto likely = [&](double mean) {
      const double else_share = excess > mean ? kSlower : kFaster;
      return density(excess - mean, sigma) + else_share / spread;
    };
    return std::log(likely(shared) / likely(0));
  }
  bool is_shared(double excess) const { return std::abs(excess - shared) < 4 * sigma; }
};

/// The measurements of all pairs, and what they add up to.
class Pairs {
 public:
  Pairs(int sms, const Disturbance& measure)
      : sms_(sms),
        measure_(measure),
        excess_(static_cast<std::size_t>(sms)),
        undisturbed_(excess_.size()) {}

  /// \brief  Each SM with all, the SM itself included.
  /// \return what keeps the measurements from telling pairs apart; empty if nothing does
  std::string measure_all();
  /// Measures again what is not settled, in both directions.
  /// \return whether all pairs are
  bool settle();
  /// Whether a pair shares. One that is settled does so from both directions.
  bool share(int a, int b) const { return odds(a, b) > 0; }
  bool settled(int a, int b) const {
    const double least = odds(a, b) > 0 ? std::min(odds_.at(place(a, b)), odds_.at(place(b, a)))
                                        : -std::max(odds_.at(place(a, b)), odds_.at(place(b, a)));
    return std::abs(odds(a, b)) >= kSettled && least >= kEachDirection;
  }
  const Contrast& contrast() const { return contrast_; }

 private:
  std::size_t place(int sm, int partner) const {
    return static_cast<std::size_t>(sm * sms_ + partner);
  }
  double odds(int a, int b) const { return odds_[place(a, b)] + odds_[place(b, a)]; }
  /// Medians of what each partner adds; keeps the undisturbed cycles.
  std::vector<double> measured(int sm, std::span<const int> partners);
  /// How much sharing takes, and how much the measurements scatter.
  std::string learn_contrast();

  int sms_;
  const Disturbance& measure_;
  int repeats_ = 1;
  std::vector<std::vector<double>> excess_;  // (SMs, SMs) of the first round
  std::vector<double> undisturbed_;          // (SMs,)
  std::vector<double> odds_;                 // (SMs, SMs) of each direction
  Contrast contrast_;
};

std::vector<double> Pairs::measured(int sm, std::span<const int> partners) {
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < repeats_; ++i)
    rows.push_back(measure_(sm, partners));
  undisturbed_[static_cast<std::size_t>(sm)] = rows.front().front();
  std::vector<double> middle;
  for (std::size_t i = 1; i <= partners.size(); ++i) {
    std::vector<double> values;
    for (const std::vector<double>& row : rows)
      values.push_back(row[i]);
    middle.push_back(median_of(values));
  }
  return middle;
}

std::string Pairs::measure_all() {
  std::vector<int> all(excess_.size());
  std::iota(all.begin(), all.end(), 0);
  std::string why_not;
  for (const int repeats : kRepeats) {
    repeats_ = repeats;
    for (const int sm : all)
      excess_[static_cast<std::size_t>(sm)] = measured(sm, all);
    why_not = learn_contrast();
    if (why_not.empty()) break;
  }
  if (!why_not.empty()) return why_not;
  odds_.assign(excess_.size() * excess_.size(), 0);
  for (int sm = 0; sm < sms_; ++sm) {
    const std::vector<double>& row = excess_[static_cast<std::size_t>(sm)];
    // An SM that does not disturb itself was measured badly, and so were its pairs.
    if (!contrast_.is_shared(row[static_cast<std::size_t>(sm)])) continue;
    for (int partner = 0; partner < sms_; ++partner) {
      odds_[place(sm, partner)] += contrast_.odds(row[static_cast<std::size_t>(partner)]);
    }
  }
  return {};
}

std::string Pairs::learn_contrast() {
  std::vector<double> own;
  for (std::size_t sm = 0; sm < excess_.size(); ++sm)
    own.push_back(excess_[sm][sm]);
  contrast_.shared = median_of(own);
  contrast_.spread = median_of(undisturbed_) / 2;
  std::vector<double> deviations;
  for (std::size_t sm = 0; sm < excess_.size(); ++sm) {
    for (std::size_t partner = 0; partner < excess_.size(); ++partner) {
      const double excess = excess_[sm][partner];
      deviations.push_back(excess < contrast_.shared / 2 ? excess : excess - contrast_.shared);
    }
  }
  // Simulated measurements may have no noise at all.
  contrast_.sigma = std::max(1.1 * robust_sigma(deviations), 1e-4 * contrast_.spread);
  if (contrast_.shared < kLeastContrast * contrast_.sigma) {
    return fmt::format(
        "An SM that disturbs itself loses {:.3g} cycles for each load, and measurements scatter by "
        "{:.2g}: too little to tell pairs apart",
        contrast_.shared, contrast_.sigma);
  }
  return {};
}

bool Pairs::settle() {
  std::vector<std::vector<int>> open(static_cast<std::size_t>(sms_));
  bool all_settled = true;
  for (int a = 0; a < sms_; ++a) {
    for (int b = a + 1; b < sms_; ++b) {
      if (settled(a, b)) continue;
      open[static_cast<std::size_t>(a)].push_back(b);
      open[static_cast<std::size_t>(b)].push_back(a);
      all_settled = false;
    }
  }
  for (int sm = 0; sm < sms_; ++sm) {
    std::vector<int> partners = open[static_cast<std::size_t>(sm)];
    if (partners.empty()) continue;
    partners.push_back(sm);
    const std::vector<double> row = measured(sm, partners);
    if (!contrast_.is_shared(row.back())) continue;
    for (std::size_t i = 0; i + 1 < partners.size(); ++i)
      odds_[place(sm, partners[i])] += contrast_.odds(row[i]);
  }
  return all_settled;
}

/// Number of the group of each SM: that of the first one that it shares with.
Groups groups_of(const Pairs& pairs, int sms) {
  Groups groups = {.of_row = {},
                   .shared_cycles = pairs.contrast().shared,
                   .sigma_cycles = pairs.contrast().sigma};
  for (int sm = 0; sm < sms; ++sm) {
    int group = -1;
    for (int earlier = 0; earlier < sm && group < 0; ++earlier) {
      if (pairs.share(earlier, sm)) group = groups.of_row[static_cast<std::size_t>(earlier)];
    }
    groups.of_row.push_back(group < 0 ? groups.count++ : group);
  }
  return groups;
}

/// Whether the groups say of each pair what the pair says of itself.
bool transitive(const Pairs& pairs, const Groups& groups) {
  for (std::size_t a = 0; a < groups.of_row.size(); ++a) {
    for (std::size_t b = a + 1; b < groups.of_row.size(); ++b) {
      const bool together = groups.of_row[a] == groups.of_row[b];
      if (together != pairs.share(static_cast<int>(a), static_cast<int>(b))) return false;
    }
  }
  return true;
}

}  // namespace

GroupSearch find_groups(int sms, const Disturbance& measure) {
  if (sms < 1) throw std::invalid_argument("Groups need at least one SM.");
  Pairs pairs(sms, measure);
  if (std::string why_not = pairs.measure_all(); !why_not.empty())
    return {.groups = {}, .why_not = std::move(why_not)};
  bool settled = false;
  for (int round = 0; round < kMostRounds && !settled; ++round)
    settled = pairs.settle();
  if (!settled) {
    return {.groups = {},
            .why_not =
                "Some pairs lose neither nothing nor as much as SMs that disturb "
                "themselves, however often they are measured"};
  }
  const Groups groups = groups_of(pairs, sms);
  if (!transitive(pairs, groups)) {
    return {.groups = {},
            .why_not =
                "An SM shares with two others that do not share with each other: no "
                "grouping explains that"};
  }
  return {.groups = groups, .why_not = {}};
}

}  // namespace ladder::labs
