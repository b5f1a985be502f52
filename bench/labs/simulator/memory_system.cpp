// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/memory_system.cpp
#include "bench/labs/simulator/memory_system.hpp"

#include <cmath>
#include <numbers>

#include "bench/labs/simulator/hash.hpp"

namespace ladder::labs {
namespace {

/// A normal deviate that belongs to a number.
double normal_of(std::uint64_t number) {
  constexpr double kUnit = 0x1p-53;
  const double u = (static_cast<double>(hash_of(number) >> 11) + 0.5) * kUnit;
  const double v = static_cast<double>(hash_of(~number) >> 11) * kUnit;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);  // Box and Muller 1958
}

}  // namespace

MemorySystem::MemorySystem(const MemorySystemShape& shape, std::uint64_t seed)
    : shape_(shape),
      seed_(seed),
      l1_(static_cast<std::size_t>(shape.facts.sms)),
      tlb_(shape.tlb, seed) {
  if (shape.l2) l2_.emplace(*shape.l2, seed);
}

int MemorySystem::side_of(int sm) const {
  return shape_.side_of_sm.empty() ? 0 : shape_.side_of_sm[static_cast<std::size_t>(sm)];
}

int MemorySystem::home_of(std::uint64_t address) const {
  return l2_ ? l2_->home_of(address) : 0;
}

double MemorySystem::sm_offset(int sm) const {
  return shape_.sm_sigma_cycles * normal_of(hash_of(seed_ + 1) ^ static_cast<std::uint64_t>(sm));
}

double MemorySystem::slice_offset(std::uint64_t address) const {
  constexpr std::uint64_t kSliceBytes = 4096;
  return shape_.slice_sigma_cycles * normal_of(hash_of(seed_ + 2) ^ address / kSliceBytes);
}

SectoredCache& MemorySystem::l1_of(int sm) {
  std::optional<SectoredCache>& l1 = l1_[static_cast<std::size_t>(sm)];
  if (!l1) l1.emplace(*shape_.l1, seed_ + static_cast<std::uint64_t>(sm));
  return *l1;
}

void MemorySystem::access(int sm, std::uint64_t address, Access access, Stretch& stretch) {
  stretch.loads += 1;
  if (shape_.l1 && access == Access::cached && l1_of(sm).access(address)) {
    stretch.cycles += shape_.l1_cycles;
    return;
  }
  stretch.past_l1 += 1;
  L2Place place = L2Place::dram;
  if (l2_) {
    place = access == Access::atomic ? l2_->at_home(side_of(sm), address)
                                     : l2_->load(side_of(sm), address);
  }
  switch (place) {
    case L2Place::near:
      stretch.cycles += shape_.near_cycles;
      break;
    case L2Place::far:
      stretch.cycles += shape_.far_cycles;
      break;
    case L2Place::dram:
      stretch.cycles += shape_.dram_cycles;
      break;
  }
  if (access == Access::atomic) stretch.cycles += shape_.atomic_cycles;
  stretch.cycles += tlb_.cycles_of(tlb_.access(sm, address));
}

void MemorySystem::clear() {
  for (std::optional<SectoredCache>& l1 : l1_) {
    if (l1) l1->clear();
  }
  if (l2_) l2_->clear();
  tlb_.clear();
}

std::uint64_t MemorySystem::cached_lines() const {
  std::uint64_t lines = shape_.l1 ? shape_.l1->lines() : 0;
  if (shape_.l2) lines += shape_.l2->side.lines() * static_cast<std::uint64_t>(shape_.l2->sides);
  return lines;
}

}  // namespace ladder::labs
