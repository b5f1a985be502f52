// SPDX-License-Identifier: MIT
/// \file  bench/memory/analysis/page_size.cpp
#include "bench/memory/analysis/page_size.hpp"

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

/// Whether a knee continues a chain with twice the stride: the onset stays or doubles, and so does
/// the step.
bool continues(const Chain& chain, const Step& step) {
  constexpr double kTolerance = 1.25;
  const Step& last = chain.back();
  const auto within = [](double ratio) { return ratio > 1 / kTolerance && ratio < 2 * kTolerance; };
  return step.stride == 2 * last.stride && within(step.onset / last.onset) &&
         within(step.cycles / last.cycles);
}

/// How far from what a knee of this chain should be; 0 is exact.
double distance(const Chain& chain, const Step& step) {
  const double onset = std::log2(step.onset / chain.back().onset);
  return std::min(std::abs(onset), std::abs(onset - 1));
}

std::vector<Chain> chains_of(std::span<const StrideCurve> curves) {
  std::vector<Chain> chains;
  for (const StrideCurve& curve : curves) {
    const std::size_t known = chains.size();
    for (const Knee& knee : find_knees(curve.curve)) {
      const Step step{
          .stride = curve.stride_bytes, .onset = knee.onset, .cycles = knee.after - knee.before};
      Chain* best = nullptr;
      for (std::size_t i = 0; i < known; ++i) {
        if (!continues(chains[i], step)) continue;
        if (best == nullptr || distance(chains[i], step) < distance(*best, step)) {
          best = &chains[i];
        }
      }
      if (best != nullptr) {
        best->push_back(step);
      } else {
        chains.push_back({step});
      }
    }
  }
  return chains;
}

/// The level that explains a chain: its steps grow with the stride up to the page.
TlbLevel level_of(const Chain& chain) {
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
  if (page > 0 && page + 1 < chain.size() && fits) {
    level.page_bytes = chain[page].stride;
    level.entries = level.reach_bytes / chain[page].stride;
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
    if (chain.size() > 1) levels.push_back(level_of(chain));
  }
  std::ranges::sort(levels, {}, &TlbLevel::reach_bytes);
  return levels;
}

}  // namespace ladder::labs
