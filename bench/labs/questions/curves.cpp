// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/curves.cpp
/// \brief What the labs' reports are put together from.
#include "bench/labs/questions/curves.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/labs/report_text.hpp"

namespace ladder::labs {

std::vector<std::uint64_t> geometric(std::uint64_t least, std::uint64_t most, double factor,
                                     std::uint64_t unit) {
  std::vector<std::uint64_t> values;
  for (auto exact = static_cast<double>(least); exact <= static_cast<double>(most) * 1.0001;
       exact *= factor) {
    const std::uint64_t value =
        std::max<std::uint64_t>(static_cast<std::uint64_t>(exact) / unit, 1);
    if (values.empty() || value * unit != values.back()) values.push_back(value * unit);
  }
  return values;
}

Finding found(const std::string& key, const std::string& name, double value,
              const std::string& unit, const std::string& how) {
  return found(key, name, Estimate{value, value, value}, unit, how);
}

Finding found(const std::string& key, const std::string& name, const Estimate& value,
              const std::string& unit, const std::string& how) {
  return {.key = key, .name = name, .value = value, .unit = unit, .how = how};
}

Finding not_found(const std::string& key, const std::string& name, const std::string& unit,
                  const std::string& why) {
  return {.key = key, .name = name, .value = {}, .unit = unit, .how = why};
}

Finding capacity(const std::string& key, const std::string& name, const Knee& knee,
                 const std::string& y_unit) {
  return found(key, name, Estimate{knee.onset, knee.least, knee.saturated}, "bytes",
               fmt::format("Beyond it, {} becomes {}; the interval ends where that is complete",
                           with_unit(knee.before, y_unit), with_unit(knee.after, y_unit)));
}

ClaimCheck check_claim(const std::string& row, const std::string& claimed, bool holds,
                       const std::string& because) {
  return {.row = row, .claimed = claimed, .verdict = holds ? "holds" : "wrong", .because = because};
}

ClaimCheck slower_beyond_tlbs(const std::string& row, const std::string& subject,
                              const FallOverMemory& fall) {
  constexpr double kSeveral = 2.0;
  const bool falls = fall.best.value >= kSeveral * fall.last.value;
  const std::string rate = fmt::format(
      "With the largest {}, {}, the rate is {:.2f}x the best", fall.what,
      with_unit(static_cast<double>(fall.bytes), "bytes"), fall.last.value / fall.best.value);
  return {
      .row = row,
      .claimed = subject + (fall.what == "table" ? " is" : " are") + " several times slower",
      .verdict = falls ? "holds" : "pending",
      .because =
          falls ? rate : rate + ". How much of it lies beyond what the TLBs cover, lab L11 tells"};
}

std::vector<Point> in_rounds(
    const std::vector<std::uint64_t>& xs, int repeats,
    const std::function<std::vector<double>(std::uint64_t x, int repeats)>& measure) {
  constexpr int kRounds = 3;
  std::vector<Point> curve;
  curve.reserve(xs.size());
  for (const std::uint64_t x : xs)
    curve.push_back({.x = static_cast<double>(x), .samples = {}});
  for (int round = 0; round < kRounds; ++round) {
    const int in_this = (repeats + kRounds - 1 - round) / kRounds;
    for (std::size_t i = 0; i < xs.size() && in_this > 0; ++i) {
      const std::vector<double> samples = measure(xs[i], in_this);
      curve[i].samples.insert(curve[i].samples.end(), samples.begin(), samples.end());
    }
  }
  return curve;
}

double median_over(const std::vector<Point>& points, std::size_t first, std::size_t last) {
  std::vector<double> samples;
  for (std::size_t i = first; i <= last; ++i)
    samples.insert(samples.end(), points[i].samples.begin(), points[i].samples.end());
  return median_of(samples);
}

}  // namespace ladder::labs
