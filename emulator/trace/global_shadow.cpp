// SPDX-License-Identifier: MIT
#include "emulator/trace/global_shadow.hpp"

#include <algorithm>
#include <bit>

namespace ladder::emulator {

GlobalShadow::GlobalShadow(const std::vector<TracedArray>& arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Array& array = arrays_.emplace_back();
    array.written = arrays[i].written;
    array.unit = static_cast<unsigned>(std::min<std::size_t>(4, arrays[i].element_bytes));
    array.unit_log2 = static_cast<unsigned>(std::countr_zero(array.unit));
    const std::size_t bytes =
        arrays[i].watched_bytes > 0 ? arrays[i].watched_bytes : arrays[i].bytes;
    array.words = bytes / array.unit;
    array.watched = bytes > 0 && bytes <= kMaxBytes;
  }
}

void GlobalShadow::start_grid() {
  launch_ = ++last_phase_;
  ordered_ = false;
  for (Array& array : arrays_)
    array.stored_to = array.loaded_from = false;
}

bool GlobalShadow::was_stored_by_another(std::size_t array, std::size_t at,
                                         std::uint64_t block) const {
  const Array& one = arrays_[array];
  if (one.writes.size() == 0 || at / one.unit >= one.words) return false;
  const auto& [write, value] = one.writes[at / one.unit];
  if (write.kind() >= kAtomic && value == kOfNothing) return false;
  return write.phase() >= std::min(launch_, kLastPhase) &&
         write.block() != static_cast<std::uint32_t>(block);
}

bool GlobalShadow::was_stored(std::size_t array, std::size_t at) const {
  const Array& one = arrays_[array];
  const std::size_t word = at / one.unit;
  return one.watched && word < one.words && one.writes[word].last.phase() != 0;
}

bool GlobalShadow::is_written(std::size_t array, std::size_t begin, std::size_t end) const {
  const Array& one = arrays_[array];
  for (std::size_t word = begin / one.unit; word * one.unit < end && word < one.words; ++word) {
    if (one.writes[word].last.phase() != 0) return true;
  }
  return false;
}

/// Is the past access one of another thread that need not come before this one?
bool GlobalShadow::unordered(const Past& past, const GlobalAccess& access,
                             const ThreadOrder& order) const {
  if (past.phase() != phase_of(access) || past.phase() == kLastPhase) return false;
  if (access.is_lenient && order.is_near(past.block())) return false;
  const bool is_atomic = past.kind() >= kAtomic;
  return !order.knows(access.thread,
                      {.block = past.block(),
                       .epoch = past.epoch(),
                       .thread = past.thread(),
                       .flag = is_atomic ? access.address : 0},
                      access.is_strong);
}

GlobalConflict GlobalShadow::conflict_with(const Past& past, const ThreadOrder& order) {
  return {.kind = past.block() == order.block() ? GlobalConflict::Kind::kRace
                                                : GlobalConflict::Kind::kBlocksRace,
          .earlier = past.code(),
          .block = past.block(),
          .thread = past.thread()};
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
    one.remembered = one.words;
  }
  const std::size_t end = std::min((begin + bytes) / one.unit, one.words);
  for (std::size_t i = begin / one.unit; i < end; ++i) {
    const GlobalConflict conflict = visit(i);
    if (found.kind == GlobalConflict::Kind::kNone) found = conflict;
  }
  return found;
}

GlobalConflict GlobalShadow::load(std::size_t array, std::size_t begin, unsigned bytes,
                                  const GlobalAccess& access, const ThreadOrder& order) {
  Array& one = arrays_[array];
  one.loaded_from = true;
  const Past now = past_of(access, access.is_strong ? kVolatile : kPlain, order);
  return for_words(array, begin, bytes, [&](std::size_t i) {
    const Past& write = one.writes[i].last;
    if (!one.written && write.phase() == 0) {
      return GlobalConflict{GlobalConflict::Kind::kUnwritten};
    }
    one.reads[i].add(now);
    if (write.kind() != kPlain || !unordered(write, access, order)) return GlobalConflict();
    return conflict_with(write, order);
  });
}

GlobalConflict GlobalShadow::store(std::size_t array, std::size_t begin, unsigned bytes,
                                   const GlobalAccess& access, const ThreadOrder& order) {
  Array& one = arrays_[array];
  one.stored_to = true;
  const Past now = past_of(access, access.is_strong ? kVolatile : kPlain, order);
  return for_words(array, begin, bytes, [&](std::size_t i) {
    Writes& writes = one.writes[i];
    GlobalConflict conflict;
    const bool same_value = writes.last.is_in_phase_of(now) && writes.last.kind() < kAtomic &&
                            writes.value == access.value;
    const auto look = [&](const Past& past) {
      if (conflict.kind != GlobalConflict::Kind::kNone) return;
      if (access.is_strong && past.kind() != kPlain) return;
      if (unordered(past, access, order)) conflict = conflict_with(past, order);
    };
    if (!same_value) look(writes.last);
    if (!same_value && one.loaded_from && !access.is_strong) {
      look(one.reads[i].last);
      look(one.reads[i].other);
    }
    writes = {.last = now, .value = access.value};
    return conflict;
  });
}

GlobalConflict GlobalShadow::update(std::size_t array, std::size_t begin, unsigned bytes,
                                    bool reads, const GlobalAccess& access,
                                    const ThreadOrder& order) {
  const bool written = arrays_[array].written || !reads;
  arrays_[array].stored_to = true;
  const Past now = past_of(access, access.is_of_block ? kAtomicOfBlock : kAtomic, order);
  return for_words(array, begin, bytes, [&](std::size_t i) {
    GlobalConflict conflict;
    Writes& writes = arrays_[array].writes[i];
    const Past& past = writes.last;
    const bool is_of_block = past.kind() == kAtomicOfBlock || access.is_of_block;
    const bool of_nothing = past.phase() == 0
                                ? !written
                                : reads && past.kind() >= kAtomic && writes.value == kOfNothing;
    if (!written && past.phase() == 0) {
      conflict.kind = GlobalConflict::Kind::kUnwritten;
    } else if ((past.kind() == kPlain || (is_of_block && past.block() != now.block())) &&
               unordered(past, access, order)) {
      conflict = conflict_with(past, order);
    }
    writes = {.last = now, .value = of_nothing ? kOfNothing : 0};
    return conflict;
  });
}

}  // namespace ladder::emulator
