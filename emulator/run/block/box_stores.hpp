// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/box_stores.hpp
/// \brief The tensor memory accelerator: boxes that it copies from shared memory to a matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <source_location>
#include <vector>

#include "emulator/run/block/shared_checks.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/words/tensor_map.hpp"

namespace ladder::emulator {

/// \brief The stores that the threads of a block have started. A late one reads shared memory when
///        its thread waits for that, which reveals a box that is overwritten too early, and writes
///        the matrix when its thread waits for that or the block ends, which reveals who reads it
///        too early. An early one does both at once, which reveals a box that is not complete.
class BoxStores {
 public:
  BoxStores(BlockScheduler& scheduler, SharedChecks& shared)
      : scheduler_(scheduler), shared_(shared) {}

  void start_grid(CopyArrival arrival) { arrival_ = arrival; }
  void start_block() { queues_.clear(); }

  void start(const ptx::TensorMap& map, int row, int column, const void* shared,
             std::source_location where);
  /// The running thread's stores since it last committed become a group.
  void commit();
  /// \brief  Waits for all groups of the running thread but the newest.
  /// \param  only_read  until they have read shared memory
  void wait(unsigned newest, bool only_read);

  /// All threads have left: somebody must have waited until shared memory was read.
  void check_at_end();

 private:
  struct Store {
    ptx::TensorMap map;
    int row;
    int column;
    const void* shared;
    std::source_location where;
    std::vector<std::byte> data;         ///< row by row, once it is read
    std::vector<std::uintptr_t> pieces;  ///< that it reads, for an observer
    bool is_awaited = false;             ///< until it has read shared memory
    bool is_written = false;
  };
  /// Of a thread.
  struct Queue {
    std::deque<Store> stores;        ///< oldest first
    std::deque<std::size_t> groups;  ///< stores of each
    std::size_t uncommitted = 0;
  };

  void finish_reading(unsigned thread, Store& store);
  static void write(Store& store);
  static void drop_written(Queue& queue);

  BlockScheduler& scheduler_;
  SharedChecks& shared_;
  CopyArrival arrival_ = CopyArrival::kLate;
  std::map<unsigned, Queue> queues_;  ///< by thread
};

}  // namespace ladder::emulator
