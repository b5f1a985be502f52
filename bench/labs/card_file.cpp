// SPDX-License-Identifier: MIT
/// \file  bench/labs/card_file.cpp
/// \brief A device card from what labs found.
#include "bench/labs/card_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/labs/report_json.hpp"

namespace ladder::labs {
namespace {

using nlohmann::ordered_json;

/// What no program can ask of a GPU, by its compute capability.
struct Generation {
  int compute_capability;
  int l1_and_shared_kib;  ///< of an SM
  int fp32_lanes;         ///< of an SM
  int tf32_flop;          ///< of an SM and cycle, dense; 0: no such tensor cores
  int bf16_flop;
  int shared_unit_bytes;
};

/// \source CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; NVIDIA's
///         white papers of Turing, Ampere (GA100, GA102), Ada, Hopper and Blackwell;
///         cuda_occupancy.h
constexpr std::array kGenerations = {
    Generation{75, 96, 64, 0, 0, 256},          Generation{80, 192, 64, 1024, 2048, 128},
    Generation{86, 128, 128, 256, 512, 128},    Generation{87, 192, 128, 512, 1024, 128},
    Generation{89, 128, 128, 256, 512, 128},    Generation{90, 256, 128, 2048, 4096, 128},
    Generation{100, 256, 128, 4096, 8192, 128}, Generation{103, 256, 128, 4096, 8192, 128},
    Generation{120, 128, 128, 256, 512, 128},
};

const Generation& generation_of(double compute_capability) {
  for (const Generation& generation : kGenerations)
    if (generation.compute_capability == compute_capability) return generation;
  throw LabError(
      fmt::format("compute capability {:.1f} is not in the table of bench/labs/card_file.cpp: "
                  "add a line with "
                  "its lanes and the size of L1",
                  compute_capability / 10));
}

double value_of(const LabRun& run, const std::string& key) {
  for (const Finding& finding : run.report.findings)
    if (finding.key == key && finding.value) return finding.value->value;
  throw LabError(fmt::format("lab_device_card.json lacks {}. Was it recorded on a GPU?", key));
}

/// Whole numbers without a decimal point.
ordered_json figure(double value, const std::string& source) {
  if (value == std::round(value))
    return {{"value", static_cast<std::int64_t>(value)}, {"source", source}};
  return {{"value", value}, {"source", source}};
}

/// Peak of all SMs, in TFLOP/s.
ordered_json peak(const LabRun& run, int flop, const std::string& what) {
  const double sms = value_of(run, "sms");
  const double mhz = value_of(run, "sm_clock_mhz");
  if (flop == 0) return {{"value", nullptr}, {"source", "its tensor cores do not take this type"}};
  return figure(sms * flop * mhz * 1e-6,
                fmt::format("computed: {:.0f} SMs * {} {} * {:.0f} MHz", sms, flop, what, mhz));
}

}  // namespace

std::string card_text(const std::string& folder) {
  const std::filesystem::path from = folder;
  const std::filesystem::path driver = from / "lab_device_card.json";
  if (!std::filesystem::exists(driver)) {
    throw LabError(fmt::format(
        "There is no {}. Record it first: memory_lab run device_card l2_sides --json {}",
        driver.string(), folder));
  }
  const LabRun run = load_run(driver.string());
  const std::string asked = fmt::format("lab L00 on {}: ", run.machine);
  const Generation& generation = generation_of(value_of(run, "compute_capability"));
  const std::string known = fmt::format("NVIDIA's documents of compute capability {:.1f}",
                                        generation.compute_capability / 10.0);
  ordered_json card;
  card["name"] = {{"value", run.machine}, {"source", "its driver"}};
  for (const std::string key :
       {"compute_capability", "sms", "sm_clock_mhz", "max_threads_per_sm", "max_warps_per_sm",
        "max_blocks_per_sm", "registers_per_sm", "shared_bytes_per_sm",
        "shared_bytes_reserved_per_block", "max_shared_bytes_per_block", "l2_bytes", "dram_bytes",
        "dram_bytes_per_second"}) {
    const auto finding = std::ranges::find(run.report.findings, key, &Finding::key);
    const double value = value_of(run, key);
    card[key] = figure(value, asked + finding->how);
  }
  card["register_allocation_unit"] = figure(256, "cuda_occupancy.h: registers of one warp");
  card["shared_allocation_unit_bytes"] = figure(generation.shared_unit_bytes, "cuda_occupancy.h");
  card["l1_and_shared_bytes_per_sm"] = figure(generation.l1_and_shared_kib * 1024, known);
  card["l2_ways"] = figure(16, "assumption: NVIDIA publishes no associativity");
  const std::filesystem::path sides = from / "lab_l2_sides.json";
  if (std::filesystem::exists(sides)) {
    const LabRun found = load_run(sides.string());
    const auto penalty = std::ranges::find(found.report.findings, "penalty_cycles", &Finding::key);
    const bool two = penalty != found.report.findings.end() && penalty->value;
    card["l2_partitions"] =
        figure(two ? 2 : 1, fmt::format("lab L09 on {}: {}", found.machine,
                                        two ? "latencies of two sides" : "no sides"));
  } else {
    card["l2_partitions"] = figure(1, "assumption: lab L09 was not run");
  }
  const bool is_hopper = generation.compute_capability == 90;
  card["l2_merging_gpcs"] = figure(
      is_hopper ? 8 : 0, is_hopper ? "assumption: as on an H100" : "assumption: nothing is merged");
  card["fp32_tflops"] = peak(run, 2 * generation.fp32_lanes, "FP32 operations a cycle");
  card["tf32_tflops"] = peak(run, generation.tf32_flop, "operations a cycle, dense");
  card["bf16_tflops"] = peak(run, generation.bf16_flop, "operations a cycle, dense");
  return card.dump(2) + "\n";
}

}  // namespace ladder::labs
