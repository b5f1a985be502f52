// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/memory_bandwidth.cpp
/// \brief L07: what memory gives to reads, writes and copies, and how much must be in flight.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/labs/analysis/saturation.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr int kThreads = 1024;

struct Kind {
  std::string key;
  std::string name;
  Sweep sweep;
};

/// Bytes of loads that all SMs have in flight.
double in_flight(const Sweep& sweep, int sms) {
  constexpr double kVectorBytes = 16.0;
  return kVectorBytes * kThreads * sweep.blocks_per_sm * sweep.loads_in_flight * sms;
}

}  // namespace

LabReport memory_bandwidth(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  // Far more than L2, so that little of it hits.
  const std::uint64_t bytes =
      std::min(std::max(std::uint64_t{32} * facts.l2_bytes, kGiB), facts.free_bytes / 4);
  const int repeats = options.quick ? 5 : 15;
  LabReport report;
  const std::vector<Kind> kinds = {
      {"read", "Read", {.bytes = bytes}},
      {"read_zeros", "Read, all zeros", {.bytes = bytes, .zeros = true}},
      {"write", "Write", {.bytes = bytes, .direction = Direction::write}},
      {"copy",
       "Copy, bytes read plus bytes written",
       {.bytes = bytes, .direction = Direction::copy}},
  };
  double read = 0.0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    options.on_progress(0.5 * static_cast<double>(i) / kinds.size());
    const std::vector<double> samples = instruments->sweeps().gbps(kinds[i].sweep, repeats);
    const Estimate rate = median_with_interval(samples, options.seed);
    if (i == 0) read = rate.value;
    report.findings.push_back(
        found(kinds[i].key + "_gbps", kinds[i].name, rate, "GB/s",
              facts.dram_gbps > 0
                  ? fmt::format("{:.1f} % of the {:.0f} GB/s that clock and bus width give",
                                100.0 * rate.value / facts.dram_gbps, facts.dram_gbps)
                  : "Median of the samples"));
  }

  Series little = {.name = "read",
                   .x_name = "bytes in flight",
                   .x_unit = "bytes",
                   .y_name = "bandwidth",
                   .y_unit = "GB/s",
                   .points = {}};
  for (const int sms_percent : {6, 12, 25, 50, 100}) {
    const int count = std::max(1, facts.sms * sms_percent / 100);
    for (const int loads : {1, 2, 4, 8}) {
      options.on_progress(0.5 + 0.005 * sms_percent);
      Sweep sweep = {.bytes = bytes, .blocks_per_sm = 1, .loads_in_flight = loads};
      for (int sm = 0; sm < count; ++sm)
        sweep.sms.push_back(sm * facts.sms / count);
      // With few SMs, each SM's own limit would show instead of memory's.
      if (sms_percent < 100 && loads > 2) continue;
      little.points.push_back(
          {.x = in_flight(sweep, count), .samples = instruments->sweeps().gbps(sweep, repeats)});
    }
  }
  std::ranges::sort(little.points, {}, &Point::x);
  const std::optional<Saturation> fit = fit_saturation(little.points);
  report.series.push_back(little);
  if (fit) {
    report.findings.push_back(
        found("bytes_in_flight", "Bytes in flight that fill memory's pipe", fit->knee, "bytes",
              fmt::format("Bandwidth grows with them up to {:.0f} GB/s", fit->ceiling)));
    report.findings.push_back(found("loaded_latency_ns", "Latency, by Little's law",
                                    1.0 / fit->slope, "ns",
                                    "Bytes in flight over bandwidth, where bandwidth still grows"));
  } else {
    report.findings.push_back(not_found("bytes_in_flight",
                                        "Bytes in flight that fill memory's pipe", "bytes",
                                        "Bandwidth does not level off"));
  }
  if (read > 0 && facts.dram_bytes > 0) {
    report.findings.push_back(found("drain_ms", "Time to read all of memory once",
                                    static_cast<double>(facts.dram_bytes) / read * 1e-6, "ms",
                                    "Capacity over the measured rate of reads"));
  }
  const double zeros = report.findings[1].value->value;
  report.claims.push_back(
      check_claim("R075", "Random bits and zeros are read at the same rate",
                  std::abs(zeros / read - 1.0) < 0.02,
                  fmt::format("Zeros are read at {:.3f}x of the rate", zeros / read)));
  return report;
}

}  // namespace ladder::labs
