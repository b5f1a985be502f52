// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/block_hangs.cpp
/// \brief WorkerPool's blocks that cannot go on: those that wait for other CPU threads, and those
///        that run and get nowhere.
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <string>

#include "common/emulator/run/faults.hpp"
#include "common/emulator/run/worker_pool.hpp"

namespace ladder::emulator {
namespace {

constexpr Seconds kPatience = Seconds(1.0);  ///< for a thread to come back to the kernel's own code
constexpr auto kLookAgain = std::chrono::microseconds(100);
constexpr int kLooksBeforeSleep = 100;

/// CPU time that a thread has used since it was started.
Seconds cpu_time_of(pthread_t thread) {
  clockid_t clock = {};
  timespec time = {};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

// -- Blocks that wait for others -----------------------------------------------------------------

/// Waits until a block of the worker may go on, or another may start. False: nobody can go on.
bool WorkerPool::wait_for_others(Worker& worker) {
  for (int look = 0; look < kLooksBeforeSleep; ++look) {
    if (worker.room_that_may_go_on() != nullptr) return true;
    sched_yield();
  }
  std::unique_lock lock(mutex_);
  ++stuck_;
  const auto may_start_one = [&] {
    return plan_->cluster == 1 && resident_ < plan_->resident && may_start() &&
           FiberStacks::has_room_for(plan_->threads);
  };
  while (!given_up_ && worker.room_that_may_go_on() == nullptr && !may_start_one()) {
    if (stuck_ + resting_ == busy_ && !anybody_may_go_on()) {
      report_hang();
      given_up_ = true;
      others_move_.notify_all();
    } else {
      others_move_.wait_for(lock, kLookAgain);
    }
  }
  --stuck_;
  return !given_up_;
}

/// All CPU threads are stuck or rest: can any of their blocks go on, if only to poll a flag for
/// longer?
bool WorkerPool::anybody_may_go_on() const {
  bool anybody = false;
  for (unsigned i = 0; i < wanted_; ++i) {
    for (const auto& room : workers_[i]->rooms)
      anybody = room->may_go_on() || anybody;
  }
  if (anybody) return true;
  for (unsigned i = 0; i < wanted_; ++i) {
    for (const auto& room : workers_[i]->rooms)
      anybody = (!room->is_free() && room->runner.extend_patience()) || anybody;
  }
  return anybody;
}

/// Names all threads of all blocks that wait, unless a failure is known that explains it.
void WorkerPool::report_hang() {
  if (error_ != nullptr) return;
  std::vector<const Room*> waiting;
  for (unsigned i = 0; i < wanted_; ++i) {
    for (const auto& room : workers_[i]->rooms) {
      if (!room->is_free()) waiting.push_back(room.get());
    }
  }
  std::ranges::sort(waiting, {}, [](const Room* room) { return room->runner.block(); });
  std::vector<KernelWaiters> waiters;
  for (const Room* room : waiting) {
    for (KernelWaiters& group : room->runner.waiters())
      waiters.push_back(std::move(group));
  }
  std::string remark;
  if (const std::uint64_t begun = next_block_; begun < blocks_) {
    remark = "; blocks that have not started, because those that wait fill the GPU: " +
             std::to_string(blocks_ - begun);
  }
  const BlockRunner& first = waiting.front()->runner;
  KernelError error(std::move(waiters), remark, first.place_of(first.waiters()));
  if (job_ != nullptr) job_->block_failed(error, waiting.front()->tracer);
  first_failed_ = first.block();
  error_ = std::make_exception_ptr(std::move(error));
}

// -- Blocks that run -----------------------------------------------------------------------------

/// Looks at the workers every now and then. A worker's time is the CPU time that it got: neither a
/// busy computer nor a debugger makes a kernel seem to hang.
void WorkerPool::watch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    watch_wakes_.wait(lock, [&] { return plan_ != nullptr; });
    const Seconds tick = std::clamp(limit_ / 8, Seconds(0.001), Seconds(0.1));
    watch_wakes_.wait_for(lock, tick, [] { return false; });
    if (plan_ == nullptr) continue;
    for (unsigned i = 0; i < wanted_; ++i)
      watch_worker(*workers_[i]);
  }
}

/// A worker whose blocks spin may wait for the others: their progress counts as its own.
void WorkerPool::watch_worker(Worker& worker) {
  const std::uint64_t progress = worker.watched.progress();
  std::uint64_t seen = progress;
  for (unsigned i = 0; worker.watched.is_spinning() && i < wanted_; ++i)
    seen += workers_[i]->watched.progress();
  const Seconds now = cpu_time_of(worker.thread);
  if (progress == 0 || seen != worker.seen_progress) {
    worker.seen_progress = seen;
    worker.seen_at = now;
    return;
  }
  const Seconds still_for = now - worker.seen_at;
  if (still_for < limit_) return;
  worker.watched.ask_to_stop(progress, still_for > limit_ + kPatience);
  pthread_kill(worker.thread, kHangSignal);
}

}  // namespace ladder::emulator
