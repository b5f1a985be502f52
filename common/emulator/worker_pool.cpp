// SPDX-License-Identifier: MIT
#include "common/emulator/worker_pool.hpp"

#include <time.h>

#include <algorithm>
#include <utility>

#include "common/emulator/faults.hpp"

namespace ladder::emulator {
namespace {

constexpr Seconds kPatience = Seconds(1.0);  ///< for a thread to come back to the kernel's own code

/// CPU time that a thread has used since it was started.
Seconds cpu_time_of(pthread_t thread) {
  clockid_t clock = {};
  timespec time = {};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

WorkerPool& WorkerPool::instance() {
  static WorkerPool* const pool = [] {
    install_fault_handlers();
    return new WorkerPool;
  }();
  return *pool;
}

GridStats WorkerPool::run(const GridPlan& plan, unsigned workers, Seconds limit, TraceJob* job) {
  const std::lock_guard one_grid(one_grid_);
  std::unique_lock lock(mutex_);
  if (!watched_) {
    std::thread([this] { watch(); }).detach();
    watched_ = true;
  }
  blocks_ = job == nullptr ? plan.blocks : job->count();
  job_ = job;
  const auto wanted = static_cast<unsigned>(std::min<std::uint64_t>(workers, blocks_));
  while (workers_.size() < wanted)
    add_worker();
  plan_ = &plan;
  limit_ = limit;
  wanted_ = busy_ = wanted;
  next_block_ = 0;
  first_failed_ = ~std::uint64_t{0};
  error_ = nullptr;
  stats_ = {.blocks = 0, .threads_per_block = plan.threads, .barriers_per_block = 0};
  ++grid_number_;
  work_comes_.notify_all();
  watch_wakes_.notify_one();
  work_ends_.wait(lock, [&] { return busy_ == 0; });
  plan_ = nullptr;
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
  return stats_;
}

void WorkerPool::add_worker() {
  auto worker = std::make_unique<Worker>();
  worker->number = static_cast<unsigned>(workers_.size());
  std::thread thread([this, target = worker.get()] { work(*target); });
  worker->thread = thread.native_handle();
  thread.detach();
  workers_.push_back(std::move(worker));
}

void WorkerPool::work(Worker& worker) {
  worker.runner.adopt_this_cpu_thread();
  install_signal_stack();
  std::uint64_t last_grid = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    work_comes_.wait(lock, [&] {
      return plan_ != nullptr && grid_number_ != last_grid && worker.number < wanted_;
    });
    last_grid = grid_number_;
    lock.unlock();
    run_blocks(worker);
    lock.lock();
    if (--busy_ == 0) work_ends_.notify_all();
  }
}

/// Takes block after block in the order of their numbers. Blocks below a failed one have all been
/// taken before it and run to their end, so the lowest failure is the same in every run.
void WorkerPool::run_blocks(Worker& worker) {
  std::uint64_t blocks = 0;
  std::uint64_t barriers = 0;
  std::uint64_t block = 0;
  BlockTracer* const tracer = job_ == nullptr ? nullptr : &worker.tracer;
  const auto extent = job_ == nullptr ? BlockRunner::Extent::kAll : job_->extent();
  try {
    const SharedMemory shared(*plan_);
    if (tracer != nullptr) job_->start(*tracer, shared);
    worker.runner.start_grid(*plan_, shared, tracer);
    for (;;) {
      const std::uint64_t next = next_block_.fetch_add(1);
      if (next >= blocks_) break;
      block = job_ == nullptr ? next : job_->block(next);
      if (block >= first_failed_) break;
      std::optional<KernelError> error = worker.runner.run_block(block, extent);
      if (error) {
        if (tracer != nullptr) job_->block_failed(*error, *tracer);
        report(block, std::make_exception_ptr(*std::move(error)));
        break;
      }
      if (tracer != nullptr) job_->block_ended(block, *tracer);
      ++blocks;
      barriers = std::max(barriers, worker.runner.barriers_passed());
    }
    if (tracer != nullptr) job_->end(*tracer);
  } catch (...) {
    report(block, std::current_exception());
  }
  if (tracer != nullptr) tracer->rest();
  const std::lock_guard lock(mutex_);
  stats_.blocks += blocks;
  stats_.barriers_per_block = std::max(stats_.barriers_per_block, barriers);
}

void WorkerPool::report(std::uint64_t block, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (error_ != nullptr && block >= first_failed_) return;
  first_failed_ = block;
  error_ = std::move(error);
}

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

void WorkerPool::watch_worker(Worker& worker) {
  const std::uint64_t progress = worker.runner.progress();
  const Seconds now = cpu_time_of(worker.thread);
  if (progress == 0 || progress != worker.seen_progress) {
    worker.seen_progress = progress;
    worker.seen_at = now;
    return;
  }
  const Seconds still_for = now - worker.seen_at;
  if (still_for < limit_) return;
  worker.runner.ask_to_stop(progress, still_for > limit_ + kPatience);
  pthread_kill(worker.thread, kHangSignal);
}

}  // namespace ladder::emulator
