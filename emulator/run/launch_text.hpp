// SPDX-License-Identifier: MIT
/// \file  emulator/run/launch_text.hpp
/// \brief Sentences about launches that are refused.
#pragma once

#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// Of a fault of the group kLaunch: "the grid is (0, 1, 1); every extent must be at least 1"
std::string text_of_launch(const Fault& fault);

}  // namespace ladder::emulator
