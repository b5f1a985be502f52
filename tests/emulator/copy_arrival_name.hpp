// SPDX-License-Identifier: MIT
/// \file  tests/emulator/copy_arrival_name.hpp
/// \brief What GoogleTest prints, and names tests by, where a test has a CopyArrival.
#pragma once

#include <ostream>

#include "emulator/run/settings.hpp"

namespace ladder::emulator {

inline void PrintTo(CopyArrival arrival, std::ostream* out) {
  *out << (arrival == CopyArrival::kLate ? "Late" : "Early");
}

}  // namespace ladder::emulator
