// SPDX-License-Identifier: MIT
#include "bench/benchmark/reporters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <ostream>
#include <string>

#include "ladder/program/print.hpp"

namespace ladder::bench {
namespace {

constexpr const char* kLine = "{:<39} {:>8} {:>8} {:>7} {:>7} {:>6}\n";

std::string percent(const benchmark::UserCounters& counters, const char* name, int digits) {
  const auto found = counters.find(name);
  if (found == counters.end()) return "";
  return fmt::format("{:.{}f} %", 100 * found->second.value, digits);
}

/// Why a row has no times; empty if it has. Google Benchmark 1.8 gave these members new names.
template <class Run>
std::string why_skipped(const Run& run) {
  if constexpr (requires { run.skip_message; }) {
    return run.skipped ? run.skip_message : "";
  } else {
    return run.error_occurred ? run.error_message : "";
  }
}

}  // namespace

void JsonReporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> plain = runs;
  for (Run& run : plain) {
    benchmark::BenchmarkName name;
    name.function_name = run.run_name.function_name;
    run.run_name = name;
    // The variation of a counter that is 0 is 0/0, and JSON knows no such number.
    std::erase_if(run.counters,
                  [](const auto& counter) { return !std::isfinite(counter.second.value); });
  }
  JSONReporter::ReportRuns(plain);
}

bool TableReporter::ReportContext(const Context&) {
  GetOutputStream() << fmt::format(kLine, "", "", "", "of", "of best", "")
                    << fmt::format(kLine, "row: medians of its samples", "time ms", "TFLOP/s", "00",
                                   "cuBLAS", "spread");
  return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string& name = run.run_name.function_name;
    if (const std::string why = why_skipped(run); !why.empty()) {
      // All samples of a row say the same.
      if (run.repetition_index > 0) continue;
      GetOutputStream() << wrapped(fmt::format("{}: {}", name, why), 2);
      continue;
    }
    if (run.run_type != Run::RT_Aggregate || run.aggregate_name != "median") continue;
    GetOutputStream() << fmt::format(kLine, name, fmt::format("{:.4g}", run.GetAdjustedRealTime()),
                                     fmt::format("{:.2f}", run.counters.at("tflops").value),
                                     percent(run.counters, "ratio_to_cublas", 1),
                                     percent(run.counters, "ratio_to_best", 1),
                                     percent(run.counters, "spread", 1));
  }
  GetOutputStream().flush();
}

void run_registered(bool to_file) {
  TableReporter table;
  JsonReporter json;
  JsonReporter file;
  benchmark::BenchmarkReporter* shown = benchmark::CreateDefaultDisplayReporter();
  if (dynamic_cast<benchmark::ConsoleReporter*>(shown) != nullptr) shown = &table;
  if (dynamic_cast<benchmark::JSONReporter*>(shown) != nullptr) shown = &json;
  // The plan holds only rows that passed the filter already.
  benchmark::RunSpecifiedBenchmarks(shown, to_file ? &file : nullptr, ".");
}

}  // namespace ladder::bench
