// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/device_card.cpp
/// \brief L00: what the driver says of the GPU, beside what texts say.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

std::string unit_of(const std::string& key) {
  if (key.ends_with("bytes_per_second")) return "bytes per second";
  if (key.ends_with("bytes") || key.find("_bytes_") != std::string::npos) return "bytes";
  return key.ends_with("_mhz") ? "MHz" : "";
}

/// What people call a figure of a device card.
std::string name_of(const std::string& key) {
  static const std::map<std::string, std::string> names = {
      {"sms", "Streaming multiprocessors"},
      {"max_threads_per_sm", "Threads that an SM holds"},
      {"max_warps_per_sm", "Warps that an SM holds"},
      {"max_blocks_per_sm", "Blocks that an SM holds"},
      {"registers_per_sm", "Registers of an SM"},
      {"shared_bytes_per_sm", "Shared memory of an SM, at most"},
      {"shared_bytes_reserved_per_block", "Of it, reserved for each block"},
      {"max_shared_bytes_per_block", "Shared memory of a block, at most"},
      {"l2_bytes", "L2"},
      {"compute_capability", "Compute capability, times ten"},
      {"sm_clock_mhz", "Highest clock of the SMs"},
      {"dram_bytes", "Memory"},
      {"dram_bytes_per_second", "Bandwidth of memory, nominal"},
  };
  const auto found = names.find(key);
  return found == names.end() ? key : found->second;
}

}  // namespace

LabReport device_card(Instruments* instruments, const LabOptions&) {
  const MemoryFacts& facts = instruments->facts();
  LabReport report;
  const std::string preset = "As the preset has it";
  const bool asked = !facts.card.empty();
  const auto add = [&](const std::string& key, double value, const std::string& source) {
    report.findings.push_back(found(key, name_of(key), value, unit_of(key), source));
  };
  for (const CardFigure& figure : facts.card)
    add(figure.key, figure.value, figure.source);
  if (!asked) {
    add("sms", facts.sms, preset);
    add("l2_bytes", static_cast<double>(facts.l2_bytes), preset);
  }
  add("dram_bytes", static_cast<double>(facts.dram_bytes), asked ? "cudaMemGetInfo" : preset);
  add("dram_bytes_per_second", facts.dram_gbps * 1e9,
      asked ? "Memory clock * 2 * bus width / 8" : preset);
  report.findings.push_back(found("most_set_aside_bytes", "L2 that can be set aside",
                                  static_cast<double>(facts.most_persisting_bytes), "bytes",
                                  asked ? "cudaDevAttrMaxPersistingL2CacheSize" : preset));
  report.findings.push_back(found("largest_window_bytes", "Largest window of an access policy",
                                  static_cast<double>(facts.largest_window_bytes), "bytes",
                                  asked ? "cudaDevAttrMaxAccessPolicyWindowSize" : preset));
  constexpr double kClaimedMs = 80.0 / 3350.0 * 1e3;
  const double drain_ms = static_cast<double>(facts.dram_bytes) / (facts.dram_gbps * 1e6);
  report.claims.push_back(check_claim(
      "R102", "80 GB at 3.35 TB/s are drained in 24 ms", std::abs(kClaimedMs - 24.0) < 0.5,
      fmt::format("80 / 3350 s are {:.1f} ms. Here {} at {:.0f} GB/s take {:.1f} ms", kClaimedMs,
                  with_unit(1.0 * facts.dram_bytes, "bytes"), facts.dram_gbps, drain_ms)));
  return report;
}

}  // namespace ladder::labs
