// SPDX-License-Identifier: MIT
/// \file  emulator/trace/ordinary_words.hpp
/// \brief The same as the shadow of shared memory does, sooner: accesses to whole words to which
///        nothing remarkable has happened. Nearly all are; the others are left to the shadow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/trace/shared_shadow.hpp"

namespace ladder::emulator {

/// \brief One request, word by word. What its words have in common is looked up once.
///
/// Each function returns false where the access may be in conflict with another one, or where it
/// takes more to tell; nothing has changed then.
class OrdinaryWords {
 public:
  /// \param access      what words of the request have in common; of lanes in one epoch
  /// \param begin, end  of the words
  OrdinaryWords(SharedShadow& shadow, const WordAccess& access, std::size_t begin, std::size_t end)
      : shadow_(&shadow),
        warp_(access.thread / 32u),
        sync_(access.sync),
        epoch_(access.epoch),
        interval_(shadow.interval_),
        block_start_(shadow.block_start_),
        clocked_(shadow.clocked_),
        known_(clocked_ ? shadow.clocks_.epochs_known(warp_, access.knows) : nullptr),
        past_{past_of(access, false), past_of(access, true)} {
    shadow.touch(begin, end);
    if (!clocked_ || type_of(access.code) == AccessType::kLoad) return;
    const unsigned copy_engine = shadow.readers_of_word_ - 1;
    for (unsigned other = 0; other < copy_engine; ++other)
      reads_from_[other] = (known_[other] + 1) << SharedShadow::kEpochShift;
    reads_from_[copy_engine] = 1;  // that takes a closer look
    reads_from_[warp_] = ~0u;
  }

  /// Are all words of the block known as a whole, and read by nothing for a while?
  static bool suit(const SharedShadow& shadow) {
    return shadow.split_.empty() && shadow.pieces_being_read_ == 0;
  }

  Epoch epoch() const { return epoch_; }

  bool load(std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    Word& at = shadow_->words_[word];
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

  bool load_with_clocks(std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    Word& at = shadow_->words_[word];
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
    shadow_->reader(word, warp_) = {epoch_ << SharedShadow::kEpochShift | thread % 32u,
                                    past_[0].code};
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
    shadow_->reader(word, warp_) = {};
    const AccessCode code = at.write.code;
    put(at.write, lanes, thread);
    at.write.code = code;
    return true;
  }

  /// \brief By a box copy, over what other ones filled or what nobody wrote: all of these words, or
  ///        none.
  /// \param number  of the copy
  bool fill(std::uint32_t begin, std::uint32_t end, std::uint32_t number) {
    for (std::uint32_t word = begin; word < end; ++word) {
      const std::uint32_t box = shadow_->box_of_[word];
      if (box == 0 ? shadow_->words_[word].written_in == block_start_ : !knows_box(box))
        return false;
    }
    for (unsigned other = 0; other < shadow_->readers_of_word_; ++other) {
      const Reader* const readers = &shadow_->reader(0, other);
      std::uint32_t latest = 0;
      for (std::uint32_t word = begin; word < end; ++word)
        latest = std::max(latest, readers[word].when);
      if (latest >= reads_from_[other]) return false;
    }
    for (std::uint32_t word = begin; word < end; ++word) {
      if (shadow_->box_of_[word] != 0) continue;  // it has been like this since then
      shadow_->words_[word] = Word();
      shadow_->words_[word].written_in = block_start_;
      shadow_->words_[word].written = kAllBytes;
    }
    shadow_->forget_readers(begin, end);
    std::fill(&shadow_->box_of_[begin], &shadow_->box_of_[end], number);
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

  /// Forgets the word's readers, if all reads of other warps come before the request.
  bool forget_readers(std::uint32_t word) {
    Reader* const first = &shadow_->reader(word, 0);
    const std::size_t step = shadow_->readers_of_warp_;
    const unsigned readers = shadow_->readers_of_word_;
    for (unsigned other = 0; other < readers; ++other) {
      if (first[other * step].when >= reads_from_[other]) return false;
    }
    for (unsigned other = 0; other < readers; ++other)
      first[other * step] = {};
    return true;
  }

  bool write(std::uint32_t word, std::uint32_t lanes, unsigned thread) {
    Word& at = shadow_->words_[word];
    if ((lanes & (lanes - 1)) != 0 || at.write.in_flight) return false;
    if (!clocked_) {
      if (at.write.interval == interval_ || at.read.interval == interval_) return false;
    } else {
      std::uint32_t& box = shadow_->box_of_[word];
      if (box != 0 && !knows_box(box)) return false;
      if (at.write.interval == interval_ && !comes_before(at.write)) return false;
      if (at.read.interval == interval_ && !comes_before(at.read)) return false;
      if (!forget_readers(word)) return false;
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
  const std::uint32_t* known_;  ///< by warp: the epochs that the request's warp knows of
  std::array<Past, 2> past_;    ///< of one lane, and of several
  std::array<std::uint32_t, 41>
      reads_from_;               ///< of writes, by warp: such reads are not known to come before
  std::uint32_t known_box_ = 0;  ///< a copy that has landed
  unsigned known_warp_ = ~0u;    ///< what it did in this epoch comes before
  Epoch known_epoch_ = 0;
};

}  // namespace ladder::emulator
