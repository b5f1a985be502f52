// SPDX-License-Identifier: MIT
/// \file  emulator/run/worker_pool.hpp
/// \brief The CPU threads that run blocks.
///
/// A block runs on one CPU thread. When it waits for another block, its CPU thread puts it aside
/// and starts the next block of the grid, or waits for the other CPU threads. The blocks of a
/// cluster run at the same time, each on a CPU thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "emulator/run/block/block_queue.hpp"
#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/block/cluster.hpp"
#include "emulator/run/grid_plan.hpp"
#include "emulator/run/room.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/waits/hang_watch.hpp"

namespace ladder::emulator {

/// \brief CPU threads that wait for grids. They are started when first needed and live as long as
///        the process: a thread that a signal tore out of a kernel is never unwound.
class WorkerPool {
 public:
  /// The only pool.
  static WorkerPool& instance();

  /// \brief  Runs all blocks of a grid on up to `workers` CPU threads, more if a cluster has
  ///         more blocks. One grid at a time; other callers wait. Not after fork(): the CPU threads
  ///         stay with the parent.
  /// \param  limit     see set_hang_limit()
  /// \param  observer  null: all blocks run unobserved. Of a cluster, it must choose all blocks
  /// \return what ran. If only first slices are wanted and a block waits for another one, the grid
  ///         ends: blocks_waited says so
  /// \throws KernelError  of the lowest block that failed
  GridStats run(const GridPlan& plan, unsigned workers, Seconds limit,
                GridObserver* observer = nullptr);

 private:
  /// The CPU threads that run the blocks of one cluster after the other.
  struct Gang {
    Cluster cluster;
    std::mutex one_runs;                 ///< held while one of the blocks runs
    unsigned resting = 0;                ///< CPU threads of it that wait for the others
    std::uint64_t turn = 0;              ///< clusters begun
    std::optional<std::uint64_t> first;  ///< of the cluster that runs; none: all are done
  };

  WorkerPool() = default;
  void start_workers(unsigned wanted);
  std::vector<HangWatch::Target> targets() const;
  void work(Worker& worker);
  void run_blocks(Worker& worker);
  void run_single_blocks(Worker& worker);
  void run_clusters(Worker& worker);
  void run_in_turn(Gang& gang, Worker& worker, Room& room, std::optional<std::uint64_t> block);
  Room* next_room(Worker& worker);
  Room* start_room(Worker& worker);
  void run_room(Worker& worker, Room& room, std::optional<std::uint64_t> block);
  void end_block(Worker& worker, Room& room);
  void abandon_rooms(Worker& worker, std::uint64_t from);
  void end_grid(Worker& worker);
  std::optional<std::uint64_t> next_cluster(Gang& gang);

  bool wait_for_others(Worker& worker);
  bool anybody_may_go_on() const;
  void report_hang();
  void report(std::uint64_t block, std::exception_ptr error);

  std::mutex one_grid_;
  std::mutex mutex_;
  std::condition_variable work_comes_;
  std::condition_variable work_ends_;
  std::condition_variable others_move_;  ///< a CPU thread did what another's block may wait for
  std::vector<std::unique_ptr<Worker>> workers_;
  HangWatch watch_;

  // The grid that runs.
  const GridPlan* plan_ = nullptr;
  GridObserver* observer_ = nullptr;
  BlockQueue queue_;
  std::uint64_t grid_number_ = 0;  ///< tells a waiting worker that there is a new one
  unsigned wanted_ = 0;            ///< workers 0 to wanted_-1 take part
  unsigned busy_ = 0;              ///< workers that have not come back yet
  unsigned stuck_ = 0;             ///< busy ones that wait: none of their blocks can go on
  unsigned resting_ = 0;           ///< busy ones that wait for the others of their gang
  bool given_up_ = false;          ///< no block can go on anymore
  std::vector<std::unique_ptr<Gang>> gangs_;
  std::atomic<std::uint64_t> parked_ = 0;  ///< blocks that wait or spin
  std::exception_ptr error_;
  GridStats stats_;
};

}  // namespace ladder::emulator
