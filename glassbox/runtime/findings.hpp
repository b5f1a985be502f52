// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/findings.hpp
/// \brief What is told about a program when it has ended.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <source_location>
#include <string>
#include <vector>

#include "emulator/trace/trace.hpp"

namespace ladder::glassbox {

/// Where a call of the user's stands.
emulator::Place place_of(const std::source_location& here);

/// Something wrong outside of kernels: a call that failed, an access by the host.
struct Finding {
  std::string kind;      ///< "cudaErrorInvalidValue"
  std::string sentence;  ///< without the place
  emulator::Place place;
  std::uint64_t times = 1;
};

/// A traced launch.
struct TracedLaunch {
  std::string kernel;  ///< "reduce<256>", as the source has it
  emulator::Place place;
  emulator::Index grid = {};
  emulator::Index block = {};
  std::size_t dynamic_shared_bytes = 0;
  std::uint64_t number = 0;  ///< counts the program's launches, from 1
  emulator::KernelTrace trace;
};

/// \brief All of a program's. They are written to the file after each change, so that they are
///        there however the program ends.
class Findings {
 public:
  static Findings& instance();

  void add(Finding finding);
  void add(TracedLaunch launch);
  /// A launch that ran without being traced.
  void count_launch() { ++launches_; }
  /// Something to know, told once.
  void note(const std::string& sentence);

  std::uint64_t launches() const { return launches_; }

  /// Writes what was found to the files that the driver reads.
  void save(bool ended = false);

 private:
  Findings() = default;
  std::string text(bool ended);
  void save_traces();

  std::vector<Finding> findings_;
  std::vector<TracedLaunch> traced_;
  std::vector<std::string> notes_;
  std::uint64_t launches_ = 0;
  std::mutex mutex_;
};

}  // namespace ladder::glassbox
