// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/roofline.cpp
/// \brief L15: the roofs of this GPU, measured, and which of them each rung of the ladder is under,
///        by what the emulator counts of it.
#include "bench/labs/questions/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/labs/instruments/kernel_instruments.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "common/machine.hpp"
#include "ladder/program/rung_trace.hpp"

namespace ladder::labs {
namespace {

constexpr double kLanes = 32;

/// Multiply-adds of an SM in a cycle: measured on a GPU, and else as many as it has lanes.
double multiply_adds_per_cycle(Instruments& instruments, int repeats) {
  constexpr double kFp32Lanes = 128;  // of an SM, from compute capability 8.6 on, and of 9.0
  SmInstrument* const sm = instruments.sm();
  if (sm == nullptr) return kFp32Lanes;
  double most = 0;
  for (const int warps : {8, 16, 32}) {
    const double cycles = median_of(sm->multiply_add_cycles(8, warps, repeats));
    most = std::max(most, kLanes * warps / cycles);
  }
  return most;
}

Roofs measured_roofs(Instruments& instruments, int repeats) {
  const MemoryFacts& facts = instruments.facts();
  const double cycles = facts.sms * facts.sm_clock_mhz * 1e6;
  const auto gbps = [&](std::uint64_t bytes) {
    return median_of(instruments.sweeps().gbps({.bytes = bytes}, repeats));
  };
  return {
      .multiply_adds = multiply_adds_per_cycle(instruments, repeats) * cycles,
      .wavefronts = cycles,
      .l2_bytes = gbps(whole_lines(facts.l2_bytes / 4)) * 1e9,
      .dram_bytes = gbps(whole_lines(std::min(16 * facts.l2_bytes, facts.free_bytes / 2))) * 1e9};
}

/// What a rung asks for, of one problem.
struct Demand {
  double multiply_adds = 0;
  double wavefronts = 0;
  double l2_bytes = 0;
  double dram_bytes = 0;
};

/// Nothing: the caches were not replayed.
std::optional<Demand> demand_of(const RungTrace& trace) {
  constexpr double kWarpLanes = kLanes;
  const double multiply_adds = flops(trace.problem.shape) / 2;
  double wavefronts = 0;
  for (const emulator::LineCounts& line : trace.kernel.lines)
    wavefronts += wavefronts_per_multiply_add(trace, line) * multiply_adds / kWarpLanes;
  const auto metric = [&](const std::string& name) { return trace.metrics.at(name); };
  const std::optional<double> sectors = metric("lts__t_sectors_srcunit_tex.sum");
  const std::optional<double> read = metric("dram__bytes_read.sum");
  const std::optional<double> written = metric("dram__bytes_write.sum");
  if (!sectors || !read || !written) return {};
  return Demand{.multiply_adds = multiply_adds,
                .wavefronts = wavefronts,
                .l2_bytes = emulator::kSectorBytes * *sectors,
                .dram_bytes = *read + *written};
}

/// A roof, and how long it takes what is asked of it.
struct Time {
  std::string_view roof;
  double seconds;
};

std::array<Time, 4> times_of(const Demand& demand, const Roofs& roofs) {
  return {Time{"the FP32 units", demand.multiply_adds / roofs.multiply_adds},
          Time{"L1 and shared memory", demand.wavefronts / roofs.wavefronts},
          Time{"L2", demand.l2_bytes / roofs.l2_bytes},
          Time{"memory", demand.dram_bytes / roofs.dram_bytes}};
}

void add_roofs(LabReport& report, const Roofs& roofs, bool measured) {
  report.findings.push_back(
      found("fp32_tflops", "Roof of the FP32 units", 2 * roofs.multiply_adds * 1e-12, "TFLOP/s",
            measured ? "Eight sums for each thread, up to 32 warps on an SM"
                     : "Computed: 128 lanes on each SM, at its highest clock"));
  report.findings.push_back(found("wavefronts", "Roof of the pipes for L1 and shared memory",
                                  roofs.wavefronts * 1e-9, "10^9/s",
                                  "One wavefront of 128 bytes for each SM and cycle (lab L08)"));
  report.findings.push_back(found("l2_gbps", "Roof of L2", roofs.l2_bytes * 1e-9, "GB/s",
                                  "All SMs read a quarter of L2 again and again"));
  report.findings.push_back(found("dram_gbps", "Roof of memory", roofs.dram_bytes * 1e-9, "GB/s",
                                  "All SMs read much more than L2 holds"));
  report.findings.push_back(found(
      "ridge_flop_per_byte", "Ridge point of memory", 2 * roofs.multiply_adds / roofs.dram_bytes,
      "FLOP/byte", "Below it, memory limits an FP32 kernel; above it, the lanes can"));
}

}  // namespace

RungBound bound_of(const RungTrace& trace, const Roofs& roofs) {
  const std::string key = fmt::format("rung_{:02}_tflops", trace.rung.number);
  const std::string name = "Most that " + label(trace.rung) + " can do";
  const std::optional<Demand> demand = demand_of(trace);
  if (!demand)
    return {.finding = not_found(
                key, name, "TFLOP/s",
                trace.kernel.hazards.empty()
                    ? std::string("What it asks of L2 and memory was not counted")
                    : fmt::format("What it asks of L2 and memory was not counted: the emulator "
                                  "found {} hazard{} in it",
                                  trace.kernel.hazards.size(),
                                  trace.kernel.hazards.size() == 1 ? "" : "s"))};
  const std::array<Time, 4> times = times_of(*demand, roofs);
  const Time& longest = *std::ranges::max_element(times, {}, &Time::seconds);
  std::string others;
  for (const Time& time : times) {
    if (time.roof == longest.roof) continue;
    others += fmt::format("{}{} at {:.0f} %", others.empty() ? "" : ", ", time.roof,
                          100.0 * time.seconds / longest.seconds);
  }
  return {
      .finding = found(key, name, flops(trace.problem.shape) / longest.seconds * 1e-12, "TFLOP/s",
                       fmt::format("Its roof is {}. Next come {}", longest.roof, others)),
      .under_lanes = longest.roof == times[0].roof};
}

LabReport roofline(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  LabReport report;
  const Roofs roofs = measured_roofs(*instruments, options.quick ? 3 : 9);
  add_roofs(report, roofs, instruments->sm() != nullptr);

  DeviceCard card = load_card("h200");
  card.sms = facts.sms;
  card.l2_bytes = static_cast<std::int64_t>(facts.l2_bytes);
  const int size = options.quick ? 256 : 512;
  const Problem problem = {.shape = {size, size, size}, .seed = options.seed};
  const std::unique_ptr<Machine> machine = make_cpu_machine();
  Series bounds = {.name = "what the lowest roof allows",
                   .x_name = "rung",
                   .x_unit = "",
                   .y_name = "speed",
                   .y_unit = "TFLOP/s",
                   .points = {}};
  int under_lanes = 0;
  int rungs = 0;
  int traced = 0;
  for (const Rung& rung : traced_rungs()) {
    if (rung.number == 0 || rung.precision != kFp32) continue;
    options.on_progress(static_cast<double>(traced++) / static_cast<double>(traced_rungs().size()));
    const RungTrace trace =
        trace_rung(*machine, rung, problem, card, {.all_blocks = true, .warp = {}});
    const RungBound bound = bound_of(trace, roofs);
    report.findings.push_back(bound.finding);
    if (!bound.finding.value) continue;
    bounds.points.push_back(
        {.x = static_cast<double>(rung.number), .samples = {bound.finding.value->value}});
    under_lanes += bound.under_lanes;
    ++rungs;
  }
  report.series.push_back(bounds);
  report.claims.push_back(
      {.row = "R100",
       .claimed = "Arithmetic is almost never the bottleneck",
       .verdict = 10 * under_lanes <= rungs  ? "holds"  // "almost never"
                  : 2 * under_lanes >= rungs ? "wrong"
                                             : "condition",
       .because =
           fmt::format("Of {} FP32 rungs, the lanes limit {}. It is the other roofs that the "
                       "first rungs have to get away from",
                       rungs, under_lanes)});
  report.notes.push_back(fmt::format(
      "Counted by the emulator at M = N = K = {}: wavefronts, sectors of L2 and bytes of memory. A "
      "rung reaches its roof only if it hides every latency and fills every SM.",
      size));
  return report;
}

}  // namespace ladder::labs
