// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/replacement.cpp
#include "bench/labs/analysis/replacement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace ladder::labs {
namespace {

/// A formula that misses the hit rates by more does not describe them.
constexpr double kMostError = 0.03;

void require_rates(double cache, double memory) {
  if (!(cache > 0) || !(memory > 0)) {
    throw std::invalid_argument("The bandwidths of cache and memory have to be above 0.");
  }
}

/// What a replacement makes of a curve, with the best capacity.
struct Fit {
  Replacement replacement;
  double capacity = 0;
  double squares = std::numeric_limits<double>::infinity();
  double low = 0;  ///< capacities in between explain the curve nearly as well
  double high = 0;
};

/// Akaike's criterion. All formulas have one parameter and the noise, so that its corrections are
/// the same. No hit rate is better known than to half a percent.
double criterion(double squares, double points) {
  constexpr double kLeastError = 0.005;
  return points * std::log(std::max(squares / points, kLeastError * kLeastError));
}

double squares_of(Replacement replacement, double capacity, std::span<const double> x,
                  std::span<const double> rates) {
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = rates[i] - hit_rate(replacement, x[i] / capacity);
    squares += error * error;
  }
  return squares;
}

/// The capacities next to the best one that explain the curve nearly as well.
void find_interval(Fit& fit, std::span<const double> x, std::span<const double> rates) {
  constexpr double kNearly = 10;  // of the criterion, as between formulas
  constexpr double kStep = 1.002;
  const auto points = static_cast<double>(x.size());
  const double most = criterion(fit.squares, points) + kNearly;
  const auto end = [&](double factor) {
    double capacity = fit.capacity;
    while (capacity > x.front() / 4 && capacity < 1.5 * x.back() &&
           criterion(squares_of(fit.replacement, capacity, x, rates), points) <= most)
      capacity *= factor;
    return capacity;
  };
  fit.low = end(1 / kStep);
  fit.high = end(kStep);
}

/// Tries capacities over the whole range, and then finer ones around the best.
Fit fitted(Replacement replacement, std::span<const double> x, std::span<const double> rates) {
  Fit fit{.replacement = replacement};
  double low = std::log(x.front() / 4);
  double high = std::log(x.back() * 1.5);
  constexpr int kSteps = 200;
  for (int round = 0; round < 3; ++round) {
    const double step = (high - low) / kSteps;
    for (int i = 0; i <= kSteps; ++i) {
      const double capacity = std::exp(low + i * step);
      const double squares = squares_of(replacement, capacity, x, rates);
      if (squares < fit.squares) {
        fit.squares = squares;
        fit.capacity = capacity;
      }
    }
    low = std::log(fit.capacity) - 2 * step;
    high = std::log(fit.capacity) + 2 * step;
  }
  find_interval(fit, x, rates);
  return fit;
}

}  // namespace

std::string name_of(Replacement replacement) {
  switch (replacement) {
    case Replacement::lru:
      return "LRU";
    case Replacement::random:
      return "random";
    case Replacement::proportional:
      return "proportional";
  }
  throw std::invalid_argument("There is no such replacement.");
}

double hit_rate(Replacement replacement, double x) {
  if (!(x > 0)) throw std::invalid_argument("A working set is larger than 0.");
  if (x <= 1) return 1;
  switch (replacement) {
    case Replacement::lru:
      return 0;
    case Replacement::proportional:
      return 1 / x;
    case Replacement::random:
      break;
  }
  // exp(-x (1 - h)) - h falls from h = 0 to its minimum, where it is below 0, and 1 is the other
  // root.
  double low = 0;
  double high = 1 - std::log(x) / x;
  for (int i = 0; i < 60; ++i) {
    const double h = (low + high) / 2;
    (std::exp(-x * (1 - h)) > h ? low : high) = h;
  }
  return low;
}

double overlapped_bandwidth(double h, double cache, double memory) {
  require_rates(cache, memory);
  return h >= 1 ? cache : std::min(cache, memory / (1 - h));
}

double overlapped_hit_rate(double bandwidth, double cache, double memory) {
  require_rates(cache, memory);
  return bandwidth >= cache ? 1 : std::clamp(1 - memory / bandwidth, 0.0, 1.0);
}

ReplacementFit fit_replacement(std::span<const Point> hit_rates) {
  if (hit_rates.size() < 5) throw std::invalid_argument("A fit needs at least 5 hit rates.");
  std::vector<double> x;
  std::vector<double> rates;
  for (const Point& point : hit_rates) {
    x.push_back(point.x);
    rates.push_back(median_of(point.samples));
  }
  std::array fits = {fitted(Replacement::lru, x, rates), fitted(Replacement::random, x, rates),
                     fitted(Replacement::proportional, x, rates)};
  std::ranges::sort(fits, {}, &Fit::squares);
  const auto n = static_cast<double>(x.size());
  constexpr double kRuledOut = 10;
  ReplacementFit fit = {.best = fits[0].replacement,
                        .second = fits[1].replacement,
                        .capacity = {fits[0].capacity, fits[0].low, fits[0].high},
                        .best_error = std::sqrt(fits[0].squares / n),
                        .second_error = std::sqrt(fits[1].squares / n)};
  const auto behind = [&](const Fit& other) {
    return criterion(other.squares, n) - criterion(fits[0].squares, n);
  };
  fit.decided = behind(fits[1]) >= kRuledOut;
  for (const Fit& other : fits) {
    if (behind(other) >= kRuledOut) continue;
    fit.capacity.low = std::min(fit.capacity.low, other.low);
    fit.capacity.high = std::max(fit.capacity.high, other.high);
  }
  fit.explained = fit.best_error <= kMostError;
  return fit;
}

}  // namespace ladder::labs
