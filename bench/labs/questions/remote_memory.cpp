// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/remote_memory.cpp
/// \brief L18: how far the memory of another GPU is, and which L2 keeps what was read there.
#include <fmt/format.h>

#include <algorithm>

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
  const std::uint64_t most = 4 * facts.l2_bytes;
  const std::uint64_t least = facts.l1_bytes / 4;
  for (const std::uint64_t bytes : geometric(least, most, options.quick ? 1.5 : 1.19, kLine)) {
    const Walk walk = {.places = bytes / kLine, .access = access, .seed = options.seed};
    series.points.push_back(
        {.x = static_cast<double>(bytes), .samples = walks.cycles(walk, options.quick ? 3 : 7)});
  }
  return series;
}

double ns_of(double cycles, const MemoryFacts& facts) {
  return cycles * 1e3 / facts.sm_clock_mhz;
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
  const double small = median_of(far.points[4].samples);
  const double large = median_of(far.points.back().samples);
  report.findings.push_back(
      found("remote_hit_ns", "Remote line that was just read", ns_of(small, facts), "ns",
            fmt::format("{:.0f} cycles; the reader's L2 answers in {:.0f} cycles", small, own)));
  report.findings.push_back(found("remote_miss_ns", "Remote line of a large footprint",
                                  ns_of(large, facts), "ns", fmt::format("{:.0f} cycles", large)));
  const std::vector<Knee> knees = find_knees(far.points);
  if (knees.empty()) {
    report.findings.push_back(not_found("remote_knee_bytes", "Where remote reads become slower",
                                        "bytes", "All footprints have the same latency"));
  } else {
    report.findings.push_back(
        capacity("remote_knee_bytes", "Where remote reads become slower", knees.front(), "cycles"));
  }
  report.findings.push_back(
      found("remote_l1_cycles", "Remote line by ld.ca, small footprint",
            median_of(report.series[2].points.front().samples), "cycles",
            "Latency of the second lap over a quarter of L1: short where L1 keeps remote lines"));
  for (const Direction direction : {Direction::read, Direction::write}) {
    const bool reads = direction == Direction::read;
    const Sweep sweep = {.bytes = std::uint64_t{1} << 30, .direction = direction};
    report.findings.push_back(
        found(reads ? "remote_read_gbps" : "remote_write_gbps",
              reads ? "Remote memory, read by all SMs" : "Remote memory, written by all SMs",
              median_of(instruments->remote_sweeps()->gbps(sweep, options.quick ? 3 : 9)), "GB/s",
              "1 GiB of the other GPU's memory, in one direction of the links"));
  }
  report.claims.push_back(check_claim(
      "R042", "Remote lines are cached in the reader's own L2", small < 1.5 * own,
      fmt::format("A remote line that was just read takes {:.0f} cycles, an own one {:.0f}", small,
                  own)));
  return report;
}

}  // namespace ladder::labs
