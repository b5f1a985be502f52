// SPDX-License-Identifier: MIT
#include "ladder/program/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "common/version.hpp"

namespace ladder {
namespace {

std::string percent(double ratio) {
  return fmt::format("{:.1f} %", 100 * ratio);
}

/// "0.0213", "inf"; bounded so that no error, however large, breaks the table
std::string error_text(const Verdict& verdict) {
  return verdict.error_over_bound < 1000 ? fmt::format("{:.4f}", verdict.error_over_bound)
                                         : fmt::format("{:.1e}", verdict.error_over_bound);
}

std::string difference_text(const Verdict& verdict) {
  if (!verdict.difference_to_cublas) return "";
  return *verdict.difference_to_cublas == 0.0
             ? "0"
             : fmt::format("{:.1e}", *verdict.difference_to_cublas);
}

std::string verified_text(const Entry& entry) {
  switch (entry.outcome) {
    case Outcome::right:
      return "yes";
    case Outcome::wrong:
      return "WRONG";
    case Outcome::refused:
      return "refused";
    case Outcome::left_out:
      return "left out";
  }
  return "";
}

std::string heading(const Climb& climb) {
  const auto& [shape, alpha, beta, seed] = climb.problem;
  const std::string size = shape.M == shape.N && shape.N == shape.K
                               ? fmt::format("M = N = K = {}", shape.M)
                               : fmt::format("M = {}, N = {}, K = {}", shape.M, shape.N, shape.K);
  return wrapped(fmt::format("{}{}: {}, alpha = {}, beta = {}, seed = {}", climb.device,
                             climb.protocol ? fmt::format(", {}", name_of(*climb.protocol)) : "",
                             size, alpha, beta, seed),
                 2) +
         version_text() + "\n";
}

/// The command that finds races and bad accesses, if results are wrong and nobody knows why. Who
/// runs this program with kernels of their own has another one: LADDER_CHECK.
std::string way_to_check(const Climb& climb) {
  constexpr int kLargest = 512;  // larger ones take long to check
  std::string rungs;
  for (const Entry& entry : climb.entries) {
    const bool unexplained = entry.outcome == Outcome::wrong && entry.verdict;
    if (unexplained && entry.rung.number != 0) rungs += fmt::format(" {:02}", entry.rung.number);
  }
  if (rungs.empty()) return "";
  const auto& [M, N, K] = climb.problem.shape;
  std::string shape;
  if (std::max({M, N, K}) <= kLargest) {
    shape = M == N && N == K ? fmt::format(" --size {}", M)
                             : fmt::format(" --m {} --n {} --k {}", M, N, K);
  }
  const char* const own = std::getenv("LADDER_CHECK");
  return fmt::format("\nTo look for races and bad accesses:\n  {}{}{}\n",
                     own == nullptr ? "build/ladder check" : own, rungs, shape);
}

std::string gpu_table(const Climb& climb) {
  TextTable table({-17, -8, 8, 8, 9, 8, 7, 7});
  table.heading({"", "", "error /", "differs", "", "", "of best", "of"});
  table.heading({"rung", "verified", "bound", "from 00", "time ms", "TFLOP/s", "cuBLAS", "roof"});
  for (const Entry& entry : climb.entries) {
    const auto& timing = entry.timing;
    table.row({label(entry.rung), verified_text(entry),
               entry.verdict ? error_text(*entry.verdict) : "",
               entry.verdict ? difference_text(*entry.verdict) : "",
               timing ? fmt::format("{:.3f}", timing->time_ms) : "",
               timing ? fmt::format("{:.2f}", timing->tflops) : "",
               timing ? percent(timing->ratio_to_best) : "",
               timing && timing->share_of_roof ? percent(*timing->share_of_roof) : ""});
  }
  for (const auto& [precision, best] : climb.best_cublaslt) {
    const std::string name =
        precision == kFp32 ? "best of cublasLt" : fmt::format("best Lt, {}", precision.name);
    table.row({name, "", "", "", fmt::format("{:.3f}", best.time_ms),
               fmt::format("{:.2f}", best.tflops), percent(best.ratio_to_best),
               best.share_of_roof ? percent(*best.share_of_roof) : ""});
  }
  const ClockLog clocks = clocks_of(climb);
  if (!clocks.sm_mhz.empty() && !clocks.power_w.empty()) {
    table.add(
        wrapped(fmt::format("SM clock {:.0f} MHz and {:.0f} W right after a sample (medians).",
                            median(clocks.sm_mhz), median(clocks.power_w)),
                2));
  }
  return table.text();
}

std::string cpu_table(const Climb& climb, const std::optional<Recording>& recording) {
  TextTable table({-17, -8, 8, 7, 8, 9, 8, 8});
  if (recording) {
    for (const std::string& line : {fmt::format("recorded, {}", recording->device),
                                    fmt::format("{}, {}", recording->size, recording->protocol)}) {
      table.add(fmt::format("{:>{}}\n", line, columns_of()));
    }
  }
  table.heading({"", "", "error /", "", "threads", "barriers", "", recording ? "of best" : ""});
  table.heading({"rung", "verified", "bound", "blocks", "a block", "a block",
                 recording ? "TFLOP/s" : "", recording ? "cuBLAS" : ""});
  for (const Entry& entry : climb.entries) {
    const bool wrong = entry.outcome == Outcome::wrong;
    const RecordedFigure* figure =
        recording && !wrong ? figure_of(*recording, entry.rung) : nullptr;
    const auto count = [&](std::uint64_t emulator::GridStats::*which) {
      return entry.counts ? fmt::format("{}", (*entry.counts).*which) : "";
    };
    table.row({label(entry.rung), verified_text(entry),
               entry.verdict ? error_text(*entry.verdict) : "", count(&emulator::GridStats::blocks),
               count(&emulator::GridStats::threads_per_block),
               count(&emulator::GridStats::barriers_per_block),
               figure ? fmt::format("{:.2f}", figure->tflops) : "",
               figure ? percent(figure->ratio_to_best) : ""});
  }
  return table.text();
}

/// What rungs that choose chose, and what was verified besides the problem that was asked for.
std::string what_was_run(const Climb& climb) {
  std::string text;
  std::vector<std::pair<std::string, SmallProblems>> exact;
  for (const Entry& entry : climb.entries) {
    const bool ran = entry.outcome == Outcome::right || entry.outcome == Outcome::wrong;
    if (ran && !entry.took.empty()) text += wrapped(entry.took, 2);
    if (entry.outcome == Outcome::right && entry.small) {
      exact.emplace_back(fmt::format("{:02}", entry.rung.number), *entry.small);
    }
  }
  const std::string exactly = exactness_text(exact);
  return exactly.empty() ? text : text + wrapped(exactly, 2);
}

/// "03" or "02, 03", of the rungs for which it is true.
template <class Predicate>
std::string numbers_of(const Climb& climb, Predicate predicate) {
  std::string numbers;
  for (const Entry& entry : climb.entries) {
    if (!predicate(entry)) continue;
    numbers += fmt::format("{}{:02}", numbers.empty() ? "" : ", ", entry.rung.number);
  }
  return numbers;
}

/// Why a rung has no recorded figure beside it, if the library has one.
std::string missing_figures(const Climb& climb, const Recording& recording) {
  const auto recorded = [&](int rung) {
    return std::ranges::find(recording.figures, rung, &RecordedFigure::rung) !=
           recording.figures.end();
  };
  const auto reason = [&](const Entry& entry) -> std::string {
    const int rung = entry.rung.number;
    const bool elsewhere = recording.on_other_device.contains(rung);
    if (rung == 0) return "";
    if (entry.outcome == Outcome::wrong) return "the result is wrong";
    if (!recorded(rung) && !elsewhere) return "not recorded yet";
    if (recording.edited.contains(rung)) return "the source is not the one that was recorded";
    if (!recorded(rung)) return fmt::format("timed on an {} only", recording.other_device);
    return "";
  };
  std::vector<std::string> reasons;
  for (const Entry& entry : climb.entries) {
    const std::string why = reason(entry);
    if (!why.empty() && std::ranges::find(reasons, why) == reasons.end()) reasons.push_back(why);
  }
  std::string text;
  for (const std::string& why : reasons) {
    const std::string numbers =
        numbers_of(climb, [&](const Entry& entry) { return reason(entry) == why; });
    text += wrapped(fmt::format("No recorded figure for {}: {}.", numbers, why), 2);
  }
  return text;
}

/// Whether the note begins with the rung's name, as that of a refused shape does.
bool names_its_rung(const Entry& entry) {
  const auto* const refusal = std::get_if<Refusal>(&entry.findings.front().what);
  return refusal != nullptr && refusal->kind == RefusalKind::kShape && refusal->fields.has("rung");
}

}  // namespace

std::string list_text(std::span<const Rung> rungs) {
  TextTable table({-17, -4, -4, -4, -13, 0});
  table.heading({"rung", "from", "in", "CC", "takes", "idea"});
  for (const Rung& rung : rungs) {
    table.row(
        {label(rung), rung.builds_on < 0 ? "" : fmt::format("{:02}", rung.builds_on),
         std::string(rung.precision.name),
         fmt::format("{:.1f}{}", lowest_compute_capability(rung) / 10.0,
                     is_architecture_specific(rung) ? "a" : ""),
         rung.multiple_of == 1 ? "any M, N, K" : fmt::format("N, K % {} == 0", rung.multiple_of),
         std::string(rung.idea)});
  }
  std::string text = table.text();
  text +=
      "\nfrom: the rung whose lines it builds on. in: precision of A, B and C.\n"
      "CC: lowest compute capability of a GPU.\n";
  const auto specific = std::ranges::find_if(rungs, is_architecture_specific);
  if (specific != rungs.end()) {
    text += fmt::format("a: {} and no other. The emulator (--device cpu) runs all rungs.\n",
                        needs(*specific));
  }
  return folded(text);
}

std::string explanation(std::span<const Rung> rungs, const Shape& shape) {
  std::string text;
  for (const Rung& rung : rungs) {
    text += rung.explain == nullptr
                ? wrapped(label(rung) + " takes the same kernel for every shape.", 2)
                : folded(rung.explain(shape));
  }
  return text;
}

std::string climb_text(const Climb& climb, const std::optional<Recording>& recording) {
  std::string text = heading(climb) + "\n";
  text += climb.on_gpu ? gpu_table(climb) : cpu_table(climb, recording);
  if (recording && !climb.on_gpu) text += missing_figures(climb, *recording);
  text += what_was_run(climb);
  for (const Entry& entry : climb.entries) {
    if (entry.findings.empty()) continue;
    const std::string note = note_of(entry);
    text += "\n" + wrapped(names_its_rung(entry) ? note : label(entry.rung) + ": " + note, 2);
  }
  return text + way_to_check(climb);
}

}  // namespace ladder
