// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/remote_memory.cpp
/// \brief L18: how far the memory of another GPU is, and which L2 keeps what was read there.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/labs/analysis/kept_level.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kLine = 128;

Series staircase(WalkInstrument& walks, const std::string& name, Access access,
                 const MemoryFacts& facts, const LabOptions& options) {
  Series series = {.name = name,
                   .x_name = "footprint",
                   .x_unit = "bytes",
                   .y_name = "latency",
                   .y_unit = "cycles",
                   .points = {}};
  const std::uint64_t most = 6 * facts.l2_bytes;  // four points or more beyond L2
  const std::uint64_t least = facts.l1_bytes / 4;
  series.points = in_rounds(
      geometric(least, most, options.quick ? 1.3 : 1.19, kLine), options.quick ? 3 : 7,
      [&](std::uint64_t bytes, int now) {
        return walks.cycles({.places = bytes / kLine, .access = access, .seed = options.seed}, now);
      });
  return series;
}

Estimate ns_of(const Estimate& cycles, const MemoryFacts& facts) {
  const double ns = 1e3 / facts.sm_clock_mhz;
  return {cycles.value * ns, cycles.low * ns, cycles.high * ns};
}

/// Samples of reads and of writes.
using LinkSamples = std::array<Point, 2>;

void measure_rates(LinkSamples& samples, SweepInstrument& sweeps, const LabOptions& options) {
  constexpr std::array kDirections = {Direction::read, Direction::write};
  for (std::size_t i = 0; i < kDirections.size(); ++i) {
    const Sweep sweep = {.bytes = std::uint64_t{1} << 30, .direction = kDirections[i]};
    const std::vector<double> more = sweeps.gbps(sweep, options.quick ? 3 : 7);
    samples[i].samples.insert(samples[i].samples.end(), more.begin(), more.end());
  }
}

void add_rates(LabReport& report, SweepInstrument& sweeps, LinkSamples samples,
               const LabOptions& options) {
  measure_rates(samples, sweeps, options);  // what throttles for a while does not last so long
  const std::vector<Estimate> medians = safe_medians(samples);
  const std::string how = "1 GiB of the other GPU's memory, in one direction of the links";
  report.findings.push_back(
      found("remote_read_gbps", "Remote memory, read by all SMs", medians[0], "GB/s", how));
  report.findings.push_back(
      found("remote_write_gbps", "Remote memory, written by all SMs", medians[1], "GB/s", how));
}

}  // namespace

LabReport remote_memory(Instruments* instruments, const LabOptions& options) {
  LabReport report;
  WalkInstrument* const remote = instruments->remote_walks();
  if (remote == nullptr) {
    throw LabError(
        "The lab needs a second GPU whose memory the first one can access. nvidia-smi topo -p2p r "
        "shows who can");
  }
  const MemoryFacts& facts = instruments->facts();
  LinkSamples rates;
  measure_rates(rates, *instruments->remote_sweeps(), options);
  report.series.push_back(
      staircase(instruments->walks(), "own memory, ld.cg", Access::l2_only, facts, options));
  options.on_progress(0.2);
  report.series.push_back(
      staircase(*remote, "remote memory, ld.cg", Access::l2_only, facts, options));
  options.on_progress(0.5);
  report.series.push_back(
      staircase(*remote, "remote memory, ld.ca", Access::cached, facts, options));
  options.on_progress(0.8);

  const double own = median_of(report.series[0].points[4].samples);
  const Series& far = report.series[1];
  const std::vector<Estimate> medians = safe_medians(far.points);
  const Estimate small = medians[4];
  const Estimate large = medians.back();
  report.findings.push_back(found("remote_hit_ns", "Remote line that was just read",
                                  ns_of(small, facts), "ns",
                                  fmt::format("{:.0f} cycles; the reader's L2 answers in {:.0f} "
                                              "cycles",
                                              small.value, own)));
  report.findings.push_back(found("remote_miss_ns", "Remote line of a large footprint",
                                  ns_of(large, facts), "ns",
                                  fmt::format("{:.0f} cycles", large.value)));
  const std::vector<Knee> knees = find_knees(far.points);
  if (!knees.empty()) {
    report.findings.push_back(
        capacity("remote_knee_bytes", "Where remote reads become slower", knees.front(), "cycles"));
  } else {
    report.findings.push_back(not_found(
        "remote_knee_bytes", "Where remote reads become slower", "bytes",
        large.low > small.high || large.value > 1.03 * small.value
            ? fmt::format("They do, from {:.0f} to {:.0f} cycles, but where is not resolved",
                          small.value, large.value)
            : "All footprints have the same latency"));
  }
  report.findings.push_back(
      found("remote_l1_cycles", "Remote line by ld.ca, small footprint",
            safe_medians(report.series[2].points).front(), "cycles",
            "Latency of the second lap over a quarter of L1: short where L1 keeps remote lines"));
  add_rates(report, *instruments->remote_sweeps(), rates, options);
  report.claims.push_back(check_claim(
      "R042", "Remote lines are cached in the reader's own L2", small.value < 1.5 * own,
      fmt::format("A remote line that was just read takes {:.0f} cycles, a local one {:.0f}",
                  small.value, own)));
  return report;
}

}  // namespace ladder::labs
