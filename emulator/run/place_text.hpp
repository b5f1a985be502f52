// SPDX-License-Identifier: MIT
/// \file  emulator/run/place_text.hpp
/// \brief Where a fault is and whose it is, as sentences have it.
#pragma once

#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

inline std::string block_of(const Fault& fault) {
  return ", block " + to_text(fault.block);
}

inline std::string thread_text(const Index& thread) {
  return "thread " + to_text(thread);
}

/// " at FILE:LINE, block (..), thread (..)"
inline std::string ending_of(const Fault& fault) {
  return (fault.place.file.empty() ? "" : " at " + place_text(fault.place)) + block_of(fault) +
         ", " + thread_text(fault.thread);
}

}  // namespace ladder::emulator
