// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/drawn_gpus.cpp
#include "tests/bench/labs/drawn_gpus.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ladder::labs {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;

NoiseShape drawn_noise(Draw& draw) {
  return {.sigma_cycles = draw.octaves(0.3, 3),
          .sigma_share = draw.octaves(0.001, 0.01),
          .outlier_share = draw.real(0, 0.04),
          .outlier_size = draw.octaves(0.1, 1),
          .drift_share = draw.real(0, 0.006),
          .drift_samples = draw.octaves(1000, 20000),
          .throttled_longer = draw.real(0, 0.2),
          .throttled_samples = draw.between(0, 10)};
}

/// A level whose entries translate `entry_bytes`, or as much as several pages.
TlbLevelShape drawn_level(Draw& draw, std::uint64_t entries, std::uint64_t entry_bytes,
                          double miss_cycles) {
  const int coalesced = draw.one_of({1, 1, 4, 16});
  TlbLevelShape level = {.entries = entries,
                         .page_bytes = entry_bytes / static_cast<std::uint64_t>(coalesced),
                         .coalesced_pages = coalesced,
                         .miss_cycles = miss_cycles,
                         .misses_per_cycle = draw.octaves(0.05, 4)};
  if (draw.coin()) {
    level.ways = draw.one_of({4, 8, 16});
    level.entries = std::max<std::uint64_t>(entries / static_cast<unsigned>(level.ways), 1) *
                    static_cast<unsigned>(level.ways);
    level.index = draw.coin() ? SetIndex::hashed : SetIndex::modulo;
  }
  return level;
}

/// Levels that reach farther from one to the next, and cost more.
std::vector<TlbLevelShape> drawn_tlb(Draw& draw, int sms) {
  std::vector<TlbLevelShape> levels;
  std::uint64_t entry_bytes = kKiB * (64u << draw.between(0, 8));
  double entries = std::round(draw.octaves(8, 64));
  double miss_cycles = draw.octaves(7, 40);
  const int count = draw.one_of({1, 2, 2, 2, 3});
  for (int i = 0; i < count; ++i) {
    TlbLevelShape level =
        drawn_level(draw, static_cast<std::uint64_t>(entries), entry_bytes, miss_cycles);
    // SMs that share a level share the next ones as well: a group is a part of a larger one.
    level.group_of_sm = drawn_groups(draw, sms);
    if (i > 0) {
      const std::vector<int>& finer = levels.back().group_of_sm;
      for (std::size_t sm = 0; sm < finer.size(); ++sm)
        level.group_of_sm[sm] = level.group_of_sm[static_cast<std::size_t>(
            std::ranges::find(finer, finer[sm]) - finer.begin())];
    }
    levels.push_back(level);
    const std::uint64_t larger = 1u << draw.between(0, 3);
    entry_bytes = std::min(entry_bytes * larger, 32 * kMiB);
    const double reach = static_cast<double>(level.reach_bytes()) * draw.octaves(2.5, 32);
    entries = std::clamp(std::round(reach / static_cast<double>(entry_bytes)), 16.0, 4096.0);
    miss_cycles *= draw.octaves(1.5, 5);
  }
  return levels;
}

void draw_caches(Draw& draw, MemorySystemShape& shape) {
  const auto l1_sets = static_cast<std::uint64_t>(draw.between(32, 256));
  const int sides = draw.between(1, 2);
  const auto l2_sets = static_cast<std::uint64_t>(64 * draw.between(8, 40));
  shape.l1 = CacheShape{.bytes = 4 * l1_sets * 128, .ways = 4};
  shape.l2 =
      L2Shape{.side = {.bytes = 16 * l2_sets * 128,
                       .ways = 16,
                       .victim = draw.one_of({Victim::lru, Victim::tree_plru, Victim::random})},
              .sides = sides};
  if (sides == 2) {
    shape.l2->home_mask = 0x1000;
    for (int bit = 13; bit <= 20; ++bit)
      shape.l2->home_mask |= draw.coin() ? std::uint64_t{1} << bit : 0;
    for (int sm = 0; sm < shape.facts.sms; ++sm)
      shape.side_of_sm.push_back(draw.coin() ? 1 : 0);
    shape.side_of_sm[1] = 1 - shape.side_of_sm[0];
  }
  shape.facts.l1_bytes = shape.l1->bytes;
  shape.facts.l2_bytes = shape.l2->side.bytes * static_cast<std::uint64_t>(sides);
  shape.facts.most_persisting_bytes = shape.facts.l2_bytes / 4 * 3;
  shape.facts.largest_window_bytes = 32 * kMiB;
}

void draw_speeds(Draw& draw, MemorySystemShape& shape) {
  shape.l1_cycles = std::round(draw.real(25, 80));
  shape.near_cycles = std::round(draw.real(180, 300));
  shape.far_cycles = shape.near_cycles + std::round(draw.real(60, 220));
  shape.dram_cycles = shape.far_cycles + std::round(draw.real(150, 350));
  shape.atomic_cycles = 10;
  shape.sm_sigma_cycles = draw.real(0, 20);
  shape.slice_sigma_cycles = draw.real(0, 15);
  shape.dram_read_gbps = std::round(draw.octaves(150, 4000));
  shape.dram_write_gbps = 0.95 * shape.dram_read_gbps;
  shape.l2_gbps = shape.dram_read_gbps * draw.octaves(1.8, 4);
  shape.l1_gbps = shape.l2_gbps * draw.octaves(3, 6);
  shape.facts.dram_gbps = shape.dram_read_gbps / draw.real(0.8, 0.95);
  shape.link = LinkShape{.hit_cycles = std::round(draw.real(900, 1700)),
                         .miss_cycles = 0,
                         .gbps = draw.octaves(30, 400)};
  shape.link->miss_cycles = shape.link->hit_cycles + std::round(draw.real(150, 400));
  shape.energy = {.idle_watts = draw.real(10, 200),
                  .joules_per_gb = draw.octaves(0.05, 0.2),
                  .far_joules_per_gb = draw.octaves(0.01, 0.05)};
}

}  // namespace

double Draw::octaves(double low, double high) {
  return std::exp2(real(std::log2(low), std::log2(high)));
}

std::vector<int> drawn_groups(Draw& draw, int sms) {
  std::vector<int> groups(static_cast<std::size_t>(sms));
  const int kind = draw.between(0, 5);
  const int size = kind == 0 ? 1 : kind == 1 ? 2 : draw.between(2, 18);
  const int count = draw.between(2, std::max(sms / 3, 2));
  for (int sm = 0; sm < sms; ++sm) {
    int& group = groups[static_cast<std::size_t>(sm)];
    if (kind <= 2)
      group = sm / size;
    else if (kind == 3)
      group = draw.between(0, count - 1);  // of any sizes, singles among them
    else if (kind == 4)
      group = sm / 2 % count;  // pairs, dealt out
    else
      group = 0;
  }
  return groups;
}

MemorySystemShape drawn_gpu(std::uint64_t seed) {
  Draw draw(seed);
  MemorySystemShape shape;
  shape.facts.name = "drawn " + std::to_string(seed);
  shape.facts.sms = draw.one_of({8, 13, 16, 28, 56, 80, 108, 132, 144}) - draw.between(0, 3);
  shape.facts.sm_clock_mhz = std::round(draw.real(900, 2000));
  draw_caches(draw, shape);
  draw_speeds(draw, shape);
  shape.tlb = drawn_tlb(draw, shape.facts.sms);
  // The last TLB may reach farther than there is memory.
  const double reach = static_cast<double>(shape.tlb.back().reach_bytes());
  const double memory = std::clamp(reach * draw.octaves(0.7, 8), 2.0 * kGiB, 160.0 * kGiB);
  shape.facts.dram_bytes = static_cast<std::uint64_t>(memory) / kMiB * kMiB;
  shape.facts.free_bytes = shape.facts.dram_bytes / 16 * 15;
  shape.noise = drawn_noise(draw);
  return shape;
}

}  // namespace ladder::labs
