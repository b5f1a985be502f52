// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/ordinary_words.hpp
/// \brief The same as the shadow of shared memory does, sooner: accesses to whole words to which
///        nothing remarkable has happened. Nearly all are; the others are left to the shadow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/emulator/trace/shared_shadow.hpp"

namespace ladder::emulator {

/// \brief One request, word by word. What its words have in common is looked up once.
///
/// Each function returns false where the access may be in conflict with another one, or where it
/// takes more to tell; nothing has changed then.
class OrdinaryWords {
 public:
  /// \param access  what words of the request have in common; of lanes in one epoch
  OrdinaryWords(SharedShadow& shadow, const WordAccess& access)
      : shadow_(&shadow),
        warp_(access.thread / 32u),
        sync_(access.sync),
        epoch_(access.epoch),
        interval_(shadow.interval_),
        block_start_(shadow.block_start_),
        clocked_(shadow.clocked_),
        known_(clocked_ ? shadow.clocks_.knowledge(warp_, access.knows).data() : nullptr),
        past_{past_of(access, false), past_of(access, true)} {}

  /// Are all words of the block known as a whole?
  static bool suit(const SharedShadow& shadow) { return shadow.split_.empty(); }

  Epoch epoch() const { return epoch_; }

  bool load(std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    Word& at = shadow_->words_[word];
    if (clocked_) return load_with_clocks(at, word, lanes, thread);
    if (!is_written(at) || at.write.in_flight || at.write.interval == interval_) return false;
    if (at.read.interval != interval_) {
      put(at.read, lanes, thread);
      return true;
    }
    if (at.read.several_warps || at.read.thread / 32 == warp_) return false;
    at.read.several = at.read.several_warps = true;
    at.read.lanes |= lanes;
    at.read.bytes = kAllBytes;
    at.read.sync = sync_;
    at.read.epoch = epoch_;
    shadow_->settled_[word] = interval_;
    return true;
  }

  /// \param value  that one thread stores
  bool store(std::uint32_t word, std::uint32_t lanes, unsigned thread, std::uint32_t value) {
    if (!write(word, lanes, thread)) return false;
    Word& at = shadow_->words_[word];
    at.write.has_value = true;
    at.value = value;
    return true;
  }

  bool start_copy(std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    if (!write(word, lanes, thread)) return false;
    Word& at = shadow_->words_[word];
    at.write.in_flight = true;
    at.value = 0;
    return true;
  }

  bool land_copy(std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    Word& at = shadow_->words_[word];
    if (shadow_->box_of_[word] != 0 || !at.write.in_flight || at.write.thread != thread) {
      return false;
    }
    shadow_->readers_[std::size_t{word} * shadow_->warps_ + warp_] = {};
    const AccessCode code = at.write.code;
    put(at.write, lanes, thread);
    at.write.code = code;
    return true;
  }

  /// \brief By a box copy, over what another one filled.
  /// \param number  of the copy
  bool fill(std::uint32_t word, std::uint32_t number) {
    std::uint32_t& box = shadow_->box_of_[word];
    if (box == 0 || !knows_box(box) || !knows_readers(word)) return false;
    forget_readers(word);
    box = number;
    return true;
  }

 private:
  using Word = SharedShadow::Word;
  using Past = SharedShadow::Past;
  using Reader = SharedShadow::Reader;

  static constexpr std::uint8_t kAllBytes = 15;

  Past past_of(const WordAccess& access, bool several) const {
    return {.interval = interval_,
            .sync = access.sync,
            .code = access.code,
            .epoch = access.epoch,
            .bytes = kAllBytes,
            .several = several};
  }

  void put(Past& past, std::uint32_t lanes, unsigned thread) const {
    past = past_[(lanes & (lanes - 1)) != 0 ? 1 : 0];
    past.lanes = lanes;
    past.thread = static_cast<std::uint16_t>(thread);
  }

  bool is_written(const Word& at) const {
    return at.written_in == block_start_ && at.written == kAllBytes;
  }

  /// Has the copy landed, as far as the warp knows?
  bool knows_box(std::uint32_t box) {
    if (box == known_box_) return true;
    if (!shadow_->known_to(shadow_->boxes_[box], warp_, epoch_)) return false;
    known_box_ = box;
    return true;
  }

  /// Does what the past did to the word, in this interval, come before the request?
  bool comes_before(const Past& past) {
    if (past.several_warps) return false;
    const unsigned other = past.thread / 32u;
    if (other == warp_) return past.sync != sync_;
    if (other == known_warp_ && past.epoch == known_epoch_) return true;
    if (known_[other] < past.epoch || shadow_->clocks_.knows(other, past.epoch, warp_, epoch_)) {
      return false;
    }
    known_warp_ = other;
    known_epoch_ = past.epoch;
    return true;
  }

  /// Do all reads of other warps come before the request?
  bool knows_readers(std::uint32_t word) const {
    const Reader* const readers = &shadow_->readers_[std::size_t{word} * shadow_->warps_];
    unsigned unknown = 0;
    for (unsigned other = 0; other < shadow_->warps_; ++other) {
      const bool reads_later = readers[other].when >> SharedShadow::kEpochShift > known_[other];
      unknown |= reads_later && other != warp_ ? 1u : 0u;
    }
    return unknown == 0;
  }

  void forget_readers(std::uint32_t word) {
    Reader* const readers = &shadow_->readers_[std::size_t{word} * shadow_->warps_];
    for (unsigned other = 0; other < shadow_->warps_; ++other)
      readers[other] = {};
  }

  bool load_with_clocks(Word& at, std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    const std::uint32_t box = shadow_->box_of_[word];
    if (box != 0) {
      if (!knows_box(box)) return false;
    } else {
      if (!is_written(at) || at.write.in_flight) return false;
      if (at.write.interval == interval_ && !comes_before(at.write)) return false;
      const bool again = at.read.interval == interval_ && !at.read.several_warps &&
                         at.read.thread / 32u == warp_ && at.read.sync == sync_;
      if (again && (at.read.lanes & ~lanes) != 0) return false;
      put(at.read, lanes, thread);
    }
    shadow_->readers_[std::size_t{word} * shadow_->warps_ + warp_] = {
        epoch_ << SharedShadow::kEpochShift | thread % 32u, past_[0].code};
    return true;
  }

  bool write(std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    Word& at = shadow_->words_[word];
    if ((lanes & (lanes - 1)) != 0 || at.write.in_flight) return false;
    if (!clocked_) {
      if (at.write.interval == interval_ || at.read.interval == interval_) return false;
      shadow_->settled_[word] = 0;
    } else {
      std::uint32_t& box = shadow_->box_of_[word];
      if (box != 0 && !knows_box(box)) return false;
      if (at.write.interval == interval_ && !comes_before(at.write)) return false;
      if (at.read.interval == interval_ && !comes_before(at.read)) return false;
      if (!knows_readers(word)) return false;
      forget_readers(word);
      box = 0;
    }
    put(at.write, lanes, thread);
    at.written_in = block_start_;
    at.written = kAllBytes;
    return true;
  }

  SharedShadow* shadow_;
  unsigned warp_;
  std::uint32_t sync_;
  Epoch epoch_;
  std::uint32_t interval_;
  std::uint32_t block_start_;
  bool clocked_;
  const std::uint32_t* known_;   ///< by warp: the epochs that the request's warp knows of
  std::array<Past, 2> past_;     ///< of one lane, and of several
  std::uint32_t known_box_ = 0;  ///< a copy that has landed
  unsigned known_warp_ = ~0u;    ///< what it did in this epoch comes before
  Epoch known_epoch_ = 0;
};

}  // namespace ladder::emulator
