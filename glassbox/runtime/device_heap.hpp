// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/device_heap.hpp
/// \brief The memory that kernels take with malloc() and new.
#pragma once

#include <cstddef>

#include "emulator/trace/trace.hpp"

namespace ladder::glassbox {

struct Allocation;

/// cudaDeviceSetLimit(cudaLimitMallocHeapSize): before the first launch.
void set_heap_bytes(std::size_t bytes);
std::size_t heap_bytes();

/// The heap as one array, taken at the first call; null for a program without malloc() in kernels.
Allocation* device_heap();

/// \brief A launch begins. What kernels have freed may be given out again: within one launch each
///        piece of memory belongs to one malloc(), so that races are told from reuse.
void start_heap_launch();

/// \brief What a trace says of memory that kernels took. Who frees it stores to all of it, as a
///        trace sees it: a race with that is a free too early, and counts as no access.
void tell_of_frees(emulator::KernelTrace& trace);

}  // namespace ladder::glassbox
