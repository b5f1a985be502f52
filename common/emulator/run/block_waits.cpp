// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/block_waits.cpp
/// \brief BlockRunner's threads that wait for something outside of their warp, and the block that
///        waits for other blocks.
#include <algorithm>

#include "common/emulator/run/block_runner.hpp"

namespace ladder::emulator {
namespace {

// A thread that finds the same in a flag so often in a row waits for it to change. Before a hang is
// reported, it may poll on: a loop that gives up after a number of polls is none.
constexpr unsigned kPollsOfAWait = 256;
constexpr unsigned kPollsOfAHang = 65536;       // of all threads of the block that wait for flags
constexpr unsigned kFewestPollsOfAHang = 1024;  // of one of them

}  // namespace

/// A new block: nobody waits for anything.
void BlockRunner::reset_waits() {
  poll_limit_ = kPollsOfAWait;
  if (!async_.used) return;
  async_.reset();
  cluster_arrived_ = 0;
  flag_waiters_ = 0;
  at_cluster_ = {};
  at_flag_ = {};
  for (Lane& lane : lanes_) {  // the block before may have had more threads
    lane.copies.clear();
    lane.register_calls = 0;
    lane.flag = nullptr;
  }
}

/// The running thread stops until it is woken.
void BlockRunner::wait_for(const LaneWait& wait, ThreadSet* waiting) {
  Lane& lane = *running_;
  WarpState& warp = warps_[lane.number / 32];
  const unsigned bit = 1u << lane.number % 32;
  lane.wait = wait;
  warp.ready &= ~bit;
  warp.waiting |= bit;
  (*waiting)[lane.number / 32] |= bit;
  settle(warp);
  suspend();
  if (asked_to_stop()) fail_endless_loop();
}

/// The running thread has come to a barrier at which the others of `waiting` stand. The last of its
/// warp makes the warp meet there: what its lanes did before is in order with what they do later.
void BlockRunner::meet_if_last_of_warp(const ThreadSet& waiting) {
  const unsigned warp = running_->number / 32;
  const unsigned arrived = waiting[warp] | 1u << running_->number % 32;
  if (arrived == warps_[warp].exists) tracer_->meet(warp);
}

void BlockRunner::wake(ThreadSet& waiting) {
  for (unsigned w = 0; 32 * w < plan_->threads; ++w) {
    warps_[w].ready |= waiting[w];
    warps_[w].waiting &= ~waiting[w];
    waiting[w] = 0;
  }
}

/// No thread of the block is ready: lets a copy arrive, or leaves the CPU thread to other blocks.
Lane& BlockRunner::when_nobody_can_go_on() {
  for (;;) {
    wake_who_may_go_on();
    if (Lane* const next = next_ready(running_->number); next != nullptr) return *next;
    if (land_oldest_box()) continue;
    if (flag_waiters_ == 0 && cluster_arrived_ != plan_->threads) fail_hang();
    park(State::kWaiting);
    return main_;
  }
}

void BlockRunner::park(State state) {
  parked_ = state;
  parked_lane_ = running_->number;
}

/// For long, threads have only stepped aside: they may wait for another block.
void BlockRunner::stop_spinning() {
  idle_turns_ = 0;
  wake_who_may_go_on();
  if (land_oldest_box()) {
    suspend();
    return;
  }
  park(State::kSpinning);
  switch_to(main_);
  if (asked_to_stop()) fail_endless_loop();
}

// -- Other blocks --------------------------------------------------------------------------------

bool BlockRunner::flag_changed(const Lane& lane) const {
  return __atomic_load_n(static_cast<const unsigned*>(lane.wait.object), __ATOMIC_ACQUIRE) !=
             lane.wait.value ||
         lane.polls < poll_limit_;
}

bool BlockRunner::may_go_on() const {
  if (cluster_arrived_ == plan_->threads && cluster_->phase() != cluster_phase_) return true;
  for (unsigned w = 0; flag_waiters_ > 0 && 32 * w < plan_->threads; ++w) {
    bool changed = false;
    for_each_lane(at_flag_[w],
                  [&](unsigned bit) { changed = changed || flag_changed(lanes_[32 * w + bit]); });
    if (changed) return true;
  }
  return false;
}

void BlockRunner::wake_who_may_go_on() {
  if (cluster_arrived_ == plan_->threads && cluster_->phase() != cluster_phase_) {
    cluster_arrived_ = 0;
    note_progress();
    wake(at_cluster_);
  }
  for (unsigned w = 0; flag_waiters_ > 0 && 32 * w < plan_->threads; ++w) {
    for_each_lane(at_flag_[w], [&](unsigned bit) {
      if (!flag_changed(lanes_[32 * w + bit])) return;
      at_flag_[w] &= ~(1u << bit);
      warps_[w].waiting &= ~(1u << bit);
      warps_[w].ready |= 1u << bit;
      --flag_waiters_;
    });
  }
}

bool BlockRunner::extend_patience() {
  if (flag_waiters_ == 0 || poll_limit_ != kPollsOfAWait) return false;
  poll_limit_ = kPollsOfAWait + std::max(kPollsOfAHang / flag_waiters_, kFewestPollsOfAHang);
  return true;
}

unsigned BlockRunner::load_acquire(const unsigned* flag, std::source_location where) {
  Lane& lane = *running_;
  const auto load = [&] { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); };
  unsigned value = load();
  const bool again = lane.flag == flag && lane.flag_value == value;
  if (again) {
    lane.where = where;
    if (++lane.polls < poll_limit_) {
      if (asked_to_stop()) fail_endless_loop();
      suspend();
    } else {
      async_.used = true;
      ++flag_waiters_;
      wait_for({WaitKind::kFlag, flag, value}, &at_flag_);
    }
    value = load();
  }
  if (!again || value != lane.flag_value) {
    lane.flag = flag;
    lane.flag_value = value;
    lane.polls = 0;
    async_.used = true;
    if (tracer_ != nullptr) tracer_->acquired(lane.number, flag);
  }
  return value;
}

void BlockRunner::store_release(unsigned* flag, unsigned value) {
  if (tracer_ != nullptr) tracer_->released(running_->number, flag);
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
  running_->flag = nullptr;
  idle_turns_ = 0;
  if (flag_waiters_ > 0) wake_who_may_go_on();
}

// -- Clusters ------------------------------------------------------------------------------------

void BlockRunner::wait_at_cluster_barrier(std::source_location where) {
  Lane& lane = *running_;
  lane.where = where;
  async_.used = true;
  if (cluster_arrived_ == 0) cluster_first_ = lane.number;
  ++cluster_arrived_;
  if (finished_ > 0) {
    for (const WarpState& warp : warps_) {
      if (warp.finished != 0) fail_missing_at_cluster(first_lane(warp, warp.finished));
    }
  }
  if (tracer_ != nullptr) tracer_->arrived(lane.number, &at_cluster_);
  if (tracer_ != nullptr) meet_if_last_of_warp(at_cluster_);
  if (cluster_arrived_ == plan_->threads) cluster_phase_ = cluster_->arrive();
  wait_for({WaitKind::kClusterBarrier, &at_cluster_, 0}, &at_cluster_);
  if (tracer_ != nullptr) {
    tracer_->completed(&at_cluster_);
    tracer_->acquired(lane.number, &at_cluster_);
  }
}

void* BlockRunner::shared_of_block(void* shared, unsigned rank, std::source_location where) {
  if (rank >= cluster_->size()) {
    fail_at(KernelErrorKind::kCluster,
            "in_block() asks for block " + std::to_string(rank) + " of a cluster of " +
                std::to_string(cluster_->size()) + ",",
            running_->number, where);
  }
  require_shared("the object that in_block() maps", shared, 1, where);
  if (cluster_->has_left(rank)) {
    fail_at(KernelErrorKind::kCluster,
            "in_block() asks for block " + std::to_string(rank) +
                " of the cluster, which has left the kernel: its shared memory is no more,",
            running_->number, where);
  }
  const auto offset = static_cast<std::byte*>(shared) - shared_.arrays.data();
  return cluster_->shared(rank).arrays.data() + offset;
}

bool BlockRunner::in_cluster_shared(std::uintptr_t address) const {
  for (unsigned rank = 0; rank < cluster_->size(); ++rank) {
    const auto arrays = cluster_->shared(rank).arrays;
    if (address - reinterpret_cast<std::uintptr_t>(arrays.data()) < arrays.size()) return true;
  }
  return false;
}

}  // namespace ladder::emulator
