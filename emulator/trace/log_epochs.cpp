// SPDX-License-Identifier: MIT
#include "emulator/trace/log_epochs.hpp"

#include <algorithm>

#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

void LogEpochs::start_block() {
  for (std::vector<Change>& changes : changes_)
    changes.clear();
}

void LogEpochs::note(unsigned thread, Epoch before) {
  const Epoch after = clocks_.epoch_of(thread);
  const unsigned row = logs_.rows(thread);
  if (after == before || row == 0) return;
  // A lane that accesses nothing in between needs no more room.
  std::vector<Change>& changes = changes_[thread / 32];
  for (std::size_t back = 1; back <= std::min<std::size_t>(32, changes.size()); ++back) {
    Change& last = changes[changes.size() - back];
    if (last.lane != thread % 32) continue;
    if (last.row != row) break;
    last.after = after;
    return;
  }
  changes.push_back({.row = static_cast<std::uint16_t>(row),
                     .lane = static_cast<std::uint8_t>(thread % 32),
                     .before = before,
                     .after = after});
}

void LogEpochs::sort(unsigned warp) {
  std::vector<Change>& changes = changes_[warp];
  if (changes.empty()) return;
  std::ranges::stable_sort(changes, {}, &Change::lane);
  for (unsigned lane = 0; lane <= 32; ++lane) {
    const auto begin = std::ranges::lower_bound(changes, lane, {}, &Change::lane);
    first_[lane] = static_cast<std::uint16_t>(begin - changes.begin());
  }
  for (const Change& change : changes)
    rows_with_changes_.set(change.row);
}

void LogEpochs::forget(unsigned warp) {
  if (changes_[warp].empty()) return;
  changes_[warp].clear();
  rows_with_changes_.reset();
}

Epoch LogEpochs::at(unsigned warp, unsigned lane, unsigned row) const {
  const std::vector<Change>& changes = changes_[warp];
  const Epoch now = clocks_.epoch_of(32 * warp + lane);
  if (changes.empty() || first_[lane] == first_[lane + 1]) return now;
  Epoch epoch = changes[first_[lane]].before;
  for (unsigned i = first_[lane]; i < first_[lane + 1]; ++i) {
    if (changes[i].row <= row) epoch = changes[i].after;
  }
  return epoch;
}

bool LogEpochs::are_one(unsigned warp, std::uint32_t lanes, unsigned rows) const {
  for (unsigned row = 1; row < rows; ++row) {
    if (change_at(row)) return false;
  }
  std::array<Epoch, 32> of_lane;
  const Epochs first = of_lanes(warp, lanes, 0, of_lane);
  return first.earliest == first.latest;
}

Epochs LogEpochs::of_lanes(unsigned warp, std::uint32_t lanes, unsigned row,
                           std::array<Epoch, 32>& of_lane) const {
  if (!clocks_.is_active()) return {};
  Epochs epochs = {.earliest = ~Epoch{0}, .latest = 0};
  for_each_lane(lanes, [&](unsigned lane) {
    const Epoch epoch = at(warp, lane, row);
    of_lane[lane] = epoch;
    epochs.earliest = std::min(epochs.earliest, epoch);
    epochs.latest = std::max(epochs.latest, epoch);
  });
  return epochs;
}

}  // namespace ladder::emulator
