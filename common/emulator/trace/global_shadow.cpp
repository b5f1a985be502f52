// SPDX-License-Identifier: MIT
#include "common/emulator/trace/global_shadow.hpp"

#include <algorithm>
#include <new>

namespace ladder::emulator {

GlobalShadow::GlobalShadow(const std::vector<TracedArray>& arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Array& array = arrays_[i];
    array.written = arrays[i].written;
    array.unit = std::min<std::size_t>(4, arrays[i].element_bytes);
    array.words = arrays[i].bytes / array.unit;
    array.watched = arrays[i].bytes > 0 && arrays[i].bytes <= kMaxBytes;
    if (!array.watched) continue;
    // All zero is a word that nobody has used.
    array.word.reset(static_cast<Word*>(std::calloc(array.words, sizeof(Word))));
    if (array.word == nullptr) throw std::bad_alloc();
  }
}

void GlobalShadow::start_grid() {
  ++launch_;
  ordered_ = false;
  for (Array& array : arrays_)
    array.stored_to = false;
}

bool GlobalShadow::was_stored_by_another(const std::vector<TracedArray>& arrays,
                                         std::uint64_t address, std::uint64_t block) const {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::uint64_t at = address - reinterpret_cast<std::uint64_t>(arrays[i].data);
    const Array& array = arrays_[i];
    if (at >= arrays[i].bytes || !array.watched || at / array.unit >= array.words) continue;
    const Past& write = array.word[at / array.unit].write;
    return write.launch == launch_ && write.block != static_cast<std::uint32_t>(block);
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
  const std::lock_guard lock(one.mutex);
  const std::size_t end = std::min((begin + bytes) / one.unit, one.words);
  for (std::size_t i = begin / one.unit; i < end; ++i) {
    const GlobalConflict conflict = visit(one.word[i]);
    if (found.kind == GlobalConflict::Kind::kNone) found = conflict;
  }
  return found;
}

GlobalConflict GlobalShadow::load(std::size_t array, std::size_t begin, unsigned bytes,
                                  const GlobalAccess& access) {
  const bool written = arrays_[array].written;
  return for_words(array, begin, bytes, [&](Word& word) {
    if (!written && !word.written) return GlobalConflict{GlobalConflict::Kind::kUnwritten};
    const Past now = past_of(access);
    if (word.read.launch != launch_ || word.read.block != now.block ||
        word.read.thread != now.thread) {
      word.other_read = word.read;
    }
    word.read = now;
    return conflict_with(word.write, access);
  });
}

GlobalConflict GlobalShadow::store(std::size_t array, std::size_t begin, unsigned bytes,
                                   const GlobalAccess& access) {
  arrays_[array].stored_to = true;
  return for_words(array, begin, bytes, [&](Word& word) {
    GlobalConflict conflict;
    const bool same_value =
        word.written && word.write.launch == launch_ && word.value == access.value;
    if (!same_value) {
      for (const Past* past : {&word.write, &word.read, &word.other_read}) {
        if (conflict.kind == GlobalConflict::Kind::kNone) conflict = conflict_with(*past, access);
      }
    }
    word.write = past_of(access);
    word.value = access.value;
    word.written = true;
    return conflict;
  });
}

GlobalConflict GlobalShadow::update(std::size_t array, std::size_t begin, unsigned bytes,
                                    bool reads) {
  const bool written = arrays_[array].written || !reads;
  arrays_[array].stored_to = true;
  return for_words(array, begin, bytes, [&](Word& word) {
    GlobalConflict conflict;
    if (!written && !word.written) conflict.kind = GlobalConflict::Kind::kUnwritten;
    word.written = true;
    return conflict;
  });
}

}  // namespace ladder::emulator
