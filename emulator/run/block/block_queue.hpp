// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/block_queue.hpp
/// \brief The blocks of a grid that have yet to start.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "emulator/run/block/block_observer.hpp"
#include "emulator/run/grid_plan.hpp"

namespace ladder::emulator {

/// \brief Gives out blocks in the order of their numbers, at most as many as a GPU has room for.
///        CPU threads take blocks from it side by side.
class BlockQueue {
 public:
  /// \param observer  chooses the blocks; null: all
  void start(const GridPlan& plan, const GridObserver* observer);

  std::uint64_t count() const noexcept { return count_; }  ///< blocks of the grid that are to run
  /// How many have not been taken.
  std::uint64_t left() const noexcept {
    const std::uint64_t taken = next_;
    return taken < count_ ? count_ - taken : 0;
  }
  /// The block that would be taken next.
  std::uint64_t next() const noexcept { return next_; }

  /// Whether there are blocks to start, now or later.
  bool may_start() const;
  bool has_room() const noexcept { return resident_ < room_; }

  /// The next block, unless as many run as a GPU has room for. A block that is taken has begun.
  std::optional<std::uint64_t> take();
  /// First block of the next cluster. The caller has to begin each of its blocks.
  std::optional<std::uint64_t> take_cluster(unsigned size);
  void begin_one() noexcept { ++resident_; }
  void end_one() noexcept { --resident_; }

  /// From this number on, no block may start or go on.
  void stop_at(std::uint64_t block) noexcept { stop_ = block; }
  std::uint64_t stop() const noexcept { return stop_; }

 private:
  std::uint64_t number_of(std::uint64_t next) const;

  const GridObserver* observer_ = nullptr;
  std::uint64_t count_ = 0;
  std::uint64_t room_ = 0;   ///< for this many blocks
  bool descending_ = false;  ///< block 0 starts last
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> resident_ = 0;  ///< blocks that have begun and not ended
  std::atomic<std::uint64_t> stop_ = ~std::uint64_t{0};
};

}  // namespace ladder::emulator
