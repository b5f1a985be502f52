// SPDX-License-Identifier: MIT
/// \file  emulator/cuda_headers/cooperative_groups.h
/// \brief CUDA's header of this name, for g++: the block, tiles of a warp, coalesced threads, the
///        grid of a cooperative launch, the cluster.
#pragma once

#include "emulator/words/async_functions.hpp"
#include "emulator/words/cuda_words.hpp"

#include <source_location>

namespace cooperative_groups {

using Here = std::source_location;

class thread_block {
 public:
  static void sync(Here here = Here::current()) { ladder::emulator::wait_at_barrier(false, here); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
};

inline thread_block this_thread_block() {
  return {};
}

/// `kSize` neighbouring lanes of a warp.
template <unsigned kSize, class Parent = thread_block>
class thread_block_tile {
  static_assert(kSize >= 1 && kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "the emulator has tiles of 1, 2, 4, 8, 16 or 32 lanes [not-emulated]");

 public:
  static void sync(Here here = Here::current()) { __syncwarp(mask(), here); }
  static unsigned thread_rank() { return ladder::emulator::lane_index() % kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  static constexpr unsigned size() { return kSize; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / kSize; }
  static unsigned meta_group_size() { return (thread_block::size() + kSize - 1) / kSize; }

  template <class T>
  static T shfl(T value, int source, Here here = Here::current()) {
    return __shfl_sync(mask(), value, source, kSize, here);
  }
  template <class T>
  static T shfl_up(T value, unsigned delta, Here here = Here::current()) {
    return __shfl_up_sync(mask(), value, delta, kSize, here);
  }
  template <class T>
  static T shfl_down(T value, unsigned delta, Here here = Here::current()) {
    return __shfl_down_sync(mask(), value, delta, kSize, here);
  }
  template <class T>
  static T shfl_xor(T value, int lanes, Here here = Here::current()) {
    return __shfl_xor_sync(mask(), value, lanes, kSize, here);
  }
  static int any(int predicate, Here here = Here::current()) {
    return __any_sync(mask(), predicate, here);
  }
  static int all(int predicate, Here here = Here::current()) {
    return __all_sync(mask(), predicate, here);
  }
  static unsigned ballot(int predicate, Here here = Here::current()) {
    return (__ballot_sync(mask(), predicate, here) & mask()) >> first();
  }

  /// The lanes of the warp that take part; not a word of CUDA.
  static unsigned mask() { return (kSize == 32 ? ~0u : (1u << kSize % 32) - 1) << first(); }

 private:
  static unsigned first() { return ladder::emulator::lane_index() / kSize * kSize; }
};

/// Some lanes of a warp, numbered from the lowest.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned mask) : mask_(mask) {}

  void sync(Here here = Here::current()) const { __syncwarp(mask_, here); }
  unsigned thread_rank() const { return numbered(1u << ladder::emulator::lane_index()) - 1; }
  unsigned num_threads() const { return static_cast<unsigned>(__popc(mask_)); }
  unsigned size() const { return num_threads(); }

  template <class T>
  T shfl(T value, int rank, Here here = Here::current()) const {
    return __shfl_sync(mask_, value, lane_of(static_cast<unsigned>(rank) % size()), 32, here);
  }
  /// A thread that has no such neighbour gets its own value.
  template <class T>
  T shfl_up(T value, unsigned delta, Here here = Here::current()) const {
    const unsigned rank = thread_rank();
    return shfl(value, static_cast<int>(rank < delta ? rank : rank - delta), here);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, Here here = Here::current()) const {
    const unsigned rank = thread_rank();
    return shfl(value, static_cast<int>(rank + delta < size() ? rank + delta : rank), here);
  }
  int any(int predicate, Here here = Here::current()) const {
    return __any_sync(mask_, predicate, here);
  }
  int all(int predicate, Here here = Here::current()) const {
    return __all_sync(mask_, predicate, here);
  }
  /// One bit for each thread, by its rank.
  unsigned ballot(int predicate, Here here = Here::current()) const {
    const unsigned lanes = __ballot_sync(mask_, predicate, here);
    unsigned ranks = 0;
    for (unsigned rank = 0; rank < size(); ++rank)
      ranks |= (lanes >> lane_of(rank) & 1u) << rank;
    return ranks;
  }

  /// The lanes of the warp that take part; not a word of CUDA.
  unsigned mask() const { return mask_; }

 private:
  /// Lanes of the group up to this one, which is a single bit.
  unsigned numbered(unsigned lane) const {
    return static_cast<unsigned>(__popc(mask_ & (lane | (lane - 1))));
  }
  int lane_of(unsigned rank) const {
    unsigned lanes = mask_;
    for (; rank > 0; --rank)
      lanes &= lanes - 1;
    return __builtin_ctz(lanes);
  }

  unsigned mask_;
};

/// The threads of the warp that have come here together.
inline coalesced_group coalesced_threads(Here here = Here::current()) {
  return coalesced_group(__activemask(here));
}

/// The threads of a tile or of coalesced threads that have the same label.
template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label, Here here = Here::current()) {
  return coalesced_group(__match_any_sync(group.mask(), label, here));
}
/// Those for which the predicate holds, and those for which it does not.
template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate, Here here = Here::current()) {
  const unsigned holds = __ballot_sync(group.mask(), predicate, here) & group.mask();
  return coalesced_group(predicate ? holds : group.mask() & ~holds);
}

template <unsigned kSize, class Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  return {};
}

/// Any of the groups above: all threads of the block, or some lanes of a warp.
class thread_group {
 public:
  thread_group(const thread_block&) {}
  thread_group(const coalesced_group& group) : lanes_(group.mask()) {}
  template <unsigned kSize, class Parent>
  thread_group(const thread_block_tile<kSize, Parent>& tile) : lanes_(tile.mask()) {}

  void sync(Here here = Here::current()) const {
    is_block() ? thread_block::sync(here) : __syncwarp(lanes_, here);
  }
  unsigned thread_rank() const {
    return is_block() ? thread_block::thread_rank() : coalesced_group(lanes_).thread_rank();
  }
  unsigned num_threads() const {
    return is_block() ? thread_block::num_threads() : coalesced_group(lanes_).num_threads();
  }
  unsigned size() const { return num_threads(); }

 private:
  bool is_block() const { return lanes_ == 0; }

  unsigned lanes_ = 0;
};

/// \param  size  of a tile: 1, 2, 4, 8, 16 or 32 lanes
inline thread_group tiled_partition(const thread_group&, unsigned size) {
  const unsigned first = ladder::emulator::lane_index() / size * size;
  return coalesced_group((size == 32 ? ~0u : (1u << size) - 1) << first);
}

template <class Group>
void sync(const Group& group, Here here = Here::current()) {
  group.sync(here);
}

/// All blocks of a cooperative launch.
class grid_group {
 public:
  /// Passes the barrier of its block, then that of the blocks, then that of its block again.
  static void sync(Here here = Here::current()) {
    thread_block::sync(here);
    if (thread_block::thread_rank() == 0) {
      __threadfence();
      ladder::emulator::wait_for_all_blocks(here);
      __threadfence();
    }
    thread_block::sync(here);
  }
  static bool is_valid() { return ladder::emulator::is_cooperative(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static dim3 block_index() { return blockIdx; }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
};

inline grid_group this_grid() {
  return {};
}

/// The blocks of a cluster.
class cluster_group {
 public:
  static void sync(Here here = Here::current()) { ladder::emulator::wait_at_cluster_barrier(here); }

  struct arrival_token {};
  /// Before the next arrival the thread has to wait.
  static arrival_token barrier_arrive(Here here = Here::current()) {
    ladder::emulator::arrive_at_cluster_barrier(here);
    return {};
  }
  static void barrier_wait(Here here = Here::current()) {
    ladder::emulator::wait_for_cluster(here);
  }
  static void barrier_wait(arrival_token&&, Here here = Here::current()) { barrier_wait(here); }

  static unsigned block_rank() { return ladder::emulator::cluster_rank(); }
  static dim3 dim_blocks() { return ladder::emulator::cluster_extents(); }
  static unsigned num_blocks() {
    const dim3 extents = dim_blocks();
    return extents.x * extents.y * extents.z;
  }
  static dim3 block_index() {
    const dim3 extents = dim_blocks();
    return {blockIdx.x % extents.x, blockIdx.y % extents.y, blockIdx.z % extents.z};
  }
  static unsigned thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static unsigned num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned size() { return num_threads(); }
  /// Where block `rank` has what this block has at `shared`.
  template <class T>
  static T* map_shared_rank(T* shared, unsigned rank, Here here = Here::current()) {
    return static_cast<T*>(ladder::emulator::shared_of_block(shared, rank, here));
  }
};

inline cluster_group this_cluster() {
  return {};
}

}  // namespace cooperative_groups
