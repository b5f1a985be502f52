// SPDX-License-Identifier: MIT
/// \file  emulator/run/order_text.hpp
/// \brief Sentences about work in streams and graphs, and about the host, that nothing orders.
#pragma once

#include <string>

#include "emulator/run/fault.hpp"

namespace ladder::emulator {

/// Of a fault of the group kOrder, with its places.
std::string text_of_order(const Fault& fault);

}  // namespace ladder::emulator
