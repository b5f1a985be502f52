// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/shared_shadow_clocks.cpp
/// \brief SharedShadow's words where clocks order accesses: what each warp has read, and copies
///        that are on their way.
#include <algorithm>

#include "common/emulator/trace/shared_shadow.hpp"

namespace ladder::emulator {
namespace {

constexpr std::uint8_t kAllBytes = 15;
constexpr unsigned kEpochShift = 6;

}  // namespace

void SharedShadow::use_clocks() {
  clocked_ = true;
  warps_ = clocks_.warps();
  readers_.assign(words_.size() * warps_, Reader());
  box_of_.assign(words_.size(), 0);
  boxes_.assign(1, BoxCopy());
}

// -- Before and after ----------------------------------------------------------------------------

bool SharedShadow::happened_before(const WordAccess& access, const Past& past) const {
  return clocks_.knows(past.thread / 32u, past.epoch, access.thread / 32u, access.epoch);
}

bool SharedShadow::clocks_order(const Past& past, const WordAccess& access) const {
  return clocks_.knows(access.thread / 32u, access.knows, past.thread / 32u, past.epoch) ||
         happened_before(access, past);
}

/// Has it landed, as far as warp `other` knew in its epoch `at`?
bool SharedShadow::known_to(const BoxCopy& box, unsigned other, Epoch at) const {
  return box.phase != 0 && clocks_.knows_phase(other, at, box.copy_barrier, box.phase);
}

/// \param is_over  set: the access happened before the copy, which has nothing to do with it
Conflict SharedShadow::conflict_with_box(const WordAccess& access, bool& is_over) {
  const BoxCopy& box = boxes_[box_of_[access.word]];
  const unsigned warp = access.thread / 32u;
  if (known_to(box, warp, access.knows)) return {};
  const unsigned starter = box.thread / 32u;
  is_over = starter == warp ? access.epoch <= box.epoch
                            : clocks_.knows(starter, box.epoch, warp, access.epoch);
  if (is_over) return {};
  return {Conflict::Kind::kInFlight, box.code, box.thread};
}

/// The access is a store that happened before the copy.
Conflict SharedShadow::conflict_without_fence(const WordAccess& access) const {
  const BoxCopy& box = boxes_[box_of_[access.word]];
  if (clocks_.knows_fence(box.thread / 32u, box.epoch, access.thread / 32u, access.epoch))
    return {};
  return {Conflict::Kind::kUnfenced, box.code, box.thread};
}

/// Of other warps.
Conflict SharedShadow::conflict_with_readers(const WordAccess& access) const {
  const unsigned warp = access.thread / 32u;
  const Reader* const readers = &readers_[std::size_t{access.word} * warps_];
  for (unsigned other = 0; other < warps_; ++other) {
    const Epoch read = readers[other].when >> kEpochShift;
    if (read == 0 || other == warp || clocks_.knows(warp, access.knows, other, read) ||
        clocks_.knows(other, read, warp, access.epoch)) {
      continue;
    }
    return {Conflict::Kind::kRace, readers[other].code,
            static_cast<std::uint16_t>(32 * other + readers[other].when % 32)};
  }
  return {};
}

// -- Accesses of threads -------------------------------------------------------------------------

Conflict SharedShadow::load_with_clocks(const WordAccess& access) {
  Conflict conflict;
  bool is_over = false;
  if (box_of_[access.word] != 0) {
    conflict = conflict_with_box(access, is_over);
  } else {
    conflict = is_plain(access) ? load_from(words_[access.word], access)
                                : apply(&SharedShadow::load_from, access);
  }
  if (conflict.kind != Conflict::Kind::kNone || is_over) return conflict;
  const bool whole = access.bytes == kAllBytes;
  readers_[std::size_t{access.word} * warps_ + access.thread / 32u] = {
      access.epoch << kEpochShift | (whole ? 0u : 32u) | access.thread % 32u, access.code};
  return conflict;
}

Conflict SharedShadow::write_with_clocks(Operation operation, const WordAccess& access) {
  const unsigned warp = access.thread / 32u;
  if (box_of_[access.word] != 0) {
    bool is_over = false;
    const Conflict conflict = conflict_with_box(access, is_over);
    if (is_over) return conflict_without_fence(access);
    box_of_[access.word] = 0;
    if (conflict.kind != Conflict::Kind::kNone) return conflict;
  }
  const Past& before = words_[access.word].write;
  if (before.interval == interval_ && before.thread / 32u != warp &&
      (before.bytes & access.bytes) != 0 && happened_before(access, before)) {
    return {};  // and has been overwritten
  }
  Conflict conflict =
      is_plain(access) ? (this->*operation)(words_[access.word], access) : apply(operation, access);
  if (conflict.kind == Conflict::Kind::kNone) {
    conflict = conflict_with_readers(access);
  }
  // What comes later is in order with those reads if it is with this write.
  std::fill_n(&readers_[std::size_t{access.word} * warps_], warps_, Reader());
  return conflict;
}

// -- Copies of threads ---------------------------------------------------------------------------

Conflict SharedShadow::start_copy_of(Word& word, const WordAccess& access) {
  const Conflict conflict = store_to(word, access);
  word.write.in_flight = true;
  return conflict;
}

Conflict SharedShadow::land_copy_of(Word& word, const WordAccess& access) {
  if (!word.write.in_flight || word.write.thread != access.thread) return {};
  const AccessCode code = word.write.code;
  word.write = past_of(access);
  word.write.code = code;
  return {};
}

Conflict SharedShadow::start_copy(const WordAccess& access) {
  return write_with_clocks(&SharedShadow::start_copy_of, access);
}

Conflict SharedShadow::land_copy(const WordAccess& access) {
  if (box_of_[access.word] != 0) return {};
  readers_[std::size_t{access.word} * warps_ + access.thread / 32u] = {};
  return apply(&SharedShadow::land_copy_of, access);
}

// -- Copies of the tensor memory accelerator -----------------------------------------------------

std::uint32_t SharedShadow::start_box(const BoxCopy& box) {
  boxes_.push_back(box);
  return static_cast<std::uint32_t>(boxes_.size() - 1);
}

Conflict SharedShadow::fill(std::uint32_t word, std::uint32_t number) {
  const BoxCopy& box = boxes_[number];
  const unsigned warp = box.thread / 32u;
  Conflict conflict;
  Word& before = words_[word];
  const Past write = before.write;
  const unsigned writer = write.thread / 32u;
  const bool written = before.written_in == block_start_ && write.bytes != 0;
  if (box_of_[word] != 0) {
    const BoxCopy& other = boxes_[box_of_[word]];
    if (!known_to(other, warp, box.epoch)) {
      conflict = {Conflict::Kind::kInFlight, other.code, other.thread};
    }
  } else if (written && write.in_flight) {
    conflict = {Conflict::Kind::kInFlight, write.code, write.thread};
  } else if (written && write.interval == interval_ && writer != warp &&
             !clocks_.knows(warp, box.epoch, writer, write.epoch)) {
    conflict = {Conflict::Kind::kRace, write.code, write.thread};
  } else if (written && !clocks_.knows_fence(warp, box.epoch, writer, write.epoch)) {
    conflict = {Conflict::Kind::kUnfenced, write.code, write.thread};
  }
  if (conflict.kind == Conflict::Kind::kNone) {
    conflict = conflict_with_readers({.word = word,
                                      .bytes = kAllBytes,
                                      .several = false,
                                      .thread = box.thread,
                                      .sync = 0,
                                      .code = box.code,
                                      .epoch = box.epoch,
                                      .knows = box.epoch});
  }
  if (!split_.empty()) split_.erase(word);
  before = Word();
  before.written_in = block_start_;
  before.written = kAllBytes;
  std::fill_n(&readers_[std::size_t{word} * warps_], warps_, Reader());
  box_of_[word] = number;
  return conflict;
}

}  // namespace ladder::emulator
