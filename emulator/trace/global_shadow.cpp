// SPDX-License-Identifier: MIT
#include "emulator/trace/global_shadow.hpp"

#include <algorithm>

namespace ladder::emulator {

GlobalShadow::GlobalShadow(const std::vector<TracedArray>& arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Array& array = arrays_.emplace_back();
    array.written = arrays[i].written;
    array.unit = std::min<std::size_t>(4, arrays[i].element_bytes);
    array.words = arrays[i].bytes / array.unit;
    array.watched = arrays[i].bytes > 0 && arrays[i].bytes <= kMaxBytes;
  }
}

void GlobalShadow::start_grid() {
  ++launch_;
  ordered_ = false;
  for (Array& array : arrays_)
    array.stored_to = array.loaded_from = false;
}

bool GlobalShadow::was_stored_by_another(std::size_t array, std::size_t at,
                                         std::uint64_t block) const {
  const Array& one = arrays_[array];
  if (one.writes.size() == 0 || at / one.unit >= one.words) return false;
  const Past& write = one.writes[at / one.unit].last;
  return write.launch == launch_ && write.block != static_cast<std::uint32_t>(block);
}

bool GlobalShadow::was_stored(std::size_t array, std::size_t at) const {
  const Array& one = arrays_[array];
  const std::size_t word = at / one.unit;
  return one.watched && word < one.words && one.writes[word].last.launch != 0;
}

bool GlobalShadow::is_written(std::size_t array, std::size_t begin, std::size_t end) const {
  const Array& one = arrays_[array];
  for (std::size_t word = begin / one.unit; word * one.unit < end && word < one.words; ++word) {
    if (one.writes[word].written) return true;
  }
  return false;
}

GlobalShadow::Past GlobalShadow::past_of(const GlobalAccess& access) const {
  return {.launch = launch_,
          .block = static_cast<std::uint32_t>(access.block),
          .barriers = access.barriers,
          .meetings = access.meetings,
          .code = access.code,
          .thread = access.thread};
}

GlobalConflict GlobalShadow::conflict_with(const Past& past, const GlobalAccess& access) const {
  if (past.launch != launch_) return {};
  GlobalConflict conflict = {.earlier = past.code, .block = past.block, .thread = past.thread};
  if (past.block != static_cast<std::uint32_t>(access.block)) {
    if (!ordered_) conflict.kind = GlobalConflict::Kind::kBlocksRace;
    return conflict;
  }
  const bool same_warp = past.thread / 32 == access.thread / 32;
  const bool in_order = past.thread == access.thread || past.barriers != access.barriers ||
                        (same_warp && past.meetings != access.meetings) || access.orders_itself;
  if (!in_order) conflict.kind = GlobalConflict::Kind::kRace;
  return conflict;
}

/// Returns the first conflict among the words.
template <class Visit>
GlobalConflict GlobalShadow::for_words(std::size_t array, std::size_t begin, unsigned bytes,
                                       Visit visit) {
  Array& one = arrays_[array];
  GlobalConflict found;
  if (bytes < one.unit) return found;  // parts of words are not told apart
  if (one.writes.size() == 0) {
    one.writes = ZeroPages<Writes>(one.words);
    one.reads = ZeroPages<Reads>(one.words);
  }
  const std::size_t end = std::min((begin + bytes) / one.unit, one.words);
  for (std::size_t i = begin / one.unit; i < end; ++i) {
    const GlobalConflict conflict = visit(i);
    if (found.kind == GlobalConflict::Kind::kNone) found = conflict;
  }
  return found;
}

GlobalConflict GlobalShadow::load(std::size_t array, std::size_t begin, unsigned bytes,
                                  const GlobalAccess& access) {
  Array& one = arrays_[array];
  // Whoever stores later knows an order, too: nothing can be in conflict with this load.
  const bool remember = !ordered_ || !access.orders_itself;
  if (remember) one.loaded_from = true;
  return for_words(array, begin, bytes, [&](std::size_t i) {
    if (!one.written && !one.writes[i].written) {
      return GlobalConflict{GlobalConflict::Kind::kUnwritten};
    }
    if (!remember) return conflict_with(one.writes[i].last, access);
    const Past now = past_of(access);
    Reads& reads = one.reads[i];
    if (reads.last.launch != launch_ || reads.last.block != now.block ||
        reads.last.thread != now.thread) {
      reads.other = reads.last;
    }
    reads.last = now;
    return conflict_with(one.writes[i].last, access);
  });
}

GlobalConflict GlobalShadow::store(std::size_t array, std::size_t begin, unsigned bytes,
                                   const GlobalAccess& access) {
  Array& one = arrays_[array];
  one.stored_to = true;
  return for_words(array, begin, bytes, [&](std::size_t i) {
    Writes& writes = one.writes[i];
    GlobalConflict conflict;
    const bool same_value =
        writes.written && writes.last.launch == launch_ && writes.value == access.value;
    const auto look = [&](const Past& past) {
      if (conflict.kind == GlobalConflict::Kind::kNone) conflict = conflict_with(past, access);
    };
    if (!same_value) look(writes.last);
    if (!same_value && one.loaded_from) {
      look(one.reads[i].last);
      look(one.reads[i].other);
    }
    writes = {.last = past_of(access), .value = access.value, .written = true};
    return conflict;
  });
}

GlobalConflict GlobalShadow::update(std::size_t array, std::size_t begin, unsigned bytes,
                                    bool reads) {
  const bool written = arrays_[array].written || !reads;
  arrays_[array].stored_to = true;
  return for_words(array, begin, bytes, [&](std::size_t i) {
    GlobalConflict conflict;
    bool& is_written = arrays_[array].writes[i].written;
    if (!written && !is_written) conflict.kind = GlobalConflict::Kind::kUnwritten;
    is_written = true;
    return conflict;
  });
}

}  // namespace ladder::emulator
