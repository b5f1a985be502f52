// SPDX-License-Identifier: MIT
/// \file  emulator/trace/grid_order.hpp
/// \brief What threads of a grid tell each other through flags in memory, for all CPU threads
///        together.
///
/// CUDA's memory model puts what a thread did before another thread's work if the first one calls a
/// fence and then stores a flag (a release), and the second one loads that flag and then calls a
/// fence (an acquire). Flags are stored and loaded atomically or as volatile; atomics that change
/// a flag pass on what was released there before. Nobody copies clocks: a release stays with its
/// flag, who acquires remembers the flag and how many releases it had, and whether an access is
/// known is looked up where somebody asks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulator/trace/warp_clocks.hpp"

namespace ladder::emulator {

class FlagReleases;

/// Who sees a fence or an atomic as one.
enum class Scope : std::uint8_t {
  kBlock,   ///< the threads of the block: __threadfence_block(), atomicAdd_block()
  kDevice,  ///< all
};

/// An access of a thread of the grid, as far as order is concerned. Epochs count a thread's time;
/// see ThreadOrder.
struct OrderedAccess {
  std::uint32_t block = 0;
  Epoch epoch = 0;
  std::uint16_t thread = 0;
  std::uint64_t flag = 0;  ///< its address, if it was atomic; else 0
};

/// \brief Flags that a thread has acquired, and how many releases of each. Never changes.
struct Acquired {
  struct Link {
    std::shared_ptr<FlagReleases> flag;
    std::uint32_t releases;
  };
  std::vector<Link> links;
  bool everything = false;  ///< there were too many to tell
};
using AcquiredFlags = std::shared_ptr<const Acquired>;

/// What a fence puts before the flags that its thread stores later: accesses in epochs below these.
struct FencedEpochs {
  Epoch thread = 0;  ///< the thread's own; 0: there was no fence
  Epoch warp = 0;    ///< of all lanes of its warp
  Epoch block = 0;   ///< of all threads of its block
  AcquiredFlags acquired = {};
};

/// \brief The fences of some threads, for one that met them later at a barrier: flags that it
///        stores tell of them, too.
struct FencesMet {
  std::vector<Epoch> threads;  ///< by thread, FencedEpochs::thread; empty: `each` for all of them
  Epoch each = 0;
  std::uint16_t first = 0;  ///< thread
  std::uint16_t end = 0;    ///< behind the last thread
  Epoch block = 0;          ///< see FencedEpochs
  AcquiredFlags acquired = {};

  bool cover(std::uint16_t thread, Epoch epoch) const {
    if (epoch < block) return true;
    if (thread < first || thread >= end) return false;
    return epoch < (threads.empty() ? each : threads[thread - first]);
  }
};

/// One release of a flag.
struct Release {
  std::uint32_t number = 0;  ///< of the flag's releases, from 1 on
  std::uint16_t thread = 0;
  Scope scope = Scope::kDevice;
  FencedEpochs fence = {};
  std::shared_ptr<const FencesMet> met_in_block = {};
  std::shared_ptr<const FencesMet> met_in_warp = {};

  bool covers(const OrderedAccess& access) const;
  /// It covers all accesses of its block in epochs below this.
  Epoch covers_below() const {
    return std::max(fence.block, met_in_block == nullptr ? 0 : met_in_block->block);
  }
  bool tells_the_same(const Release& other) const;
};

/// \brief All that was released at one address.
class FlagReleases {
 public:
  explicit FlagReleases(std::uint64_t address) : address_(address) {}

  void add(std::uint32_t block, Release release);
  std::uint32_t count() const { return count_; }
  std::uint64_t address() const { return address_; }

  /// \brief  Do the first `count` releases tell a thread of block `asking` of the access?
  /// \return 0: no; else they do, and of all accesses of its block in epochs below this
  Epoch tell(const OrderedAccess& access, std::uint32_t count, std::uint32_t asking) const;
  /// Visits the flags that the first `count` releases had acquired: visit(acquired, block).
  template <class Visit>
  void for_each_acquired(std::uint32_t count, std::uint32_t asking, Visit visit) const {
    for (const Passed& passed : passed_) {
      if (passed.number <= count && (passed.scope == Scope::kDevice || passed.block == asking))
        visit(*passed.acquired, passed.block);
    }
  }

 private:
  /// Of one block. Old releases that go make what they tell coarser, never less.
  struct OfBlock {
    std::vector<Release> kept;
    Epoch forgotten_device = 0;  ///< accesses in epochs below it count as told
    Epoch forgotten_block = 0;   ///< likewise, to threads of the block
  };
  /// A release of somebody who had acquired flags.
  struct Passed {
    std::uint32_t number;
    std::uint32_t block;
    Scope scope;
    AcquiredFlags acquired;
  };

  std::uint64_t address_;
  std::uint32_t count_ = 0;
  std::unordered_map<std::uint32_t, OfBlock> blocks_;
  std::vector<Passed> passed_;
};

/// \brief The flags of a grid.
class GridOrder {
 public:
  void start_grid();

  /// Has anything been released? Until then nobody needs to look.
  bool has_releases() const { return has_releases_.load(std::memory_order_relaxed); }
  void release(std::uint64_t flag, std::uint32_t block, const Release& release);

  /// \brief  Who has acquired `before`, and now this flag as well.
  /// \return nothing if there is nothing new
  AcquiredFlags acquire(const AcquiredFlags& before, std::uint64_t flag) const;
  /// Both.
  static AcquiredFlags join(const AcquiredFlags& one, const AcquiredFlags& other);

  /// \brief  Does a thread of block `asking` that has acquired these flags know of the access?
  /// \return see FlagReleases::tell()
  Epoch knows(const Acquired& acquired, std::uint32_t asking, const OrderedAccess& access) const;

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> has_releases_ = false;
  std::unordered_map<std::uint64_t, std::shared_ptr<FlagReleases>> flags_;
};

}  // namespace ladder::emulator
