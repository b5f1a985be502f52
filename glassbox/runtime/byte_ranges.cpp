// SPDX-License-Identifier: MIT
#include "glassbox/runtime/byte_ranges.hpp"

#include <algorithm>

namespace ladder::glassbox {

Bytes common(const Bytes& a, const Bytes& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

void ByteRanges::append(const Bytes& more) {
  if (more.is_empty()) return;
  if (!all_.empty() && all_.back().end >= more.begin) {
    all_.back().end = std::max(all_.back().end, more.end);
  } else {
    all_.push_back(more);
  }
}

void ByteRanges::add(const Bytes& more) {
  if (more.is_empty()) return;
  if (all_.empty() || all_.back().begin <= more.begin) {
    append(more);
    return;
  }
  // All pieces that it touches become one with it.
  const auto first = std::ranges::lower_bound(all_, more.begin, {}, &Bytes::end);
  const auto last = std::ranges::upper_bound(all_, more.end, {}, &Bytes::begin);
  Bytes whole = more;
  if (first < last) {
    whole = {std::min(first->begin, more.begin), std::max((last - 1)->end, more.end)};
  }
  all_.insert(all_.erase(first, last), whole);
}

std::vector<Bytes>::const_iterator ByteRanges::first_behind(std::uintptr_t address) const {
  return std::ranges::upper_bound(all_, address, {}, &Bytes::end);
}

}  // namespace ladder::glassbox
