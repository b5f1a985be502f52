// SPDX-License-Identifier: MIT
#include "emulator/trace/event_order.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace ladder::emulator {

double OrderOfEvents::tiles_ahead() const {
  return shared_loads_per_tile == 0 ? 0 : shared_loads_in_flight / shared_loads_per_tile;
}

double OrderOfEvents::hidden() const {
  return std::min(1.0, tiles_ahead());
}

void EventOrder::start(std::vector<SharedArray> arrays) {
  *this = EventOrder();
  arrays_ = std::move(arrays);
  tiles_of_array_.assign(arrays_.size(), 0);
  has_boxes_.assign(arrays_.size(), false);
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
  state.loaded = now();
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
  if (has_boxes_[array]) return;

  Tile& tile = tile_for(array, begin, end);
  if (tile.times.loaded < 0) tile.times.loaded = state.loaded;
}

EventOrder::Tile& EventOrder::add_tile(std::size_t array, std::size_t begin, std::size_t end) {
  TileTimes times;
  times.array = arrays_[array].name;
  times.tile = tiles_of_array_[array]++;
  return tiles_.emplace_back(Tile{array, begin, end, std::move(times)});
}

/// The tile of this array that is filled now, extended to these offsets.
EventOrder::Tile& EventOrder::tile_for(std::size_t array, std::size_t begin, std::size_t end) {
  const auto newest = std::ranges::find_if(tiles_ | std::views::reverse,
                                           [&](const Tile& tile) { return tile.array == array; });
  if (newest != tiles_.rend() && newest->times.stored == now()) {
    newest->begin = std::min(newest->begin, begin);
    newest->end = std::max(newest->end, end);
    return *newest;
  }
  Tile& tile = add_tile(array, begin, end);
  tile.times.stored = now();
  return tile;
}

// -- Copies --------------------------------------------------------------------------------------

void EventOrder::copy_started(unsigned warp, std::size_t begin) {
  copies_[{warp, begin}] = {now(), shared_loads_[warp]};
}

void EventOrder::copy_landed(unsigned warp, std::size_t begin, std::size_t end) {
  const auto found = copies_.find({warp, begin});
  const std::size_t array = array_with(begin);
  if (found == copies_.end() || array == arrays_.size()) return;
  const Copy copy = found->second;
  copies_.erase(found);
  if (shared_loads_[warp] > 0) {
    ++fetches_;
    hidden_loads_ += shared_loads_[warp] - copy.shared_loads;
  }
  Tile& tile = tile_for(array, begin, end);
  const int loaded = tile.times.loaded;
  tile.times.loaded = loaded < 0 ? copy.started : std::min(loaded, copy.started);
}

void EventOrder::box_started(std::size_t begin, std::size_t end) {
  const std::size_t array = array_with(begin);
  if (array == arrays_.size()) return;
  has_boxes_[array] = true;
  Tile& tile = add_tile(array, begin, end);
  tile.is_box = true;
  tile.times.loaded = now();
}

void EventOrder::box_landed(std::size_t begin, std::size_t end) {
  for (Tile& tile : tiles_) {
    if (!tile.is_box || tile.begin != begin || tile.end != end || tile.times.stored >= 0) continue;
    tile.times.stored = interval_ + most_phases_;
    return;
  }
}

void EventOrder::shared_load(unsigned warp, std::size_t begin) {
  Warp& state = warps_[warp];
  ++shared_loads_[warp];
  if (state.loading) ++state.loads_in_flight;
  for (Tile& tile : tiles_ | std::views::reverse) {
    if (begin < tile.begin || begin >= tile.end) continue;
    // The next box may be on its way, or there, before the log of who reads the last is looked at.
    if (tile.is_box && (tile.times.stored < 0 || tile.times.stored >= now())) continue;
    if (tile.times.first_read < 0) tile.times.first_read = now();
    tile.times.last_read = std::max(tile.times.last_read, now());
    return;
  }
}

OrderOfEvents EventOrder::result() const {
  OrderOfEvents order;
  for (const Tile& tile : tiles_) {
    if (tile.is_box || !has_boxes_[tile.array]) order.tiles.push_back(tile.times);
  }
  // A tile that is fetched beyond the end of K and never read is no step.
  std::vector<int> read(arrays_.size(), 0);
  int tiles_read = 0;
  int ahead = 0;
  for (const Tile& tile : tiles_) {
    if (tile.times.first_read < 0) continue;
    ++read[tile.array];
    if (tile.times.loaded < 0) continue;
    ++tiles_read;
    ahead += tile.times.first_read - tile.times.loaded;
  }
  int steps = read.empty() ? 0 : *std::ranges::max_element(read);
  if (steps == 0) return order;
  if (most_phases_ > 0) steps = std::min(steps, most_phases_);
  if (tiles_read > 0) order.steps_ahead = static_cast<double>(ahead) / tiles_read;
  order.barriers_per_tile = static_cast<double>(interval_ + most_phases_) / steps;
  order.shared_loads_per_tile =
      static_cast<double>(*std::ranges::max_element(shared_loads_)) / steps;
  if (fetches_ > 0) {
    order.shared_loads_in_flight =
        static_cast<double>(hidden_loads_) / static_cast<double>(fetches_);
  }
  // Who loads does not compute: what the others compute until they need the tile hides its loads.
  if (most_phases_ > 0 && order.steps_ahead > 1) {
    order.shared_loads_in_flight = (order.steps_ahead - 1) * order.shared_loads_per_tile;
  }
  return order;
}

}  // namespace ladder::emulator
