// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/cache.cpp
#include "bench/labs/simulator/cache.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "bench/labs/simulator/hash.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kMostSectors = 8;

/// Moves an element to the front; those before it make room.
template <typename T>
void move_to_front(T* array, std::size_t from) {
  const T moved = array[from];
  std::copy_backward(array, array + from, array + from + 1);
  array[0] = moved;
}

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
  if (shape.line_bytes / shape.sector_bytes > kMostSectors) {
    throw std::invalid_argument("A line of a cache has at most 8 sectors.");
  }
  if (shape.victim == Victim::tree_plru && (!std::has_single_bit(ways_) || ways_ > 32)) {
    throw std::invalid_argument("Tree-PLRU needs a power of two of ways, at most 32.");
  }
  lines_.assign(sets_ * ways_, 0);
  sectors_.assign(sets_ * ways_, 0);
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
  if (keeps_order(shape_.victim)) return ways_ - 1;
  const auto* lines = &lines_[set * ways_];
  const auto* empty = std::find(lines, lines + ways_, 0u);
  if (empty != lines + ways_) return static_cast<std::size_t>(empty - lines);
  if (shape_.victim == Victim::random) return random_() % ways_;
  std::size_t node = 1;
  while (node < ways_)
    node = 2 * node + (trees_[set] >> node & 1);
  return node - ways_;
}

bool SectoredCache::access(std::uint64_t line, std::uint64_t sector, std::uint64_t place) {
  const std::uint64_t set = set_of(place);
  auto* lines = &lines_[set * ways_];
  auto* sectors = &sectors_[set * ways_];
  const auto name = static_cast<std::uint32_t>(line + 1);
  const auto bit = static_cast<std::uint8_t>(1u << sector);
  std::size_t way = static_cast<std::size_t>(std::find(lines, lines + ways_, name) - lines);
  const bool line_hit = way < ways_;
  const bool hit = line_hit && (sectors[way] & bit) != 0;
  if (!line_hit) {
    way = victim_in(set);
    lines[way] = name;
    sectors[way] = 0;
  }
  sectors[way] = static_cast<std::uint8_t>(sectors[way] | bit);
  if (shape_.victim == Victim::lru || (shape_.victim == Victim::fifo && !line_hit)) {
    move_to_front(lines, way);
    move_to_front(sectors, way);
  } else if (shape_.victim == Victim::tree_plru) {
    touch(set, way);
  }
  return hit;
}

bool SectoredCache::holds(std::uint64_t address) const {
  const std::uint64_t line = address / shape_.line_bytes;
  const std::uint64_t sector = address % shape_.line_bytes / shape_.sector_bytes;
  const std::size_t first = set_of(line) * ways_;
  for (std::size_t i = first; i < first + ways_; ++i) {
    if (lines_[i] == line + 1) return (sectors_[i] >> sector & 1) != 0;
  }
  return false;
}

void SectoredCache::clear() {
  std::ranges::fill(lines_, 0u);
  std::ranges::fill(sectors_, std::uint8_t{0});
  std::ranges::fill(trees_, 0u);
}

}  // namespace ladder::labs
