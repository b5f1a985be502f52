// SPDX-License-Identifier: MIT
/// \file  emulator/trace/global_shadow.hpp
/// \brief Who wrote and who read each word of global memory: races, and reads of what nobody wrote.
#pragma once

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
  /// Larger arrays are not watched.
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

  /// Has another block of this launch stored to this byte of the array?
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
  /// Has anybody written any of these bytes of the array?
  bool is_written(std::size_t array, std::size_t begin, std::size_t end) const;
  /// Atomically.
  /// \param reads  it needs what was there before
  GlobalConflict update(std::size_t array, std::size_t begin, unsigned bytes, bool reads,
                        const GlobalAccess& access, const ThreadOrder& order);

 private:
  /// What kind of access it was.
  enum Kind : std::uint8_t { kPlain, kVolatile, kAtomic, kAtomicOfBlock };
  /// The last access of its kind to a word.
  struct Past {
    std::uint32_t phase = 0;  ///< of all launches' phases; 0: none
    std::uint32_t block = 0;
    Epoch epoch = 0;
    AccessCode code = 0;
    std::uint16_t thread = 0;
    Kind kind = kPlain;
  };
  /// All zero is a word that nobody has written.
  struct Writes {
    Past last;
    std::uint32_t value = 0;
    bool written = false;  ///< in any launch
  };
  struct Reads {
    Past last;
    Past other;   ///< the last by another thread than `last`
    Past strong;  ///< the last that was atomic or volatile
  };
  struct Array {
    bool watched = false;
    bool written = true;                  ///< before the first launch
    std::atomic<bool> stored_to = false;  ///< in this launch
    std::size_t unit = 4;                 ///< bytes of a word
    std::size_t words = 0;
    bool loaded_from = false;  ///< likewise
    ZeroPages<Writes> writes;  ///< by word; made when first needed
    ZeroPages<Reads> reads;    ///< likewise; few kernels load what they write
    std::mutex mutex;
  };

  Past past_of(const GlobalAccess& access, Kind kind, const ThreadOrder& order) const;
  bool unordered(const Past& past, const GlobalAccess& access, const ThreadOrder& order) const;
  static GlobalConflict conflict_with(const Past& past, const ThreadOrder& order);
  template <class Visit>
  GlobalConflict for_words(std::size_t array, std::size_t begin, unsigned bytes, Visit visit);

  std::deque<Array> arrays_;
  std::uint32_t launch_ = 0;                   ///< its first phase
  std::atomic<std::uint32_t> last_phase_ = 0;  ///< of all
  std::atomic<bool> ordered_ = false;
};

}  // namespace ladder::emulator
