// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/saturation.hpp
/// \brief Little's law in a curve: bandwidth grows with what is in flight until something is full.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bench/labs/analysis/samples.hpp"

namespace ladder::labs {

/// y = min(slope * x, ceiling), with intervals that hold the truth where the curve follows it.
struct Saturation {
  Estimate slope;
  Estimate ceiling;
  Estimate knee;  ///< x at which both meet
};

/// \return nothing if the curve never stops to grow, never grows, or is of another shape
/// \throws std::invalid_argument  fewer than 4 points
std::optional<Saturation> fit_saturation(std::span<const Point> curve);

/// \brief  Bytes that are under way while a memory delivers this bandwidth: Little's law.
/// \param  gbps  10^9 bytes a second;  latency_cycles, clock_mhz  of the same clock
double bytes_in_flight(double gbps, double latency_cycles, double clock_mhz);

/// \brief  Ratio a / b of paired samples with its bootstrap interval (95 %).
/// \throws std::invalid_argument  different numbers of samples, or fewer than 4
Estimate paired_ratio(std::span<const double> a, std::span<const double> b, std::uint64_t seed);

/// \brief  Median with its bootstrap interval (95 %).
/// \throws std::invalid_argument  no samples
Estimate median_with_interval(std::span<const double> samples, std::uint64_t seed);

}  // namespace ladder::labs
