// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/hang_report.hpp
/// \brief The report when no thread can go on: every group of threads, where it waits, and what is
///        missing.
#pragma once

#include <vector>

#include "emulator/run/block/block_threads.hpp"
#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// \brief Threads of a block that do the same.
/// \param numbers  ascending, at least one
ThreadGroup threads_that_wait(const BlockThreads& threads, std::vector<unsigned> numbers,
                              WaitKind wait);

/// \brief The threads of a block that wait, in groups.
/// \param at_barrier  how many wait at __syncthreads()
std::vector<ThreadGroup> waiters_of(const BlockThreads& threads, unsigned at_barrier);

/// Notes the line of the kernel's return in front of a barrier that threads missed, if it has one.
void add_return_line(const void* kernel, Fault& fault);

/// The place of a hang is that of the first thread of the first group.
void take_place_of_first(Fault& fault);

}  // namespace ladder::emulator
