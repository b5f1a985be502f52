// SPDX-License-Identifier: MIT
#include "emulator/trace/hazard_list.hpp"

#include <algorithm>
#include <utility>

#include "emulator/trace/code_places.hpp"

namespace ladder::emulator {

std::size_t HazardList::array_of(const RawHazard& hazard) const {
  if (hazard.shared) {
    const auto& arrays = state_.shared_arrays;
    const auto found = std::ranges::find_if(arrays, [&](const SharedArray& array) {
      return hazard.address - array.offset < array.bytes;
    });
    return found == arrays.end() ? 0 : static_cast<std::size_t>(found - arrays.begin()) + 1;
  }
  const std::size_t array = state_.wishes->index.with(hazard.address, hazard.address + 1);
  return array == kNoArray ? 0 : array + 1;
}

bool HazardList::is_same_line(AccessCode a, AccessCode b) {
  const auto [known, is_new] = same_lines_.try_emplace({a, b}, false);
  if (is_new) {
    const SourceLine one = place_of(state_.code_begin, a);
    const SourceLine other = place_of(state_.code_begin, b);
    known->second = one.line == other.line && one.file == other.file;
  }
  return known->second;
}

/// Of two stores, does the line also load what it stores there?
bool HazardList::updates(const RawHazard& hazard) {
  const bool stores = group_of(hazard.kind) == FaultGroup::kRace &&
                      type_of(hazard.code) == AccessType::kStore &&
                      type_of(hazard.earlier) == AccessType::kStore;
  if (!stores || state_.log == nullptr) return false;
  const std::uint64_t address =
      hazard.shared ? state_.shared_begin + hazard.address : hazard.address;
  const unsigned lane = hazard.thread % 32;
  for (unsigned i = 0; i < state_.rows[lane]; ++i) {
    const WarpLog::Row& row = state_.log->row[i];
    if (row.address[lane] == address && type_of(row.code[lane]) == AccessType::kLoad &&
        is_same_line(row.code[lane], hazard.code)) {
      return true;
    }
  }
  return false;
}

void HazardList::report(RawHazard hazard) {
  constexpr std::size_t kMost = 200;
  hazard.block = hazard.by_block.value_or(state_.block);
  hazard.array = array_of(hazard);
  for (RawHazard& known : hazards_) {
    if (known.kind == hazard.kind && known.code == hazard.code && known.earlier == hazard.earlier &&
        known.place == hazard.place && known.column == hazard.column &&
        known.array == hazard.array &&
        known.earlier_block.has_value() == hazard.earlier_block.has_value()) {
      const std::uint64_t times = known.times + 1;
      const bool either = known.updates || updates(hazard);
      if (hazard.block == known.block && hazard.thread < known.thread) known = std::move(hazard);
      known.times = times;
      known.updates = either;
      return;
    }
  }
  hazard.updates = updates(hazard);
  if (hazards_.size() < kMost) hazards_.push_back(std::move(hazard));
}

}  // namespace ladder::emulator
