// SPDX-License-Identifier: MIT
/// \file  emulator/words/address_functions.hpp
/// \brief Functions that tell which memory an address is in.
#pragma once

namespace ladder::emulator {

/// Of the running thread's block.
bool is_in_shared_memory(const void* address);
/// On a thread's stack.
bool is_in_local_memory(const void* address);

}  // namespace ladder::emulator

inline unsigned __isShared(const void* address) {
  return ladder::emulator::is_in_shared_memory(address);
}
inline unsigned __isLocal(const void* address) {
  return ladder::emulator::is_in_local_memory(address);
}
inline unsigned __isGlobal(const void* address) {
  return !ladder::emulator::is_in_shared_memory(address) &&
         !ladder::emulator::is_in_local_memory(address);
}
