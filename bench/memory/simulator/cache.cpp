// SPDX-License-Identifier: MIT
/// \file  bench/memory/simulator/cache.cpp
#include "bench/memory/simulator/cache.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "bench/memory/simulator/hash.hpp"

namespace ladder::labs {
namespace {

constexpr int kSectorBits = 8;

bool keeps_order(Victim victim) {
  return victim == Victim::lru || victim == Victim::fifo;
}

}  // namespace

SectoredCache::SectoredCache(const CacheShape& shape, std::uint64_t seed)
    : shape_(shape),
      sets_(shape.sets()),
      ways_(static_cast<std::size_t>(shape.ways)),
      seed_(seed),
      random_(static_cast<std::uint32_t>(hash_of(seed))) {
  if (sets_ == 0 || shape.lines() % ways_ != 0) {
    throw std::invalid_argument("The ways of a cache have to divide its lines.");
  }
  if (shape.line_bytes / shape.sector_bytes > kSectorBits) {
    throw std::invalid_argument("A line of a cache has at most 8 sectors.");
  }
  if (shape.victim == Victim::tree_plru && (!std::has_single_bit(ways_) || ways_ > 32)) {
    throw std::invalid_argument("Tree-PLRU needs a power of two of ways, at most 32.");
  }
  tags_.assign(sets_ * ways_, 0);
  if (shape.victim == Victim::tree_plru) trees_.assign(sets_, 0);
}

std::uint64_t SectoredCache::set_of(std::uint64_t place) const {
  const std::uint64_t set = place % sets_;
  if (shape_.index == SetIndex::modulo) return set;
  // A hash of 32 bits, scaled to the sets.
  const std::uint64_t turn = (hash_of(place / sets_ ^ seed_) >> 32) * sets_ >> 32;
  return set + turn < sets_ ? set + turn : set + turn - sets_;
}

/// Sets the bits on the way to a line so that they point away from it.
void SectoredCache::touch(std::uint64_t set, std::size_t way) {
  std::uint32_t& tree = trees_[set];
  for (std::size_t node = way + ways_; node > 1; node /= 2) {
    const std::uint32_t bit = 1u << (node / 2);
    tree = node % 2 == 0 ? tree | bit : tree & ~bit;
  }
}

std::size_t SectoredCache::victim_in(std::uint64_t set) {
  const auto* tags = &tags_[set * ways_];
  if (keeps_order(shape_.victim)) return ways_ - 1;
  const auto* empty = std::find(tags, tags + ways_, std::uint64_t{0});
  if (empty != tags + ways_) return static_cast<std::size_t>(empty - tags);
  if (shape_.victim == Victim::random) return random_() % ways_;
  std::size_t node = 1;
  while (node < ways_)
    node = 2 * node + (trees_[set] >> node & 1);
  return node - ways_;
}

bool SectoredCache::access(std::uint64_t line, std::uint64_t sector, std::uint64_t place) {
  const std::uint64_t set = set_of(place);
  auto* tags = &tags_[set * ways_];
  const std::uint64_t valid = std::uint64_t{1} << sector;
  std::size_t way = 0;
  while (way < ways_ && tags[way] >> kSectorBits != line + 1)
    ++way;
  const bool line_hit = way < ways_;
  const bool hit = line_hit && (tags[way] & valid) != 0;
  if (!line_hit) {
    way = victim_in(set);
    tags[way] = (line + 1) << kSectorBits;
  }
  tags[way] |= valid;
  if (shape_.victim == Victim::lru || (shape_.victim == Victim::fifo && !line_hit)) {
    std::rotate(tags, tags + way, tags + way + 1);
  } else if (shape_.victim == Victim::tree_plru) {
    touch(set, way);
  }
  return hit;
}

bool SectoredCache::holds(std::uint64_t address) const {
  const std::uint64_t line = address / shape_.line_bytes;
  const std::uint64_t valid = std::uint64_t{1} << address % shape_.line_bytes / shape_.sector_bytes;
  const auto* tags = &tags_[set_of(line) * ways_];
  return std::any_of(tags, tags + ways_, [&](std::uint64_t tag) {
    return tag >> kSectorBits == line + 1 && (tag & valid) != 0;
  });
}

void SectoredCache::clear() {
  std::ranges::fill(tags_, std::uint64_t{0});
  std::ranges::fill(trees_, 0u);
}

}  // namespace ladder::labs
