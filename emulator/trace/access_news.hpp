// SPDX-License-Identifier: MIT
/// \file  emulator/trace/access_news.hpp
/// \brief Tells a long loop from an endless one: a loop that accesses new places gets on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/trace/access_log.hpp"

namespace ladder::emulator {

/// \brief Which requests a block has made: remembers one bit for each, by a hash, once somebody has
///        asked. An endless loop soon makes no new ones; one that goes through more than some ten
///        million places before it comes back to the first is taken for progress.
class AccessNews {
 public:
  bool are_wanted() const { return wanted_; }

  void see(unsigned warp, AccessCode code, std::uint64_t address) {
    std::uint64_t hash = (address ^ std::uint64_t{code} << 32) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 29 ^ warp) * 0xBF58476D1CE4E5B9u;
    const std::size_t bit = hash >> (64 - kLog2Bits);
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    if ((seen_[bit / 64] & mask) != 0) return;
    seen_[bit / 64] |= mask;
    is_new_ = true;
    if (++count_ < kBits / 2) return;
    seen_.assign(seen_.size(), 0);
    count_ = 0;
  }

  /// Has there been any since the last call?
  bool take() {
    if (!wanted_) {
      wanted_ = true;
      seen_.assign(kBits / 64, 0);
      count_ = 0;
    }
    return std::exchange(is_new_, false);
  }

  /// Until somebody asks again.
  void forget() { wanted_ = is_new_ = false; }

 private:
  static constexpr unsigned kLog2Bits = 25;  // 4 MiB
  static constexpr std::size_t kBits = std::size_t{1} << kLog2Bits;

  bool wanted_ = false;
  bool is_new_ = false;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> seen_;
};

}  // namespace ladder::emulator
