// SPDX-License-Identifier: MIT
/// \file  emulator/trace/shared_shadow.hpp
/// \brief Remembers of each word of shared memory who wrote and who read it last, to find reads of
///        what nobody wrote and accesses that nothing puts in order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/trace/access_log.hpp"
#include "emulator/trace/warp_clocks.hpp"
#include "emulator/trace/zero_pages.hpp"

namespace ladder::emulator {

/// One thread's access to one word.
struct WordAccess {
  std::uint32_t word = 0;    ///< offset in shared memory / 4
  std::uint8_t bytes = 0;    ///< of the word, a bit each
  bool several = false;      ///< other lanes of the same request do the same
  std::uint16_t thread = 0;  ///< within the block
  std::uint32_t sync = 0;    ///< how often the thread's warp had met before
  AccessCode code = 0;
  Epoch epoch = 1;          ///< of the latest of the request's lanes; see WarpClocks::epoch_of()
  Epoch knows = 1;          ///< of the earliest: what that one knew, all did
  std::uint32_t lanes = 0;  ///< of the warp, that do the same; 0: `thread` alone
  bool has_value = false;   ///< of a store
  std::uint32_t value = 0;  ///< that all of them store, or a hash of it
  bool is_guess = false;    ///< a load before an atomicCAS(); see WarpLogs

  std::uint32_t lanes_or_thread() const { return lanes != 0 ? lanes : 1u << thread % 32; }
};

/// A copy of the tensor memory accelerator into shared memory.
struct BoxCopy {
  unsigned copy_barrier = 0;  ///< see WarpClocks::copy_barrier()
  std::uint32_t phase = 0;    ///< of the barrier, when it has landed; 0: it is in flight
  AccessCode code = 0;
  Epoch epoch = 1;           ///< of the thread that started it
  std::uint16_t thread = 0;  ///< likewise
  /// If it is of another block of the cluster: that block, and what the thread knew then.
  std::optional<std::uint64_t> block = {};
  WarpClocks::Clock knows = {};
};

class OrdinaryWords;

/// What an access is in conflict with.
struct Conflict {
  enum class Kind {
    kNone,
    kUninitialised,
    kRace,
    kInFlight,   ///< with a copy that nobody has waited for
    kUnfenced,   ///< a box copy over what was stored without a fence between, or a product of it
    kBeingRead,  ///< a store over what a box copy may still read
  };
  Kind kind = Kind::kNone;
  AccessCode earlier = 0;  ///< the access before
  std::uint16_t earlier_thread = 0;
  std::optional<std::uint64_t> earlier_block = {};  ///< if it is another one
};

/// \brief The words of one block's shared memory. Two accesses race when different threads make
///        them between the same two barriers, at least one writes, they share a byte, they are not
///        both atomic nor stores of the same value, and no meeting of their common warp lies
///        between them; nor do the block's clocks know that one happened before the other. A guess
///        races with what is not atomic alone.
///
/// With clocks, accesses may come in another order than that in which they happened: the log of a
/// warp is looked at only when all its lanes stand still.
class SharedShadow {
  friend class OrdinaryWords;

  static constexpr unsigned kEpochShift = 6;
  /// When and where a warp last read a word; tensor cores, or the copy engine, by their numbers.
  struct Reader {
    std::uint32_t when =
        0;  ///< from the top: epoch (0: never), 1 bit: a part of the word, lane or warp
    AccessCode code = 0;
  };

 public:
  /// \param clocks  of the block; must outlive this
  explicit SharedShadow(const WarpClocks& clocks) : clocks_(clocks) {}

  /// Gets ready for `bytes` of shared memory.
  void resize(std::size_t bytes) {
    words_ = ZeroPages<Word>((bytes + 3) / 4);
    settled_ = ZeroPages<std::uint32_t>(words_.size());
    readings_.clear();
  }

  /// Nothing is written any more.
  void start_block();
  void pass_barrier() { ++interval_; }
  /// Has the block written any of these bytes?
  bool is_written(std::size_t begin, std::size_t end) const;
  /// Another block of the cluster has stored these bytes.
  void stored_from_elsewhere(std::size_t begin, std::size_t end);
  /// The clocks were activated: from now on each warp's reads are remembered.
  void use_clocks();

  /// \brief The words of which one more load would change nothing and find nothing, for a request:
  ///        to be asked for each of its words. Most loads of a tile are such: it was written before
  ///        the last barrier, and several warps have read it. With clocks: this warp has read the
  ///        word in this epoch.
  struct SettledWords {
    const std::uint32_t* mark;
    std::size_t step;
    unsigned shift;
    std::uint32_t value;

    bool contain(std::uint32_t word) const { return mark[word * step] >> shift == value; }
  };
  SettledWords settled_words(unsigned warp, Epoch epoch) const {
    if (!clocked_) return {settled_.data(), 1, 0, interval_};
    static_assert(sizeof(Reader) == 2 * sizeof(std::uint32_t));
    return {&readers_[warp * readers_of_warp_].when, 2, 5, epoch << 1};
  }

  Conflict load(const WordAccess& access);
  Conflict store(const WordAccess& access);
  Conflict update(const WordAccess& access);  ///< atomically
  Conflict store_atomically(const WordAccess& access);

  // -- Copies; only with clocks ----------------------------------------------------------------
  /// By a thread, to whole words.
  Conflict start_copy(const WordAccess& access);
  Conflict land_copy(const WordAccess& access);

  /// \return the number of a box copy that starts now
  std::uint32_t start_box(const BoxCopy& box);
  /// The box will fill this word.
  Conflict fill(std::uint32_t word, std::uint32_t box);
  void land_box(std::uint32_t box, std::uint32_t phase) { boxes_[box].phase = phase; }

  // -- What reads pieces of 16 bytes for a while: products on the tensor cores, and box copies from
  // -- shared memory; only with clocks
  /// \param access  by the warp or thread that starts it; `word` is the piece's first
  Conflict start_reading(WordAccess access);
  /// \brief  A product has been waited for.
  /// \param  word  the piece's first
  void end_product(std::uint32_t word, AccessCode code, unsigned warp, unsigned number);
  /// Likewise, a copy that a thread of this warp started.
  void end_copy(std::uint32_t word, AccessCode code, unsigned warp, unsigned number);

 private:
  /// Those that read a piece and have not ended.
  struct Readings {
    std::uint32_t count = 0;
    AccessCode code = 0;  ///< of the latest, as all that follow
    std::uint16_t thread = 0;
    Epoch epoch = 1;
  };
  struct Past {
    std::uint32_t interval = 0;  ///< 0: never
    std::uint32_t sync = 0;
    AccessCode code = 0;
    Epoch epoch = 1;
    std::uint32_t lanes = 0;  ///< of the thread's warp
    std::uint16_t thread = 0;
    std::uint8_t bytes = 0;
    bool several : 1 = false;        ///< more threads than `thread`
    bool several_warps : 1 = false;  ///< and of more warps; never with clocks
    bool in_flight : 1 = false;      ///< a copy that has not landed
    bool has_value : 1 = false;      ///< see Word::value
  };
  struct Word {
    Past write;
    Past read;
    std::uint32_t written_in = 0;  ///< block_start_ of the block that wrote
    std::uint32_t value = 0;       ///< of the last write, if it is known
    std::uint8_t written = 0;      ///< bytes
  };

  /// There may be something to forget of these words when the next block starts.
  void touch(std::size_t begin, std::size_t end) {
    touched_begin_ = std::min(touched_begin_, begin);
    touched_end_ = std::max(touched_end_, std::min(end, words_.size()));
  }

  Reader& reader(std::uint32_t word, unsigned warp) {
    return readers_[warp * readers_of_warp_ + word];
  }
  const Reader& reader(std::uint32_t word, unsigned warp) const {
    return readers_[warp * readers_of_warp_ + word];
  }
  void forget_readers(std::size_t begin, std::size_t end) {
    for (unsigned number = 0; number < readers_of_word_; ++number) {
      Reader* const first = &readers_[number * readers_of_warp_];
      std::fill(first + begin, first + end, Reader());
    }
  }

  using Operation = Conflict (SharedShadow::*)(Word&, const WordAccess&);

  /// A whole word, in a block that accessed only whole words?
  bool is_plain(const WordAccess& access) const { return access.bytes == 15 && split_.empty(); }

  /// On the word, or on each of its bytes where parts of it were accessed.
  Conflict apply(Operation operation, const WordAccess& access);
  Conflict load_from(Word& word, const WordAccess& access);
  Conflict store_to(Word& word, const WordAccess& access);
  Conflict update_of(Word& word, const WordAccess& access);
  Conflict store_atomically_to(Word& word, const WordAccess& access);
  Conflict start_copy_of(Word& word, const WordAccess& access);
  Conflict land_copy_of(Word& word, const WordAccess& access);
  /// A word's last write is a copy that has not landed.
  bool is_in_flight(const Past& write, const WordAccess& access) const {
    return write.in_flight && write.interval >= block_start_ &&
           (write.thread / 32 == access.thread / 32 || !happened_before(access, write));
  }
  bool happened_before(const WordAccess& access, const Past& past) const;
  bool clocks_order(const Past& past, const WordAccess& access) const;
  bool known_to(const BoxCopy& box, unsigned other, Epoch at) const;
  WarpClocks::Knowledge knowledge_of(const BoxCopy& box) const;
  Conflict conflict_with_readings(const WordAccess& access) const;
  Conflict conflict_with_readings(const BoxCopy& box, std::uint32_t word) const;
  Conflict conflict_with_readers(const BoxCopy& box, std::uint32_t word) const;
  bool is_known(WarpClocks::Knowledge clock, const Reader& reader, unsigned number) const;
  bool comes_after(std::uint32_t word, unsigned number, unsigned warp, Epoch at) const;
  Conflict conflict_with_reader(std::uint32_t word, unsigned number) const;
  void end_reading(std::uint32_t word, const Reader& reader, unsigned number);
  Conflict conflict_with_box(const WordAccess& access, bool& is_over);
  Conflict conflict_without_fence(const WordAccess& access) const;
  Conflict conflict_with_readers(const WordAccess& access) const;
  Conflict write_with_clocks(Operation operation, const WordAccess& access);
  Conflict load_with_clocks(const WordAccess& access);
  bool unordered(const Past& past, const WordAccess& access) const {
    return past.interval == interval_ && unordered_in_interval(past, access);
  }
  bool unordered_in_interval(const Past& past, const WordAccess& access) const;
  bool lanes_order(const Past& past, const WordAccess& access) const;
  bool writes_the_same(const Word& word, const WordAccess& access) const;
  /// Do the lanes that load it belong to those that stored this same value?
  static bool has_stored_it(const Past& write, const WordAccess& access) {
    return write.has_value && write.thread / 32 == access.thread / 32 &&
           (access.lanes_or_thread() & ~write.lanes) == 0;
  }
  Past past_of(const WordAccess& access) const;
  void remember(Past& past, const WordAccess& access) const;
  void mark_written(Word& word, const WordAccess& access) const;

  ZeroPages<Word> words_;
  std::unordered_map<std::uint32_t, std::array<Word, 4>> split_;  ///< words known byte by byte
  ZeroPages<std::uint32_t> settled_;  ///< by word: the interval in which it was found settled
  std::uint32_t interval_ = 0;
  std::uint32_t block_start_ = 0;

  const WarpClocks& clocks_;
  bool clocked_ = false;
  unsigned warps_ = 0;
  unsigned readers_of_word_ = 0;     ///< warps, tensor cores, and the copy engine
  ZeroPages<Reader> readers_;        ///< (readers_of_word_, readers_of_warp_)
  std::size_t readers_of_warp_ = 0;  ///< a word's readers do not share a set of the CPU's cache
  ZeroPages<std::uint32_t> box_of_;  ///< by word: the copy that filled it last; 0: none
  std::vector<BoxCopy> boxes_;       ///< of the block, from 1 on
  std::vector<Readings> readings_;   ///< by piece; empty: there was none
  std::size_t pieces_being_read_ = 0;
  std::size_t touched_begin_ = 0;  ///< words since the readers were last forgotten
  std::size_t touched_end_ = 0;
};

}  // namespace ladder::emulator
