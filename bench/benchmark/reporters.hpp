// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/reporters.hpp
/// \brief How results are shown: a table for people, Google Benchmark's JSON for programs.
#pragma once

#include <benchmark/benchmark.h>

#include <vector>

namespace ladder::bench {

/// \brief Google Benchmark's JSON with the rows' plain names. By itself it would add
///        "/iterations:1/repeats:5/manual_time" to each, and write NaN, which is not JSON.
class JsonReporter final : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
};

/// A line of at most 80 columns for each row: medians over its samples.
class TableReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
};

/// \brief Runs all registered benchmarks; --benchmark_format chooses between table, JSON and CSV.
/// \param to_file  also write JSON to the file of --benchmark_out
void run_registered(bool to_file);

}  // namespace ladder::bench
