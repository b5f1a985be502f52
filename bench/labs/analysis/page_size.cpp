// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/page_size.cpp
#include "bench/labs/analysis/page_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ladder::labs {
namespace {

/// A knee of one stride's curve.
struct Step {
  double stride = 0;
  double onset = 0;
  double cycles = 0;
};

/// Knees of the same TLB, with strides that double from one to the next.
using Chain = std::vector<Step>;

/// What a knee may be: the next one of a chain, or the next ones of two chains at the same place.
struct Match {
  Chain* one = nullptr;
  Chain* other = nullptr;
  double cycles_of_one = 0;                                ///< expected
  double cycles_of_other = 0;                              ///< expected
  double error = std::numeric_limits<double>::infinity();  ///< of the sum: a logarithm
};

/// Steps that may follow a chain's last one with twice the stride: as many cycles, or twice as many
/// if the page is not reached yet. Once steps have stopped growing, they stay the same.
std::vector<double> next_cycles(const Chain& chain) {
  constexpr double kSame = 1.3;
  const double last = chain.back().cycles;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (chain[i].cycles < kSame * chain[i - 1].cycles) return {last};
  }
  return {last, 2 * last};
}

/// Whether the place of a knee suits a chain: with twice the stride, it stays or moves twice as
/// far.
bool suits(const Chain& chain, const Step& step) {
  constexpr double kTolerance = 1.25;
  const double ratio = step.onset / chain.back().onset;
  return step.stride == 2 * chain.back().stride && ratio > 1 / kTolerance && ratio < 2 * kTolerance;
}

/// The chain, or the two chains, that a knee continues best; none if it continues none.
Match best_match(std::vector<Chain>& chains, const Step& step) {
  constexpr double kWorstError = 0.28;  // a third more or a quarter less
  constexpr double kTwoAreLessLikely = 0.04;
  Match best;
  const auto consider = [&](Match match, double cycles, double handicap) {
    match.error = std::abs(std::log(step.cycles / cycles)) + handicap;
    if (match.error < kWorstError && match.error < best.error) best = match;
  };
  for (std::size_t i = 0; i < chains.size(); ++i) {
    if (!suits(chains[i], step)) continue;
    for (const double one : next_cycles(chains[i])) {
      consider({.one = &chains[i], .cycles_of_one = one}, one, 0);
      for (std::size_t j = i + 1; j < chains.size(); ++j) {
        if (!suits(chains[j], step)) continue;
        for (const double other : next_cycles(chains[j])) {
          consider({.one = &chains[i],
                    .other = &chains[j],
                    .cycles_of_one = one,
                    .cycles_of_other = other},
                   one + other, kTwoAreLessLikely);
        }
      }
    }
  }
  return best;
}

/// \brief Knees of which none follows closely on another: the sets of a TLB do not all overflow at
///        once, so that its rise may pause on the way.
std::vector<Knee> whole_rises(const std::vector<Knee>& knees) {
  constexpr double kClose = 1.25;  // no two levels of TLB are as close
  std::vector<Knee> rises;
  for (const Knee& knee : knees) {
    if (rises.empty() || knee.onset > kClose * rises.back().onset) {
      rises.push_back(knee);
    } else {
      rises.back().after = knee.after;
      rises.back().saturated = knee.saturated;
    }
  }
  return rises;
}

std::vector<Chain> chains_of(std::span<const StrideCurve> curves) {
  std::vector<Chain> chains;
  for (const StrideCurve& curve : curves) {
    std::vector<Chain> begun;
    for (const Knee& knee : whole_rises(find_knees(curve.curve))) {
      const Step step{
          .stride = curve.stride_bytes, .onset = knee.onset, .cycles = knee.after - knee.before};
      const Match match = best_match(chains, step);
      if (match.one == nullptr) {
        begun.push_back({step});
        continue;
      }
      // Two TLBs that are full at the same place share the step as expected.
      const double share = match.cycles_of_one / (match.cycles_of_one + match.cycles_of_other);
      match.one->push_back({step.stride, step.onset, step.cycles * share});
      if (match.other != nullptr) {
        match.other->push_back({step.stride, step.onset, step.cycles * (1 - share)});
      }
    }
    chains.insert(chains.end(), begun.begin(), begun.end());
  }
  return chains;
}

/// \brief  Whether the next stride was walked past the reach, and the knee was not there: the TLB
///         then reaches farther with it, because each of its entries serves one place of the walk.
bool ends_at_its_page(const Chain& chain, double reach, std::span<const StrideCurve> curves) {
  constexpr double kFartherThanReach = 1.25;
  constexpr std::size_t kLeastSteps = 3;
  if (chain.size() < kLeastSteps) return false;
  return std::ranges::any_of(curves, [&](const StrideCurve& curve) {
    return curve.stride_bytes == 2 * chain.back().stride && !curve.curve.empty() &&
           curve.curve.back().x >= kFartherThanReach * reach;
  });
}

/// Whether the reach doubles with the stride, so that no stride is smaller than a page.
bool holds_as_many_places(const Chain& chain) {
  constexpr double kTolerance = 1.25;
  const double places = chain.front().onset / chain.front().stride;
  return std::ranges::all_of(chain, [&](const Step& step) {
    const double ratio = step.onset / step.stride / places;
    return ratio < kTolerance && ratio > 1 / kTolerance;
  });
}

/// The level that explains a chain: its steps grow with the stride up to the page.
TlbLevel level_of(const Chain& chain, std::span<const StrideCurve> curves) {
  // For each candidate page, the penalty by least squares of the logarithms.
  double least = std::numeric_limits<double>::infinity();
  std::size_t page = 0;
  double penalty = 0;
  for (std::size_t candidate = 0; candidate < chain.size(); ++candidate) {
    const auto share = [&](const Step& step) {
      return std::log(std::min(1.0, step.stride / chain[candidate].stride));
    };
    double mean = 0;
    for (const Step& step : chain) {
      mean += (std::log(step.cycles) - share(step)) / static_cast<double>(chain.size());
    }
    double squares = 0;
    for (const Step& step : chain) {
      const double error = std::log(step.cycles) - share(step) - mean;
      squares += error * error;
    }
    if (squares < least) {
      least = squares;
      page = candidate;
      penalty = std::exp(mean);
    }
  }
  TlbLevel level{.penalty_cycles = penalty};
  std::vector<double> onsets;
  for (std::size_t i = 0; i <= page; ++i)
    onsets.push_back(chain[i].onset);
  level.reach_bytes = median_of(onsets);
  constexpr double kWorstError = 0.2;  // of the logarithms: the steps scatter by a fifth at most
  const bool fits = std::sqrt(least / static_cast<double>(chain.size())) < kWorstError;
  const bool stops = page + 1 < chain.size() || ends_at_its_page(chain, level.reach_bytes, curves);
  if (page > 0 && stops && fits) {
    level.page_bytes = chain[page].stride;
    level.entries = level.reach_bytes / chain[page].stride;
  } else if (fits && holds_as_many_places(chain)) {
    level.reach_bytes = chain.front().onset;
    level.entries = chain.front().onset / chain.front().stride;
  }
  return level;
}

}  // namespace

std::vector<TlbLevel> find_tlb_levels(std::span<const StrideCurve> curves) {
  if (curves.size() < 3) throw std::invalid_argument("A page needs curves of at least 3 strides.");
  for (std::size_t i = 1; i < curves.size(); ++i) {
    if (curves[i].stride_bytes != 2 * curves[i - 1].stride_bytes) {
      throw std::invalid_argument("Each stride has to be twice the one before.");
    }
  }
  std::vector<TlbLevel> levels;
  for (const Chain& chain : chains_of(curves)) {
    // A knee that only one stride shows is not of a TLB, or there is too little of it to tell.
    if (chain.size() > 1) levels.push_back(level_of(chain, curves));
  }
  std::ranges::sort(levels, {}, &TlbLevel::reach_bytes);
  return levels;
}

}  // namespace ladder::labs
