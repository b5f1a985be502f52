// SPDX-License-Identifier: MIT
/// \file  emulator/run/multiprocessors.hpp
/// \brief How many SMs the emulated GPU has, and how much shared memory a block gets. Each rung
///        includes this, so it includes nothing.
#pragma once

namespace ladder::emulator {

/// \brief  Sets how many SMs the emulated GPU has: a cooperative launch fits that many blocks.
/// \param  count  1 to 1024; the default is 8, as the classroom card has, or the environment's
///                LADDER_MULTIPROCESSORS
/// \throws std::invalid_argument  count is out of range
void set_multiprocessors(int count);

/// How many SMs the emulated GPU has.
int multiprocessors();

/// \brief  Sets how much dynamic shared memory a block gets at most.
/// \param  bytes  1 to 232,448, which is what Hopper gives, and the default
/// \throws std::invalid_argument  bytes is out of range
void set_shared_bytes_per_block(int bytes);

/// How much dynamic shared memory a block gets at most.
int shared_bytes_per_block();

/// What the DRAM of the emulated GPU moves at most: that of an H200 (common/devices/h200.json).
constexpr double dram_bytes_per_us() {
  return 4.814304e6;
}

}  // namespace ladder::emulator
