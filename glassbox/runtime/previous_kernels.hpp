// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/previous_kernels.hpp
/// \brief Kernels that let the next one of their stream start before they have ended
///        (cudaLaunchAttributeProgrammaticStreamSerialization).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/trace/trace.hpp"
#include "glassbox/runtime/work_order.hpp"

namespace ladder::glassbox {

/// \brief What the last kernels of each stream did, if they have let the next one start. Of
///        launches within graphs nothing is known.
class PreviousKernels {
 public:
  static PreviousKernels& instance();
  /// Whether any kernel of the program does that: otherwise nobody asks.
  static bool are_kept();

  struct Kernel {
    std::string name;
    emulator::Place place;  ///< of its launch
    TouchedBytes touched;
  };
  /// \brief The current work was a kernel that lets the next one start.
  /// \param previous_may_run  even if those before it still run
  void add(Kernel kernel, bool previous_may_run);
  /// The kernels before the current work that may run until it has waited for them.
  std::vector<emulator::PreviousKernel> of_current_work();

 private:
  PreviousKernels() = default;
  struct Known {
    std::uint64_t count;  ///< of the stream's work
    std::shared_ptr<const Kernel> kernel;
  };
  std::mutex mutex_;
  std::map<std::size_t, std::vector<Known>> last_;  ///< by lane: each overlaps the one before
};

}  // namespace ladder::glassbox
