// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/shared_shadow.hpp
/// \brief Remembers of each word of shared memory who wrote and who read it last, to find reads of
///        what nobody wrote and accesses that nothing puts in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/emulator/trace/access_log.hpp"

namespace ladder::emulator {

/// One thread's access to one word.
struct WordAccess {
  std::uint32_t word;    ///< offset in shared memory / 4
  std::uint8_t bytes;    ///< of the word, a bit each
  bool several;          ///< other lanes of the same request do the same
  std::uint16_t thread;  ///< within the block
  std::uint32_t sync;    ///< how often the thread's warp had met before
  AccessCode code;
};

/// What an access is in conflict with.
struct Conflict {
  enum class Kind { kNone, kUninitialised, kRace };
  Kind kind = Kind::kNone;
  AccessCode earlier = 0;  ///< race: the access before
  std::uint16_t earlier_thread = 0;
};

/// \brief The words of one block's shared memory. Two accesses race when different threads make
///        them between the same two barriers, at least one writes, they share a byte, they are not
///        both atomic, and no meeting of their common warp lies between them.
class SharedShadow {
 public:
  /// Gets ready for `bytes` of shared memory.
  void resize(std::size_t bytes) {
    words_.assign((bytes + 3) / 4, Word());
    settled_.assign(words_.size(), 0);
  }

  /// Nothing is written any more.
  void start_block();
  void pass_barrier() { ++interval_; }

  /// \brief Would one more load of this word change nothing and find nothing? True for most loads
  ///        of a tile: it was written before the last barrier, and several warps have read it.
  bool is_settled(std::uint32_t word) const { return settled_[word] == interval_; }

  Conflict load(const WordAccess& access);
  Conflict store(const WordAccess& access);
  Conflict update(const WordAccess& access);  ///< atomically

 private:
  struct Past {
    std::uint32_t interval = 0;  ///< 0: never
    std::uint32_t sync = 0;
    AccessCode code = 0;
    std::uint16_t thread = 0;
    std::uint8_t bytes = 0;
    bool several = false;        ///< more threads than `thread`
    bool several_warps = false;  ///< and of more warps
  };
  struct Word {
    Past write;
    Past read;
    std::uint32_t written_in = 0;  ///< block_start_ of the block that wrote
    std::uint8_t written = 0;      ///< bytes
  };

  using Operation = Conflict (SharedShadow::*)(Word&, const WordAccess&);

  /// A whole word, in a block that accessed only whole words?
  bool is_plain(const WordAccess& access) const { return access.bytes == 15 && split_.empty(); }

  /// On the word, or on each of its bytes where parts of it were accessed.
  Conflict apply(Operation operation, const WordAccess& access);
  Conflict load_from(Word& word, const WordAccess& access);
  Conflict store_to(Word& word, const WordAccess& access);
  Conflict update_of(Word& word, const WordAccess& access);
  bool unordered(const Past& past, const WordAccess& access) const;
  Past past_of(const WordAccess& access) const;
  void remember(Past& past, const WordAccess& access) const;
  void mark_written(Word& word, const WordAccess& access) const;

  std::vector<Word> words_;
  std::unordered_map<std::uint32_t, std::array<Word, 4>> split_;  ///< words known byte by byte
  std::vector<std::uint32_t> settled_;  ///< by word: the interval in which it was found settled
  std::uint32_t interval_ = 0;
  std::uint32_t block_start_ = 0;
};

}  // namespace ladder::emulator
