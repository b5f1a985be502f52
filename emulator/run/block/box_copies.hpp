// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/box_copies.hpp
/// \brief The tensor memory accelerator: boxes of a matrix that it copies into shared memory.
#pragma once

#include <cstddef>
#include <deque>
#include <source_location>
#include <vector>

#include "emulator/run/block/shared_checks.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/waits/mbarriers.hpp"
#include "emulator/words/tensor_map.hpp"

namespace ladder::emulator {

/// \brief The boxes that are in flight to a block. Each counts on an mbarrier there.
class BoxCopies {
 public:
  BoxCopies(BlockScheduler& scheduler, SharedChecks& shared, Mbarriers& mbarriers,
            ClusterMember& cluster)
      : scheduler_(scheduler), shared_(shared), mbarriers_(mbarriers), cluster_(cluster) {}

  void start_grid(CopyArrival arrival) { arrival_ = arrival; }
  void start_block() { boxes_.clear(); }

  /// For this block alone.
  void start(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
             std::source_location where);
  /// \param blocks  bit i: for the block of rank i
  void start_multicast(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                       unsigned blocks, std::source_location where);

  /// The oldest arrives. False if none is in flight.
  bool land_oldest();

  /// All threads have left: a copy in flight would write into the next block's memory.
  void check_at_end();

 private:
  struct Box {
    void* shared;
    void* barrier;
    std::vector<std::byte> data;  ///< what arrives
    SwizzleNumber swizzle;
    Actor actor;  ///< the thread that started it
  };

  void require_targets(void* barrier, unsigned blocks, std::source_location where);
  void expect(Box box);
  void land(Box box);
  std::vector<std::byte> take_memory();

  BlockScheduler& scheduler_;
  SharedChecks& shared_;
  Mbarriers& mbarriers_;
  ClusterMember& cluster_;
  CopyArrival arrival_ = CopyArrival::kLate;
  std::deque<Box> boxes_;                      ///< oldest first
  std::vector<std::vector<std::byte>> spare_;  ///< memory for boxes to come
};

}  // namespace ladder::emulator
