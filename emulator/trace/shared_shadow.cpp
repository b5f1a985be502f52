// SPDX-License-Identifier: MIT
#include "emulator/trace/shared_shadow.hpp"

#include <algorithm>

#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {
namespace {

constexpr std::uint8_t kAllBytes = 15;
constexpr unsigned kWordsOfPiece = 4;

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
  if (same_warp && clocked_ && lanes_order(past, access)) return false;
  return !clocked_ || same_warp || !clocks_order(past, access);
}

/// Of one warp, since it met as a whole.
bool SharedShadow::lanes_order(const Past& past, const WordAccess& access) const {
  const unsigned warp = access.thread / 32u;
  const std::uint32_t lanes = access.lanes_or_thread();
  bool after = true;
  bool before = true;
  for_each_lane(past.lanes, [&](unsigned lane) {
    after = after && clocks_.lane_knows(warp, lanes, access.knows, lane, past.epoch);
  });
  for_each_lane(lanes, [&](unsigned lane) {
    before = before && clocks_.lane_knows(warp, past.lanes, past.epoch, lane, access.epoch);
  });
  return after || before;
}

/// Does the store leave what another one has stored since the last barrier? Then nobody can tell
/// which came first.
bool SharedShadow::writes_the_same(const Word& word, const WordAccess& access) const {
  return access.has_value && !access.several && word.write.has_value &&
         word.write.interval == interval_ && word.write.bytes == access.bytes &&
         word.value == access.value;
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
  if (same_warp && clocked_ && past.sync == access.sync) {
    // Lanes whose reads are in order with this one need no longer be remembered.
    const unsigned warp = access.thread / 32u;
    const std::uint32_t lanes = access.lanes_or_thread();
    std::uint32_t left = 0;
    for_each_lane(past.lanes & ~lanes, [&](unsigned lane) {
      if (!clocks_.lane_knows(warp, lanes, access.knows, lane, past.epoch)) left |= 1u << lane;
    });
    const Past before = past;
    past = past_of(access);
    past.bytes |= before.bytes;
    if (left == 0) return;
    past.lanes |= left;
    past.several = true;
    past.epoch = std::min(before.epoch, access.epoch);  // rather too early than too late
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
  past.lanes |= access.lanes_or_thread();
  past.bytes |= access.bytes;
  past.sync = access.sync;
  past.epoch = access.epoch;
}

SharedShadow::Past SharedShadow::past_of(const WordAccess& access) const {
  return {.interval = interval_,
          .sync = access.sync,
          .code = access.code,
          .epoch = access.epoch,
          .lanes = access.lanes_or_thread(),
          .thread = access.thread,
          .bytes = access.bytes,
          .several = access.several,
          .has_value = access.has_value && !access.several};
}

void SharedShadow::mark_written(Word& word, const WordAccess& access) const {
  if (word.written_in != block_start_) word.written = 0;
  word.written_in = block_start_;
  word.written |= access.bytes;
  word.value = access.value;
}

bool SharedShadow::is_written(std::size_t begin, std::size_t end) const {
  for (std::size_t word = begin / 4; word < std::min((end + 3) / 4, words_.size()); ++word) {
    if (words_[word].written_in == block_start_ && words_[word].written != 0) return true;
  }
  return false;
}

void SharedShadow::stored_from_elsewhere(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < std::min(end, 4 * words_.size()); ++at) {
    Word& word = words_[at / 4];
    if (word.written_in != block_start_) word.written = 0;
    word.written_in = block_start_;
    word.written |= static_cast<std::uint8_t>(1 << at % 4);
  }
}

Conflict SharedShadow::load_from(Word& word, const WordAccess& access) {
  Conflict conflict;
  if (word.written_in != block_start_ || (word.written & access.bytes) != access.bytes) {
    conflict.kind = Conflict::Kind::kUninitialised;
  }
  if (is_in_flight(word.write, access)) {
    conflict = in_flight(word.write.code, word.write.thread);
  } else if (unordered(word.write, access) && !has_stored_it(word.write, access) &&
             !(access.is_guess && is_atomic(word.write.code))) {
    conflict = race_with(word.write.code, word.write.thread);
  }
  // What races with a guess races with the swap behind it, unless it is atomic.
  if (!access.is_guess) remember(word.read, access);
  return conflict;
}

Conflict SharedShadow::store_to(Word& word, const WordAccess& access) {
  Conflict conflict;
  if (access.several) {
    conflict = race_with(access.code, access.thread);
  } else if (is_in_flight(word.write, access)) {
    conflict = in_flight(word.write.code, word.write.thread);
  } else if (writes_the_same(word, access)) {
    // Harmless, for those who read it as well.
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
  const bool atomic_before = is_atomic(word.write.code);
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

Conflict SharedShadow::store_atomically_to(Word& word, const WordAccess& access) {
  const Conflict conflict = update_of(word, access);
  return conflict.kind == Conflict::Kind::kUninitialised ? Conflict() : conflict;
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

Conflict SharedShadow::store_atomically(const WordAccess& access) {
  if (clocked_) return write_with_clocks(&SharedShadow::store_atomically_to, access);
  settled_[access.word] = 0;
  return apply(&SharedShadow::store_atomically_to, access);
}

// -- With clocks ---------------------------------------------------------------------------------

void SharedShadow::use_clocks() {
  clocked_ = true;
  constexpr std::size_t kReadersPerLine = 64 / sizeof(Reader);
  const std::size_t lines = words_.size() / kReadersPerLine + 1;
  if (warps_ != clocks_.warps() || box_of_.size() != words_.size()) {
    warps_ = clocks_.warps();
    readers_of_word_ = clocks_.copy_engine_for(0) + 1;
    readers_of_warp_ = (lines + (lines + 1) % 2) * kReadersPerLine;
    readers_ = ZeroPages<Reader>(readers_of_word_ * readers_of_warp_);
    box_of_ = ZeroPages<std::uint32_t>(words_.size());
  } else if (touched_begin_ < touched_end_) {
    forget_readers(touched_begin_, touched_end_);
    std::fill_n(&box_of_[touched_begin_], touched_end_ - touched_begin_, 0u);
  }
  touched_begin_ = words_.size();
  touched_end_ = 0;
  boxes_.assign(1, BoxCopy());
  if (pieces_being_read_ != 0) readings_.assign(readings_.size(), Readings());
  pieces_being_read_ = 0;
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

/// What the thread that started it knew.
WarpClocks::Knowledge SharedShadow::knowledge_of(const BoxCopy& box) const {
  if (!box.knows.empty()) return box.knows;
  return clocks_.knowledge(box.thread / 32u, box.epoch);
}

/// \param  is_over  set: the access happened before the copy, which has nothing to do with it
Conflict SharedShadow::conflict_with_box(const WordAccess& access, bool& is_over) {
  const BoxCopy& box = boxes_[box_of_[access.word]];
  const unsigned warp = access.thread / 32u;
  if (known_to(box, warp, access.knows)) return {};
  const bool is_own = !box.block && box.thread / 32u == warp;
  is_over =
      is_own ? access.epoch <= box.epoch : clocks_.knows(knowledge_of(box), warp, access.epoch);
  if (is_over) return {};
  return {Conflict::Kind::kInFlight, box.code, box.thread, box.block};
}

/// The access is a store that happened before the copy.
Conflict SharedShadow::conflict_without_fence(const WordAccess& access) const {
  const BoxCopy& box = boxes_[box_of_[access.word]];
  if (clocks_.knows_fence(knowledge_of(box), access.thread / 32u, access.epoch)) return {};
  return {Conflict::Kind::kUnfenced, box.code, box.thread, box.block};
}

/// Does a clock know that it has read? The copy engine reads for one warp or another.
bool SharedShadow::is_known(WarpClocks::Knowledge clock, const Reader& reader,
                            unsigned number) const {
  const bool is_copy = number == clocks_.copy_engine_for(0);
  return clocks_.knows(clock, is_copy ? clocks_.copy_engine_for(reader.when % 32) : number,
                       reader.when >> kEpochShift);
}

/// Is its read known to come after what `warp` did in its epoch `at`?
bool SharedShadow::comes_after(std::uint32_t word, unsigned number, unsigned warp, Epoch at) const {
  if (number < warps_) {
    return clocks_.knows(number, reader(word, number).when >> kEpochShift, warp, at);
  }
  const Readings& reading = readings_[word / kWordsOfPiece];
  return clocks_.knows(reading.thread / 32u, reading.epoch, warp, at);
}

Conflict SharedShadow::conflict_with_reader(std::uint32_t word, unsigned number) const {
  const Reader& reader = this->reader(word, number);
  const std::uint16_t thread = number < warps_
                                   ? static_cast<std::uint16_t>(32 * number + reader.when % 32)
                                   : readings_[word / kWordsOfPiece].thread;
  const bool is_copy = is_box_store(reader.code);
  return {is_copy ? Conflict::Kind::kBeingRead : Conflict::Kind::kRace, reader.code, thread};
}

/// Of other warps, tensor cores and the copy engine.
Conflict SharedShadow::conflict_with_readers(const WordAccess& access) const {
  const unsigned warp = access.thread / 32u;
  const WarpClocks::Knowledge known = clocks_.knowledge(warp, access.knows);
  for (unsigned other = 0; other < readers_of_word_; ++other) {
    const Reader& reader = this->reader(access.word, other);
    if (reader.when == 0 || other == warp || is_known(known, reader, other) ||
        comes_after(access.word, other, warp, access.epoch)) {
      continue;
    }
    return conflict_with_reader(access.word, other);
  }
  return {};
}

/// Of all warps but that of the thread, if it is of this block.
Conflict SharedShadow::conflict_with_readers(const BoxCopy& box, std::uint32_t word) const {
  const unsigned warp = box.block ? ~0u : box.thread / 32u;
  const WarpClocks::Knowledge known = knowledge_of(box);
  for (unsigned other = 0; other < readers_of_word_; ++other) {
    const Reader& reader = this->reader(word, other);
    if (reader.when == 0 || other == warp || is_known(known, reader, other)) continue;
    if (!box.block && comes_after(word, other, warp, box.epoch)) continue;
    return conflict_with_reader(word, other);
  }
  return {};
}

// -- Accesses of threads -------------------------------------------------------------------------

Conflict SharedShadow::load_with_clocks(const WordAccess& access) {
  touch(access.word, access.word + 1);
  Conflict conflict;
  bool is_over = false;
  if (box_of_[access.word] != 0) {
    conflict = conflict_with_box(access, is_over);
  } else {
    conflict = is_plain(access) ? load_from(words_[access.word], access)
                                : apply(&SharedShadow::load_from, access);
  }
  if (conflict.kind != Conflict::Kind::kNone || is_over || access.is_guess) return conflict;
  const bool whole = access.bytes == kAllBytes;
  reader(access.word, access.thread / 32u) = {
      access.epoch << kEpochShift | (whole ? 0u : 32u) | access.thread % 32u, access.code};
  return conflict;
}

Conflict SharedShadow::write_with_clocks(Operation operation, const WordAccess& access) {
  touch(access.word, access.word + 1);
  if (pieces_being_read_ != 0) [[unlikely]] {
    const Conflict conflict = conflict_with_readings(access);
    if (conflict.kind != Conflict::Kind::kNone) return conflict;
  }
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
  forget_readers(access.word, access.word + 1);
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
  reader(access.word, access.thread / 32u) = {};
  return apply(&SharedShadow::land_copy_of, access);
}

// -- Copies of the tensor memory accelerator -----------------------------------------------------

std::uint32_t SharedShadow::start_box(const BoxCopy& box) {
  boxes_.push_back(box);
  return static_cast<std::uint32_t>(boxes_.size() - 1);
}

Conflict SharedShadow::fill(std::uint32_t word, std::uint32_t number) {
  touch(word, word + 1);
  const BoxCopy& box = boxes_[number];
  const WarpClocks::Knowledge known = knowledge_of(box);
  Conflict conflict;
  Word& before = words_[word];
  const Past write = before.write;
  const unsigned writer = write.thread / 32u;
  const bool written = before.written_in == block_start_ && write.bytes != 0;
  const bool is_own = !box.block && writer == box.thread / 32u;
  if (box_of_[word] != 0) {
    const BoxCopy& other = boxes_[box_of_[word]];
    if (other.phase == 0 || !clocks_.knows_phase(known, other.copy_barrier, other.phase)) {
      conflict = {Conflict::Kind::kInFlight, other.code, other.thread, other.block};
    }
  } else if (written && write.in_flight) {
    conflict = {Conflict::Kind::kInFlight, write.code, write.thread};
  } else if (written && write.interval == interval_ && !is_own &&
             !clocks_.knows(known, writer, write.epoch)) {
    conflict = {Conflict::Kind::kRace, write.code, write.thread};
  } else if (written && !clocks_.knows_fence(known, writer, write.epoch)) {
    conflict = {Conflict::Kind::kUnfenced, write.code, write.thread};
  }
  if (conflict.kind == Conflict::Kind::kNone) conflict = conflict_with_readers(box, word);
  if (conflict.kind == Conflict::Kind::kNone) conflict = conflict_with_readings(box, word);
  if (!split_.empty()) split_.erase(word);
  before = Word();
  before.written_in = block_start_;
  before.written = kAllBytes;
  forget_readers(word, word + 1);
  box_of_[word] = number;
  return conflict;
}

// -- What reads for a while ----------------------------------------------------------------------

Conflict SharedShadow::start_reading(WordAccess access) {
  if (readings_.empty()) readings_.resize(words_.size() / kWordsOfPiece + 1);
  Readings& readings = readings_[access.word / kWordsOfPiece];
  readings = {readings.count + 1, access.code, access.thread, access.epoch};
  ++pieces_being_read_;
  Conflict found;
  for (unsigned i = 0; i < kWordsOfPiece && found.kind == Conflict::Kind::kNone;
       ++i, ++access.word) {
    Reader& reader = this->reader(access.word, access.thread / 32u);
    const Reader reader_before = reader;
    const Past read_before = words_[access.word].read;
    found = load_with_clocks(access);
    reader = reader_before;  // it has not read yet
    words_[access.word].read = read_before;
    const Past& write = words_[access.word].write;
    if (found.kind == Conflict::Kind::kNone && box_of_[access.word] == 0 && write.bytes != 0 &&
        !clocks_.knows_fence(access.thread / 32u, access.knows, write.thread / 32u, write.epoch)) {
      found = {Conflict::Kind::kUnfenced, write.code, write.thread};
    }
  }
  return found;
}

void SharedShadow::end_product(std::uint32_t word, AccessCode code, unsigned warp,
                               unsigned number) {
  end_reading(word, {number << kEpochShift, code}, clocks_.tensor_cores_of(warp));
}

void SharedShadow::end_copy(std::uint32_t word, AccessCode code, unsigned warp, unsigned number) {
  end_reading(word, {number << kEpochShift | warp, code}, clocks_.copy_engine_for(0));
}

void SharedShadow::end_reading(std::uint32_t word, const Reader& reader, unsigned number) {
  --readings_[word / kWordsOfPiece].count;
  --pieces_being_read_;
  touch(word, word + kWordsOfPiece);
  for (std::uint32_t i = word; i < std::min<std::size_t>(word + kWordsOfPiece, words_.size()); ++i)
    this->reader(i, number) = reader;
}

/// The access writes what may still be read.
Conflict SharedShadow::conflict_with_readings(const WordAccess& access) const {
  if (pieces_being_read_ == 0) return {};
  const Readings& readings = readings_[access.word / kWordsOfPiece];
  if (readings.count == 0 ||
      clocks_.knows(readings.thread / 32u, readings.epoch, access.thread / 32u, access.epoch)) {
    return {};
  }
  const bool is_copy = is_box_store(readings.code);
  return {is_copy ? Conflict::Kind::kBeingRead : Conflict::Kind::kRace, readings.code,
          readings.thread};
}

/// The box goes where something may still be read. It starts now, and that has started before.
Conflict SharedShadow::conflict_with_readings(const BoxCopy& box, std::uint32_t word) const {
  WordAccess filling = {.word = word, .thread = box.thread, .code = box.code, .epoch = box.epoch};
  if (box.block) filling.epoch = ~Epoch{0};  // no warp of this block knows of it
  return conflict_with_readings(filling);
}

}  // namespace ladder::emulator
