// SPDX-License-Identifier: MIT
/// \file  emulator/run/grid_runner.hpp
/// \brief Lets something other than the worker pool run the grids that a host thread launches.
#pragma once

#include "emulator/run/grid_plan.hpp"
#include "emulator/run/settings.hpp"

namespace ladder::emulator {

/// Runs grids its own way, on the worker pool.
class GridRunner {
 public:
  virtual ~GridRunner() = default;
  /// \throws KernelError  the grid cannot go on
  virtual GridStats run(const GridPlan& plan) = 0;
};

/// Takes what a host thread launches, before anybody has looked at it.
class LaunchReceiver {
 public:
  virtual ~LaunchReceiver() = default;
  /// \throws KernelError  the grid cannot go on
  virtual void receive(const GridLaunch& launch, const ThreadProgram& program) = 0;
};

/// From now on the launches of the calling host thread go to `receiver` alone; null: they run here.
void set_launch_receiver(LaunchReceiver* receiver) noexcept;

/// From now on `runner` runs what the calling host thread launches; null: the worker pool does.
void set_grid_runner(GridRunner* runner) noexcept;

}  // namespace ladder::emulator
