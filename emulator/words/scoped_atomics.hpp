// SPDX-License-Identifier: MIT
/// \file  emulator/words/scoped_atomics.hpp
/// \brief Atomics that other threads of the block, or other GPUs and the CPU, see as one step
///        (atomicAdd_block, atomicAdd_system, ...). All atomics of the emulator are seen by all,
///        but a trace knows those of the block by what comes in front of them.
#pragma once

#include "emulator/words/atomic_functions.hpp"

namespace ladder::emulator {

/// The next atomic is one of the block. No instruction: a trace's hook alone.
inline void narrow_next_atomic() {
  __atomic_signal_fence(__ATOMIC_ACQ_REL);
}

}  // namespace ladder::emulator

#define LADDER_SCOPED_ATOMIC(name)                           \
  template <class T, class... Values>                        \
  auto name##_block(T* address, Values... values)            \
      ->decltype(name(address, static_cast<T>(values)...)) { \
    ladder::emulator::narrow_next_atomic();                  \
    return name(address, static_cast<T>(values)...);         \
  }                                                          \
  template <class T, class... Values>                        \
  auto name##_system(T* address, Values... values)           \
      ->decltype(name(address, static_cast<T>(values)...)) { \
    return name(address, static_cast<T>(values)...);         \
  }

LADDER_SCOPED_ATOMIC(atomicAdd)
LADDER_SCOPED_ATOMIC(atomicSub)
LADDER_SCOPED_ATOMIC(atomicMin)
LADDER_SCOPED_ATOMIC(atomicMax)
LADDER_SCOPED_ATOMIC(atomicExch)
LADDER_SCOPED_ATOMIC(atomicCAS)
LADDER_SCOPED_ATOMIC(atomicAnd)
LADDER_SCOPED_ATOMIC(atomicOr)
LADDER_SCOPED_ATOMIC(atomicXor)
LADDER_SCOPED_ATOMIC(atomicInc)
LADDER_SCOPED_ATOMIC(atomicDec)

#undef LADDER_SCOPED_ATOMIC
