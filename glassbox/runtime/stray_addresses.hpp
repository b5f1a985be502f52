// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/stray_addresses.hpp
/// \brief What lies at an address that a kernel may not use: freed memory, or the host's.
#pragma once

#include <vector>

#include "emulator/run/fault.hpp"
#include "glassbox/runtime/kernel_launch.hpp"

namespace ladder::glassbox {

/// \brief Tells an access to freed memory, or to memory of the host, from one that runs over the
///        end of an array. All other faults stay as they are.
/// \param arguments  of the launch
void explain_stray(emulator::Fault& fault, const LaunchRequest& request,
                   const std::vector<PointerArgument>& arguments);

}  // namespace ladder::glassbox
