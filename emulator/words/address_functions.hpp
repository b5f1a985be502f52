// SPDX-License-Identifier: MIT
/// \file  emulator/words/address_functions.hpp
/// \brief Functions that tell which memory an address is in, and its number there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder::emulator {

/// Of the running thread's block.
bool is_in_shared_memory(const void* address);
/// \brief What PTX takes for an address in shared memory: the distance from its start.
std::uint64_t number_in_shared(const void* address);
/// The other way round.
void* pointer_to_shared(std::uint64_t number);
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

inline std::size_t __cvta_generic_to_shared(const void* address) {
  return ladder::emulator::number_in_shared(address);
}
inline void* __cvta_shared_to_generic(std::size_t number) {
  return ladder::emulator::pointer_to_shared(number);
}
// Other memory has one kind of address.
inline std::size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
inline std::size_t __cvta_generic_to_local(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
inline std::size_t __cvta_generic_to_constant(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
inline void* __cvta_global_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}
inline void* __cvta_local_to_generic(std::size_t address) {
  return __cvta_global_to_generic(address);
}
inline void* __cvta_constant_to_generic(std::size_t address) {
  return __cvta_global_to_generic(address);
}
