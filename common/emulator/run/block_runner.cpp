// SPDX-License-Identifier: MIT
#include "common/emulator/run/block_runner.hpp"

#include <alloca.h>

#include <cstring>
#include <exception>
#include <utility>

namespace ladder::emulator {
namespace {

thread_local BlockRunner* runner_of_this_cpu_thread = nullptr;

constexpr unsigned kStepsBeforeAside = 32;  // a loop that spins wastes this many atomics per turn
constexpr unsigned kTurnsOfASpin = 4096;    // about a millisecond

/// The stacks are allocated and freed as one piece; a fiber that ends frees nothing.
struct KeepStack {
  void deallocate(boost::context::stack_context&) const noexcept {}
};

bool same_line(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() &&
         (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

}  // namespace

BlockRunner* BlockRunner::of_this_cpu_thread() noexcept {
  return runner_of_this_cpu_thread;
}

void BlockRunner::adopt_this_cpu_thread() noexcept {
  runner_of_this_cpu_thread = this;
}

void BlockRunner::start_grid(const GridPlan& plan, const SharedMemory& shared, BlockTracer* tracer,
                             Watched& watched) {
  plan_ = &plan;
  shared_ = shared;
  tracer_ = tracer;
  watched_ = &watched;
  arrival_ = copy_arrival();
  own_cluster_.start(1);
  own_cluster_.set_shared(0, shared);
  cluster_ = &own_cluster_;
  rank_ = 0;
  stacks_.prepare(plan.threads);
  for (unsigned number = 0; number < plan.threads; ++number) {
    const uint3 index = plan.thread_index(number);
    lanes_[number].number = number;
    lanes_[number].index = pack(index.x, index.y, index.z);
  }
}

void BlockRunner::reset(std::uint64_t block) {
  block_ = block;
  const uint3 index = plan_->block_index(block);
  block_index_ = pack(index.x, index.y, index.z);
  arrived_ = votes_ = finished_ = 0;
  barriers_ = 0;
  failure_.reset();
  interrupt_ = {};
  parked_.reset();
  idle_turns_ = 0;
  reset_waits();
  for (unsigned w = 0; w < warps_.size(); ++w) {
    const unsigned first = 32 * w;
    const unsigned lanes = plan_->threads > first ? plan_->threads - first : 0;
    warps_[w] = {};
    warps_[w].exists = warps_[w].ready = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  }
  for (unsigned number = 0; number < plan_->threads; ++number) {
    Lane& lane = lanes_[number];
    lane.steps = 0;
    if (lane.fiber.get()) continue;
    const auto stack = stacks_.stack(number);
    ::new (&lane.fiber.get()) boost::context::fiber(
        std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), KeepStack{},
        [this, &lane](boost::context::fiber&& from) {
          left_->fiber.get() = std::move(from);
          run_lane(lane);
          return boost::context::fiber();
        });
  }
}

BlockRunner::State BlockRunner::run_block(std::uint64_t block, Extent extent) {
  adopt_this_cpu_thread();
  extent_ = extent;
  reset(block);
  shared_.poison(plan_->dynamic_shared_bytes);
  note_progress();
  if (tracer_ != nullptr) tracer_->start_block(block);
  switch_to(lanes_[0]);
  return after_switch();
}

BlockRunner::State BlockRunner::resume() {
  adopt_this_cpu_thread();
  wake_who_may_go_on();
  Lane* const next = next_ready(parked_lane_);
  if (next == nullptr) return State::kWaiting;
  idle_turns_ = 0;
  switch_to(*next);
  return after_switch();
}

/// The CPU thread goes on: says why the block does not.
BlockRunner::State BlockRunner::after_switch() {
  if (parked_) return *std::exchange(parked_, std::nullopt);
  if (tracer_ != nullptr) tracer_->end_block();
  if (finished_ != plan_->threads || failure_ || interrupt_.signal != 0) forget_fibers();
  return State::kEnded;
}

void BlockRunner::abandon() {
  if (tracer_ != nullptr) tracer_->end_block();
  forget_fibers();
}

void BlockRunner::forget_fibers() {
  for (Lane& lane : lanes_)
    lane.fiber.forget();
}

std::optional<KernelError> BlockRunner::take_error() {
  if (failure_) return error_of(*std::exchange(failure_, std::nullopt));
  if (interrupt_.signal != 0) return error_of_interrupt();
  return std::nullopt;
}

/// A lane's whole life: one program per block, for ever. Its stack starts at an offset of its own,
/// so that the stacks of neighbours do not compete for the same sets of the cache.
void BlockRunner::run_lane(Lane& lane) {
  constexpr unsigned kCacheLineBytes = 64;
  constexpr unsigned kLinesPerPage = 64;
  void* const stagger = alloca(std::size_t{kCacheLineBytes} * (1 + lane.number % kLinesPerPage));
  __asm__ volatile("" : : "r"(stagger) : "memory");
  for (;;) {
    std::string exception = run_program();
    if (!exception.empty()) {
      const std::string sentence = "the C++ exception \"" + exception + "\" left the kernel";
      exception.clear();
      give_up({KernelErrorKind::kException, sentence, lane.number, ""});
    }
    finish_lane();
  }
}

/// Runs the thread's program. The text of an exception that escapes, else an empty string.
std::string BlockRunner::run_program() const noexcept {
  try {
    plan_->program.run(plan_->program.arguments);
    return "";
  } catch (const std::exception& exception) {
    return *exception.what() != '\0' ? exception.what() : "without a message";
  } catch (...) {
    return "of unknown type";
  }
}

void BlockRunner::finish_lane() {
  const unsigned number = running_->number;
  WarpState& warp = warps_[number / 32];
  const unsigned bit = 1u << number % 32;
  warp.ready &= ~bit;
  warp.finished |= bit;
  ++finished_;
  note_progress();
  if (arrived_ > 0) fail_missing_barrier(number);
  if (cluster_arrived_ > 0) fail_missing_at_cluster(number);
  settle(warp);
  if (finished_ == plan_->threads) {
    if (async_.used) {
      check_copies_at_end();
      check_registers_at_end();
    }
    switch_to(main_);
  } else {
    suspend();
  }
}

/// Goes on with `next`; returns when somebody goes on with the caller.
void BlockRunner::switch_to(Lane& next) {
  left_ = running_;
  running_ = &next;
  if (tracer_ != nullptr) {
    if (left_ != &main_) tracer_->leave(left_->number);
    if (&next != &main_) tracer_->enter(next.number);
  }
  boost::context::fiber from = std::move(next.fiber.get()).resume();
  left_->fiber.get() = std::move(from);
}

/// All lanes of the warp stand still: their accesses make up requests now.
void BlockRunner::look_at_log(unsigned warp) {
  if (tracer_ == nullptr) return;
  tracer_->flush(warp);
  // The last thread to leave ends the block itself.
  if (finished_ == plan_->threads) return;
  if (extent_ == Extent::kFirstSlice && tracer_->has_slice()) switch_to(main_);
}

void BlockRunner::wait_for_room_in_log() {
  Lane& lane = *running_;
  WarpState& warp = warps_[lane.number / 32];
  const unsigned bit = 1u << lane.number % 32;
  warp.ready &= ~bit;
  warp.log_full |= bit;
  settle(warp);
  suspend();
  if (asked_to_stop()) fail_endless_loop();
}

/// Goes on with the next lane that can run; the caller has already left the ready ones.
void BlockRunner::suspend() {
  Lane* const next = next_ready(running_->number);
  Lane& target = next == nullptr ? when_nobody_can_go_on() : *next;
  if (&target != running_) switch_to(target);
}

/// The first ready lane behind `after`, around the block and up to `after` itself; null if none is.
Lane* BlockRunner::next_ready(unsigned after) {
  const unsigned warps = (plan_->threads + 31) / 32;
  unsigned w = after / 32;
  const unsigned behind = warps_[w].ready & (~1u << after % 32);
  if (behind != 0) return &lanes_[32 * w + static_cast<unsigned>(__builtin_ctz(behind))];
  for (unsigned step = 0; step < warps; ++step) {
    w = w + 1 == warps ? 0 : w + 1;
    const unsigned ready = warps_[w].ready;
    if (ready != 0) return &lanes_[32 * w + static_cast<unsigned>(__builtin_ctz(ready))];
  }
  return nullptr;
}

BarrierVotes BlockRunner::wait_at_barrier(bool vote, std::source_location where) {
  Lane& lane = *running_;
  lane.where = where;
  if (arrived_ == 0) {
    first_arrived_ = lane.number;
  } else if (const Lane& first = lanes_[first_arrived_]; !same_line(first.where, where)) {
    fail_at(KernelErrorKind::kDivergentBarrier,
            "divergent barrier: " + name_of(lane.number) + " waits at the barrier of line " +
                std::to_string(where.line()) + ", but " + name_of(first.number) +
                " waits at the one of line " + std::to_string(first.where.line()) +
                "; all threads of a block must reach the same one,",
            first.number, first.where);
  }
  ++arrived_;
  votes_ += vote ? 1 : 0;
  if (finished_ > 0) {
    for (const WarpState& warp : warps_) {
      if (warp.finished != 0) fail_missing_barrier(first_lane(warp, warp.finished));
    }
  }
  if (arrived_ == plan_->threads) {
    release_barrier();
    return released_;
  }
  WarpState& warp = warps_[lane.number / 32];
  const unsigned bit = 1u << lane.number % 32;
  warp.ready &= ~bit;
  warp.at_barrier |= bit;
  settle(warp);
  suspend();
  return released_;
}

void BlockRunner::release_barrier() {
  released_ = {votes_, arrived_};
  arrived_ = votes_ = 0;
  ++barriers_;
  note_progress();
  if (tracer_ != nullptr) {
    for (unsigned w = 0; 32 * w < plan_->threads; ++w)
      tracer_->flush(w);
    tracer_->pass_barrier();
    if (extent_ == Extent::kFirstSlice && tracer_->has_slice()) switch_to(main_);
  }
  for (unsigned w = 0; 32 * w < plan_->threads; ++w) {
    warps_[w].ready = warps_[w].exists;
    warps_[w].at_barrier = 0;
  }
}

void BlockRunner::step_aside(bool now) {
  Lane& lane = *running_;
  if (!now && ++lane.steps < kStepsBeforeAside) return;
  lane.steps = 0;
  if (asked_to_stop()) fail_endless_loop();
  if (++idle_turns_ < kTurnsOfASpin) {
    suspend();
  } else {
    stop_spinning();
  }
}

void BlockRunner::note_progress() noexcept {
  idle_turns_ = 0;
  watched_->note_progress();
}

// -- The functions that kernels call -------------------------------------------------------------

PackedIndex packed_thread_index() noexcept {
  return runner_of_this_cpu_thread->thread_index();
}

PackedIndex packed_block_index() noexcept {
  return runner_of_this_cpu_thread->block_index();
}

PackedIndex packed_block_extent() noexcept {
  const dim3& block = runner_of_this_cpu_thread->plan().block;
  return pack(block.x, block.y, block.z);
}

PackedIndex packed_grid_extent() noexcept {
  const dim3& grid = runner_of_this_cpu_thread->plan().grid;
  return pack(grid.x, grid.y, grid.z);
}

unsigned lane_index() noexcept {
  return runner_of_this_cpu_thread->lane_index();
}

BarrierVotes wait_at_barrier(bool vote, std::source_location where) {
  return runner_of_this_cpu_thread->wait_at_barrier(vote, where);
}

void step_aside() noexcept {
  runner_of_this_cpu_thread->step_aside(false);
}

void step_aside_now() noexcept {
  runner_of_this_cpu_thread->step_aside(true);
}

void meet_in_warp(const WarpCall& call) {
  runner_of_this_cpu_thread->meet_in_warp(call);
}

unsigned lanes_at_this_line(std::source_location where) {
  return runner_of_this_cpu_thread->lanes_at_this_line(where);
}

void refuse_width(const char* function, int width, std::source_location where) {
  runner_of_this_cpu_thread->refuse_width(function, width, where);
}

}  // namespace ladder::emulator
