// SPDX-License-Identifier: MIT
#include "ladder/program/climb.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "emulator/run/kernel_error.hpp"
#include "emulator/run/sentence.hpp"
#include "emulator/run/settings.hpp"
#include "ladder/program/rotating_buffers.hpp"

namespace ladder {
namespace {

constexpr int kCublas = 0;

/// Why the machine cannot run a rung; nothing where it can.
/// \param gpu_lost_by  label of the rung whose kernel failed on the GPU; then no other can run
std::optional<Refusal> why_left_out(const Machine& machine, const Rung& rung,
                                    const std::optional<std::string>& gpu_lost_by) {
  if (gpu_lost_by) return Refusal{RefusalKind::kGpuLost, {{"by", *gpu_lost_by}}};
  return why_not_on(rung, machine.compute_capability(), machine.name());
}

void verify_entry(Machine& machine, Verifier& verifier, Entry& entry, const Run& vendor,
                  bool small_too, std::optional<std::string>& gpu_lost_by) {
  const Rung& rung = entry.rung;
  const Problem& problem = entry.problem;
  entry.outcome = Outcome::right;
  try {
    entry.verdict = verifier.verify(rung.run, problem.alpha, problem.beta, rung.tile, vendor);
    entry.findings = findings_of(*entry.verdict);
    if (rung.took != nullptr) entry.took = label(rung) + " took " + rung.took(nullptr) + ".";
    if (!machine.is_gpu() && rung.number != kCublas) {
      entry.counts = emulator::last_run();
    }
    if (entry.findings.empty() && rung.number != kCublas && small_too) {
      entry.small = verify_small_problems(machine, rung);
      entry.findings = entry.small->findings;
    }
    if (!entry.findings.empty()) entry.outcome = Outcome::wrong;
  } catch (const ShapeRefused& refusal) {
    entry.outcome = Outcome::refused;
    entry.findings = {refusal_of(refusal).value()};
  } catch (const emulator::KernelError& error) {
    entry.outcome = Outcome::wrong;
    entry.findings = {error.fault()};
  } catch (const GpuError& error) {
    entry.outcome = Outcome::wrong;
    entry.findings = {refusal_of(error).value()};
    gpu_lost_by = label(rung);
  }
}

Timing timing_of(const Samples& samples, const Samples& cublas, const Samples& best,
                 const Problem& problem, const Precision& precision,
                 const std::optional<Roof>& roof) {
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
  const std::optional<double> attainable =
      roof ? attainable_tflops(*roof, problem.shape, problem.beta, precision) : std::nullopt;
  if (attainable) timing.share_of_roof = tflops / *attainable;
  return timing;
}

/// Those of the entries that are of this precision and right.
std::vector<Entry*> right_ones(std::vector<Entry>& entries, const Precision& precision) {
  std::vector<Entry*> found;
  for (Entry& entry : entries) {
    if (entry.outcome == Outcome::right && entry.rung.precision == precision) {
      found.push_back(&entry);
    }
  }
  return found;
}

/// Times the right entries of one precision in one rotation with cuBLAS and the best of cublasLt.
/// \tparam T  what the precision stores
template <class T>
void time_entries(Machine& machine, Stopwatch& stopwatch, const Rung& cublas, Climb& climb,
                  Protocol protocol, const std::function<void(double)>& on_sample) {
  const Precision& precision = cublas.precision;
  const Problem& problem = climb.problem;
  const std::vector<Entry*> shown = right_ones(climb.entries, precision);
  std::vector<Entry*> timed = shown;
  std::ranges::copy(right_ones(climb.compared, precision), std::back_inserter(timed));
  if (timed.empty()) return;

  const RotatingBuffers<T> buffers(machine, problem);
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
  candidates.push_back(
      candidate("best cublasLt", machine.tuned_vendor_gemm(precision, gemm_of, stopwatch)));
  for (const Entry* entry : timed) {
    if (entry->rung.number == kCublas) continue;
    candidates.push_back(candidate(label(entry->rung), entry->rung.run));
  }

  const std::vector<Samples> samples = measure(stopwatch, candidates, protocol, on_sample);
  const Samples& cublas_samples = samples[0];
  const Samples& best = median(samples[1].ms) < median(samples[0].ms) ? samples[1] : samples[0];
  const auto timing = [&](const Samples& of) {
    return timing_of(of, cublas_samples, best, problem, precision, machine.roof());
  };
  std::size_t next = 2;
  for (Entry* entry : timed)
    entry->timing = timing(entry->rung.number == kCublas ? cublas_samples : samples[next++]);
  if (!shown.empty()) climb.best_cublaslt.push_back({precision, timing(samples[1])});
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::right:
      return "right";
    case Outcome::wrong:
      return "wrong";
    case Outcome::refused:
      return "refused";
    case Outcome::left_out:
      return "left out";
  }
  return "";
}

std::string note_of(const Entry& entry) {
  const bool on_gpu = std::ranges::any_of(entry.findings, [](const Finding& finding) {
    const auto* const refusal = std::get_if<Refusal>(&finding.what);
    return refusal != nullptr && refusal->kind == RefusalKind::kGpuError;
  });
  return text_of(entry.findings) +
         (on_gpu ? emulator::sentence(". Run it with --device cpu: the emulator can name the line")
                 : "");
}

std::string best_cublaslt_name(const Precision& precision) {
  std::string name = "best_cublaslt";
  if (precision == kFp32) return name;
  name += '_';
  for (const char c : precision.name)
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

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
  for (const BestCublasLt& best : climb.best_cublaslt)
    add(best.timing);
  return all;
}

std::vector<Rung> with_rivals(std::span<const Rung> ladder, const std::vector<Rung>& chosen) {
  if (std::ranges::find(chosen, 0, &Rung::number) == chosen.end()) return chosen;
  const Rung& table_line = find_rung(ladder, "0");
  std::vector<Rung> others;
  std::ranges::copy_if(chosen, std::back_inserter(others),
                       [](const Rung& rung) { return rung.number != 0; });
  std::vector<Rung> rungs;
  for (const Rung& rung : chosen) {
    if (rung.name != table_line.name || others.empty()) {
      rungs.push_back(rung);
      continue;
    }
    for (const Precision& precision : precisions_of(others))
      rungs.push_back(rival_in(precision, ladder));
  }
  return rungs;
}

Climb climb(Machine& machine, const ClimbRequest& request) {
  const std::span<const Rung> ladder = request.ladder;
  const Problem& problem = request.problem;
  const std::unique_ptr<Stopwatch> stopwatch =
      request.protocol ? machine.make_stopwatch() : nullptr;
  const std::optional<Protocol> protocol = stopwatch ? request.protocol : std::nullopt;
  Climb result{.device = machine.name(),
               .on_gpu = machine.is_gpu(),
               .protocol = protocol,
               .problem = problem,
               .entries = {},
               .best_cublaslt = {}};
  std::vector<Rung> rungs;
  const auto add = [&](std::vector<Entry>& entries, const std::vector<Rung>& of) {
    for (const Rung& rung : of) {
      rungs.push_back(rung);
      entries.push_back({.rung = rung,
                         .problem = problem,
                         .outcome = Outcome::left_out,
                         .findings = {},
                         .verdict = {},
                         .timing = {},
                         .counts = {}});
    }
  };
  add(result.entries, request.chosen);
  if (stopwatch != nullptr) add(result.compared, request.compared);
  const std::vector<Precision> precisions = precisions_of(rungs);

  const double verifying = protocol ? 0.3 : 1.0;  // rough share of the whole work
  std::size_t verified = 0;
  std::optional<std::string> gpu_lost_by;
  for (const Precision& precision : precisions) {
    const auto progress = [&](const std::string& phase) {
      request.on_progress(phase, verifying * verified / rungs.size());
    };
    std::optional<Verifier> verifier;
    for (std::vector<Entry>* entries : {&result.entries, &result.compared}) {
      for (Entry& entry : *entries) {
        if (entry.rung.precision != precision) continue;
        if (const auto why = why_left_out(machine, entry.rung, gpu_lost_by)) {
          entry.findings = {*why};
        } else {
          if (!verifier) {
            progress("computing the FP64 reference");
            verifier.emplace(machine, problem.shape, problem.seed, precision);
          }
          progress("verifying " + label(entry.rung));
          const Run vendor = machine.is_gpu() ? rival_in(precision, ladder).run : Run();
          entry.took = taken_configuration(entry.rung, problem.shape, request.sms_of);
          verify_entry(machine, *verifier, entry, vendor, request.small_too, gpu_lost_by);
        }
        ++verified;
      }
    }
  }
  const bool any_right = std::ranges::any_of(
      result.entries, [](const Entry& entry) { return entry.outcome == Outcome::right; });
  if (stopwatch == nullptr || gpu_lost_by || !any_right) return result;

  for (std::size_t i = 0; i < precisions.size(); ++i) {
    const auto on_sample = [&](double done) {
      request.on_progress(
          "timing, " + std::string(name_of(*protocol)),
          verifying + (1 - verifying) * (static_cast<double>(i) + done) / precisions.size());
    };
    with_element_of(precisions[i].stored, [&]<class T>(T) {
      time_entries<T>(machine, *stopwatch, rival_in(precisions[i], ladder), result, *protocol,
                      on_sample);
    });
  }
  return result;
}

}  // namespace ladder
