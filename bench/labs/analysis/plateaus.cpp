// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/plateaus.cpp
#include "bench/labs/analysis/plateaus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ladder::labs {
namespace {

constexpr std::size_t kLeastPoints = 3;  ///< of a piece
constexpr double kLeastStep = 0.015;     ///< neighbours differ by more than this share
constexpr std::size_t kLeastLevel = 4;   ///< of a plateau between two rises, and after the last one
/// A piece whose slope is more than this share of the slope beside it is part of a ramp.
constexpr double kLevel = 0.35;

/// What the analysis sees of a curve: the medians of its points without lone outliers.
struct Medians {
  std::vector<double> x;
  std::vector<double> y;
  double sigma = 0;  ///< noise of y
};

/// A stretch of a curve, level or not.
struct Piece {
  std::size_t first = 0;
  std::size_t last = 0;
  double level = 0;

  std::size_t size() const { return last - first + 1; }
};

Medians medians_of(std::span<const Point> curve) {
  Medians medians;
  std::vector<double> raw;
  for (const Point& point : curve) {
    if (point.samples.empty()) throw std::invalid_argument("A point of the curve has no samples.");
    if (!medians.x.empty() && point.x <= medians.x.back()) {
      throw std::invalid_argument("The points of a curve have to come in ascending order of x.");
    }
    medians.x.push_back(point.x);
    raw.push_back(median_of(point.samples));
  }
  // A running median leaves what only rises as it is, and takes one or two outliers in a row away.
  medians.y = raw;
  for (std::size_t i = 1; i + 1 < raw.size(); ++i) {
    const std::size_t reach = std::min({std::size_t{2}, i, raw.size() - 1 - i});
    medians.y[i] = median_of(std::span(raw).subspan(i - reach, 2 * reach + 1));
  }
  if (raw.size() < 2) return medians;
  if (raw.size() > 2) {  // an outlier at an end has no two neighbours
    const std::size_t n = raw.size();
    const std::vector<double> begin = {raw[0], medians.y[1], medians.y[2]};
    const std::vector<double> end = {raw[n - 1], medians.y[n - 2], medians.y[n - 3]};
    medians.y.front() = median_of(begin);
    medians.y.back() = median_of(end);
  }
  std::vector<double> steps;
  for (std::size_t i = 1; i < raw.size(); ++i)
    steps.push_back(raw[i] - raw[i - 1]);
  constexpr double kLeastSigma = 0.001;  // of the level: simulated curves may have no noise at all
  medians.sigma =
      std::max(robust_sigma(steps) / std::sqrt(2.0), kLeastSigma * std::abs(median_of(medians.y)));
  return medians;
}

/// \brief  The cheapest cut into pieces: squared deviations, and a penalty for each piece.
/// \source optimal partitioning: Jackson et al., An algorithm for optimal partitioning of data on
///         an interval, 2005
std::vector<Piece> partition(const Medians& curve) {
  const std::size_t n = curve.y.size();
  std::vector<double> sums(n + 1, 0);
  std::vector<double> squares(n + 1, 0);
  const double shift = median_of(curve.y);  // keeps the squares small
  for (std::size_t i = 0; i < n; ++i) {
    const double y = curve.y[i] - shift;
    sums[i + 1] = sums[i] + y;
    squares[i + 1] = squares[i] + y * y;
  }
  const auto cost = [&](std::size_t begin, std::size_t end) {
    const double sum = sums[end] - sums[begin];
    return squares[end] - squares[begin] - sum * sum / static_cast<double>(end - begin);
  };
  const double penalty = 6 * curve.sigma * curve.sigma * std::log(static_cast<double>(n));
  const std::size_t least = std::min(kLeastPoints, n);
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> previous(n + 1, 0);
  best[0] = -penalty;
  for (std::size_t end = least; end <= n; ++end) {
    for (std::size_t begin = 0; begin + least <= end; ++begin) {
      const double total = best[begin] + cost(begin, end) + penalty;
      if (total < best[end]) {
        best[end] = total;
        previous[end] = begin;
      }
    }
  }
  std::vector<Piece> pieces;
  for (std::size_t end = n; end > 0; end = previous[end]) {
    pieces.push_back({.first = previous[end], .last = end - 1});
  }
  std::ranges::reverse(pieces);
  return pieces;
}

double level_of(const Medians& curve, const Piece& piece) {
  return median_of(std::span(curve.y).subspan(piece.first, piece.size()));
}

double least_step(const Medians& curve, const Piece& a, const Piece& b) {
  return std::max(3 * curve.sigma, kLeastStep * std::min(std::abs(a.level), std::abs(b.level)));
}

/// Joins neighbours, the closest first, until all differ by more than the noise.
void join_alike(const Medians& curve, std::vector<Piece>& pieces) {
  for (Piece& piece : pieces)
    piece.level = level_of(curve, piece);
  while (pieces.size() > 1) {
    std::size_t closest = 0;
    double margin = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const double step = std::abs(pieces[i + 1].level - pieces[i].level);
      const double above = step - least_step(curve, pieces[i], pieces[i + 1]);
      if (above < margin) {
        margin = above;
        closest = i;
      }
    }
    if (margin > 0) return;
    pieces[closest].last = pieces[closest + 1].last;
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(closest) + 1);
    pieces[closest].level = level_of(curve, pieces[closest]);
  }
}

/// \brief  Joins pieces until levels only rise: more memory never gets faster, so what falls again
///         was a stretch of the measurement, not of the memory. The longer piece sets the level.
/// \source isotonic regression: pool adjacent violators (Ayer et al. 1955), with medians
void join_falling(const Medians& curve, std::vector<Piece>& pieces) {
  std::vector<Piece> rising;
  for (const Piece& piece : pieces) {
    rising.push_back(piece);
    while (rising.size() > 1 && rising[rising.size() - 2].level > rising.back().level) {
      rising[rising.size() - 2].last = rising.back().last;
      rising.pop_back();
      rising.back().level = level_of(curve, rising.back());
    }
  }
  pieces = std::move(rising);
}

/// \brief  Slope of a straight line through the piece, for each point. Points of a steep rise at
///         its ends do not count.
/// \source the median of the slopes between all points: Theil 1950, Sen 1968
double slope_of(const Medians& curve, const Piece& piece) {
  std::vector<double> slopes;
  for (std::size_t i = piece.first; i < piece.last; ++i) {
    for (std::size_t j = i + 1; j <= piece.last; ++j) {
      slopes.push_back((curve.y[j] - curve.y[i]) / static_cast<double>(j - i));
    }
  }
  return slopes.empty() ? 0 : median_of(slopes);
}

/// The smaller one of the slopes just before a piece and just behind it.
double slope_beside(const Medians& curve, const Piece& piece) {
  constexpr std::size_t kPoints = 3;
  const std::size_t before = std::min(piece.first, kPoints);
  const std::size_t behind = std::min(curve.y.size() - 1 - piece.last, kPoints);
  const double left = curve.y[piece.first] - curve.y[piece.first - before];
  const double right = curve.y[piece.last + behind] - curve.y[piece.last];
  return std::min(std::abs(left) / static_cast<double>(before),
                  std::abs(right) / static_cast<double>(behind));
}

/// Pieces that are level. A ramp is cut into pieces, too, but each of them rises on as what lies
/// beside it does. The first and the last piece count as level.
std::vector<Piece> level_pieces(const Medians& curve, const std::vector<Piece>& pieces) {
  std::vector<Piece> level;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const bool inner = i > 0 && i + 1 < pieces.size();
    const bool rises = std::abs(slope_of(curve, piece)) > kLevel * slope_beside(curve, piece);
    if (inner && (rises || piece.size() < kLeastLevel)) continue;
    level.push_back(pieces[i]);
  }
  return level;
}

/// \brief  Where the curve crosses a level for good: the number of points from `begin` on that lie
///         below. Of all cuts, the one that the fewest points contradict.
std::size_t crossing(const Medians& curve, std::size_t begin, std::size_t end, double level) {
  std::ptrdiff_t wrong = 0;  // relative to the cut at `begin`
  std::ptrdiff_t least = 0;
  std::size_t best = begin;
  for (std::size_t i = begin; i < end; ++i) {
    wrong += curve.y[i] > level ? 1 : -1;
    if (wrong < least) {
      least = wrong;
      best = i + 1;
    }
  }
  return best;
}

Knee knee_between(const Medians& curve, const Piece& low, const Piece& high) {
  const double step = high.level - low.level;
  const auto above_low = [&](double share) {
    return low.level + std::min(std::max(share * step, 3 * curve.sigma), 0.3 * step);
  };
  const double nearly = high.level - std::min(std::max(0.05 * step, 2 * curve.sigma), 0.3 * step);
  const std::size_t begin = low.first;
  const std::size_t end = high.last + 1;
  const auto clamp = [&](std::size_t i) { return std::clamp(i, begin, end - 1); };
  const std::size_t onset = crossing(curve, begin, end, above_low(0.05));
  const std::size_t deviation = crossing(curve, begin, end, above_low(0.03));
  const std::size_t saturated = crossing(curve, begin, end, nearly);
  return {.before = low.level,
          .after = high.level,
          .onset = curve.x[clamp(onset == begin ? begin : onset - 1)],
          .least = curve.x[clamp(onset < begin + 2 ? begin : onset - 2)],
          .first_deviation = curve.x[clamp(deviation)],
          .saturated = curve.x[clamp(saturated)]};
}

}  // namespace

std::vector<Knee> find_knees(std::span<const Point> curve) {
  if (curve.empty()) return {};
  const Medians medians = medians_of(curve);
  std::vector<Piece> pieces = partition(medians);
  join_alike(medians, pieces);
  join_falling(medians, pieces);
  join_alike(medians, pieces);
  // A few points at the end may be a throttled stretch, or a rise that has only begun.
  if (pieces.back().size() < kLeastLevel) pieces.pop_back();
  const std::vector<Piece> level = level_pieces(medians, pieces);
  std::vector<Knee> knees;
  for (std::size_t i = 1; i < level.size(); ++i) {
    knees.push_back(knee_between(medians, level[i - 1], level[i]));
  }
  return knees;
}

}  // namespace ladder::labs
