// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/program_variables.hpp
/// \brief The program's own variables, among them those of `__device__` and `__managed__`.
#pragma once

#include <cstdint>
#include <string>

#include "glassbox/runtime/byte_ranges.hpp"

namespace ladder::glassbox {

struct ProgramVariable {
  Bytes bytes;
  std::string name;
};

/// From the first to the last that can be written.
const Bytes& program_variables();

/// \return the one that holds this byte; null if none does
const ProgramVariable* variable_with(std::uintptr_t address);

/// The host has been given the address of this `__device__` variable.
void note_device_variable(std::uintptr_t address);
/// Is it one, by its name in the source or because the host has its address? Or of `__managed__`?
bool is_device_variable(const ProgramVariable& variable);

/// Those of `__managed__`; empty if there are none.
const Bytes& managed_variables();

}  // namespace ladder::glassbox
