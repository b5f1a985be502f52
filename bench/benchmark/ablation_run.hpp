// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/ablation_run.hpp
/// \brief What a part of a rung costs: the times of copies without it, next to the rung's.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/benchmark/ablation.hpp"
#include "common/machine.hpp"
#include "common/timing.hpp"
#include "common/verify.hpp"
#include "ladder/ladder.hpp"

namespace ladder::bench {

/// One line of the results.
struct AblationEntry {
  std::string name;         ///< "14_idle_producers"; "14_every_shape" is the unchanged rung
  std::optional<int> rung;  ///< empty: a library
  std::string taken_away;   ///< empty: nothing
  bool verified;            ///< its result was compared with the reference and is right
  std::optional<KernelResources> resources;
  Samples samples;
  std::optional<double> ratio_to_unchanged;  ///< time of the unchanged rung / this time, paired
  double ratio_to_best;                      ///< the same with the better of both libraries
};

/// All lines of one problem, timed in one rotation.
struct AblationRun {
  Problem problem;
  std::vector<AblationEntry> entries;
};

/// What measure_ablations() says while it works. Both may be empty.
struct AblationProgress {
  std::function<void(const std::string& name)> on_try;  ///< before the first launch of each
  std::function<void(const std::string& phase, double done)> on_progress;
};

/// \brief  Verifies the rungs and the copies that must still be right, starts every copy once, then
///         times all of them in one rotation with cuBLAS and the best of cublasLt.
/// \param  ladder  all rungs of that machine
/// \param  machine  one that can measure time
/// \throws std::runtime_error  a rung or copy that must be right is wrong
/// \throws GpuError  a copy failed; this process cannot use the GPU anymore
AblationRun measure_ablations(Machine& machine, std::span<const Rung> ladder,
                              const std::vector<Ablation>& chosen, const Problem& problem,
                              Protocol protocol, const AblationProgress& progress);

/// Computes the ratios of candidates from their samples.
/// \param  entries  with samples and without ratios; the first two are the libraries
void fill_ratios(std::vector<AblationEntry>& entries);

/// The runs as a results file.
nlohmann::json to_json(const std::vector<AblationRun>& runs, const std::string& device,
                       Protocol protocol, const std::map<std::string, std::string>& versions);

/// One run as a table of at most 80 columns.
std::string ablation_text(const AblationRun& run);

/// "bench/results/nvidia-h200/ablations.json" in the sources, for "NVIDIA H200"
std::string ablations_path(std::string_view device);

}  // namespace ladder::bench
