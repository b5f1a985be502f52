// SPDX-License-Identifier: MIT
/// \file  emulator/run/debug_info/debug_information.hpp
/// \brief The debug information of this process's libraries, through libdw.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace ladder::emulator {

/// Debug information of all libraries of this process, as they are loaded now; may be null.
using OpenLibraries = std::unique_ptr<Dwfl, void (*)(Dwfl*)>;

OpenLibraries open_libraries();

/// \brief  The function whose code is at `address`.
/// \return false if nothing is known about it
bool function_at(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Die& function);

/// The type of an array: `float s[8][32]`.
struct ArrayType {
  std::vector<std::size_t> extents;  ///< 8, 32; empty if not known
  std::size_t element_bytes = 4;
};

/// The type of a variable, through names and qualifiers; nothing if it is no array.
std::optional<ArrayType> array_type_of(Dwarf_Die* variable);

}  // namespace ladder::emulator
