// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/cliff.cpp
#include "bench/labs/analysis/cliff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace ladder::labs {
namespace {

/// Differences of chi squared: more than four standard deviations.
constexpr double kRuledOut = 20;
/// Of the rise: what one rise may miss of the points. Where it misses more, there are two.
constexpr double kSingle = 0.06;
/// Distances that a rise may take, as shares of where it begins: one over so many ways.
constexpr std::array kShares = {0.0,     1.0 / 64, 1.0 / 32, 1.0 / 24, 1.0 / 16, 1.0 / 12, 1.0 / 8,
                                1.0 / 6, 1.0 / 5,  1.0 / 4,  1.0 / 3,  1.0 / 2,  1.0 / 1};

/// Medians and how exactly they are known.
struct Measured {
  std::vector<double> x;
  std::vector<double> y;
  double sigma = 0;  ///< of a median
};

Measured medians_of(std::span<const Point> points) {
  constexpr double kSigmaOfMedian = 1.2533;  // of a normal distribution, times one over root n
  Measured measured;
  std::vector<double> deviations;
  for (const Point& point : points) {
    const double middle = median_of(point.samples);
    measured.x.push_back(point.x);
    measured.y.push_back(middle);
    for (const double sample : point.samples)
      deviations.push_back(sample - middle);
  }
  const double n = static_cast<double>(points.front().samples.size());
  // A median lies among its own samples: few of them deviate less from it than from the truth.
  const double few = n > 1 ? std::sqrt(n / (n - 1)) : 1;
  measured.sigma = std::max(few * robust_sigma(deviations) * kSigmaOfMedian / std::sqrt(n),
                            2e-4 * std::abs(median_of(measured.y)));
  return measured;
}

/// One explanation of the points.
struct Fit {
  double begin = 0;
  double share = 0;
  double rise = 0;
  double rise_sigma = 0;
  double chi_squared = std::numeric_limits<double>::infinity();

  double full() const { return begin * (1 + share); }
};

/// \brief  Share of the loads that miss at x, if sets fill one after the other: of each set with
///         one page too many, all miss.
double missing(double x, double begin, double share) {
  const double beyond = x / begin - 1;
  if (beyond <= 0) return 0;
  return share == 0 ? 1.0 : std::min(1.0, (1 / share + 1) * beyond / (1 + beyond));
}

/// The best levels for a rise of that place and length: least squares.
Fit fit_levels(const Measured& measured, double begin, double share) {
  double m = 0, mm = 0, y = 0, my = 0;
  const double n = static_cast<double>(measured.x.size());
  for (std::size_t i = 0; i < measured.x.size(); ++i) {
    const double missed = missing(measured.x[i], begin, share);
    m += missed;
    mm += missed * missed;
    y += measured.y[i];
    my += missed * measured.y[i];
  }
  Fit fit = {.begin = begin, .share = share};
  const double spread = mm - m * m / n;
  if (spread < 1e-9) return fit;
  fit.rise = (my - m * y / n) / spread;
  fit.rise_sigma = measured.sigma / std::sqrt(spread);
  const double base = (y - fit.rise * m) / n;
  fit.chi_squared = 0;
  for (std::size_t i = 0; i < measured.x.size(); ++i) {
    const double error =
        (measured.y[i] - base - fit.rise * missing(measured.x[i], begin, share)) / measured.sigma;
    // What disturbs a single median says nothing about the others.
    fit.chi_squared += std::min(error * error, 100.0);
  }
  return fit;
}

std::vector<Fit> all_fits(const Measured& measured, double unit) {
  constexpr int kMostBetween = 4;
  std::vector<Fit> fits;
  for (std::size_t i = 0; i + 1 < measured.x.size(); ++i) {
    const double gap = measured.x[i + 1] - measured.x[i];
    const int parts = std::clamp(static_cast<int>(gap / unit), 1, kMostBetween);
    for (int part = 0; part < parts; ++part) {
      const double begin = measured.x[i] + std::floor(gap * part / parts / unit + 1e-9) * unit;
      for (const double share : kShares)
        fits.push_back(fit_levels(measured, begin, share));
    }
  }
  return fits;
}

}  // namespace

std::optional<Cliff> fit_cliff(std::span<const Point> points, double unit) {
  if (points.size() < 4) throw std::invalid_argument("A cliff needs at least 4 points.");
  const Measured measured = medians_of(points);
  const std::vector<Fit> fits = all_fits(measured, unit);
  const Fit best = *std::ranges::min_element(fits, {}, &Fit::chi_squared);
  if (!(best.rise > 5 * best.rise_sigma)) return {};
  // No explanation is perfect: what the best one misses is noise as well.
  const double freedom = std::max<double>(static_cast<double>(points.size()) - 4, 1);
  const double scale = std::max(1.0, best.chi_squared / freedom);
  const double missed = std::sqrt(scale) * measured.sigma;
  if (missed > std::max(2 * measured.sigma, kSingle * best.rise)) return {};
  Cliff cliff = {.begin = {best.begin, best.begin, best.begin},
                 .full = {best.full(), best.full(), best.full()},
                 .rise = {}};
  Estimate rise = {best.rise, best.rise, best.rise};
  double widest_gap = unit;
  for (std::size_t i = 0; i + 1 < measured.x.size(); ++i)
    widest_gap = std::max(widest_gap, measured.x[i + 1] - measured.x[i]);
  for (const Fit& fit : fits) {
    if (fit.chi_squared - best.chi_squared > kRuledOut * scale) continue;
    cliff.begin.low = std::min(cliff.begin.low, fit.begin);
    cliff.begin.high = std::max(cliff.begin.high, fit.begin);
    cliff.full.low = std::min(cliff.full.low, fit.full());
    cliff.full.high = std::max(cliff.full.high, fit.full());
    // Clocks drift by some thousandths.
    const double margin = 4 * std::sqrt(scale) * fit.rise_sigma + 0.01 * fit.rise;
    rise.low = std::min(rise.low, fit.rise - margin);
    rise.high = std::max(rise.high, fit.rise + margin);
  }
  if (cliff.begin.low <= measured.x.front()) return {};
  // Sets need not fill as evenly as they do here.
  if (best.share > 0) {
    cliff.begin.low -= unit;
    cliff.begin.high += unit;
  }
  // Between two points, the cliff may begin anywhere.
  if (widest_gap > 1.5 * unit) {
    cliff.begin.low -= widest_gap - unit;
    cliff.begin.high += widest_gap - unit;
  }
  constexpr std::size_t kLevel = 3;  // points that show a level
  if (measured.x[measured.x.size() - kLevel] >= cliff.full.high) cliff.rise = rise;
  return cliff;
}

}  // namespace ladder::labs
