// SPDX-License-Identifier: MIT
/// \file  common/ptx/registers.cuh
/// \brief Moves registers between the warpgroups of a block. Compute capability 9.0a.
///
/// All four warps of a warpgroup execute the same call. The block has the registers that it was
/// launched with: ptxas's count times its threads. Some warpgroups give registers back, and others
/// take them. A warpgroup that asks for more than there are waits forever.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/async_functions.hpp"
#endif

namespace ladder::ptx {

/// Keeps `registers` per thread and gives back the rest: setmaxnreg.dec, PTX ISA 9.7.19.5.
template <int registers>
__device__ __forceinline__ void setmaxnreg_dec([[maybe_unused]] Here here = Here::current()) {
  static_assert(registers >= 24 && registers <= 256 && registers % 8 == 0, "what PTX allows");
#ifdef __CUDACC__
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
#else
  emulator::set_registers(registers, here);
#endif
}

/// Waits until this warpgroup can have `registers` per thread: setmaxnreg.inc, PTX ISA 9.7.19.5.
template <int registers>
__device__ __forceinline__ void setmaxnreg_inc([[maybe_unused]] Here here = Here::current()) {
  static_assert(registers >= 24 && registers <= 256 && registers % 8 == 0, "what PTX allows");
#ifdef __CUDACC__
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
#else
  emulator::set_registers(registers, here);
#endif
}

}  // namespace ladder::ptx
