// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/event_order.hpp
/// \brief Watches one block: when is a tile loaded, stored and read?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/emulator/trace/shared_arrays.hpp"
#include "common/emulator/trace/trace.hpp"

namespace ladder::emulator {

/// \brief A tile is what a block stores into one shared array between two barriers. A load from
///        global memory belongs to the next store of the same warp.
class EventOrder {
 public:
  void start(std::vector<SharedArray> arrays);
  void global_load(unsigned warp);
  void shared_store(unsigned warp, std::size_t begin, std::size_t end);  ///< offsets in bytes
  void shared_load(unsigned warp, std::size_t begin);
  void pass_barrier() { ++interval_; }

  OrderOfEvents result() const;

 private:
  struct Tile {
    std::size_t array;
    std::size_t begin;
    std::size_t end;
    TileTimes times;
  };
  struct Warp {
    bool loading = false;  ///< loads are issued and not yet stored
    int loaded = -1;
    std::uint64_t loads_in_flight = 0;  ///< shared loads since then
  };

  std::size_t array_with(std::size_t offset) const;

  std::vector<SharedArray> arrays_;
  std::vector<Tile> tiles_;
  std::vector<unsigned> tiles_of_array_;
  std::array<Warp, 32> warps_;
  int interval_ = 0;
  std::uint64_t fetches_ = 0;  ///< that computing could have hidden
  std::uint64_t hidden_loads_ = 0;
  std::array<std::uint64_t, 32> shared_loads_ = {};
};

}  // namespace ladder::emulator
