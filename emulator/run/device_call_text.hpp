// SPDX-License-Identifier: MIT
/// \file  emulator/run/device_call_text.hpp
/// \brief Sentences about what kernels call: textures, surfaces, malloc() and free(), the runtime.
#pragma once

#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// Of a fault of the groups kTexture, kHeap and kLacks, without its place.
std::string text_of_device_call(const Fault& fault);

}  // namespace ladder::emulator
