// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/simulated_gpus.hpp
/// \brief Measurements that a lab would take, on any instruments.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/labs/instruments/instruments.hpp"
#include "tests/bench/labs/made_up_curves.hpp"

namespace ladder::labs {

/// \brief  Measures all walks three times over: what throttles for a while has no majority
///         anywhere.
/// \return (walks,) points; x is what a walk spans
inline std::vector<Point> measured(Instruments& gpu, const std::vector<Walk>& walks) {
  std::vector<Point> curve(walks.size());
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < walks.size(); ++i) {
      curve[i].x = static_cast<double>(walks[i].span_bytes());
      const std::vector<double> samples = gpu.walks().cycles(walks[i], 3);
      curve[i].samples.insert(curve[i].samples.end(), samples.begin(), samples.end());
    }
  }
  return curve;
}

/// Latency over footprint, one line after the other at random places.
inline std::vector<Point> staircase(Instruments& gpu, double low_bytes, double high_bytes,
                                    double factor, Access access) {
  std::vector<Walk> walks;
  for (const double bytes : geometric(low_bytes, high_bytes, factor)) {
    const auto places = static_cast<std::uint64_t>(bytes / 128);
    if (walks.empty() || places != walks.back().places) {
      walks.push_back({.places = places, .access = access});
    }
  }
  return measured(gpu, walks);
}

/// 0 .. count - 1.
inline std::vector<int> all_sms(const Instruments& gpu) {
  std::vector<int> sms(static_cast<std::size_t>(gpu.facts().sms));
  std::iota(sms.begin(), sms.end(), 0);
  return sms;
}

}  // namespace ladder::labs
