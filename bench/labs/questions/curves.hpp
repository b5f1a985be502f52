// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/curves.hpp
/// \brief What the labs' reports are put together from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/labs/analysis/plateaus.hpp"
#include "bench/labs/lab.hpp"

namespace ladder::labs {

/// Multiples of `unit` from `least` to `most`, each about `factor` times the one before.
std::vector<std::uint64_t> geometric(std::uint64_t least, std::uint64_t most, double factor,
                                     std::uint64_t unit);

/// The next size below that has whole lines. What a driver tells need not.
constexpr std::uint64_t whole_lines(std::uint64_t bytes) {
  constexpr std::uint64_t kLine = 128;
  return std::max(bytes / kLine, std::uint64_t{1}) * kLine;
}

/// A finding that is one number.
Finding found(const std::string& key, const std::string& name, double value,
              const std::string& unit, const std::string& how);

/// A finding with its interval.
Finding found(const std::string& key, const std::string& name, const Estimate& value,
              const std::string& unit, const std::string& how);

/// A finding that was looked for in vain.
/// \param why a sentence without its full stop
Finding not_found(const std::string& key, const std::string& name, const std::string& unit,
                  const std::string& why);

/// A capacity, from where a curve begins to leave its plateau to where it has reached the next.
Finding capacity(const std::string& key, const std::string& name, const Knee& knee,
                 const std::string& y_unit);

/// \brief  What a lab makes of a claim.
/// \param  row  of the table of claims: "R008"
/// \param  holds  whether the sentence is true as it is written
/// \param  because  a sentence without its full stop
ClaimCheck check_claim(const std::string& row, const std::string& claimed, bool holds,
                       const std::string& because);

/// What a lab saw of one way of reading over more and more memory.
struct FallOverMemory {
  Estimate best;            ///< rate over the best size
  Estimate last;            ///< over the largest one
  std::string what;         ///< "region", "table"
  std::uint64_t bytes = 0;  ///< of the largest one
};

/// \brief  A claim that accesses beyond what the TLBs cover are several times slower. A fall shows
///         it. No fall refutes nothing: the largest size may just not be far enough beyond.
/// \param  subject  "Random reads over more memory than the TLBs cover"
ClaimCheck slower_beyond_tlbs(const std::string& row, const std::string& subject,
                              const FallOverMemory& fall);

/// \brief  Measures each x in three rounds, so that what disturbs a stretch of time has no majority
///         at any of them.
/// \param  repeats  of each x, in all
/// \param  measure  gets an x and the number of its repeats in this round
std::vector<Point> in_rounds(
    const std::vector<std::uint64_t>& xs, int repeats,
    const std::function<std::vector<double>(std::uint64_t x, int repeats)>& measure);

/// Median of all samples of some points.
double median_over(const std::vector<Point>& points, std::size_t first, std::size_t last);

}  // namespace ladder::labs
