// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/hang_report.hpp
/// \brief The report when no thread can go on: every group of threads, where it waits, and what is
///        missing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emulator/run/block/block_threads.hpp"
#include "emulator/run/kernel_error.hpp"

namespace ladder::emulator {

/// "12 of 64 threads are here"
std::string threads_here(unsigned arrived, unsigned of);

/// \brief  Threads of a block and what they do: "warps 2 and 3 (threads 64-127) wait", "thread 5
///         waits".
/// \param  verb  what one does, and what several do
std::string threads_that(const BlockThreads& threads, const ThreadSet& set,
                         const std::pair<std::string, std::string>& verb);

/// \brief  The threads of a block that wait, in groups.
/// \param  at_barrier  those that wait at __syncthreads()
std::vector<KernelWaiters> waiters_of(const BlockThreads& threads, unsigned at_barrier);

/// \brief "; see the return in line 40" if the kernel has one in front of a barrier that threads
///        missed; otherwise empty.
std::string return_note(const void* kernel, const std::string& file, unsigned line);

/// Where the first thread of the first group is.
KernelError::Place place_of(const std::vector<KernelWaiters>& waiters, const GridPlan& plan);

}  // namespace ladder::emulator
