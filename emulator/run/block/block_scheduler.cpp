// SPDX-License-Identifier: MIT
#include "emulator/run/block/block_scheduler.hpp"

#include <utility>

#include "emulator/run/debug_info/source_lines.hpp"

namespace ladder::emulator {
namespace {

constexpr unsigned kStepsBeforeAside = 32;  // a loop that spins wastes this many atomics per turn
constexpr unsigned kTurnsOfASpin = 4096;    // about a millisecond

}  // namespace

// -- What the CPU thread calls -------------------------------------------------------------------

BlockState BlockScheduler::run_block(Extent extent) {
  extent_ = extent;
  parked_.reset();
  note_progress();
  threads_.switch_to(threads_.lane(0));
  return after_switch();
}

BlockState BlockScheduler::resume() {
  owner_.wake_who_may_go_on();
  Lane* next = threads_.next_ready(parked_lane_);
  try {  // another block may have sent a copy
    while (next == nullptr && owner_.land_oldest_copy())
      next = threads_.next_ready(parked_lane_);
  } catch (const FailedAtRest&) {
    return after_switch();
  }
  if (next == nullptr) return BlockState::kWaiting;
  idle_turns_ = 0;
  threads_.switch_to(*next);
  return after_switch();
}

/// The CPU thread goes on: says why the block does not.
BlockState BlockScheduler::after_switch() {
  if (parked_) return *std::exchange(parked_, std::nullopt);
  if (observer() != nullptr) observer()->end_block();
  if (!threads_.all_finished() || failures_.has_failed()) threads_.forget();
  return BlockState::kEnded;
}

OtherAccess BlockScheduler::other(unsigned thread, std::source_location where) const {
  OtherAccess other({without_repository(where.file_name()), where.line()},
                    threads_.index_of(thread));
  other.block = array_of(unpack(threads_.block_index()));
  return other;
}

void BlockScheduler::report(Fault fault, unsigned thread, std::source_location where) {
  fault.place = {without_repository(where.file_name()), where.line()};
  observer()->report(thread, std::move(fault));
}

// -- Waiting -------------------------------------------------------------------------------------

void BlockScheduler::wait_for(const LaneWait& wait, ThreadSet& waiting) {
  Lane& lane = running();
  lane.wait = wait;
  waiting[lane.number / 32] |= lane.bit();
  stop(&WarpState::waiting);
  stop_if_asked();
}

void BlockScheduler::wake(ThreadSet& waiting) {
  for (unsigned w = 0; w < threads_.warps(); ++w) {
    WarpState& warp = threads_.warp(w);
    warp.ready |= waiting[w];
    warp.waiting &= ~waiting[w];
    waiting[w] = 0;
  }
}

void BlockScheduler::wait_to_be_looked_at() {
  stop(&WarpState::to_look);
  stop_if_asked();
}

void BlockScheduler::meet_if_last_of_warp(const ThreadSet& waiting) {
  const Lane& lane = running();
  const unsigned arrived = waiting[lane.number / 32] | lane.bit();
  if (arrived == threads_.warp_of(lane).exists) observer()->meet(lane.number / 32);
}

void BlockScheduler::settle(WarpState& warp) {
  if (warp.ready != 0) return;
  const unsigned number = threads_.number_of(warp);
  look_at(number);
  if (warp.to_look != 0) {
    warp.ready = std::exchange(warp.to_look, 0);
    observer()->go_on(number);
  } else {
    owner_.all_lanes_stopped(warp);
  }
}

/// All lanes of the warp stand still: their accesses make up requests now.
void BlockScheduler::look_at(unsigned warp) {
  if (observer() == nullptr) return;
  observer()->look_at(warp);
  if (watched_->is_doubted() && observer()->has_news()) watched_->note_news();
  // The last thread to leave ends the block itself.
  if (threads_.all_finished()) return;
  if (extent_ == Extent::kFirstSlice && observer()->has_slice()) threads_.switch_to_main();
}

void BlockScheduler::look_at_all_warps() {
  if (observer() == nullptr) return;
  for (unsigned w = 0; w < threads_.warps(); ++w)
    observer()->look_at(w);
  observer()->pass_barrier();
  if (extent_ == Extent::kFirstSlice && observer()->has_slice()) threads_.switch_to_main();
}

/// No thread of the block is ready: lets a copy arrive, or leaves the CPU thread to other blocks.
/// Null: the CPU thread is to go on.
Lane* BlockScheduler::when_nobody_can_go_on() {
  for (;;) {
    owner_.wake_who_may_go_on();
    if (Lane* const next = threads_.next_ready(running().number); next != nullptr) return next;
    if (owner_.pass_barrier_without_others() || owner_.land_oldest_copy()) continue;
    if (owner_.is_broken() || !owner_.waits_for_other_blocks()) owner_.fail_hang();
    park(BlockState::kWaiting);
    return nullptr;
  }
}

void BlockScheduler::park(BlockState state) {
  parked_ = state;
  parked_lane_ = running().number;
}

// -- Spinning ------------------------------------------------------------------------------------

void BlockScheduler::step_aside(bool now) {
  Lane& lane = running();
  if (!now && ++lane.steps < kStepsBeforeAside) return;
  lane.steps = 0;
  stop_if_asked();
  if (++idle_turns_ < kTurnsOfASpin) {
    go_on_with(threads_.next_after(lane.number));  // in turn: others may never wait
  } else {
    stop_spinning();
  }
}

void BlockScheduler::let_others_look() {
  if (!threads_.lane_by_lane() || threads_.plan().cluster > 1) return;
  park(BlockState::kSpinning);
  threads_.switch_to_main();
  stop_if_asked();
}

/// For long, threads have only stepped aside: they may wait for another block.
void BlockScheduler::stop_spinning() {
  idle_turns_ = 0;
  owner_.wake_who_may_go_on();
  if (owner_.land_oldest_copy()) {
    suspend();
    return;
  }
  if (owner_.is_broken()) owner_.fail_hang();
  park(BlockState::kSpinning);
  threads_.switch_to_main();
  stop_if_asked();
}

}  // namespace ladder::emulator
