// SPDX-License-Identifier: MIT
#include "bench/benchmark/ablation_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "bench/benchmark/roofs.hpp"
#include "ladder/program/results.hpp"
#include "ladder/program/rotating_buffers.hpp"

namespace ladder::bench {
namespace {

using nlohmann::json;

/// Something to measure, before it is.
struct Contender {
  AblationEntry entry;
  Run run;
  BlockTile tile = {};
  bool must_be_right = false;
  const KernelResources* resources = nullptr;  ///< of a copy, once it has run
};

AblationEntry entry_of(std::string name, std::optional<int> rung, std::string taken_away) {
  return {.name = std::move(name),
          .rung = rung,
          .taken_away = std::move(taken_away),
          .verified = false,
          .resources = {},
          .samples = {.name = {}, .ms = {}, .launches_per_sample = 0, .clocks = {}},
          .ratio_to_unchanged = {},
          .ratio_to_best = 0.0};
}

/// Each rung in front of its copies.
std::vector<Contender> contenders_of(std::span<const Rung> ladder,
                                     const std::vector<Ablation>& chosen) {
  std::vector<Contender> contenders;
  for (const Ablation& ablation : chosen) {
    const Rung& rung = find_rung(ladder, ablation.rung);
    const bool known = std::ranges::any_of(contenders, [&](const Contender& contender) {
      return contender.entry.name == ablation.rung;
    });
    if (!known) {
      contenders.push_back({.entry = entry_of(ablation.rung, rung.number, ""),
                            .run = rung.run,
                            .tile = rung.tile,
                            .must_be_right = true});
    }
    contenders.push_back({.entry = entry_of(ablation.name, rung.number, ablation.taken_away),
                          .run = ablation.run,
                          .tile = rung.tile,
                          .must_be_right = ablation.right,
                          .resources = ablation.resources});
  }
  return contenders;
}

void verify(Machine& machine, std::vector<Contender>& contenders, const Problem& problem,
            const AblationProgress& progress) {
  Verifier verifier(machine, problem.shape, problem.seed);
  for (Contender& contender : contenders) {
    if (!contender.must_be_right) continue;
    if (progress.on_try) progress.on_try(contender.entry.name);
    const Verdict verdict =
        verifier.verify(contender.run, problem.alpha, problem.beta, contender.tile);
    if (!verdict.right) {
      throw std::runtime_error(fmt::format("{} is wrong, and must not be: {}", contender.entry.name,
                                           text_of(verdict.wrong)));
    }
    contender.entry.verified = true;
  }
}

}  // namespace

void fill_ratios(std::vector<AblationEntry>& entries) {
  const Samples& cublas = entries.at(0).samples;
  const Samples& tuned = entries.at(1).samples;
  const Samples& best = median(tuned.ms) < median(cublas.ms) ? tuned : cublas;
  const Samples* unchanged = nullptr;
  for (AblationEntry& entry : entries) {
    entry.ratio_to_best = paired_ratio(entry.samples, best);
    if (!entry.rung) continue;
    if (entry.taken_away.empty()) unchanged = &entry.samples;
    if (unchanged != nullptr) entry.ratio_to_unchanged = paired_ratio(entry.samples, *unchanged);
  }
}

AblationRun measure_ablations(Machine& machine, std::span<const Rung> ladder,
                              const std::vector<Ablation>& chosen, const Problem& problem,
                              Protocol protocol, const AblationProgress& progress) {
  const std::unique_ptr<Stopwatch> stopwatch = machine.make_stopwatch();
  if (stopwatch == nullptr) throw MachineError(machine.name() + " knows no time");
  std::vector<Contender> contenders = contenders_of(ladder, chosen);
  verify(machine, contenders, problem, progress);

  const RotatingBuffers buffers(machine, problem);
  for (Contender& contender : contenders) {
    if (progress.on_try) progress.on_try(contender.entry.name);
    try {
      contender.run(buffers.gemm(0), stopwatch->stream());
      machine.synchronize();
      if (contender.resources != nullptr) contender.entry.resources = *contender.resources;
    } catch (const GpuError& error) {
      throw GpuError(fmt::format("{}: {}", contender.entry.name, error.what()));
    }
  }
  if (progress.on_try) progress.on_try("");
  contenders.insert(contenders.begin(),
                    {.entry = entry_of("best_cublaslt", {}, ""),
                     .run = machine.tuned_vendor_gemm(
                         kFp32, [&](int counter) { return buffers.gemm(counter); }, *stopwatch)});
  contenders.insert(contenders.begin(), {.entry = entry_of("00_cublas", {}, ""),
                                         .run = find_rung(ladder, "cublas").run});

  std::vector<Candidate> candidates;
  for (const Contender& contender : contenders) {
    candidates.push_back(
        {contender.entry.name,
         [&](int counter) { contender.run(buffers.gemm(counter), stopwatch->stream()); },
         buffers.sets()});
  }
  const std::string phase = fmt::format("{}, {}", problem.shape.M, name_of(protocol));
  std::vector<Samples> samples = measure(*stopwatch, candidates, protocol, [&](double done) {
    if (progress.on_progress) progress.on_progress(phase, done);
  });
  AblationRun run{.problem = problem, .entries = {}};
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    run.entries.push_back(std::move(contenders[i].entry));
    run.entries.back().samples = std::move(samples[i]);
  }
  fill_ratios(run.entries);
  return run;
}

json to_json(const std::vector<AblationRun>& runs, const std::string& device, Protocol protocol,
             const std::map<std::string, std::string>& versions) {
  ClockLog clocks;
  json entries = json::array();
  for (const auto& [problem, lines] : runs) {
    for (const AblationEntry& entry : lines) {
      const ClockLog& log = entry.samples.clocks;
      clocks.sm_mhz.insert(clocks.sm_mhz.end(), log.sm_mhz.begin(), log.sm_mhz.end());
      clocks.power_w.insert(clocks.power_w.end(), log.power_w.begin(), log.power_w.end());
      const double time_ms = median(entry.samples.ms);
      json fields = {{"name", entry.name},
                     {"rung", nullptr},
                     {"taken_away", nullptr},
                     {"verified", entry.verified},
                     {"m", problem.shape.M},
                     {"n", problem.shape.N},
                     {"k", problem.shape.K},
                     {"alpha", problem.alpha},
                     {"beta", problem.beta},
                     {"seed", problem.seed},
                     {"time_ms", time_ms},
                     {"tflops", flops(problem.shape) / time_ms * 1e-9},
                     {"ratio_to_unchanged", nullptr},
                     {"ratio_to_best", entry.ratio_to_best},
                     {"spread", spread(entry.samples.ms)},
                     {"launches_per_sample", entry.samples.launches_per_sample},
                     {"samples_ms", entry.samples.ms},
                     {"sm_mhz", log.sm_mhz},
                     {"power_w", log.power_w},
                     {"registers", nullptr},
                     {"local_bytes", nullptr}};
      if (entry.rung) fields["rung"] = *entry.rung;
      if (!entry.taken_away.empty()) fields["taken_away"] = entry.taken_away;
      if (entry.ratio_to_unchanged) fields["ratio_to_unchanged"] = *entry.ratio_to_unchanged;
      if (entry.resources) {
        fields["registers"] = entry.resources->registers;
        fields["local_bytes"] = entry.resources->local_bytes;
      }
      entries.push_back(std::move(fields));
    }
  }
  return {{"context", results_context(device, protocol, clocks, versions)},
          {"benchmarks", entries}};
}

std::string ablation_text(const AblationRun& run) {
  const auto& [M, N, K] = run.problem.shape;
  std::string text =
      fmt::format("\n{:<28} {:>9} {:>9} {:>9} {:>9} {:>8}\n", fmt::format("{} x {} x {}", M, N, K),
                  "ms", "TFLOP/s", "to rung", "of best", "spread");
  for (const AblationEntry& entry : run.entries) {
    const double ms = median(entry.samples.ms);
    const std::string to_rung =
        entry.ratio_to_unchanged ? fmt::format("{:.4f}", *entry.ratio_to_unchanged) : "";
    text += fmt::format("{:<28} {:9.4f} {:9.2f} {:>9} {:9.4f} {:6.2f} %\n", entry.name, ms,
                        flops(run.problem.shape) / ms * 1e-9, to_rung, entry.ratio_to_best,
                        100 * spread(entry.samples.ms));
  }
  return text;
}

std::string ablations_path(std::string_view device) {
  return std::filesystem::path(roofs_path(device)).replace_filename("ablations.json");
}

}  // namespace ladder::bench
