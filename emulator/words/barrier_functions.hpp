// SPDX-License-Identifier: MIT
/// \file  emulator/words/barrier_functions.hpp
/// \brief Barriers of a block and memory fences.
///
/// The emulator is stricter than a GPU on purpose: all threads of a block must reach the same line.
/// Like GPUs from Volta on, it goes on without threads that have left the kernel; a trace tells.
#pragma once

#include <source_location>

namespace ladder::emulator {

/// How the threads of a block voted at a barrier.
struct BarrierVotes {
  unsigned yes;    ///< threads with a predicate that is not zero
  unsigned total;  ///< threads of the block that have not left
};

/// \brief  Waits until all threads of the block are here that have not left the kernel.
/// \param  where  line of the call; a mismatch ends the grid with KernelError
BarrierVotes wait_at_barrier(bool vote, std::source_location where);

/// Lets other threads of the block run every now and then, so that a loop that waits for one of
/// them ends. Everything that such a loop may contain calls it: atomics, fences, __nanosleep.
void step_aside() noexcept;

/// Lets the other threads of the block run now.
void step_aside_now() noexcept;

}  // namespace ladder::emulator

inline void __syncthreads(std::source_location where = std::source_location::current()) {
  ladder::emulator::wait_at_barrier(false, where);
}

inline int __syncthreads_count(int predicate,
                               std::source_location where = std::source_location::current()) {
  return static_cast<int>(ladder::emulator::wait_at_barrier(predicate != 0, where).yes);
}

inline int __syncthreads_and(int predicate,
                             std::source_location where = std::source_location::current()) {
  const auto votes = ladder::emulator::wait_at_barrier(predicate != 0, where);
  return votes.yes == votes.total;
}

inline int __syncthreads_or(int predicate,
                            std::source_location where = std::source_location::current()) {
  return ladder::emulator::wait_at_barrier(predicate != 0, where).yes != 0;
}

inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  ladder::emulator::step_aside();
}

/// A weaker order than above, by which a trace tells them apart.
inline void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
  ladder::emulator::step_aside();
}

inline void __threadfence_system() {
  __threadfence();
}

inline void __nanosleep(unsigned) {
  ladder::emulator::step_aside_now();
}
