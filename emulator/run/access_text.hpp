// SPDX-License-Identifier: MIT
/// \file  emulator/run/access_text.hpp
/// \brief Sentences about accesses that the tracer has seen.
#pragma once

#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// Whether a fault is such an access.
bool is_seen_access(const Fault& fault);
/// Of such a fault, with its place.
std::string text_of_access(const Fault& fault);

}  // namespace ladder::emulator
