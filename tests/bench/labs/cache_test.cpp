// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/cache_test.cpp
/// \brief Simulated caches hit and miss as the formulas say.
#include "bench/labs/simulator/cache.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "bench/labs/analysis/replacement.hpp"
#include "bench/labs/instruments/order.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLine = 128;

/// Share of a cyclic sweep that hits, after some passes to warm up.
double swept(const CacheShape& shape, double x, bool random_order = false) {
  SectoredCache cache(shape, 3);
  const auto lines = static_cast<std::uint64_t>(x * static_cast<double>(shape.lines()));
  constexpr std::uint64_t kWarm = 8;
  constexpr std::uint64_t kPasses = 12;
  std::uint64_t hits = 0;
  for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
    const RandomOrder order(lines, random_order ? pass + 1 : 1);
    for (std::uint64_t i = 0; i < lines; ++i) {
      const bool hit = cache.access((random_order ? order[i] : i) * kLine);
      hits += hit && pass >= kWarm;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(lines * (kPasses - kWarm));
}

TEST(Cache, HoldsExactlyItsCapacity) {
  for (const auto victim : {Victim::lru, Victim::fifo, Victim::random, Victim::tree_plru}) {
    for (const auto index : {SetIndex::modulo, SetIndex::hashed}) {
      const CacheShape shape{
          .bytes = 96 * 16 * kLine, .ways = 16, .victim = victim, .index = index};
      EXPECT_EQ(swept(shape, 1), 1);
      EXPECT_LT(swept(shape, 1.1), 1);
    }
  }
}

TEST(Cache, OfLruForgetsACyclicSweep) {
  for (const auto victim : {Victim::lru, Victim::fifo}) {
    const CacheShape shape{.bytes = 64 * 8 * kLine, .ways = 8, .victim = victim};
    EXPECT_EQ(swept(shape, 1.25), 0);
    EXPECT_EQ(swept(shape, 3), 0);
  }
}

TEST(Cache, OfRandomVictimsKeepsWhatTheFormulaSays) {
  // The formula is that of a cache of one set; 64 ways come close to it.
  const CacheShape shape{.bytes = 64 * 64 * kLine, .ways = 64, .victim = Victim::random};
  for (const double x : {1.2, 1.5, 2.0, 3.0}) {
    EXPECT_NEAR(swept(shape, x), hit_rate(Replacement::random, x), 0.015) << x;
  }
}

TEST(Cache, OfTreePlruForgetsASweepToo) {
  const CacheShape plru{.bytes = 64 * 16 * kLine, .ways = 16, .victim = Victim::tree_plru};
  EXPECT_EQ(swept(plru, 1.25), 0);
}

TEST(Cache, OfTreePlruTakesALineBesideTheNewestHalf) {
  const auto victim_after_a_hit = [](Victim victim) {
    SectoredCache cache({.bytes = 4 * kLine, .ways = 4, .victim = victim}, 1);
    for (const std::uint64_t line : {0, 1, 2, 3, 0, 4})
      cache.access(line * kLine);
    std::uint64_t gone = 0;
    while (cache.holds(gone * kLine))
      ++gone;
    return gone;
  };
  EXPECT_EQ(victim_after_a_hit(Victim::lru), 1u);
  EXPECT_EQ(victim_after_a_hit(Victim::fifo), 0u);
  EXPECT_EQ(victim_after_a_hit(Victim::tree_plru), 2u);
}

TEST(Cache, InRandomOrderAllKeepTheirShare) {
  for (const auto victim : {Victim::lru, Victim::random, Victim::tree_plru}) {
    SectoredCache cache({.bytes = 64 * 16 * kLine, .ways = 16, .victim = victim}, 1);
    constexpr std::uint64_t kLines = 4 * 64 * 16;
    const RandomOrder draw(std::uint64_t{1} << 40, 5);
    int hits = 0;
    constexpr int kReads = 60000;
    for (int i = 0; i < 2 * kReads; ++i) {
      const bool hit = cache.access(draw[static_cast<std::uint64_t>(i)] % kLines * kLine);
      hits += hit && i >= kReads;
    }
    EXPECT_NEAR(static_cast<double>(hits) / kReads, 0.25, 0.01);
  }
}

TEST(Cache, FetchesSectors) {
  SectoredCache cache({.bytes = 8 * 1024, .ways = 4}, 1);
  EXPECT_FALSE(cache.access(0));
  EXPECT_TRUE(cache.access(31));
  EXPECT_FALSE(cache.holds(32));
  EXPECT_FALSE(cache.access(32));
  EXPECT_TRUE(cache.holds(0));
  EXPECT_TRUE(cache.access(63));
  cache.clear();
  EXPECT_FALSE(cache.holds(0));
  EXPECT_FALSE(cache.access(0));
}

TEST(Cache, StridesCompeteOnlyUnderModulo) {
  const auto holds_all = [](SetIndex index) {
    const CacheShape shape{.bytes = 64 * 4 * kLine, .ways = 4, .index = index};
    SectoredCache cache(shape, 1);
    const std::uint64_t stride = shape.sets() * kLine;
    for (std::uint64_t i = 0; i < 16; ++i)
      cache.access(i * stride);
    std::uint64_t held = 0;
    for (std::uint64_t i = 0; i < 16; ++i)
      held += cache.holds(i * stride);
    return held == 16;
  };
  EXPECT_FALSE(holds_all(SetIndex::modulo));
  EXPECT_TRUE(holds_all(SetIndex::hashed));
}

TEST(Cache, RefusesShapesThatItCannotHave) {
  EXPECT_THROW(SectoredCache({.bytes = 3 * kLine, .ways = 2}, 1), std::invalid_argument);
  EXPECT_THROW(SectoredCache({.bytes = 0, .ways = 2}, 1), std::invalid_argument);
  EXPECT_THROW(SectoredCache({.bytes = 6 * kLine, .ways = 6, .victim = Victim::tree_plru}, 1),
               std::invalid_argument);
  EXPECT_THROW(SectoredCache({.bytes = 1024, .ways = 2, .sector_bytes = 8}, 1),
               std::invalid_argument);
}

TEST(RandomOrder, VisitsEachPlaceOnce) {
  for (const std::uint64_t count : {1u, 2u, 3u, 17u, 1000u, 4096u, 5000u}) {
    const RandomOrder order(count, count);
    std::set<std::uint64_t> places;
    for (std::uint64_t i = 0; i < count; ++i)
      places.insert(order[i]);
    EXPECT_EQ(places.size(), count);
    EXPECT_LT(*places.rbegin(), count);
  }
}

}  // namespace
}  // namespace ladder::labs
