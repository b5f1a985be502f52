// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/made_up_curves.hpp
/// \brief Curves of which a test knows everything, with what disturbs measurements on top.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench/labs/analysis/samples.hpp"
#include "bench/labs/simulator/noise.hpp"

namespace ladder::labs {

/// Random systems that a test draws: `make test-all` draws more, and LADDER_DRAWS as many as it
/// says.
inline int draws() {
  if (const char* const many = std::getenv("LADDER_DRAWS"); many != nullptr) return std::stoi(many);
  return std::getenv("LADDER_TEST_ALL") != nullptr ? 200 : 10;
}

/// Whole systems, which take seconds each: `make test-all` draws more, and LADDER_DRAWS as many as
/// it says.
inline int few_draws() {
  if (const char* const many = std::getenv("LADDER_DRAWS"); many != nullptr) return std::stoi(many);
  return std::getenv("LADDER_TEST_ALL") != nullptr ? 6 : 3;
}

/// Of the i-th whole system; LADDER_SEED is that of the first.
inline std::uint64_t seed_of_draw(int i) {
  const char* const first = std::getenv("LADDER_SEED");
  return (first == nullptr ? 0 : std::stoull(first)) + static_cast<std::uint64_t>(i);
}

/// x from `low` to `high`, each `factor` times the one before.
inline std::vector<double> geometric(double low, double high, double factor) {
  std::vector<double> x;
  for (double value = low; value <= high; value *= factor)
    x.push_back(value);
  return x;
}

/// A latency that rises from `before` to `after` between two x, and stays there.
inline double ramp(double x, double from, double to, double before, double after) {
  if (x <= from) return before;
  if (x >= to) return after;
  return before + (after - before) * (x - from) / (to - from);
}

/// What a lab measures of a function, with all noise that the simulator has: three times over, so
/// that what throttles for a while has no majority anywhere.
inline std::vector<Point> measured(const std::vector<double>& xs,
                                   const std::function<double(double)>& exact, int repeats,
                                   std::uint64_t seed, const NoiseShape& shape = {}) {
  Noise noise(shape, seed);
  std::vector<Point> curve;
  for (const double x : xs)
    curve.push_back({.x = x, .samples = {}});
  for (int round = 0; round < 3; ++round) {
    for (Point& point : curve) {
      for (int i = 0; i < repeats / 3; ++i)
        point.samples.push_back(noise.cycles(exact(point.x)));
    }
  }
  return curve;
}

/// A curve without any noise.
inline std::vector<Point> exact_curve(const std::vector<double>& xs,
                                      const std::function<double(double)>& exact) {
  std::vector<Point> curve;
  for (const double x : xs)
    curve.push_back({.x = x, .samples = {exact(x)}});
  return curve;
}

}  // namespace ladder::labs
