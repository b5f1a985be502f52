// SPDX-License-Identifier: MIT
/// \file  ladder/program/climb.hpp
/// \brief Verifies rungs and times the right ones: the work behind `ladder climb` and `ladder run`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/findings/finding.hpp"
#include "common/machine.hpp"
#include "common/timing.hpp"
#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"
#include "ladder/program/small_problems.hpp"

namespace ladder {

enum class Outcome {
  right,
  wrong,
  refused,   ///< the rung does not take this shape
  left_out,  ///< the machine cannot run the rung
};

/// "right", "wrong", "refused", "left out": in files
std::string_view name_of(Outcome outcome);

/// What a GPU's stopwatch says of a rung.
struct Timing {
  double time_ms;
  double tflops;
  double ratio_to_cublas;  ///< cuBLAS time / rung time, paired by round
  double ratio_to_best;    ///< the same with the better of cuBLAS and the best of cublasLt
  double spread;           ///< (slowest - fastest) / median
  int launches_per_sample;
  std::optional<double> share_of_roof;
  std::vector<double> samples_ms;  ///< the raw samples, per launch
  ClockLog clocks;                 ///< right after each sample
};

/// One rung's line in every table and every JSON file.
struct Entry {
  Rung rung;
  Problem problem;
  Outcome outcome;
  std::vector<Finding> findings = {};  ///< why it is wrong, refused or left out
  std::optional<Verdict> verdict;
  std::optional<Timing> timing;
  std::optional<emulator::GridStats> counts;  ///< of the emulator
  std::optional<SmallProblems> small = {};    ///< of a rung that was right
  std::string took = {};                      ///< its configuration, as a sentence
};

/// Why an entry is wrong, refused or left out, in words; empty if it is right.
std::string note_of(const Entry& entry);

/// The best of what cublasLt proposes for a problem.
struct BestCublasLt {
  Precision precision;
  Timing timing;
};

/// Everything one climb found.
struct Climb {
  std::string device;
  bool on_gpu;
  std::optional<Protocol> protocol;  ///< nothing when no time was taken
  Problem problem;
  std::vector<Entry> entries;
  std::vector<BestCublasLt> best_cublaslt;  ///< for each precision of the timed entries
  std::vector<Entry> compared = {};         ///< rungs that were timed only to compare others with
};

/// "best_cublaslt", "best_cublaslt_bf16": in files
std::string best_cublaslt_name(const Precision& precision);

/// Readings of all samples of all candidates.
ClockLog clocks_of(const Climb& climb);

/// Called with a phase ("verifying 03 shared_tile") and how much of everything is done, 0..1.
using OnProgress = std::function<void(const std::string& phase, double done)>;

/// \brief  The rungs to climb, where rung 00 stands for itself in each precision of the others.
/// \param  ladder  has a rung 00
std::vector<Rung> with_rivals(std::span<const Rung> ladder, const std::vector<Rung>& chosen);

/// What is to be climbed, and how.
struct ClimbRequest {
  std::span<const Rung> ladder;  ///< all rungs of the machine
  std::vector<Rung> chosen;      ///< those to verify and time
  Problem problem;
  std::optional<Protocol> protocol = {};  ///< how a GPU is timed; nothing: only verify
  std::vector<Rung> compared = {};  ///< to verify and time as well, on a machine that knows time
  bool small_too = true;            ///< verify_small_problems() of each rung that is right
  std::string sms_of = {};          ///< "NVIDIA H200 SXM": whose SMs the emulator has; or empty
  OnProgress on_progress = [](const std::string&, double) {};
};

/// \brief  Verifies each rung, then (on a GPU) times those that are right: all of one precision in
///         one rotation with cuBLAS and the best of cublasLt in that precision.
/// \throws MachineError when the problem does not fit the machine
Climb climb(Machine& machine, const ClimbRequest& request);

}  // namespace ladder
