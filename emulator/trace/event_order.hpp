// SPDX-License-Identifier: MIT
/// \file  emulator/trace/event_order.hpp
/// \brief Watches one block: when is a tile loaded, stored and read?
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/run/debug_info/shared_arrays.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::emulator {

/// \brief A tile is what a block stores into one shared array between two barriers, what of its
///        copies lands there. Where boxes fill an array, each box is a tile. A load from global
///        memory belongs to the next store of the same warp. Time is the number of barriers passed,
///        and of phases of copies waited for.
class EventOrder {
 public:
  void start(std::vector<SharedArray> arrays);
  void global_load(unsigned warp);
  void shared_store(unsigned warp, std::size_t begin, std::size_t end);  ///< offsets in bytes
  void shared_load(unsigned warp, std::size_t begin);
  void pass_barrier() { ++interval_; }
  /// Phases that the warp has waited for whose events come next.
  void see_phases(int phases) {
    phases_ = phases;
    most_phases_ = std::max(most_phases_, phases);
  }
  void copy_started(unsigned warp, std::size_t begin);
  void copy_landed(unsigned warp, std::size_t begin, std::size_t end);
  void box_started(std::size_t begin, std::size_t end);
  void box_landed(std::size_t begin, std::size_t end);

  OrderOfEvents result() const;

 private:
  struct Tile {
    std::size_t array;
    std::size_t begin;
    std::size_t end;
    TileTimes times;
    bool is_box = false;
  };
  /// A warp's copy that has not landed.
  struct Copy {
    int started;
    std::uint64_t shared_loads;  ///< of the warp before
  };
  struct Warp {
    bool loading = false;  ///< loads are issued and not yet stored
    int loaded = -1;
    std::uint64_t loads_in_flight = 0;  ///< shared loads since then
  };

  std::size_t array_with(std::size_t offset) const;
  int now() const { return interval_ + phases_; }
  Tile& add_tile(std::size_t array, std::size_t begin, std::size_t end);
  Tile& tile_for(std::size_t array, std::size_t begin, std::size_t end);

  std::vector<SharedArray> arrays_;
  std::vector<Tile> tiles_;
  std::vector<unsigned> tiles_of_array_;
  std::vector<bool> has_boxes_;  ///< by array
  std::array<Warp, 32> warps_;
  std::map<std::pair<unsigned, std::size_t>, Copy> copies_;  ///< by warp and offset
  int interval_ = 0;
  int phases_ = 0;
  int most_phases_ = 0;
  std::uint64_t fetches_ = 0;  ///< that computing could have hidden
  std::uint64_t hidden_loads_ = 0;
  std::array<std::uint64_t, 32> shared_loads_ = {};
};

}  // namespace ladder::emulator
