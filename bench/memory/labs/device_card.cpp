// SPDX-License-Identifier: MIT
/// \file  bench/memory/labs/device_card.cpp
/// \brief L00: what the driver says of the GPU, beside what texts say.
#include <fmt/format.h>

#include <cmath>

#include "bench/memory/labs/curves.hpp"
#include "bench/memory/labs/labs.hpp"
#include "bench/memory/report_text.hpp"

namespace ladder::labs {
namespace {

std::string unit_of(const std::string& key) {
  if (key.ends_with("bytes") || key.find("_bytes_") != std::string::npos) return "bytes";
  return key.ends_with("_mhz") ? "MHz" : "";
}

}  // namespace

LabReport device_card(Instruments* instruments, const LabOptions&) {
  const MemoryFacts& facts = instruments->facts();
  LabReport report;
  for (const CardFigure& figure : facts.card)
    report.findings.push_back(
        found(figure.key, figure.key, figure.value, unit_of(figure.key), figure.source));
  if (facts.card.empty()) {
    report.findings.push_back(found("sms", "sms", facts.sms, "", "As the preset has it"));
    report.findings.push_back(found("l2_bytes", "l2_bytes", static_cast<double>(facts.l2_bytes),
                                    "bytes", "As the preset has it"));
  }
  report.findings.push_back(found("dram_bytes", "dram_bytes", static_cast<double>(facts.dram_bytes),
                                  "bytes", "cudaMemGetInfo"));
  report.findings.push_back(found("dram_bytes_per_second", "dram_bytes_per_second",
                                  facts.dram_gbps * 1e9, "bytes per second",
                                  "Memory clock * 2 * bus width / 8"));
  report.findings.push_back(found("most_set_aside_bytes", "L2 that can be set aside",
                                  static_cast<double>(facts.most_persisting_bytes), "bytes",
                                  "cudaDevAttrMaxPersistingL2CacheSize"));
  report.findings.push_back(found("largest_window_bytes", "Largest window of an access policy",
                                  static_cast<double>(facts.largest_window_bytes), "bytes",
                                  "cudaDevAttrMaxAccessPolicyWindowSize"));
  const double drain_ms = static_cast<double>(facts.dram_bytes) / (facts.dram_gbps * 1e6);
  report.claims.push_back(check_claim(
      "R102", "All of memory can be read in 24 ms", std::abs(drain_ms - 24.0) < 1.0,
      fmt::format("{} at {:.0f} GB/s take {:.1f} ms", with_unit(1.0 * facts.dram_bytes, "bytes"),
                  facts.dram_gbps, drain_ms)));
  return report;
}

}  // namespace ladder::labs
