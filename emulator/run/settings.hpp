// SPDX-License-Identifier: MIT
/// \file  emulator/run/settings.hpp
/// \brief What a host program can set and ask. Uses none of CUDA's types.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/run/multiprocessors.hpp"

namespace ladder::emulator {

using Seconds = std::chrono::duration<double>;

/// \brief  Sets how much CPU time a block may use without one of its threads finishing or all of
///         them passing a barrier.
/// \param  limit  > 0, fractions too; the default is 10 s, or the environment's LADDER_HANG_SECONDS
/// \throws std::invalid_argument  limit is not a positive number
void set_hang_limit(Seconds limit);

/// The current limit.
Seconds hang_limit();

/// \brief  Sets how many CPU threads run blocks side by side.
/// \param  count  1 to 24 (each holds the stacks of 1024 CUDA threads with a guard page each, and
///                Linux allows a process 65,530 memory mappings); the default is one per CPU, or
///                the environment's LADDER_CPU_THREADS
/// \throws std::invalid_argument  count is out of range
void set_cpu_threads(unsigned count);

/// How many CPU threads run blocks side by side.
unsigned cpu_threads();

/// As long as it lives, the emulated GPU has so many SMs; then as many as before.
class ScopedMultiprocessors {
 public:
  /// \throws std::invalid_argument  as set_multiprocessors() does
  explicit ScopedMultiprocessors(int count) { set_multiprocessors(count); }
  ~ScopedMultiprocessors() { set_multiprocessors(before_); }
  ScopedMultiprocessors(const ScopedMultiprocessors&) = delete;
  ScopedMultiprocessors& operator=(const ScopedMultiprocessors&) = delete;

 private:
  int before_ = multiprocessors();
};

/// As long as it lives, a block of the emulated GPU gets at most so much dynamic shared memory.
class ScopedSharedBytes {
 public:
  /// \throws std::invalid_argument  as set_shared_bytes_per_block() does
  explicit ScopedSharedBytes(int bytes) { set_shared_bytes_per_block(bytes); }
  ~ScopedSharedBytes() { set_shared_bytes_per_block(before_); }
  ScopedSharedBytes(const ScopedSharedBytes&) = delete;
  ScopedSharedBytes& operator=(const ScopedSharedBytes&) = delete;

 private:
  int before_ = shared_bytes_per_block();
};

/// When a copy that a kernel does not wait for brings its bytes. A kernel is right if it computes
/// the same in both ways.
enum class CopyArrival {
  kLate,   ///< when a thread waits for it: a thread that reads too early finds NaN
  kEarly,  ///< at once: a thread that still reads the old bytes finds the new ones
};

/// The default is kLate, or the environment's LADDER_COPY_ARRIVAL: late or early.
void set_copy_arrival(CopyArrival arrival);

/// When copies arrive.
CopyArrival copy_arrival();

/// In which order the blocks of a cooperative launch start. All of them run at the same
/// time, so a correct kernel computes the same in either order.
enum class BlockOrder {
  kAscending,   ///< block 0 first
  kDescending,  ///< block 0 last: blocks that wait for lower ones really have to
};

/// The default is kAscending, or the environment's LADDER_BLOCK_ORDER: ascending or descending.
void set_block_order(BlockOrder order);

/// In which order blocks start.
BlockOrder block_order();

/// \brief Who goes on when a thread of a block waits. A kernel is right if it computes the same in
///        both orders.
enum class ThreadTurns {
  kWarpByWarp,  ///< the next thread that can: the lanes of a warp are never far apart
  kLaneByLane,  ///< the lowest lane of any warp that can: one runs ahead as far as nobody stops it
};

/// The default is kWarpByWarp, or the environment's LADDER_THREAD_TURNS: warps or lanes.
void set_thread_turns(ThreadTurns turns);

/// Who goes on.
ThreadTurns thread_turns();

/// What a grid did.
struct GridStats {
  std::uint64_t blocks = 0;  ///< blocks that ran to their end
  std::uint64_t threads_per_block = 0;
  std::uint64_t barriers_per_block = 0;  ///< block-wide barriers passed, the largest of all blocks
  bool blocks_waited = false;            ///< for each other
  bool launches_dependents = false;      ///< the next kernel may start before this one ends
  /// No block that waits for the kernel before does so until it has let the next one start: that
  /// one may start while the kernel before still runs.
  bool launches_before_waiting = false;
};

/// \brief  The last grid that the calling host thread ran. Of one that failed, blocks is 0.
GridStats last_run();

/// A launch that was noted and not executed.
struct NotedLaunch {
  const void* kernel;  ///< its address
  std::array<unsigned, 3> grid;
  std::array<unsigned, 3> block;
  unsigned cluster;  ///< blocks along x that run together
  bool cooperative;
  std::size_t static_shared_bytes;
  std::size_t dynamic_shared_bytes;
};

/// \brief  What a host function launches. Nothing runs, so its arrays need no contents.
/// \throws KernelError  a launch is beyond CUDA's limits
std::vector<NotedLaunch> noted_launches(const std::function<void()>& launch);

/// \return address of the last kernel that launch() starts, as in noted_launches(); null if it
///         starts none
const void* launched_kernel(const std::function<void()>& launch);

}  // namespace ladder::emulator
