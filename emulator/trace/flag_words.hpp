// SPDX-License-Identifier: MIT
/// \file  emulator/trace/flag_words.hpp
/// \brief Words of shared memory that threads use as flags: their own accesses race with nobody.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/trace/access_log.hpp"

namespace ladder::emulator {

/// \brief Which words of a block's shared memory are flags. A word is one from when a thread stores
///        it as volatile behind a fence, or loads it as volatile again and again.
///
/// Volatile data that no fence puts in order stays data: sums of a warp without __syncwarp() race.
class FlagWords {
 public:
  void start_grid(std::uintptr_t shared_begin, std::size_t shared_bytes) {
    begin_ = shared_begin;
    words_.assign((shared_bytes + 3) / 4, kPlain);
    any_ = false;
  }
  void start_block() {
    if (used_) {
      fenced_.fill(false);
      polls_.fill({});
    }
    if (any_) words_.assign(words_.size(), kPlain);
    used_ = any_ = false;
  }

  void fenced(unsigned thread) { fenced_[thread] = used_ = true; }

  /// \param next  where the thread's next access will be logged: tells whether it does anything
  ///              else
  void loaded(unsigned thread, std::uintptr_t address, const std::byte* next) {
    Poll& last = polls_[thread];
    const bool again = last.address == address && next == last.next + sizeof(WarpLog::Row);
    last = {address, next};
    used_ = true;
    mark(address, again ? kFlag : kVolatile);
  }
  void loaded_atomically(std::uintptr_t address) { mark(address, kVolatile); }
  void stored(unsigned thread, std::uintptr_t address) {
    mark(address, fenced_[thread] ? kFlag : kVolatile);
    fenced_[thread] = false;
  }

  /// Is a race between these two accesses to the word none, because it is a flag?
  bool excuse(std::uint32_t word, AccessCode code, AccessCode earlier) const {
    if (!any_ || word >= words_.size()) return false;
    const bool atomic = is_atomic(code) || is_atomic(earlier);
    return words_[word] == kFlag || (words_[word] == kVolatile && atomic);
  }

 private:
  enum Kind : std::uint8_t { kPlain, kVolatile, kFlag };  ///< kVolatile: or loaded atomically
  struct Poll {
    std::uintptr_t address = 0;
    const std::byte* next = nullptr;
  };

  void mark(std::uintptr_t address, Kind kind) {
    const std::size_t word = (address - begin_) / 4;
    if (word >= words_.size()) return;
    words_[word] = std::max(words_[word], kind);
    any_ = true;
  }

  std::uintptr_t begin_ = 0;
  std::vector<Kind> words_;
  bool used_ = false;                   ///< has any thread fenced, or loaded a volatile variable?
  bool any_ = false;                    ///< is any word of this block not plain?
  std::array<bool, 1024> fenced_ = {};  ///< by thread: since its last volatile store
  std::array<Poll, 1024> polls_ = {};   ///< by thread: its last volatile load
};

}  // namespace ladder::emulator
