// SPDX-License-Identifier: MIT
/// \file  emulator/trace/global_shadow.hpp
/// \brief Who wrote and who read each word of global memory: races, and reads of what nobody wrote.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "emulator/trace/access_log.hpp"
#include "emulator/trace/block_stream.hpp"
#include "emulator/trace/thread_order.hpp"
#include "emulator/trace/trace.hpp"
#include "emulator/trace/zero_pages.hpp"

namespace ladder::emulator {

/// A thread's load, store or update of a word.
struct GlobalAccess {
  AccessCode code = 0;
  std::uint32_t phase = 0;  ///< barriers of the grid that the block has passed
  std::uint16_t thread = 0;
  std::uint32_t value = 0;    ///< a store's, or a hash of it
  bool is_strong = false;     ///< volatile; updates are strong anyway
  bool is_of_block = false;   ///< an update that only threads of the block see as one
  bool is_lenient = false;    ///< the block orders itself by what is not followed here
  std::uint64_t address = 0;  ///< of an update
};

/// What is wrong with an access.
struct GlobalConflict {
  enum class Kind {
    kNone,
    kUnwritten,   ///< nobody has written what it loads
    kRace,        ///< with another thread of the block
    kBlocksRace,  ///< with another block
  };
  Kind kind = Kind::kNone;
  AccessCode earlier = 0;
  std::uint64_t block = 0;   ///< of the earlier access
  std::uint16_t thread = 0;  ///< likewise
};

/// \brief The words of all arrays that launches write, for all CPU threads together.
///
/// Two accesses of different threads race if one of them writes, ThreadOrder does not know that one
/// comes before the other, and one of them is a plain store, or an atomic of the block that another
/// block meets. Stores of one value do not race. Nor do plain loads with atomic or volatile writes:
/// who guesses, and searches that work with values on their way down, do so on purpose.
class GlobalShadow {
 public:
  /// Larger arrays are not watched, unless they say that only their beginning is.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

  explicit GlobalShadow(const std::vector<TracedArray>& arrays);

  /// Whatever earlier launches did is in order with this one.
  void start_grid();
  /// Blocks of this launch act upon each other: what one loads before another one has written it
  /// may be a guess.
  void may_order_blocks() { ordered_ = true; }
  bool blocks_may_be_ordered() const { return ordered_; }
  /// A block has passed its barrier number `phase` of all blocks of the grid.
  void pass_grid_barrier(std::uint32_t phase) {
    std::uint32_t last = last_phase_;
    while (last < launch_ + phase && !last_phase_.compare_exchange_weak(last, launch_ + phase)) {
    }
  }

  /// \brief Has another block of this launch stored to this byte of the array? An atomic that
  ///        changes what nobody stored does not.
  bool was_stored_by_another(std::size_t array, std::size_t at, std::uint64_t block) const;

  /// Is a load from the array worth looking at? Of most arrays all are written and stay as they
  /// are.
  bool concerns_loads(std::size_t array) const {
    return arrays_[array].watched && (arrays_[array].stored_to || !arrays_[array].written);
  }
  bool concerns_stores(std::size_t array) const { return arrays_[array].watched; }

  /// For the words of one request: nobody else looks at the array meanwhile.
  std::unique_lock<std::mutex> lock(std::size_t array) {
    return std::unique_lock(arrays_[array].mutex);
  }

  /// Has any launch stored to this byte of the array?
  bool was_stored(std::size_t array, std::size_t at) const;

  // -- With the lock -----------------------------------------------------------------------------
  /// \param begin,bytes  in the array
  /// \param order  of the thread's block
  GlobalConflict load(std::size_t array, std::size_t begin, unsigned bytes,
                      const GlobalAccess& access, const ThreadOrder& order);
  GlobalConflict store(std::size_t array, std::size_t begin, unsigned bytes,
                       const GlobalAccess& access, const ThreadOrder& order);
  /// \brief  A plain load or store of one word that is in order with those before, as one sees at
  ///         once.
  /// \return false: load() or store() have to look, and nothing is remembered
  bool load_quietly(std::size_t array, std::size_t begin, unsigned bytes,
                    const GlobalAccess& access, const ThreadOrder& order);
  bool store_quietly(std::size_t array, std::size_t begin, unsigned bytes,
                     const GlobalAccess& access, const ThreadOrder& order);
  /// Has anybody written any of these bytes of the array?
  bool is_written(std::size_t array, std::size_t begin, std::size_t end) const;
  /// Atomically.
  /// \param reads  it needs what was there before
  GlobalConflict update(std::size_t array, std::size_t begin, unsigned bytes, bool reads,
                        const GlobalAccess& access, const ThreadOrder& order);

 private:
  /// What kind of access it was.
  enum Kind : std::uint8_t { kPlain, kVolatile, kAtomic, kAtomicOfBlock };
  /// An access to a word. All zero: none.
  class Past {
   public:
    Past() = default;
    Past(std::uint32_t phase, const GlobalAccess& access, Kind kind, const ThreadOrder& order)
        : block_(order.block()),
          epoch_(order.epoch_of(access.thread)),
          code_(access.code),
          when_(phase << kThreadBits << kKindBits | std::uint32_t{kind} << kThreadBits |
                access.thread) {}

    std::uint32_t phase() const { return when_ >> kKindBits >> kThreadBits; }
    std::uint32_t block() const { return block_; }
    Epoch epoch() const { return epoch_; }
    AccessCode code() const { return code_; }
    std::uint16_t thread() const { return when_ & ((1 << kThreadBits) - 1); }
    Kind kind() const { return static_cast<Kind>(when_ >> kThreadBits & ((1 << kKindBits) - 1)); }

    bool is_in_phase_of(const Past& other) const { return phase() == other.phase(); }
    bool is_of_thread_of(const Past& other) const {
      return block_ == other.block_ && thread() == other.thread();
    }

   private:
    static constexpr unsigned kThreadBits = 10;
    static constexpr unsigned kKindBits = 2;

    std::uint32_t block_ = 0;
    Epoch epoch_ = 0;
    AccessCode code_ = 0;
    std::uint32_t when_ = 0;  ///< phase, kind and thread
  };
  /// The phase of all that come after a million phases, which nobody tells apart.
  static constexpr std::uint32_t kLastPhase = (1 << 20) - 1;
  struct Writes {
    Past last;                ///< in any launch
    std::uint32_t value = 0;  ///< of a store; see kOfNothing
  };
  /// The value of a word that nobody stored: atomics alone have changed what was there.
  static constexpr std::uint32_t kOfNothing = 1;
  struct Reads {
    Past last;
    Past other;  ///< the last by another thread than `last` in the phase of `last`, or earlier ones
    void add(const Past& now) {
      if (last.is_in_phase_of(now) && !last.is_of_thread_of(now)) other = last;
      last = now;
    }
  };
  struct Array {
    bool watched = false;
    bool written = true;                  ///< before the first launch
    std::atomic<bool> stored_to = false;  ///< in this launch
    unsigned unit = 4;                    ///< bytes of a word
    unsigned unit_log2 = 2;
    std::size_t words = 0;
    std::size_t remembered = 0;  ///< words, once `writes` is made
    bool loaded_from = false;    ///< likewise
    ZeroPages<Writes> writes;    ///< by word; made when first needed
    ZeroPages<Reads> reads;      ///< likewise; few kernels load what they write
    std::mutex mutex;
  };

  std::uint32_t phase_of(const GlobalAccess& access) const {
    return std::min(launch_ + access.phase, kLastPhase);
  }
  Past past_of(const GlobalAccess& access, Kind kind, const ThreadOrder& order) const {
    return {phase_of(access), access, kind, order};
  }
  /// Is the past access in order with what comes now, as one sees at once?
  static bool is_settled(const Past& past, const Past& now, const ThreadOrder& order) {
    return !past.is_in_phase_of(now) ||
           order.knows_at_once(
               now.thread(),
               {.block = past.block(), .epoch = past.epoch(), .thread = past.thread()});
  }
  bool unordered(const Past& past, const GlobalAccess& access, const ThreadOrder& order) const;
  static GlobalConflict conflict_with(const Past& past, const ThreadOrder& order);
  template <class Visit>
  GlobalConflict for_words(std::size_t array, std::size_t begin, unsigned bytes, Visit visit);

  std::deque<Array> arrays_;
  std::uint32_t launch_ = 0;                   ///< its first phase
  std::atomic<std::uint32_t> last_phase_ = 0;  ///< of all
  std::atomic<bool> ordered_ = false;
};

inline bool GlobalShadow::load_quietly(std::size_t array, std::size_t begin, unsigned bytes,
                                       const GlobalAccess& access, const ThreadOrder& order) {
  Array& one = arrays_[array];
  const std::size_t word = begin >> one.unit_log2;
  if (bytes != one.unit || word >= one.remembered) return false;
  const Past& write = one.writes[word].last;
  const Past now = past_of(access, kPlain, order);
  if (!is_settled(write, now, order) || (!one.written && write.phase() == 0)) return false;
  one.loaded_from = true;
  one.reads[word].add(now);
  return true;
}

inline bool GlobalShadow::store_quietly(std::size_t array, std::size_t begin, unsigned bytes,
                                        const GlobalAccess& access, const ThreadOrder& order) {
  Array& one = arrays_[array];
  const std::size_t word = begin >> one.unit_log2;
  if (bytes != one.unit || word >= one.remembered) return false;
  Writes& writes = one.writes[word];
  const Past now = past_of(access, kPlain, order);
  if (!is_settled(writes.last, now, order)) return false;
  if (one.loaded_from) {
    const Reads& reads = one.reads[word];
    if (!is_settled(reads.last, now, order) || !is_settled(reads.other, now, order)) return false;
  }
  one.stored_to = true;
  writes = {.last = now, .value = access.value};
  return true;
}

}  // namespace ladder::emulator
