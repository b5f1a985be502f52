// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/findings.hpp
/// \brief What is found in a program while it runs, and the file by which glassbox learns of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <source_location>
#include <string>
#include <vector>

#include "common/findings/call_finding.hpp"
#include "emulator/trace/trace.hpp"
#include "glassbox/runtime/call_problem.hpp"

namespace ladder::glassbox {

/// Where a call of the user's stands.
emulator::Place place_of(const std::source_location& here);

/// A launch that was traced, that was refused, or whose kernel failed.
struct Launch {
  std::string kernel;  ///< "reduce<256>", as the source has it
  emulator::Place place;
  emulator::Index grid = {};
  emulator::Index block = {};
  std::size_t dynamic_shared_bytes = 0;
  std::uint64_t number = 0;         ///< counts the program's launches, from 1
  bool is_traced = false;           ///< else the trace has nothing but the fault
  cudaError_t error = cudaSuccess;  ///< what CUDA calls its fault
  emulator::KernelTrace trace = {};
};

/// \brief All of a program's. They are written to the file after each change, so that they are
///        there however the program ends.
class Findings {
 public:
  static Findings& instance();

  void add(CallFinding finding);
  /// A fault of no launch in particular.
  void add(emulator::Fault fault);
  void add(Launch launch);
  /// A launch that ran without being traced.
  void count_launch() { ++launches_; }
  /// Something to know, told once.
  /// \param place  of the call that it is about, if any
  void note(const CallProblem& problem, const emulator::Place& place = {});

  std::uint64_t launches() const { return launches_; }

  /// Writes what was found to the file that glassbox reads.
  /// \param ended  with what was never freed
  void save(bool ended = false);

 private:
  Findings() = default;

  std::vector<CallFinding> calls_;
  std::vector<emulator::Fault> faults_;
  std::vector<Launch> listed_;
  std::uint64_t launches_ = 0;
  std::mutex mutex_;
};

}  // namespace ladder::glassbox
