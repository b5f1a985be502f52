// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/cluster_launch.hpp
/// \brief How many blocks of a launch run together, from its attributes or its kernel's.
#pragma once

#include <optional>

#include "emulator/run/fault.hpp"
#include "glassbox/runtime/kernel_launch.hpp"

namespace ladder::glassbox {

/// The blocks of a cluster, or why the launch is refused.
struct LaunchCluster {
  dim3 extents = 1;
  std::optional<emulator::Fault> wrong = {};
};

LaunchCluster cluster_of(const LaunchRequest& request);

}  // namespace ladder::glassbox
