// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/block_observer.hpp
/// \brief An observer of blocks, such as a trace: what it is told, and what it may choose.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <string>

#include "emulator/run/grid_plan.hpp"
#include "emulator/run/kernel_error.hpp"
#include "emulator/words/tensor_map.hpp"

namespace ladder::emulator {

/// How much of a block runs.
enum class Extent { kAll, kFirstSlice };

/// A lane asks for the value of one that takes no part.
struct UndefinedShuffle {
  const char* function;  ///< "__shfl_sync"
  std::source_location where;
  unsigned mask;    ///< that the call named
  unsigned source;  ///< the lane that is asked
  bool exists;      ///< in a block whose last warp is not full it may not
  bool has_left;    ///< the kernel
};

/// \brief Learns what the threads of a block do, on the CPU thread that runs them. One block after
///        the other; `thread` and `warp` are numbers within the block.
class BlockObserver {
 public:
  virtual ~BlockObserver() = default;

  virtual void start_block(std::uint64_t block) = 0;
  virtual void enter(unsigned thread) noexcept = 0;  ///< this thread runs from now on
  virtual void leave(unsigned thread) noexcept = 0;  ///< and now it does not
  virtual void look_at(unsigned warp) = 0;           ///< all its threads wait or have left
  /// Threads that waited to be looked at go on; see BlockScheduler::wait_to_be_looked_at().
  virtual void go_on(unsigned warp) = 0;
  /// All warps go on behind a barrier.
  virtual void pass_barrier() = 0;
  /// A thread has done what CUDA forbids, and the block goes on.
  virtual void report(unsigned thread, Fault fault) = 0;
  /// Its lanes met in __syncwarp, or at a barrier of some warps or of the cluster.
  virtual void meet(unsigned warp) = 0;
  /// Some of its lanes met in __syncwarp.
  virtual void meet_lanes(unsigned warp, std::uint32_t lanes) = 0;
  /// Its lanes exchanged registers in another warp function, which puts no accesses in order.
  virtual void exchange(unsigned warp) = 0;
  /// These lanes are about to get each other's values, of at most 8 bytes each.
  virtual void give_values(unsigned warp, std::uint32_t lanes) = 0;
  /// A shuffle that is undefined gives `thread` a value all the same.
  /// \return what to fill each half of its 32-bit words with: a NaN of any floating-point type
  virtual std::uint16_t give_undefined(unsigned thread, const UndefinedShuffle& shuffle) = 0;
  virtual void end_block() = 0;  ///< also after a failure
  /// \brief Has a thread accessed, since the last call, what none had accessed before? Before the
  ///        first call and before the last barrier do not count.
  virtual bool has_news() = 0;
  /// Whether what the block has done so far is a first slice.
  virtual bool has_slice() const = 0;

  // -- Copies, and barriers of some warps; `thread` is the one that runs ------------------------
  /// cp.async; may wait to be looked at, so that other threads run.
  virtual void copy_started(unsigned thread, void* shared, const void* global, unsigned bytes,
                            unsigned source_bytes, std::source_location where) = 0;
  /// The thread's wait has passed; may wait to be looked at.
  virtual void copy_landed(void* shared, unsigned bytes) = 0;
  /// The tensor memory accelerator has got a request to load a box.
  virtual void box_requested(unsigned thread, const ptx::TensorMap& map, int row, int column,
                             std::source_location where) = 0;
  /// \brief It goes to a block, by its addresses.
  /// \param target  of that block: this one or another one of the cluster
  virtual void box_started(unsigned thread, BlockObserver& target, void* shared,
                           const ptx::TensorMap& map, int row, int column, const void* barrier,
                           std::source_location where) = 0;
  /// Just before the bytes count on the barrier.
  virtual void box_landed(void* shared, unsigned bytes, const void* barrier) = 0;
  /// \brief It has got a request to store a box.
  /// \param pieces  addresses of the 16 bytes in shared memory that it reads
  /// \param data    of the box, row by row, as it is now
  virtual void box_store_started(unsigned thread, std::span<const std::uintptr_t> pieces,
                                 const ptx::TensorMap& map, int row, int column,
                                 std::span<const std::byte> data, std::source_location where) = 0;
  /// The thread has waited until they were read.
  virtual void box_store_read(unsigned thread, std::span<const std::uintptr_t> pieces,
                              std::source_location where) = 0;
  /// \brief A warp has started a product on the tensor cores.
  /// \param thread  its first
  /// \param pieces  addresses of the 16 bytes in shared memory that the tensor cores read for it;
  ///                none if its factors are in registers
  virtual void product_started(unsigned thread, std::span<const std::uintptr_t> pieces,
                               std::source_location where) = 0;
  /// \brief The tensor cores have read them.
  /// \param thread  the first of a warp of the same warpgroup, which has waited
  /// \param number  of the product in its warp, from 1 on
  virtual void product_ended(unsigned thread, unsigned number,
                             std::span<const std::uintptr_t> pieces,
                             std::source_location where) = 0;
  /// A warp has waited for its products up to this number.
  virtual void products_awaited(unsigned warp, unsigned number) = 0;
  /// All threads of the block have come to the cluster's barrier, and later all go on.
  virtual void arrive_at_cluster_barrier() = 0;
  virtual void pass_cluster_barrier() = 0;
  /// The running thread has passed the barrier of all blocks of a cooperative launch, for all
  /// threads of its block.
  virtual void pass_grid_barrier() = 0;
  /// The running thread has waited for the kernel before.
  virtual void previous_kernel_awaited(unsigned thread) = 0;
  /// Stored a flag.
  virtual void released(unsigned thread, const void* object) = 0;
  /// Arrived at an mbarrier, a named or a cluster barrier.
  virtual void arrived(unsigned thread, const void* object) = 0;
  /// Arrived at an mbarrier of another block of the cluster, which `target` observes.
  virtual void arrived_elsewhere(unsigned thread, BlockObserver& target, const void* object) = 0;
  /// Everything that the barrier's phase needs has arrived.
  virtual void completed(const void* object) = 0;
  /// With it, everything that arrived at `theirs`, a barrier of another block that `other`
  /// observes.
  virtual void completed_elsewhere(const BlockObserver& other, const void* theirs,
                                   const void* object) = 0;
  /// A wait for the object has passed.
  virtual void acquired(unsigned thread, const void* object) = 0;
  /// fence.proxy.async
  virtual void fenced_for_copies(unsigned thread) = 0;
  /// \brief  The thread does what others rely on only if something puts it first.
  /// \return its number
  virtual std::uint32_t take_step(unsigned thread) = 0;
  /// Does what the thread does now come after this step of `other` on a GPU, too?
  virtual bool knows_step(unsigned thread, unsigned other, std::uint32_t number) const = 0;

  // -- What became of the block, and the end ---------------------------------------------------
  virtual void block_ended(std::uint64_t block) = 0;
  virtual void block_failed(const KernelError& error) = 0;
  /// No more blocks of this grid; the observer is not used anymore.
  virtual void end_grid() = 0;
};

/// \brief Chooses which blocks of a grid run and how much of them, and has them observed. Called
///        from the CPU threads that run the blocks.
class GridObserver {
 public:
  virtual ~GridObserver() = default;
  virtual std::uint64_t count() const = 0;
  virtual std::uint64_t block(std::uint64_t i) const = 0;  ///< number of the i-th; ascending
  virtual Extent extent() const = 0;
  /// \brief  An observer for blocks of the calling CPU thread, whose shared memory is `shared`: one
  ///         for each block that has begun and not ended. In use until its end_grid().
  virtual BlockObserver& observe(const SharedMemory& shared) = 0;
};

}  // namespace ladder::emulator
