// SPDX-License-Identifier: MIT
/// \file  classroom/graded_run.hpp
/// \brief One call of a student's rung, in the process that may run it: the order for it and what
///        came of it.
#pragma once

#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/gemm.hpp"
#include "emulator/run/fault.hpp"
#include "ladder/ladder.hpp"

namespace ladder::grader {

/// How to run.
struct RunOrder {
  bool traced = true;      ///< every access is checked
  int configuration = -1;  ///< of a rung that chooses: the only one to run; -1: its own choice
  int sms = 4;             ///< that the emulated GPU has
  bool early = false;      ///< copies arrive at once, and the last block starts first; untraced,
                           ///< lanes take turns, too
  bool counts = false;     ///< count accesses too; needs `traced`
  bool watch = false;      ///< look for accesses that nobody counts, too; needs `counts`
  bool again = false;      ///< the workspace holds what the last call has left there
  bool sample = false;     ///< trace only blocks that differ: what C then holds is of no use
};

/// What ended a run.
enum class Outcome {
  ran,      ///< to its end; the result may still be wrong
  hazard,   ///< it did what CUDA forbids
  refused,  ///< the rung does not take the shape
  failed,   ///< anything else that was thrown
};

/// What is kept of a fault: its kind and its places, and nothing that depends on the problem.
struct FoundFault {
  explicit FoundFault(const emulator::Fault& fault);
  FoundFault(emulator::FaultKind what, emulator::Place at, emulator::Place second)
      : kind(what), place(std::move(at)), other(std::move(second)) {}

  emulator::FaultKind kind;
  emulator::Place place;
  emulator::Place other;  ///< of the other thread; line 0: there is none
};

/// The host's code has touched an array of the GPU.
class HostAccess : public std::runtime_error {
 public:
  HostAccess(std::string array, emulator::Place place);

  std::string array;      ///< "A"
  emulator::Place place;  ///< of the access; line 0: not known
};

struct RunReport {
  Outcome outcome = Outcome::ran;
  std::string message;  ///< what was wrong, for people
  std::vector<FoundFault> faults = {};
  std::optional<emulator::Place> host_access;   ///< of what the host's code has touched
  bool launched = true;                         ///< a kernel ran
  double read_bytes = 0;                        ///< of A and B, by kernels; traced runs only
  double written_bytes = 0;                     ///< to C
  double seconds = 0;                           ///< by the judge's clock
  std::vector<emulator::Place> uncounted = {};  ///< accesses that are in no count
  nlohmann::json counts;  ///< see counts_of() in graded_run.cpp; empty unless ordered
};

nlohmann::json to_json(const RunOrder& order);
RunOrder run_order(const nlohmann::json& json);
nlohmann::json to_json(const RunReport& report);
/// \throws nlohmann::json::exception  the process that ran the rung sent something else
/// \throws std::invalid_argument      it sent an outcome or a fault that is not known
RunReport run_report(const nlohmann::json& json);

/// What an exception of the host's code means, in a sentence.
std::string meaning_of(const std::exception& error);

/// \brief  Calls a function that runs a student's code.
/// \return what it has written, and what it threw as an outcome
RunReport reported(const std::function<void(RunReport&)>& run);

/// \brief Runs a call once on matrices of this process.
/// \tparam T     what the rung's precision stores
/// \param  call  launches on this thread what is to compute gemm.C
template <class T>
RunReport run_once(const std::function<void()>& call, const Gemm<T>& gemm, const RunOrder& order);

}  // namespace ladder::grader
