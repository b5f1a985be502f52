// SPDX-License-Identifier: MIT
#include "emulator/trace/sector_cache.hpp"

#include <algorithm>
#include <bit>

namespace ladder::emulator {

SectorCache::SectorCache(std::size_t bytes, int ways, unsigned halvings) : halvings_(halvings) {
  const std::size_t lines = bytes / kLineBytes >> halvings;
  if (lines == 0) return;
  sets_ = std::max<std::size_t>(1, lines / static_cast<std::size_t>(ways));
  ways_ = lines / sets_;
  entries_.resize(sets_ * ways_);
}

unsigned SectorCache::read(const HashedLine& line, unsigned sectors) {
  if (entries_.empty()) return sectors;
  Entry& entry = bring_to_front(line);
  const unsigned missing = sectors & ~static_cast<unsigned>(entry.valid);
  entry.valid |= sectors;
  return missing;
}

void SectorCache::write(const HashedLine& line, unsigned sectors) {
  if (entries_.empty()) {
    written_back_ += static_cast<unsigned>(std::popcount(sectors));
    return;
  }
  Entry& entry = bring_to_front(line);
  entry.valid |= sectors;
  entry.dirty |= sectors;
}

SectorCache::Entry& SectorCache::bring_to_front(const HashedLine& line) {
  // -- Its set: the upper bits of the hash below those that are 0 in the whole sample ------------
  const std::uint64_t fraction = (line.hash << halvings_) >> 32;  // in 1/2^32
  Entry* const set = &entries_[(fraction * sets_ >> 32) * ways_];

  // -- Its way: where the line is, or the last, with the least recently used line ----------------
  std::size_t way = 0;
  while (way < ways_ - 1 && set[way].line != line.number)
    ++way;
  Entry found = set[way];
  if (found.line != line.number) {
    written_back_ += static_cast<unsigned>(std::popcount(static_cast<unsigned>(found.dirty)));
    found = {.line = line.number, .valid = 0, .dirty = 0};
  }

  // -- Move it to the front -----------------------------------------------------------------------
  std::copy_backward(set, set + way, set + way + 1);
  set[0] = found;
  return set[0];
}

std::uint64_t SectorCache::dirty() const {
  std::uint64_t sectors = 0;
  for (const Entry& entry : entries_)
    sectors += static_cast<unsigned>(std::popcount(static_cast<unsigned>(entry.dirty)));
  return sectors;
}

}  // namespace ladder::emulator
