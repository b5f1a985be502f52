// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_survival.cpp
/// \brief What survives a stream in a cache that honours every hint: the rules as they are written.
///        A GPU may differ, and finding out where is what the labs are for.
#include <algorithm>
#include <cmath>
#include <random>

#include "bench/labs/simulator/hash.hpp"
#include "bench/labs/simulator/priority_cache.hpp"
#include "bench/labs/simulator/simulated_parts.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLineBytes = 128;

Priority priority_of(Hint hint) {
  switch (hint) {
    case Hint::cs:
    case Hint::lu:
    case Hint::no_l1:
    case Hint::evict_first:
      return Priority::first;
    case Hint::evict_last:
      return Priority::last;
    default:
      return Priority::normal;
  }
}

bool uses_l1(Hint hint) {
  return hint == Hint::ca || hint == Hint::cs || hint == Hint::evict_first ||
         hint == Hint::evict_last;
}

class SimulatedSurvival : public SurvivalInstrument {
 public:
  SimulatedSurvival(const MemorySystem& system, Noise& noise, std::uint64_t seed)
      : shape_(system.shape()), noise_(noise), random_(hash_of(seed ^ 17)) {}

  std::vector<double> survivors(const Survival& survival, int repeats) override {
    require_fits(survival.hot_bytes + survival.stream_bytes, shape_.facts);
    require_lines(survival.hot_bytes);
    require_lines(survival.stream_bytes);
    const double share = shape_.l2 ? surviving(survival) : 0.0;
    std::vector<double> samples(static_cast<std::size_t>(std::max(repeats, 0)));
    std::ranges::generate(samples, [&] { return sampled(share, survival.sampled_lines); });
    return samples;
  }

  double second_lap_cycles(Hint hint) override {
    if (shape_.l1 && uses_l1(hint)) return noise_.cycles(shape_.l1_cycles);
    return noise_.cycles(shape_.l2 ? shape_.near_cycles : shape_.dram_cycles);
  }

 private:
  /// \brief  Share of the hot lines that are still there. One in `scale` lines stands for all: sets
  ///         do not see each other's lines.
  double surviving(const Survival& survival) const {
    const L2Sample sample(*shape_.l2);
    const std::uint64_t scale = sample.scale;
    const int ways = sample.shape.side.ways;
    PriorityCache cache({.lines = sample.lines(), .ways = ways, .last_ways = last_ways(survival)});
    const std::uint64_t hot = std::max<std::uint64_t>(survival.hot_bytes / kLineBytes / scale, 1);
    for (int pass = 0; pass < survival.hot_passes; ++pass) {
      for (std::uint64_t line = 0; line < hot; ++line)
        cache.read(line, hot_priority(survival, line, hot));
    }
    const std::uint64_t stream = survival.stream_bytes / kLineBytes / scale;
    for (std::uint64_t line = 0; line < stream; ++line)
      cache.read(hot + line, priority_of(survival.stream_hint));
    std::uint64_t held = 0;
    for (std::uint64_t line = 0; line < hot; ++line)
      held += cache.holds(line);
    return static_cast<double>(held) / static_cast<double>(hot);
  }

  /// What a sample of the lines makes of the share of all.
  double sampled(double share, int lines) {
    if (share <= 0 || share >= 1) return share;
    const double sigma = std::sqrt(share * (1 - share) / lines);
    return std::clamp(share + sigma * normal_(random_), 0.0, 1.0);
  }

  /// Ways of a set that may hold lines of priority `last`: those set aside, or all for the hint.
  int last_ways(const Survival& survival) const {
    const int ways = shape_.l2->side.ways;
    if (!survival.set_aside) return ways;
    const std::uint64_t limit =
        std::min(survival.set_aside->limit_bytes, shape_.facts.most_persisting_bytes);
    const double share = static_cast<double>(limit) / static_cast<double>(shape_.facts.l2_bytes);
    return static_cast<int>(std::lround(share * ways));
  }

  /// Lines of a window are marked with the probability that hitRatio says.
  Priority hot_priority(const Survival& survival, std::uint64_t line, std::uint64_t hot) const {
    if (!survival.set_aside) return priority_of(survival.hot_hint);
    const double place = static_cast<double>(line) / static_cast<double>(hot);
    const double inside = static_cast<double>(survival.set_aside->window_bytes) /
                          static_cast<double>(survival.hot_bytes);
    constexpr double kUnit = 0x1p-53;
    const double chance = static_cast<double>(hash_of(survival.seed ^ hash_of(line)) >> 11) * kUnit;
    return place < inside && chance < survival.set_aside->hit_ratio ? Priority::last
                                                                    : Priority::normal;
  }

  const MemorySystemShape& shape_;
  Noise& noise_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace

std::unique_ptr<SurvivalInstrument> make_simulated_survival(const MemorySystem& system,
                                                            Noise& noise, std::uint64_t seed) {
  return std::make_unique<SimulatedSurvival>(system, noise, seed);
}

}  // namespace ladder::labs
