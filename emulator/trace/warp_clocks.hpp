// SPDX-License-Identifier: MIT
/// \file  emulator/trace/warp_clocks.hpp
/// \brief What each warp of a block knows of the others: vector clocks, for barriers that not all
///        threads of the block pass together.
///
/// A warp's time is cut into epochs. Who releases an object (arrives at an mbarrier, say) leaves
/// there what its warp knows, and who acquires it learns that. An access happened before another
/// one if the other's warp knew of its epoch by then. Copies by the tensor memory accelerator are
/// known by the barrier that they count on: see landed().
///
/// In a cluster, a clock also has the epochs of the other blocks' warps: who arrives at a barrier
/// of another block leaves there what it knows.
///
/// Lanes of a warp run one after the other here. A lane that does what one before it did is in that
/// lane's epochs, as if both had done it together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace ladder::emulator {

/// Counts a warp's time, from 1 on; no two warps' epochs have anything to do with each other.
using Epoch = std::uint32_t;

/// \brief The clocks of one block. They stand still, all at epoch 1, until the block first does
///        something that __syncthreads() does not put in order.
class WarpClocks {
 public:
  static constexpr unsigned kMaxCopyBarriers = 32;  ///< beyond it barriers share a number

  /// \param rank, blocks  of the block in its cluster, and how many that has
  void start_block(unsigned threads, unsigned rank = 0, unsigned blocks = 1);
  /// From now on epochs advance, in later blocks too.
  void activate();
  /// The next block starts with clocks that stand still.
  void deactivate() { active_ = false; }
  bool is_active() const { return active_; }

  /// The epoch in which a thread makes its accesses. Lanes of a warp may lag behind each other.
  Epoch epoch_of(unsigned thread) const { return thread_epoch_[thread]; }

  void release(unsigned thread, const void* object);
  /// \brief  Like a release; but those who acquire the object learn of it only when it is complete:
  ///         the arrivals at a barrier belong to its next phase.
  void arrive(unsigned thread, const void* object);
  void complete(const void* object);
  void acquire(unsigned thread, const void* object);

  /// A clock: epochs of all that have some, then epochs of all warps that are fenced, then
  /// phases; and this for each block of the cluster.
  using Clock = std::vector<std::uint32_t>;
  /// What the thread knows and does, for another block. It has arrived there, or asks for a copy.
  Clock tell(unsigned thread, const void* object);
  /// A thread of another block, which knew this, arrives.
  void arrive_from(const Clock& clock, const void* object);
  /// With the object is complete what has arrived at `theirs` of another block.
  void complete_with(const WarpClocks& other, const void* theirs, const void* object);

  /// The thread's next accesses are in a new epoch.
  void advance(unsigned thread);
  void meet(unsigned warp);
  /// The lanes of a warp have waited together until its products up to this number were computed.
  void wait_for_products(unsigned warp, unsigned number);
  /// A thread has waited until the copy engine has read what this and earlier copies for its warp
  /// take from shared memory.
  void wait_for_copy(unsigned thread, unsigned number);
  /// Some of its lanes met: what each of them did, and knew of other lanes, all of them know.
  void meet_lanes(unsigned warp, std::uint32_t lanes);
  void pass_barrier();

  // -- Fences of threads, and flags that they store and load --------------------------------------
  /// \brief  __threadfence(): what the thread did before is in order with the flags that it stores
  ///         later, and what the flags that it loaded before tell with what it does later.
  void fence_thread(unsigned thread);
  /// Atomically or as volatile; tells what its last fence put in order.
  void store_flag(unsigned thread, const void* flag);
  /// Likewise; the next fence makes use of what the flag tells.
  void load_flag(unsigned thread, const void* flag);

  /// Has something put lanes of the warp in order, one by one, since it met as a whole?
  bool orders_lanes(unsigned warp) const { return active_ && !meetings_[warp].empty(); }
  /// Did what the lane `other` did in its epoch `earlier` happen before what these lanes of the
  /// same warp do in epoch `at`, as far as both are since the warp met as a whole?
  bool lane_knows(unsigned warp, std::uint32_t lanes, Epoch at, unsigned other,
                  Epoch earlier) const;

  /// Number of a barrier that copies count on.
  unsigned copy_barrier(const void* barrier);
  /// Has any copy counted on it?
  bool is_copy_barrier(const void* object) const { return copy_barriers_.contains(object); }
  /// \brief  A copy that counts on this barrier has landed: who acquires the barrier when it is
  ///         complete knows of it.
  /// \return the phase of the barrier that it belongs to, as far as waits tell phases apart; from 1
  std::uint32_t landed(const void* barrier);

  /// fence.proxy.async: all plain accesses that this thread knows of are in order with copies.
  void fence(unsigned thread);

  /// Did `warp` in its epoch `at` know of the epoch `earlier` of warp `other`?
  bool knows(unsigned warp, Epoch at, unsigned other, Epoch earlier) const {
    return knows(knowledge(warp, at), other, earlier);
  }
  /// By warp of the block: the latest epoch that `warp` knew of in its epoch `at`.
  const Epoch* epochs_known(unsigned warp, Epoch at) const { return &knowledge(warp, at)[own_]; }
  bool knows_phase(unsigned warp, Epoch at, unsigned copy_barrier, std::uint32_t phase) const {
    return knows_phase(knowledge(warp, at), copy_barrier, phase);
  }
  /// Did it know of a fence behind what warp `other` did in its epoch `earlier`?
  bool knows_fence(unsigned warp, Epoch at, unsigned other, Epoch earlier) const {
    return knows_fence(knowledge(warp, at), other, earlier);
  }
  /// Phases of all barriers with copies that it had waited for, itself or through others.
  unsigned phases_known(unsigned warp, Epoch at) const { return phases_known(knowledge(warp, at)); }

  // The same of any clock: that of a thread of another block.
  using Knowledge = std::span<const std::uint32_t>;
  bool knows(Knowledge clock, unsigned other, Epoch earlier) const {
    return clock[own_ + other] >= earlier;
  }
  bool knows_phase(Knowledge clock, unsigned copy_barrier, std::uint32_t phase) const {
    return clock[own_ + epochs() + warps_ + copy_barrier] >= phase;
  }
  bool knows_fence(Knowledge clock, unsigned other, Epoch earlier) const {
    return clock[own_ + epochs() + other] >= earlier;
  }
  unsigned phases_known(Knowledge clock) const;

  unsigned warps() const { return warps_; }
  /// \brief Who has epochs: the warps, after them the tensor cores of each warpgroup, and then the
  ///        copy engine for each warp. The number of a product or a copy is its epoch there; who
  ///        has waited for it knows of it.
  unsigned tensor_cores_of(unsigned warp) const { return warps_ + warp / 4; }
  unsigned copy_engine_for(unsigned warp) const { return warps_ + (warps_ + 3) / 4 + warp; }

  /// A clock: what `warp` knew in its epoch `at`, first of all which epoch of each warp.
  std::span<const std::uint32_t> knowledge(unsigned warp, Epoch at) const {
    const Epoch now = now_[warp];
    const Epoch kept = now - at < kKept ? at : now - kKept + 1;
    return {&kept_[(warp * kKept + kept % kKept) * width_], width_};
  }

 private:
  /// What a lane did that ended its epoch, or could have.
  struct Event {
    enum class Kind : std::uint8_t { kRelease, kAcquire, kFence, kThreadFence, kOther };
    Kind kind;
    const void* object;
    Epoch after;
  };

  /// What orders lanes of one warp.
  struct Meeting {
    Epoch after;          ///< the epoch in which they go on
    std::uint32_t lanes;  ///< that learn
    Epoch limit;          ///< what the warp did up to this epoch; 0: what these lanes know
  };

  /// What carries knowledge from thread to thread.
  struct Object {
    Clock visible;
    Clock arrived;               ///< visible when the object is complete
    std::uint32_t arrivers = 0;  ///< warps of which a lane has arrived
  };

  static constexpr Epoch kKept = 64;  ///< epochs of each warp; of older ones the oldest of these

  unsigned epochs() const { return copy_engine_for(warps_); }
  void reset();
  std::uint32_t* newest(unsigned warp);
  void begin_epoch(unsigned warp);
  bool follows(unsigned thread, Event::Kind kind, const void* object);
  void learn_from_own_warp(unsigned thread, const Object& object);
  void publish(unsigned thread, const void* object, bool at_once);
  void end_epoch(unsigned thread, Event::Kind kind, const void* object);
  void lead(unsigned thread, Event::Kind kind, const void* object);
  void bring_together(unsigned warp);
  void add_meeting(unsigned warp, const Meeting& meeting);
  void learn_from_flags(unsigned thread);
  void settle_flags(unsigned thread, Epoch after);
  bool knows_flags(unsigned thread) const;
  void forget_loaded_flags();

  bool active_ = false;
  unsigned warps_ = 0;
  std::size_t width_ = 0;  ///< of a clock
  std::size_t own_ = 0;    ///< where this block's part of a clock begins
  std::array<Epoch, 1024> thread_epoch_ = {};
  std::array<Epoch, 32> now_ = {};
  std::array<std::vector<Event>, 32> events_;      ///< by warp, since its lanes were together
  std::array<std::uint32_t, 1024> seen_ = {};      ///< of these events, by thread
  std::vector<std::uint32_t> kept_;                ///< (warps, kKept, width)
  std::array<std::vector<Meeting>, 32> meetings_;  ///< by warp, since it met as a whole
  std::array<Epoch, 32> forgotten_ = {};           ///< meetings up to this epoch are not known
  std::array<Epoch, 1024> fenced_ = {};            ///< epoch that the thread's last fence ended
  std::array<std::vector<const void*>, 1024> loaded_flags_;  ///< by thread, since its last fence
  bool any_loaded_ = false;
  Object& object_at(const void* object);

  std::unordered_map<const void*, Object> objects_;
  std::unordered_map<const void*, unsigned> copy_barriers_;
  std::array<std::uint32_t, kMaxCopyBarriers> landed_ = {};    ///< the phase of the last landing
  std::array<std::uint32_t, kMaxCopyBarriers> acquired_ = {};  ///< the last that anyone knows
};

}  // namespace ladder::emulator
