// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/paired_slots.cpp
#include "bench/labs/analysis/paired_slots.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>

namespace ladder::labs {
namespace {

/// Standard errors that a change may be off: few slots tell little of their own error.
constexpr double kErrors = 4;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Mean over the slots of a kind of what `of_slot` makes of each.
template <class OfSlot>
double mean_of_kind(std::span<const Slot> slots, int kind, OfSlot of_slot) {
  std::vector<double> means;
  for (const Slot& slot : slots)
    if (slot.kind == kind) means.push_back(of_slot(slot));
  return mean_of(means);
}

/// Median of windows drawn in runs of a quarter of the slot.
double drawn_median(const Slot& slot, std::mt19937_64& random) {
  const std::size_t count = slot.samples.size();
  const std::size_t run = std::max<std::size_t>(1, count / 4);
  std::uniform_int_distribution<std::size_t> start(0, count - 1);
  std::vector<double> drawn;
  while (drawn.size() < count) {
    const std::size_t first = start(random);
    for (std::size_t i = 0; i < run && drawn.size() < count; ++i)
      drawn.push_back(slot.samples[(first + i) % count]);
  }
  return median_of(drawn);
}

/// \brief  Standard deviation of slots' medians, as a share, beside what their kind and a linear
///         drift explain; 0 if there are too few slots to tell.
double unexplained_share(std::span<const Slot> slots) {
  std::map<int, std::vector<std::size_t>> of_kind;
  for (std::size_t i = 0; i < slots.size(); ++i)
    of_kind[slots[i].kind].push_back(i);
  // Both the medians and the times of the slots, without those of their kind.
  std::vector<double> times(slots.size());
  std::vector<double> shares(slots.size());
  for (const auto& [kind, members] : of_kind) {
    double time = 0;
    double mean = 0;
    for (const std::size_t i : members) {
      time += static_cast<double>(i) / static_cast<double>(members.size());
      mean += median_of(slots[i].samples) / static_cast<double>(members.size());
    }
    for (const std::size_t i : members) {
      times[i] = static_cast<double>(i) - time;
      shares[i] = median_of(slots[i].samples) / mean - 1.0;
    }
  }
  const double across = std::inner_product(times.begin(), times.end(), shares.begin(), 0.0);
  const double along = std::inner_product(times.begin(), times.end(), times.begin(), 0.0);
  const double slope = along > 0 ? across / along : 0.0;
  double squares = 0;
  for (std::size_t i = 0; i < slots.size(); ++i)
    squares += std::pow(shares[i] - slope * times[i], 2);
  const auto freedom = static_cast<double>(slots.size()) - static_cast<double>(of_kind.size()) - 1;
  return freedom > 0 ? std::sqrt(squares / freedom) : 0.0;
}

}  // namespace

Change change_between(std::span<const Slot> slots, int reference, int other, std::uint64_t seed) {
  for (const int kind : {reference, other}) {
    if (std::ranges::count(slots, kind, &Slot::kind) == 0)
      throw std::invalid_argument("A change needs slots of both kinds.");
  }
  if (std::ranges::any_of(slots, [](const Slot& slot) { return slot.samples.empty(); }))
    throw std::invalid_argument("Each slot needs at least one sample.");
  const auto percent = [&](auto of_slot) {
    return 100.0 *
           (mean_of_kind(slots, other, of_slot) / mean_of_kind(slots, reference, of_slot) - 1.0);
  };
  Change change;
  change.percent.value = percent([](const Slot& slot) { return median_of(slot.samples); });
  constexpr int kDraws = 2000;
  std::mt19937_64 random(seed);
  std::vector<double> drawn;
  drawn.reserve(kDraws);
  for (int draw = 0; draw < kDraws; ++draw)
    drawn.push_back(percent([&](const Slot& slot) { return drawn_median(slot, random); }));
  change.percent.low = quantile_of(drawn, 0.0005);
  change.percent.high = quantile_of(drawn, 0.9995);
  const auto of_each = [&](int kind) {
    return 1.0 / static_cast<double>(std::ranges::count(slots, kind, &Slot::kind));
  };
  change.floor_percent =
      kErrors * 100.0 * unexplained_share(slots) * std::sqrt(of_each(reference) + of_each(other));
  return change;
}

Decision decide(const Change& change, double claimed_percent, double tolerance_percent) {
  const double low = claimed_percent - tolerance_percent;
  const double high = claimed_percent + tolerance_percent;
  if (change.least() >= low && change.most() <= high) return Decision::confirmed;
  if (change.most() < low || change.least() > high) return Decision::refuted;
  return Decision::undecided;
}

}  // namespace ladder::labs
