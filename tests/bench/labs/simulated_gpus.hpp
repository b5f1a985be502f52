// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/simulated_gpus.hpp
/// \brief Measurements that a lab would take, on any instruments.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/labs/analysis/page_size.hpp"
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

/// Latency over distance, in ascending order, for strides that double.
inline std::vector<StrideCurve> stride_curves(Instruments& gpu, std::uint64_t low_stride,
                                              std::uint64_t high_stride,
                                              const std::vector<double>& distances,
                                              bool spread_lines = true) {
  std::vector<StrideCurve> curves;
  for (std::uint64_t stride = low_stride; stride <= high_stride; stride *= 2) {
    std::vector<Walk> walks;
    for (const double distance : distances) {
      const auto places = static_cast<std::uint64_t>(distance / static_cast<double>(stride));
      if (places < 2 || (!walks.empty() && places == walks.back().places)) continue;
      walks.push_back({.places = places,
                       .stride_bytes = stride,
                       .order = Order::ascending,
                       .spread_lines = spread_lines});
    }
    curves.push_back({.stride_bytes = static_cast<double>(stride), .curve = measured(gpu, walks)});
  }
  return curves;
}

/// 0 .. count - 1.
inline std::vector<int> all_sms(const Instruments& gpu) {
  std::vector<int> sms(static_cast<std::size_t>(gpu.facts().sms));
  std::iota(sms.begin(), sms.end(), 0);
  return sms;
}

}  // namespace ladder::labs
