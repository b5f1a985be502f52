// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/two_sided_l2.cpp
#include "bench/labs/simulator/two_sided_l2.hpp"

#include <bit>
#include <stdexcept>

#include "bench/labs/simulator/hash.hpp"

namespace ladder::labs {
namespace {

constexpr int kPageBits = 21;

}  // namespace

TwoSidedL2::TwoSidedL2(const L2Shape& shape, std::uint64_t seed) : shape_(shape), seed_(seed) {
  if (shape.sides != 1 && shape.sides != 2) {
    throw std::invalid_argument("An L2 has one side or two.");
  }
  if (shape.home_mask != 0) {
    lowest_bit_ = std::countr_zero(shape.home_mask) - std::countr_zero(shape.side.line_bytes);
  }
  if (lowest_bit_ < 0) {
    throw std::invalid_argument("A line is at home on one side: its mask takes no bits within it.");
  }
  for (int side = 0; side < shape.sides; ++side) {
    sides_.emplace_back(shape.side, seed + static_cast<std::uint64_t>(side));
  }
}

int TwoSidedL2::home_of(std::uint64_t address) const {
  if (shape_.sides == 1) return 0;
  const std::uint64_t page = hash_of(address >> kPageBits ^ hash_of(seed_)) & 1;
  return (std::popcount(address & shape_.home_mask) & 1) ^ static_cast<int>(page);
}

/// Of two lines that differ in the lowest bit of the mask alone, each side is home to one. Sets are
/// chosen without that bit; otherwise the lines at home would leave half of the sets empty.
bool TwoSidedL2::access(int side, std::uint64_t address) {
  SectoredCache& cache = sides_[static_cast<std::size_t>(side)];
  const std::uint64_t line = address / shape_.side.line_bytes;
  const std::uint64_t sector = address % shape_.side.line_bytes / shape_.side.sector_bytes;
  if (shape_.sides == 1 || shape_.home_mask == 0) return cache.access(line, sector);
  const std::uint64_t below = (std::uint64_t{1} << lowest_bit_) - 1;
  return cache.access(line, sector, line >> (lowest_bit_ + 1) << lowest_bit_ | (line & below));
}

L2Place TwoSidedL2::load(int side, std::uint64_t address) {
  const int home = home_of(address);
  if (home == side) return access(side, address) ? L2Place::near : L2Place::dram;
  if (shape_.keeps_copies && access(side, address)) return L2Place::near;
  return access(home, address) ? L2Place::far : L2Place::dram;
}

L2Place TwoSidedL2::at_home(int side, std::uint64_t address) {
  const int home = home_of(address);
  if (!access(home, address)) return L2Place::dram;
  return home == side ? L2Place::near : L2Place::far;
}

void TwoSidedL2::clear() {
  for (SectoredCache& side : sides_)
    side.clear();
}

}  // namespace ladder::labs
