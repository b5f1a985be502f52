// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/host_accesses.hpp
/// \brief The host's accesses to memory that it shares with kernels and copies.
#pragma once

#include <atomic>
#include <cstdint>

#include "glassbox/runtime/access_record.hpp"

namespace ladder::glassbox {

/// \brief The host has accessed what work that it has not waited for may use.
/// \param caller  of the hook
void host_touches(const Bytes& bytes, Touch touch, const void* caller);

/// There is such work, or a function of the host runs as a stream's work.
extern std::atomic<bool> host_is_watched;
/// Memory of the host's own that such work uses, from the first to the last byte.
extern std::atomic<std::uintptr_t> watched_begin, watched_end;

inline bool host_may_meet(std::uintptr_t address) {
  if (!host_is_watched.load(std::memory_order_relaxed)) return false;
  return is_shared_with_host(address) || (address >= watched_begin && address < watched_end);
}

}  // namespace ladder::glassbox
