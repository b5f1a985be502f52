// SPDX-License-Identifier: MIT
#include "ladder/program/climb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/emulator/run/kernel_error.hpp"
#include "common/emulator/run/settings.hpp"
#include "ladder/program/rotating_buffers.hpp"

namespace ladder {
namespace {

constexpr int kCublas = 0;

/// \param gpu_lost_by  label of the rung whose kernel failed on the GPU; then no other can run
Entry verify_rung(const Machine& machine, Verifier& verifier, const Rung& rung,
                  const Problem& problem, const Run& vendor,
                  std::optional<std::string>& gpu_lost_by) {
  Entry entry{.rung = rung,
              .problem = problem,
              .outcome = Outcome::right,
              .note = {},
              .verdict = {},
              .timing = {},
              .counts = {}};
  if (gpu_lost_by) {
    entry.outcome = Outcome::left_out;
    entry.note = fmt::format("not run, because {} made the GPU unusable", *gpu_lost_by);
    return entry;
  }
  if (!runs_on(rung, machine.compute_capability())) {
    entry.outcome = Outcome::left_out;
    entry.note = fmt::format("needs {}, {} has {:.1f}", needs(rung), machine.name(),
                             machine.compute_capability() / 10.0);
    return entry;
  }
  try {
    entry.verdict = verifier.verify(rung.run, problem.alpha, problem.beta, rung.tile, vendor);
    if (!entry.verdict->right) {
      entry.outcome = Outcome::wrong;
      entry.note = entry.verdict->complaint;
    }
    if (!machine.is_gpu() && rung.number != kCublas) {
      entry.counts = emulator::last_run();
    }
  } catch (const ShapeRefused& refusal) {
    entry.outcome = Outcome::refused;
    entry.note = refusal.what();
  } catch (const emulator::KernelError& error) {
    entry.outcome = Outcome::wrong;
    entry.note = error.what();
  } catch (const GpuError& error) {
    entry.outcome = Outcome::wrong;
    entry.note =
        fmt::format("{}. Run it with --device cpu: the emulator can name the line", error.what());
    gpu_lost_by = label(rung);
  }
  return entry;
}

Timing timing_of(const Samples& samples, const Samples& cublas, const Samples& best,
                 const Problem& problem, const std::optional<Roof>& roof) {
  const double time_ms = median(samples.ms);
  const double tflops = flops(problem.shape) / time_ms * 1e-9;
  Timing timing{.time_ms = time_ms,
                .tflops = tflops,
                .ratio_to_cublas = paired_ratio(samples, cublas),
                .ratio_to_best = paired_ratio(samples, best),
                .spread = spread(samples.ms),
                .launches_per_sample = samples.launches_per_sample,
                .share_of_roof = {},
                .samples_ms = samples.ms,
                .clocks = samples.clocks};
  if (roof) timing.share_of_roof = tflops / attainable_tflops(*roof, problem.shape, problem.beta);
  return timing;
}

/// Times the right entries of `climb` in one rotation with cuBLAS and the best of cublasLt.
void time_entries(Machine& machine, Stopwatch& stopwatch, const Rung& cublas, Climb& climb,
                  const Problem& problem, Protocol protocol,
                  const std::function<void(double)>& on_sample) {
  const RotatingBuffers buffers(machine, problem);
  const auto candidate = [&](std::string name, Run run) {
    return Candidate{std::move(name),
                     [&buffers, &stopwatch, run = std::move(run)](int counter) {
                       run(buffers.gemm(counter), stopwatch.stream());
                     },
                     buffers.sets()};
  };
  std::vector<Candidate> candidates;
  candidates.push_back(candidate("cublas", cublas.run));
  const GemmOf gemm_of = [&](int counter) { return buffers.gemm(counter); };
  candidates.push_back(candidate("best cublasLt", machine.tuned_vendor_gemm(gemm_of, stopwatch)));
  std::vector<Entry*> timed;
  for (std::vector<Entry>* entries : {&climb.entries, &climb.compared}) {
    for (Entry& entry : *entries) {
      if (entry.outcome != Outcome::right || entry.rung.number == kCublas) continue;
      timed.push_back(&entry);
      candidates.push_back(candidate(label(entry.rung), entry.rung.run));
    }
  }

  const std::vector<Samples> samples = measure(stopwatch, candidates, protocol, on_sample);
  const Samples& cublas_samples = samples[0];
  const Samples& best = median(samples[1].ms) < median(samples[0].ms) ? samples[1] : samples[0];
  const auto timing = [&](const Samples& of) {
    return timing_of(of, cublas_samples, best, problem, machine.roof());
  };
  for (std::size_t i = 0; i < timed.size(); ++i)
    timed[i]->timing = timing(samples[i + 2]);
  for (Entry& entry : climb.entries) {
    if (entry.rung.number == kCublas && entry.outcome == Outcome::right) {
      entry.timing = timing(cublas_samples);
    }
  }
  climb.best_cublaslt = timing(samples[1]);
}

}  // namespace

ClockLog clocks_of(const Climb& climb) {
  ClockLog all;
  const auto add = [&](const std::optional<Timing>& timing) {
    if (!timing) return;
    const ClockLog& log = timing->clocks;
    all.sm_mhz.insert(all.sm_mhz.end(), log.sm_mhz.begin(), log.sm_mhz.end());
    all.power_w.insert(all.power_w.end(), log.power_w.begin(), log.power_w.end());
  };
  for (const Entry& entry : climb.entries)
    add(entry.timing);
  add(climb.best_cublaslt);
  return all;
}

Climb climb(Machine& machine, std::span<const Rung> ladder, const std::vector<Rung>& chosen,
            const Problem& problem, std::optional<Protocol> protocol, const OnProgress& on_progress,
            const std::vector<Rung>& compared) {
  const std::unique_ptr<Stopwatch> stopwatch = protocol ? machine.make_stopwatch() : nullptr;
  if (stopwatch == nullptr) protocol.reset();
  Climb result{.device = machine.name(),
               .on_gpu = machine.is_gpu(),
               .protocol = protocol,
               .problem = problem,
               .entries = {},
               .best_cublaslt = {}};
  const Rung& cublas = find_rung(ladder, "cublas");
  const double verifying = protocol ? 0.3 : 1.0;  // rough share of the whole work
  {
    on_progress("computing the FP64 reference", 0.0);
    Verifier verifier(machine, problem.shape, problem.seed);
    const Run vendor = machine.is_gpu() ? Run(cublas.run) : Run();
    std::optional<std::string> gpu_lost_by;
    const auto verified = [&](const Rung& rung) {
      on_progress("verifying " + label(rung), verifying * result.entries.size() / chosen.size());
      return verify_rung(machine, verifier, rung, problem, vendor, gpu_lost_by);
    };
    for (const Rung& rung : chosen)
      result.entries.push_back(verified(rung));
    if (stopwatch != nullptr) {
      for (const Rung& rung : compared)
        result.compared.push_back(verified(rung));
    }
    if (gpu_lost_by) return result;
  }
  const bool any_right = std::ranges::any_of(
      result.entries, [](const Entry& entry) { return entry.outcome == Outcome::right; });
  if (stopwatch != nullptr && any_right) {
    time_entries(machine, *stopwatch, cublas, result, problem, *protocol, [&](double done) {
      on_progress("timing, " + std::string(name_of(*protocol)), verifying + (1 - verifying) * done);
    });
  }
  return result;
}

}  // namespace ladder
