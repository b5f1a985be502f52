// SPDX-License-Identifier: MIT
/// \file  emulator/run/grid_plan.hpp
/// \brief What all blocks of a grid have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/run/debug_info/shared_object.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/run/launch.hpp"
#include "emulator/words/thread_context.hpp"

namespace ladder::emulator {

/// An index as reports write it.
constexpr Index array_of(uint3 index) {
  return {index.x, index.y, index.z};
}

/// A launch that CUDA's limits allow, with its extents in the forms that running it needs.
struct GridPlan {
  dim3 grid;
  dim3 block;
  unsigned threads;  ///< per block
  std::uint64_t blocks;
  std::size_t dynamic_shared_bytes;
  std::size_t static_shared_bytes;  ///< of `__shared__` arrays of fixed size
  dim3 cluster_extents;
  unsigned cluster;        ///< blocks with neighbouring numbers that run together
  bool cooperative;        ///< all blocks run together
  bool overlaps_previous;  ///< it may start while the kernel before still runs
  std::uint64_t resident;  ///< blocks that a GPU with multiprocessors() runs at the same time
  const void* kernel;      ///< address of the kernel
  ThreadProgram program;
  CodeRanges code;  ///< of the library that the kernel is in
  /// A cooperative grid's: how often each block has come to the GridBarrier, and how often all
  /// have.
  std::unique_ptr<unsigned[]> turns;

  /// \throws KernelError  the launch is beyond CUDA's limits
  GridPlan(const GridLaunch& launch, const ThreadProgram& program);

  /// blockIdx of a block; blocks are numbered along x, then y, then z: the clusters, and the blocks
  /// of each.
  uint3 block_index(std::uint64_t number) const;

  /// threadIdx of a thread; threads are numbered along x, then y, then z.
  uint3 thread_index(unsigned number) const;
};

/// \brief One CPU thread's copy of the shared memory of all kernels of a library.
struct SharedMemory {
  std::span<std::byte> arrays;   ///< all of it, including dynamic shared memory
  std::span<std::byte> dynamic;  ///< as much as CUDA allows a block

  SharedMemory() = default;

  /// The calling CPU thread's shared memory for the plan's library.
  explicit SharedMemory(const GridPlan& plan);

  /// Whether all of these bytes belong to a block with this much dynamic shared memory.
  bool holds(const std::byte* begin, std::size_t bytes, std::size_t dynamic_bytes) const {
    const std::byte* const end = begin + bytes;
    const std::byte* const arrays_end = arrays.data() + arrays.size();
    if (begin < arrays.data() || end > arrays_end) return false;
    return end <= dynamic.data() + dynamic_bytes || begin >= dynamic.data() + dynamic.size();
  }

  /// Fills the arrays and the first `dynamic_bytes` of dynamic shared memory with 0xFF.
  void poison(std::size_t dynamic_bytes) const;

  /// Copies the same bytes aside, and back.
  void save(std::size_t dynamic_bytes, std::vector<std::byte>& copy) const;
  void restore(std::size_t dynamic_bytes, const std::vector<std::byte>& copy) const;

 private:
  std::array<std::span<std::byte>, 2> parts(std::size_t dynamic_bytes) const;
};

}  // namespace ladder::emulator
