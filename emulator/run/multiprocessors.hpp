// SPDX-License-Identifier: MIT
/// \file  emulator/run/multiprocessors.hpp
/// \brief How many SMs the emulated GPU has. Each rung includes this, so it includes nothing.
#pragma once

namespace ladder::emulator {

/// \brief  Sets how many SMs the emulated GPU has: a cooperative launch fits that many blocks.
/// \param  count  1 to 1024; the default is 8, as the classroom card has, or the environment's
///                LADDER_MULTIPROCESSORS
/// \throws std::invalid_argument  count is out of range
void set_multiprocessors(int count);

/// How many SMs the emulated GPU has.
int multiprocessors();

}  // namespace ladder::emulator
