// SPDX-License-Identifier: MIT
/// \file  emulator/trace/thread_order.hpp
/// \brief The time of each thread of a block, and what it knows of the others and of other blocks:
///        which accesses to global memory are in order.
///
/// A thread's time is cut into epochs. A barrier of the block, a meeting of lanes or a fence ends
/// one. An access is in order with all that come later if these know that its epoch is over: their
/// thread met that thread since, or acquired a flag that tells of it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/trace/grid_order.hpp"

namespace ladder::emulator {

/// \brief The order of one block after the other. All costs are those of barriers, as long as
///        nobody calls a fence or acquires a flag.
class ThreadOrder {
 public:
  /// \param grid  null: nobody asks
  void start_grid(GridOrder* grid, unsigned threads_of_block, unsigned blocks_of_cluster);
  void start_block(std::uint64_t block);
  bool is_active() const { return grid_ != nullptr; }

  std::uint32_t block() const { return block_; }
  /// Is it this block, or one of its cluster?
  bool is_near(std::uint32_t block) const { return block / cluster_ == block_ / cluster_; }
  /// The epoch in which a thread is.
  Epoch epoch_of(unsigned thread) const { return epoch_[thread]; }

  /// From now on the block orders itself by what is not followed here, barriers of some warps: what
  /// one thread acquires may reach all others, and what one releases may tell of them all.
  void be_lenient();

  // -- What ends epochs: the accesses before have been checked ------------------------------------
  void pass_barrier();
  /// All lanes of the warp met.
  void meet(unsigned warp);
  void meet_lanes(unsigned warp, std::uint32_t lanes);
  /// They exchanged registers, which puts nothing in order that one of them did. But flags that one
  /// acquired all may act upon, and a flag that one stores may tell of them all.
  void exchange(unsigned warp);
  void fence(unsigned thread, Scope scope);

  // -- Flags
  // ---------------------------------------------------------------------------------------
  /// Would release() tell anybody of anything?
  bool has_fenced(unsigned thread) const {
    return any_fence_ && (fences_[thread].any.thread != 0 || met_in_block_ != nullptr ||
                          met_in_warp_[thread / 32] != nullptr);
  }
  /// The thread changes a flag, atomically or as volatile.
  /// \param flag  see key_of_shared()
  void release(unsigned thread, std::uint64_t flag, Scope scope);
  /// Would acquire() find anything?
  bool may_acquire() const { return grid_ != nullptr && grid_->has_releases(); }
  /// \brief  The thread has changed a flag atomically: what the flag tells it knows from now on.
  /// \return the flags that it knows then; nothing if that is nothing new
  AcquiredFlags news_of(unsigned thread, std::uint64_t flag) const;
  void acquire(unsigned thread, AcquiredFlags news);
  /// It is about to load a flag: it knows behind its next fence or barrier.
  void acquire_later(unsigned thread, std::uint64_t flag);

  // -- Clusters
  // ------------------------------------------------------------------------------------
  /// All threads of the block have come to the barrier of the cluster; it is one of the block, too.
  void arrive_at_cluster();
  void pass_cluster();

  /// A flag in the shared memory of a block.
  static std::uint64_t key_of_shared(std::uint64_t block, std::uint64_t offset) {
    return std::uint64_t{1} << 63 | block << 18 | offset;
  }

  /// \brief Is an access of another thread in order with what this thread does now?
  /// \param is_strong  what it does is atomic or volatile: flags that it has loaded tell it at once
  bool knows(unsigned thread, const OrderedAccess& access, bool is_strong) const {
    if (access.block == block_) {
      if (access.thread == thread || access.epoch < block_known_) return true;
      if (access.thread / 32 == thread / 32 && access.epoch < warp_known_[thread / 32]) return true;
    }
    return knows_more(thread, access, is_strong);
  }
  /// \brief  The same where the answer lies ready.
  /// \return false: knows() has to look
  bool knows_at_once(unsigned thread, const OrderedAccess& access) const {
    if (access.block == block_) return access.thread == thread || access.epoch < block_known_;
    const LookedUp& known = looked_up_[access.block % looked_up_.size()];
    return access.epoch < known.below && access.block == known.block &&
           known.acquired == acquired_by(thread);
  }

 private:
  struct Fences {
    FencedEpochs device;
    FencedEpochs any;  ///< that of the block, or of the device
  };
  /// Of the lanes of one warp that met in parts: by lane, epochs of all lanes that it knows of.
  using LanesKnown = std::array<std::array<Epoch, 32>, 32>;

  /// What was looked up: a thread that has acquired these flags knows of all accesses of a block in
  /// epochs below.
  struct LookedUp {
    AcquiredFlags acquired;
    std::uint32_t block = 0;
    Epoch below = 0;
  };

  bool knows_by(const AcquiredFlags& acquired, const OrderedAccess& access) const;
  bool knows_more(unsigned thread, const OrderedAccess& access, bool is_strong) const;
  const AcquiredFlags& acquired_by(unsigned thread) const {
    const AcquiredFlags& alone = acquired_alone_[thread];
    return any_acquired_alone_ && alone != nullptr ? alone : acquired_;
  }
  void set_acquired(unsigned thread, AcquiredFlags flags);
  void settle_loads(unsigned thread);
  Epoch end_epoch_of_warp(unsigned warp);
  unsigned lanes_end(unsigned warp) const;
  std::shared_ptr<const FencesMet> fences_of(unsigned first, unsigned end) const;
  Epoch known_of_warp(unsigned thread) const;
  std::uint64_t cluster_flag() const;

  bool is_lenient_ = false;
  std::uint64_t cluster_phase_ = 0;  ///< barriers of the cluster that the block has come to
  GridOrder* grid_ = nullptr;
  unsigned threads_ = 0;
  unsigned cluster_ = 1;
  std::uint32_t block_ = 0;
  Epoch now_ = 1;          ///< the latest of all epochs
  Epoch block_known_ = 1;  ///< epochs below it are over, as all threads know
  std::array<Epoch, 1024> epoch_ = {};
  std::array<Epoch, 32> warp_known_ = {};  ///< by warp: likewise, of its lanes
  std::array<Epoch, 32> exchanged_ =
      {};  ///< by warp: epochs below it were over at its last exchange
  std::array<std::unique_ptr<LanesKnown>, 32> lanes_;  ///< by warp
  std::array<bool, 32> met_in_parts_ = {};             ///< by warp: are these in use?

  // -- Since somebody called a fence
  // ----------------------------------------------------------------
  bool any_fence_ = false;
  bool new_fence_ = false;  ///< since the last barrier
  std::array<bool, 32> new_fence_in_warp_ = {};
  std::array<Fences, 1024> fences_ = {};
  std::shared_ptr<const FencesMet> met_in_block_;
  std::array<std::shared_ptr<const FencesMet>, 32> met_in_warp_;

  // -- Since somebody acquired a flag
  // ---------------------------------------------------------------
  AcquiredFlags acquired_;  ///< that all threads know
  bool any_acquired_alone_ = false;
  std::array<AcquiredFlags, 1024> acquired_alone_;  ///< by thread: null, or more than that
  mutable bool any_looked_up_ = false;
  mutable std::array<LookedUp, 64> looked_up_;  ///< by block, the last
  bool any_loaded_ = false;
  std::array<std::vector<std::uint64_t>, 1024> loaded_;  ///< by thread: flags since its last fence
};

}  // namespace ladder::emulator
