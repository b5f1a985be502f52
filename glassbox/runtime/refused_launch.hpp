// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/refused_launch.hpp
/// \brief Launches that CUDA refuses.
#pragma once

#include "emulator/run/fault.hpp"
#include "glassbox/runtime/kernel_launch.hpp"

namespace ladder::glassbox {

/// \brief  Tells of a launch that CUDA refuses.
/// \return the error that CUDA has for it, now the last one
cudaError_t refused(const LaunchRequest& request, emulator::Fault fault);

}  // namespace ladder::glassbox
