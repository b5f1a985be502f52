// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/debug_information.hpp
/// \brief The debug information of this process's libraries, through libdw.
#pragma once

#include <elfutils/libdwfl.h>

#include <memory>

namespace ladder::emulator {

/// Debug information of all libraries of this process, as they are loaded now; may be null.
using OpenLibraries = std::unique_ptr<Dwfl, void (*)(Dwfl*)>;

OpenLibraries open_libraries();

/// \brief  The function whose code is at `address`.
/// \return false if nothing is known about it
bool function_at(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Die& function);

}  // namespace ladder::emulator
