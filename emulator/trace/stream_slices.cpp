// SPDX-License-Identifier: MIT
#include "emulator/trace/stream_slices.hpp"

namespace ladder::emulator {

void StreamSlices::start_block() {
  stream_ = {};
  chunks_.fill(0);
  slice_chunk_ = 0;
}

void StreamSlices::mark_end() {
  stream_.slice_ends.push_back(static_cast<std::uint32_t>(stream_.accesses.size()));
}

void StreamSlices::end() {
  mark_end();
  chunks_.fill(0);
  slice_chunk_ = 0;
}

void StreamSlices::end_if_any() {
  const std::size_t ended = stream_.slice_ends.empty() ? 0 : stream_.slice_ends.back();
  if (stream_.accesses.size() > ended) end();
}

void StreamSlices::go_on_with(unsigned warp) {
  if (chunks_[warp] <= slice_chunk_) return;
  mark_end();
  slice_chunk_ = chunks_[warp];
}

bool StreamSlices::are_enough(const TraceWishes& wishes) const {
  constexpr std::size_t kMostSlices = 8;  // a kernel that shows nothing by then will not
  const std::size_t slices = stream_.slice_ends.size();
  if (slices == 0) return false;
  if (slices >= kMostSlices || !wishes.complete_shifts) return true;
  ArrayShifts shifts(wishes.arrays.size());
  for (const StreamAccess& access : stream_.accesses)
    shifts[access.array] = 0;
  return wishes.complete_shifts(shifts);
}

}  // namespace ladder::emulator
