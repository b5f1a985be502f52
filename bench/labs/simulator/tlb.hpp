// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/tlb.hpp
/// \brief Translation look-aside buffers of several levels, shared by groups of SMs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/labs/simulator/cache.hpp"

namespace ladder::labs {

struct TlbLevelShape {
  std::uint64_t entries = 0;
  int ways = 0;  ///< 0: any entry holds any page
  std::uint64_t page_bytes = 0;
  int coalesced_pages = 1;  ///< neighbours that one entry holds; a miss fetches them all
  SetIndex index = SetIndex::modulo;
  double miss_cycles = 0;             ///< what a miss adds to the latency of a load
  std::vector<int> group_of_sm = {};  ///< SMs with the same number share one TLB
  double misses_per_cycle = 0.5;      ///< that one TLB can have served

  std::uint64_t entry_bytes() const {
    return page_bytes * static_cast<std::uint64_t>(coalesced_pages);
  }
  std::uint64_t reach_bytes() const { return entries * entry_bytes(); }
  int groups() const;
};

/// A TLB of which any entry holds any page: the page that was used longest ago makes room.
class AssociativeTlb {
 public:
  explicit AssociativeTlb(std::size_t entries) : entries_(entries) {}
  /// \return whether the page was there; it is from now on
  bool access(std::size_t page);
  void clear();

 private:
  /// Takes a page out of the order of use.
  void unlink(std::size_t page);

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Links {
    std::size_t newer = kNone;
    std::size_t older = kNone;
    bool held = false;
  };
  std::size_t entries_;
  std::size_t held_ = 0;
  std::size_t newest_ = kNone;
  std::size_t oldest_ = kNone;
  std::vector<Links> links_;  // (pages,)
};

/// All levels of all SMs.
class TlbLevels {
 public:
  TlbLevels(std::vector<TlbLevelShape> levels, std::uint64_t seed);

  /// \brief  Translates an address for an SM. A level is asked if all levels before it missed.
  /// \return the number of levels that missed
  std::size_t access(int sm, std::uint64_t address);
  /// Cycles that misses of so many levels add.
  double cycles_of(std::size_t missed) const { return cycles_[missed]; }
  const std::vector<TlbLevelShape>& levels() const { return levels_; }
  void clear();

 private:
  /// One TLB; either of the two.
  struct Tlb {
    std::unique_ptr<AssociativeTlb> associative;
    std::unique_ptr<SectoredCache> sets;
  };
  std::vector<TlbLevelShape> levels_;
  std::vector<double> cycles_;          // (levels + 1,)
  std::vector<std::vector<Tlb>> tlbs_;  // (levels, groups)
};

}  // namespace ladder::labs
