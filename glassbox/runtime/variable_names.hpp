// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/variable_names.hpp
/// \brief What the source calls the memory that a call of the program takes.
#pragma once

#include <cstddef>
#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::glassbox {

/// \brief  "d_A", "matrix.data": what the first argument of a call in the user's source is called.
/// \param  function  that is called, maybe by a macro
/// \param  column    of the call in what the compiler read, as std::source_location has it
/// \return "a or b" if the place fits calls with either; empty if it fits none
std::string variable_in_call(const std::string& function, const emulator::Place& place,
                             std::size_t column);

/// \brief  What an argument of `kernel<<<...>>>(...)` is called.
/// \param  number  of the argument, from 1 on
/// \return empty if the place does not say
std::string variable_in_launch(const std::string& kernel, const emulator::Place& place,
                               unsigned number);

/// \brief  What an expression like "(void**)&matrix.data" names. Subscripts are left out unless
///         they are numbers.
/// \return empty if it is no variable, member or element
std::string variable_in(const std::string& expression);

}  // namespace ladder::glassbox
