// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/memory_bandwidth.cpp
/// \brief L07: what memory gives to reads, writes and copies, and how much must be in flight.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/labs/analysis/kept_level.hpp"
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

/// A quotient's interval.
Estimate over(double dividend, const Estimate& divisor) {
  return {dividend / divisor.value, dividend / divisor.high, dividend / divisor.low};
}

/// So many SMs that each keep so many loads in flight.
Sweep sweep_of(std::uint64_t bytes, int loads, int count, int sms) {
  Sweep sweep = {.bytes = bytes, .blocks_per_sm = 1, .loads_in_flight = loads};
  for (int sm = 0; sm < count; ++sm)
    sweep.sms.push_back(sm * sms / count);
  return sweep;
}

/// Bandwidth by bytes in flight: of more and more SMs, and of more and more loads.
std::vector<Point> little_curve(Instruments& instruments, std::uint64_t bytes, int repeats) {
  const int sms = instruments.facts().sms;
  std::vector<Sweep> sweeps;
  int last = 0;
  for (const int percent : {6, 12, 25, 50, 100}) {
    const int count = std::max(1, sms * percent / 100);
    if (count == last) continue;
    last = count;
    // With few SMs, each SM's own limit would show instead of memory's.
    for (const int loads : {1, 2, 4, 8})
      if (percent == 100 || loads <= 2) sweeps.push_back(sweep_of(bytes, loads, count, sms));
  }
  std::vector<std::uint64_t> numbers(sweeps.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<Point> curve = in_rounds(numbers, repeats, [&](std::uint64_t i, int now) {
    return instruments.sweeps().gbps(sweeps[i], now);
  });
  for (std::size_t i = 0; i < curve.size(); ++i)
    curve[i].x = in_flight(sweeps[i], static_cast<int>(sweeps[i].sms.size()));
  return curve;
}

/// \brief  Whether the fewest SMs are nearly twice as fast with twice the loads, as Little's law
///         says. If not, something else than latency limits them.
bool follow_latency(const std::vector<Point>& curve) {
  constexpr double kNearlyTwice = 1.8;
  return median_of(curve[1].samples) > kNearlyTwice * median_of(curve[0].samples);
}

/// \brief  Whether half of the SMs get clearly more than half of what all get. If not, the SMs' own
///         pipes are full, and not memory's.
bool memory_limits(Instruments& instruments, std::uint64_t bytes, int repeats,
                   const Estimate& ceiling) {
  constexpr double kClearlyMore = 0.56;
  const int sms = instruments.facts().sms;
  const int some = sms / 2;
  const std::vector<double> rates =
      instruments.sweeps().gbps(sweep_of(bytes, 8, some, sms), repeats);
  const double share = static_cast<double>(some) / sms;
  return median_of(rates) > 2 * share * kClearlyMore * ceiling.value;
}

/// Little's law: how much must be in flight, and the latency that it tells.
void add_in_flight(LabReport& report, Instruments& instruments, std::uint64_t bytes, int repeats) {
  Series little = {.name = "read",
                   .x_name = "bytes in flight",
                   .x_unit = "bytes",
                   .y_name = "bandwidth",
                   .y_unit = "GB/s",
                   .points = little_curve(instruments, bytes, repeats)};
  const bool latency_limits = follow_latency(little.points);
  std::ranges::stable_sort(little.points, {}, &Point::x);
  const std::optional<Saturation> fit = fit_saturation(little.points);
  double most = 0;
  for (const Point& point : little.points)
    most = std::max(most, median_of(point.samples));
  report.series.push_back(little);
  const std::string name = "Bytes in flight that fill memory's pipe";
  const auto none = [&](const std::string& why) {
    report.findings.push_back(not_found("bytes_in_flight", name, "bytes", why));
  };
  if (!fit) return none("Bandwidth does not grow with what is in flight and level off");
  if (!latency_limits)
    return none(
        "The fewest SMs are not twice as fast with twice the loads: something else than "
        "latency limits them");
  if (instruments.facts().sms < 2 || !memory_limits(instruments, bytes, repeats, fit->ceiling))
    return none(
        "Half of the SMs get half of the bandwidth: it is they that are full, and not "
        "memory");
  report.findings.push_back(
      found("bytes_in_flight", name, fit->knee, "bytes",
            fmt::format("There a line of bandwidth that grows with them meets one that is level at "
                        "{:.0f} GB/s; the curve is round there, and its most is {:.0f}",
                        fit->ceiling.value, most)));
  report.findings.push_back(found("loaded_latency_ns", "Latency, by Little's law",
                                  over(1.0, fit->slope), "ns",
                                  "Bytes in flight over bandwidth, where bandwidth still grows"));
}

}  // namespace

LabReport memory_bandwidth(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  // Far more than L2, so that little of it hits.
  const std::uint64_t bytes = whole_lines(
      std::min(std::max(std::uint64_t{32} * facts.l2_bytes, kGiB), facts.free_bytes / 4));
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
  const std::vector<Point> measured_kinds = in_rounds(
      {0, 1, 2, 3}, repeats,
      [&](std::uint64_t i, int now) { return instruments->sweeps().gbps(kinds[i].sweep, now); });
  options.on_progress(0.5);
  const std::vector<Estimate> rates = safe_medians(measured_kinds);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    report.findings.push_back(
        found(kinds[i].key + "_gbps", kinds[i].name, rates[i], "GB/s",
              facts.dram_gbps > 0
                  ? fmt::format("{:.1f} % of the {:.0f} GB/s that clock and bus width give",
                                100.0 * rates[i].value / facts.dram_gbps, facts.dram_gbps)
                  : "Median of the samples"));
  const double read = rates[0].value;
  add_in_flight(report, *instruments, bytes, repeats);
  options.on_progress(0.9);
  if (read > 0 && facts.dram_bytes > 0) {
    report.findings.push_back(found("drain_ms", "Time to read all of memory once",
                                    over(static_cast<double>(facts.dram_bytes) * 1e-6, rates[0]),
                                    "ms", "Capacity over the measured rate of reads"));
  }
  const double zeros = rates[1].value;
  report.claims.push_back(
      check_claim("R075", "Random bits and zeros are read at the same rate",
                  std::abs(zeros / read - 1.0) < 0.02,
                  fmt::format("Zeros are read at {:.3f}x of the rate", zeros / read)));
  return report;
}

}  // namespace ladder::labs
