// SPDX-License-Identifier: MIT
#include "common/emulator/trace/event_order.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace ladder::emulator {

double OrderOfEvents::hidden() const {
  if (shared_loads_per_tile == 0) return 0;
  return std::min(1.0, shared_loads_in_flight / shared_loads_per_tile);
}

void EventOrder::start(std::vector<SharedArray> arrays) {
  *this = EventOrder();
  arrays_ = std::move(arrays);
  tiles_of_array_.assign(arrays_.size(), 0);
}

std::size_t EventOrder::array_with(std::size_t offset) const {
  const auto found = std::ranges::find_if(arrays_, [&](const SharedArray& array) {
    return offset >= array.offset && offset < array.offset + array.bytes;
  });
  return static_cast<std::size_t>(found - arrays_.begin());
}

void EventOrder::global_load(unsigned warp) {
  Warp& state = warps_[warp];
  if (!state.loading) state.loads_in_flight = 0;
  state.loading = true;
  state.loaded = interval_;
}

void EventOrder::shared_store(unsigned warp, std::size_t begin, std::size_t end) {
  const std::size_t array = array_with(begin);
  if (array == arrays_.size()) return;
  Warp& state = warps_[warp];
  if (state.loading && shared_loads_[warp] > 0) {
    ++fetches_;
    hidden_loads_ += state.loads_in_flight;
  }
  state.loading = false;

  const auto newest = std::ranges::find_if(tiles_ | std::views::reverse,
                                           [&](const Tile& tile) { return tile.array == array; });
  if (newest != tiles_.rend() && newest->times.stored == interval_) {
    newest->begin = std::min(newest->begin, begin);
    newest->end = std::max(newest->end, end);
    return;
  }
  TileTimes times;
  times.array = arrays_[array].name;
  times.tile = tiles_of_array_[array]++;
  times.loaded = state.loaded;
  times.stored = interval_;
  tiles_.push_back({array, begin, end, std::move(times)});
}

void EventOrder::shared_load(unsigned warp, std::size_t begin) {
  Warp& state = warps_[warp];
  ++shared_loads_[warp];
  if (state.loading) ++state.loads_in_flight;
  for (Tile& tile : tiles_ | std::views::reverse) {
    if (begin < tile.begin || begin >= tile.end) continue;
    if (tile.times.first_read < 0) tile.times.first_read = interval_;
    tile.times.last_read = interval_;
    return;
  }
}

OrderOfEvents EventOrder::result() const {
  OrderOfEvents order;
  for (const Tile& tile : tiles_)
    order.tiles.push_back(tile.times);
  // A tile that is fetched beyond the end of K and never read is no step.
  std::vector<unsigned> read(arrays_.size(), 0);
  for (const Tile& tile : tiles_)
    read[tile.array] += tile.times.first_read >= 0 ? 1 : 0;
  const unsigned steps = read.empty() ? 0 : *std::ranges::max_element(read);
  if (steps == 0) return order;
  order.barriers_per_tile = static_cast<double>(interval_) / steps;
  order.shared_loads_per_tile = static_cast<double>(shared_loads_[0]) / steps;
  if (fetches_ > 0) {
    order.shared_loads_in_flight =
        static_cast<double>(hidden_loads_) / static_cast<double>(fetches_);
  }
  return order;
}

}  // namespace ladder::emulator
