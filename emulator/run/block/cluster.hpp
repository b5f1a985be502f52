// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/cluster.hpp
/// \brief Blocks that run at the same time, each on a CPU thread of its own.
#pragma once

#include <array>
#include <atomic>

#include "emulator/run/grid_plan.hpp"

namespace ladder::emulator {

class BlockRunner;

/// \brief What the blocks of one cluster know about each other. One of them runs at a time, and may
///        meanwhile do to the others what it likes.
class Cluster {
 public:
  static constexpr unsigned kMaxBlocks = 8;  ///< CUDA guarantees it on every GPU with clusters

  /// Gets ready for a cluster of `size` blocks, none of which has started.
  void start(unsigned size) noexcept {
    size_ = size;
    arrived_ = 0;
    for (auto& left : left_)
      left = false;
    failed_ = false;
  }

  /// \brief  All threads of one block have come to the barrier.
  /// \return the phase that ends when all blocks have come
  unsigned arrive() noexcept {
    const unsigned phase = phase_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++phase_;
    }
    return phase;
  }
  unsigned phase() const noexcept { return phase_; }

  void leave(unsigned rank) noexcept { left_[rank] = true; }
  /// A block has failed: what the others do from now on says nothing about the kernel.
  void fail() noexcept { failed_ = true; }
  bool has_failed() const noexcept { return failed_; }
  bool has_left(unsigned rank) const noexcept { return left_[rank]; }

  void set_block(unsigned rank, BlockRunner& block) noexcept { blocks_[rank] = &block; }
  BlockRunner& block(unsigned rank) const noexcept { return *blocks_[rank]; }

  void set_shared(unsigned rank, const SharedMemory& shared) { shared_[rank] = shared; }
  const SharedMemory& shared(unsigned rank) const { return shared_[rank]; }
  unsigned size() const noexcept { return size_; }

 private:
  unsigned size_ = 1;
  std::atomic<unsigned> arrived_ = 0;
  std::atomic<unsigned> phase_ = 0;
  std::array<std::atomic<bool>, kMaxBlocks> left_ = {};
  std::atomic<bool> failed_ = false;
  std::array<SharedMemory, kMaxBlocks> shared_;
  std::array<BlockRunner*, kMaxBlocks> blocks_ = {};
};

}  // namespace ladder::emulator
