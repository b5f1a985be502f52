// SPDX-License-Identifier: MIT
#include "common/emulator/trace/shared_shadow.hpp"

namespace ladder::emulator {
namespace {

constexpr std::uint8_t kAllBytes = 15;

Conflict race_with(AccessCode code, std::uint16_t thread) {
  return {Conflict::Kind::kRace, code, thread};
}

Conflict in_flight(AccessCode code, std::uint16_t thread) {
  return {Conflict::Kind::kInFlight, code, thread};
}

}  // namespace

bool SharedShadow::unordered_in_interval(const Past& past, const WordAccess& access) const {
  if ((past.bytes & access.bytes) == 0) return false;
  if (past.thread == access.thread && !past.several && !access.several) return false;
  const bool same_warp = past.thread / 32 == access.thread / 32;
  const bool met_since = same_warp && !past.several_warps && past.sync != access.sync;
  if (met_since) return false;
  return !clocked_ || same_warp || !clocks_order(past, access);
}

void SharedShadow::remember(Past& past, const WordAccess& access) const {
  if (past.interval != interval_) {
    past = past_of(access);
    return;
  }
  const bool same_warp = !past.several_warps && past.thread / 32 == access.thread / 32;
  if (clocked_ && !same_warp) {  // other warps' reads are among the readers
    past = past_of(access);
    return;
  }
  if (same_warp && past.sync != access.sync) {
    // The warp has met: what its other lanes did is in order with all that it does from now on.
    const std::uint8_t bytes = past.bytes;
    past = past_of(access);
    past.bytes |= bytes;
    return;
  }
  past.several = past.several || access.several || past.thread != access.thread;
  past.several_warps = !same_warp;
  past.bytes |= access.bytes;
  past.sync = access.sync;
  past.epoch = access.epoch;
}

SharedShadow::Past SharedShadow::past_of(const WordAccess& access) const {
  return {.interval = interval_,
          .sync = access.sync,
          .code = access.code,
          .epoch = access.epoch,
          .thread = access.thread,
          .bytes = access.bytes,
          .several = access.several};
}

void SharedShadow::mark_written(Word& word, const WordAccess& access) const {
  if (word.written_in != block_start_) word.written = 0;
  word.written_in = block_start_;
  word.written |= access.bytes;
}

Conflict SharedShadow::load_from(Word& word, const WordAccess& access) {
  Conflict conflict;
  if (word.written_in != block_start_ || (word.written & access.bytes) != access.bytes) {
    conflict.kind = Conflict::Kind::kUninitialised;
  }
  if (is_in_flight(word.write, access)) {
    conflict = in_flight(word.write.code, word.write.thread);
  } else if (unordered(word.write, access)) {
    conflict = race_with(word.write.code, word.write.thread);
  }
  remember(word.read, access);
  return conflict;
}

Conflict SharedShadow::store_to(Word& word, const WordAccess& access) {
  Conflict conflict;
  if (access.several) {
    conflict = race_with(access.code, access.thread);
  } else if (is_in_flight(word.write, access)) {
    conflict = in_flight(word.write.code, word.write.thread);
  } else if (unordered(word.write, access)) {
    conflict = race_with(word.write.code, word.write.thread);
  } else if (unordered(word.read, access)) {
    conflict = race_with(word.read.code, word.read.thread);
  }
  // What this store races with must not be reported again for every later load.
  word.write = past_of(access);
  mark_written(word, access);
  return conflict;
}

Conflict SharedShadow::update_of(Word& word, const WordAccess& access) {
  Conflict conflict;
  if (word.written_in != block_start_ || (word.written & access.bytes) != access.bytes) {
    conflict.kind = Conflict::Kind::kUninitialised;
  }
  const bool atomic_before = type_of(word.write.code) == AccessType::kAtomic;
  if (is_in_flight(word.write, access)) {
    conflict = in_flight(word.write.code, word.write.thread);
  } else if (!atomic_before && unordered(word.write, access)) {
    conflict = race_with(word.write.code, word.write.thread);
  } else if (unordered(word.read, access)) {
    conflict = race_with(word.read.code, word.read.thread);
  }
  word.write = past_of(access);
  mark_written(word, access);
  return conflict;
}

Conflict SharedShadow::apply(Operation operation, const WordAccess& access) {
  const bool whole = access.bytes == kAllBytes;
  if (whole && (split_.empty() || !split_.contains(access.word))) {
    return (this->*operation)(words_[access.word], access);
  }
  const auto [found, is_new] = split_.try_emplace(access.word);
  if (is_new) found->second.fill(words_[access.word]);
  Conflict conflict;
  for (unsigned byte = 0; byte < found->second.size(); ++byte) {
    WordAccess part = access;
    part.bytes = static_cast<std::uint8_t>(access.bytes & 1u << byte);
    if (part.bytes == 0) continue;
    const Conflict next = (this->*operation)(found->second[byte], part);
    if (conflict.kind == Conflict::Kind::kNone) conflict = next;
  }
  return conflict;
}

void SharedShadow::start_block() {
  block_start_ = ++interval_;
  split_.clear();
  clocked_ = false;
  if (clocks_.is_active()) use_clocks();
}

Conflict SharedShadow::load(const WordAccess& access) {
  if (clocked_) return load_with_clocks(access);
  const Conflict conflict = is_plain(access) ? load_from(words_[access.word], access)
                                             : apply(&SharedShadow::load_from, access);
  const Word& word = words_[access.word];
  if (conflict.kind == Conflict::Kind::kNone && word.read.several_warps &&
      word.read.bytes == kAllBytes && word.read.interval == interval_ &&
      word.write.interval != interval_ && access.bytes == kAllBytes && split_.empty()) {
    settled_[access.word] = interval_;
  }
  return conflict;
}

Conflict SharedShadow::store(const WordAccess& access) {
  if (clocked_) return write_with_clocks(&SharedShadow::store_to, access);
  settled_[access.word] = 0;
  return is_plain(access) ? store_to(words_[access.word], access)
                          : apply(&SharedShadow::store_to, access);
}

Conflict SharedShadow::update(const WordAccess& access) {
  if (clocked_) return write_with_clocks(&SharedShadow::update_of, access);
  settled_[access.word] = 0;
  return apply(&SharedShadow::update_of, access);
}

}  // namespace ladder::emulator
