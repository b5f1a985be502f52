// SPDX-License-Identifier: MIT
/// \file  emulator/run/debug_info/local_arrays.hpp
/// \brief The arrays on a thread's stack that one of its functions may have overrun.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/run/debug_info/source_lines.hpp"

namespace ladder::emulator {

/// One local array that lies in memory.
struct LocalArray {
  std::string name;  ///< with its extents: "acc[4][4]"
  SourceLine line;   ///< of its declaration
};

/// \brief The local arrays, or else the local structures, of the function with this instruction
///        and of those that were inlined into it; the one that ends next to the canary first.
std::vector<LocalArray> local_arrays_of(std::uintptr_t instruction);

}  // namespace ladder::emulator
