// SPDX-License-Identifier: MIT
/// \file  common/emulator/worker_pool.hpp
/// \brief The CPU threads that run blocks, and the watch over them.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/emulator/block_runner.hpp"
#include "common/emulator/grid_plan.hpp"
#include "common/emulator/settings.hpp"

namespace ladder::emulator {

/// \brief What a trace wants of a run: which blocks, how much of them, and what becomes of what the
///        tracers saw. Called from the CPU threads that run the blocks.
class TraceJob {
 public:
  virtual ~TraceJob() = default;
  virtual std::uint64_t count() const = 0;
  virtual std::uint64_t block(std::uint64_t i) const = 0;  ///< number of the i-th; ascending
  virtual BlockRunner::Extent extent() const = 0;
  virtual void start(BlockTracer& tracer, const SharedMemory& shared) = 0;
  virtual void block_ended(std::uint64_t block, BlockTracer& tracer) = 0;
  virtual void block_failed(const KernelError& error, const BlockTracer& tracer) = 0;
  virtual void end(BlockTracer& tracer) = 0;
};

/// \brief CPU threads that wait for grids. They are started when first needed and live as long as
///        the process: a thread that a signal tore out of a kernel is never unwound.
class WorkerPool {
 public:
  /// The only one.
  static WorkerPool& instance();

  /// \brief  Runs all blocks of a grid on up to `workers` CPU threads. One grid at a time; other
  ///         callers wait. Not after fork(): the CPU threads stay with the parent.
  /// \param  limit  see set_hang_limit()
  /// \param  job    traces the blocks; null: all blocks run untraced
  /// \throws KernelError  of the lowest block that failed
  GridStats run(const GridPlan& plan, unsigned workers, Seconds limit, TraceJob* job = nullptr);

 private:
  struct Worker {
    BlockRunner runner;
    BlockTracer tracer;
    pthread_t thread = {};
    unsigned number = 0;
    std::uint64_t seen_progress = 0;  ///< what the watch saw last
    Seconds seen_at = {};             ///< and the CPU time of the worker then
  };

  WorkerPool() = default;
  void add_worker();
  void work(Worker& worker);
  void run_blocks(Worker& worker);
  void watch();
  void watch_worker(Worker& worker);
  void report(std::uint64_t block, std::exception_ptr error);

  std::mutex one_grid_;
  std::mutex mutex_;
  std::condition_variable work_comes_;
  std::condition_variable work_ends_;
  std::condition_variable watch_wakes_;
  std::vector<std::unique_ptr<Worker>> workers_;
  bool watched_ = false;

  // The grid that runs.
  const GridPlan* plan_ = nullptr;
  TraceJob* job_ = nullptr;
  std::uint64_t blocks_ = 0;  ///< that are to run
  Seconds limit_ = {};
  std::uint64_t grid_number_ = 0;  ///< tells a waiting worker that there is a new one
  unsigned wanted_ = 0;            ///< workers 0 to wanted_-1 take part
  unsigned busy_ = 0;              ///< and have not come back yet
  std::atomic<std::uint64_t> next_block_ = 0;
  std::atomic<std::uint64_t> first_failed_ = ~std::uint64_t{0};
  std::exception_ptr error_;
  GridStats stats_;
};

}  // namespace ladder::emulator
