// SPDX-License-Identifier: MIT
/// \file  ladder/program/small_problems.hpp
/// \brief What `run`, `climb` and `check` verify of a rung besides the problem that was asked for:
///        small ones with edges in every direction, of integers, whose results must be exact.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/findings/finding.hpp"
#include "common/machine.hpp"
#include "common/verify.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/ladder.hpp"

namespace ladder {

/// What came of a rung's small problems.
struct SmallProblems {
  int verified = 0;        ///< problems that it took; the others it refuses
  int configurations = 0;  ///< of a rung that chooses: each was verified by itself
  int least_k = 0;
  int most_k = 0;
  std::vector<Finding> findings;  ///< empty: all were right; else of the first that was not
};

/// SMs for the small problems of the emulator: six tiles are one for each block and two that are
/// split.
inline constexpr int kSmallProblemSms = 4;

/// Lets copies arrive, and blocks run, as a case has it; afterwards as before.
class ScopedCase {
 public:
  explicit ScopedCase(const ProblemCase& of);
  ~ScopedCase();
  ScopedCase(const ScopedCase&) = delete;
  ScopedCase& operator=(const ScopedCase&) = delete;

 private:
  emulator::CopyArrival arrival_;
  emulator::BlockOrder order_;
};

/// \brief Problems around the tile of a rung: several tiles and an edge, K below, at and above what
///        a pipeline holds, M and N beyond 2048. A few million multiply-adds each.
std::vector<Problem> small_problems_of(const Rung& rung);

/// \brief  Verifies a rung on its small problems, and each configuration of one that chooses on a
///         problem of its own. On the emulator, it has few SMs, so that blocks have several tiles
///         and share others, and asynchronous copies arrive late and early.
/// \throws GpuError  a kernel failed on the GPU; the message names the problem
SmallProblems verify_small_problems(Machine& machine, const Rung& rung);

/// \brief What was verified besides, in a sentence; empty if nothing was.
/// \param found  of each rung that was right in all of its small problems: its label, and what came
std::string exactness_text(const std::vector<std::pair<std::string, SmallProblems>>& found);

/// \brief  Which configuration a rung takes for a shape, as a sentence, on the machine that its
///         table is for; empty for rungs with one kernel and one grid.
/// \param  sms_of  "NVIDIA H200 SXM": whose number of SMs the emulator has; empty on a GPU
std::string taken_configuration(const Rung& rung, const Shape& shape, const std::string& sms_of);

}  // namespace ladder
