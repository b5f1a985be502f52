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
#include "emulator/trace/trace.hpp"
#include "emulator/trace/zero_pages.hpp"

namespace ladder::emulator {

/// A thread's plain load or store of a word.
struct GlobalAccess {
  AccessCode code = 0;
  std::uint64_t block = 0;
  std::uint16_t thread = 0;    ///< in its block
  std::uint32_t barriers = 0;  ///< that the block has passed
  std::uint32_t meetings = 0;  ///< of the thread's warp: __syncwarp() of all its lanes
  std::uint32_t value = 0;     ///< a store's, or a hash of it
  bool orders_itself = false;  ///< the block also uses fences, atomics, flags or copies
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
/// A barrier puts the threads of a block in order, __syncwarp() the lanes of a warp. Blocks of one
/// launch are in no order: whoever uses a word after another block wrote it, or writes what another
/// block used, races. Stores of one value do not. Atomics, fences, volatile accesses and
/// cooperative launches can create another order, which is not followed here: a launch that has any
/// (may_order_blocks()) is given the benefit of the doubt, and so is a block (`orders_itself`).
class GlobalShadow {
 public:
  /// Larger arrays are not watched.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

  explicit GlobalShadow(const std::vector<TracedArray>& arrays);

  /// Whatever earlier launches did is in order with this one.
  void start_grid();
  /// The blocks of this launch may be in some order.
  void may_order_blocks() { ordered_ = true; }
  bool blocks_may_be_ordered() const { return ordered_; }

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
  GlobalConflict load(std::size_t array, std::size_t begin, unsigned bytes,
                      const GlobalAccess& access);
  GlobalConflict store(std::size_t array, std::size_t begin, unsigned bytes,
                       const GlobalAccess& access);
  /// Has anybody written any of these bytes of the array?
  bool is_written(std::size_t array, std::size_t begin, std::size_t end) const;
  /// An atomic update races with nobody here; what it leaves is written.
  /// \param reads  it needs what was there before
  GlobalConflict update(std::size_t array, std::size_t begin, unsigned bytes, bool reads);

 private:
  /// The last access of its kind to a word.
  struct Past {
    std::uint32_t launch = 0;  ///< 0: none
    std::uint32_t block = 0;
    std::uint32_t barriers = 0;
    std::uint32_t meetings = 0;
    AccessCode code = 0;
    std::uint16_t thread = 0;
  };
  /// All zero is a word that nobody has written.
  struct Writes {
    Past last;
    std::uint32_t value = 0;
    bool written = false;  ///< in any launch
  };
  struct Reads {
    Past last;
    Past other;  ///< the last by another thread than `last`
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

  Past past_of(const GlobalAccess& access) const;
  GlobalConflict conflict_with(const Past& past, const GlobalAccess& access) const;
  template <class Visit>
  GlobalConflict for_words(std::size_t array, std::size_t begin, unsigned bytes, Visit visit);

  std::deque<Array> arrays_;
  std::uint32_t launch_ = 0;
  std::atomic<bool> ordered_ = false;
};

}  // namespace ladder::emulator
