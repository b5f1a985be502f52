// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/dependent_launch.hpp
/// \brief What blocks do about the kernels before and after theirs: griddepcontrol.
#pragma once

namespace ladder::emulator {

/// \brief Of the blocks of a grid that one runner runs. Here every kernel has ended when the next
///        one starts; this tells what a GPU may do.
class DependentLaunch {
 public:
  void start_grid() { launches_ = waits_first_ = false; }
  void start_block() { launched_ = false; }

  /// The running block lets the next kernel start.
  void launch() { launched_ = launches_ = true; }
  /// It waits for the kernel before.
  void wait() { waits_first_ = waits_first_ || !launched_; }

  /// Whether any block has let the next kernel start.
  bool launches() const { return launches_; }
  /// Whether any has waited for the kernel before and had not done that yet.
  bool waits_first() const { return waits_first_; }

 private:
  bool launched_ = false;
  bool launches_ = false;
  bool waits_first_ = false;
};

}  // namespace ladder::emulator
