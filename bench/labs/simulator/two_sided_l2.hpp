// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/two_sided_l2.hpp
/// \brief An L2 of one or two sides. Each line is at home on one side; the other side may keep a
///        copy.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/labs/simulator/cache.hpp"

namespace ladder::labs {

struct L2Shape {
  CacheShape side;  ///< of each side
  int sides = 1;    ///< 1 or 2
  /// Bits of an address whose parity tells the side within a page of 2 MiB. The side of the page as
  /// a whole is random: it comes from bits of the physical address, which nobody chose.
  std::uint64_t home_mask = 0;
  /// Loads keep a copy of what is at home on the other side.
  bool keeps_copies = true;
};

/// Where a load or an atomic was served.
enum class L2Place : std::uint8_t {
  near,  ///< by the SM's own side
  far,   ///< by the other side
  dram,
};

class TwoSidedL2 {
 public:
  /// \throws std::invalid_argument  other than 1 or 2 sides, or a shape that SectoredCache refuses
  TwoSidedL2(const L2Shape& shape, std::uint64_t seed);

  /// The side at which an address is at home.
  int home_of(std::uint64_t address) const;
  /// \param  side  of the SM that loads
  L2Place load(int side, std::uint64_t address);
  /// An atomic or a store: done at home, and never copied.
  L2Place at_home(int side, std::uint64_t address);
  void clear();

 private:
  bool access(int side, std::uint64_t address);

  L2Shape shape_;
  std::uint64_t seed_;
  int lowest_bit_ = 0;  // of the mask, in lines
  std::vector<SectoredCache> sides_;
};

}  // namespace ladder::labs
