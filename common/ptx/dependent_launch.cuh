// SPDX-License-Identifier: MIT
/// \file  common/ptx/dependent_launch.cuh
/// \brief A kernel that starts while the one before it in the stream still runs, if it was launched
///        with LaunchShape::overlaps_previous. Compute capability 9.0. On the emulator a kernel
///        starts when the one before it has ended; a trace tells what it does too early.
#pragma once

#include "common/device.cuh"

#ifndef __CUDACC__
#include "emulator/words/async_functions.hpp"
#endif

namespace ladder::ptx {

/// \brief  The next kernel of the stream may start, once all blocks of this one have said so or
///         have ended: griddepcontrol.launch_dependents, PTX ISA 9.7.13.13. It says nothing about
///         memory.
__device__ __forceinline__ void launch_dependents() {
#ifdef __CUDACC__
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#else
  emulator::launch_dependents();
#endif
}

/// \brief  Waits until the kernel before this one has ended and all that it wrote is visible:
///         griddepcontrol.wait, PTX ISA 9.7.13.13. Before it, a kernel may only do what has nothing
///         to do with the work of others: it reads nothing that they write, and writes nothing that
///         they use. A kernel that was launched as usual does not wait.
__device__ __forceinline__ void wait_for_previous_kernel() {
#ifdef __CUDACC__
  asm volatile("griddepcontrol.wait;" ::: "memory");
#else
  emulator::wait_for_previous_kernel();
#endif
}

}  // namespace ladder::ptx
