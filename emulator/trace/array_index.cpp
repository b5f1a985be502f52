// SPDX-License-Identifier: MIT
#include "emulator/trace/array_index.hpp"

#include <algorithm>

namespace ladder::emulator {

ArrayIndex::ArrayIndex(const std::vector<TracedArray>& arrays) {
  places_.reserve(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto begin = reinterpret_cast<std::uint64_t>(arrays[i].data);
    places_.push_back({begin, begin + arrays[i].bytes, 0, 0, i});
  }
  std::ranges::stable_sort(places_, {}, &Place::begin);
  const Place* furthest = nullptr;
  for (Place& place : places_) {
    if (furthest == nullptr || place.end >= furthest->end) furthest = &place;
    place.furthest = furthest->end;
    place.furthest_array = furthest->array;
  }
}

std::size_t ArrayIndex::with(std::uint64_t begin, std::uint64_t end) const {
  auto next = std::ranges::upper_bound(places_, begin, {}, &Place::begin);
  for (; next != places_.begin() && std::prev(next)->furthest >= end; --next) {
    const Place& place = *std::prev(next);
    if (end <= place.end) return place.array;
  }
  return kNoArray;
}

std::size_t ArrayIndex::nearest(std::uint64_t address) const {
  const std::size_t holds = with(address, address + 1);
  if (holds != kNoArray || places_.empty()) return holds;
  const auto next = std::ranges::upper_bound(places_, address, {}, &Place::begin);
  if (next == places_.begin()) return next->array;
  const Place& before = *std::prev(next);
  const bool is_nearer =
      next == places_.end() || address - before.furthest <= next->begin - address;
  return is_nearer ? before.furthest_array : next->array;
}

}  // namespace ladder::emulator
