// SPDX-License-Identifier: MIT
/// \file  emulator/run/wait_text.hpp
/// \brief Sentences about threads that wait for each other, for fault_text.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// "0x0000ffff"
std::string mask_text(std::int64_t mask);

/// "divergent barrier: warp 0 (threads 0-31) waits at the barrier of line 40, and ..."
std::string text_of_barrier(const Fault& fault);

/// "deadlock: nobody can go on: threads 0-31 wait for an mbarrier at FILE:LINE (...), first"
std::string text_of_hang(const Fault& fault);

}  // namespace ladder::emulator
