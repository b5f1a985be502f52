// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/interference.cpp
/// \brief L17: keys and values of attention are read, a matrix product streams its weights through
///        L2, and the keys and values are read again: how many are still there, and what is each
///        cure worth?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/labs/analysis/replacement.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

/// Something that is done about it.
struct Cure {
  std::string_view key;
  std::string_view name;
  bool set_aside;         ///< all that the GPU allows, for the keys and values
  Hint weights;           ///< how the weights are read
  bool weights_go_first;  ///< nothing passes between the two reads: another order, or one kernel
};

constexpr std::array kCures = {
    Cure{"none", "nothing is done", false, Hint::ca, false},
    Cure{"set_aside", "L2 is set aside for them", true, Hint::ca, false},
    Cure{"evict_first", "weights are read with evict_first", false, Hint::evict_first, false},
    Cure{"both", "both are done", true, Hint::evict_first, false},
    Cure{"order", "the weights pass before both reads", false, Hint::ca, true},
};

/// Bandwidths that a step's time follows from.
struct Rates {
  double l2_gbps;
  double memory_gbps;

  /// Microseconds to read keys and values of which this share is in L2.
  double reading_us(double bytes, double share) const {
    return bytes / overlapped_bandwidth(share, l2_gbps, memory_gbps) * 1e-3;
  }
};

Rates measured_rates(Instruments& instruments, int repeats) {
  const std::uint64_t l2 = instruments.facts().l2_bytes;
  const auto gbps = [&](std::uint64_t bytes) {
    return median_of(instruments.sweeps().gbps({.bytes = bytes}, repeats));
  };
  return {.l2_gbps = gbps(l2 / 4), .memory_gbps = gbps(8 * l2)};
}

/// Share of the keys and values that the second read finds in L2.
double surviving_share(Instruments& instruments, const Cure& cure, std::uint64_t bytes,
                       std::uint64_t weights, const LabOptions& options) {
  const MemoryFacts& facts = instruments.facts();
  Survival survival = {.hot_bytes = bytes,
                       .stream_bytes = cure.weights_go_first ? 128 : weights,
                       .stream_hint = cure.weights,
                       .sampled_lines = options.quick ? 1024 : 4096,
                       .seed = options.seed};
  if (cure.set_aside) {
    survival.set_aside = SetAside{.limit_bytes = facts.most_persisting_bytes,
                                  .window_bytes = std::min(bytes, facts.largest_window_bytes)};
  }
  return median_of(instruments.survival()->survivors(survival, options.quick ? 3 : 7));
}

/// \brief  The step's times for keys and values of one size, by the shares that survive.
/// \param  shares  for each cure
void add_times(LabReport& report, const Rates& rates, double bytes, double weights,
               const std::vector<double>& shares) {
  const double products_us = weights / rates.memory_gbps * 1e-3;
  const double before_us = rates.reading_us(bytes, shares[0]);
  for (std::size_t i = 1; i < kCures.size(); ++i) {
    const double after_us = rates.reading_us(bytes, shares[i]);
    report.findings.push_back(
        found(fmt::format("{}_saves_us", kCures[i].key),
              fmt::format("Time saved if {}", kCures[i].name), before_us - after_us, "us",
              fmt::format("{:.1f} us become {:.1f}: {:.0f} % of the second read, {:.1f} % of it "
                          "and the product together",
                          before_us, after_us, 100.0 * (before_us - after_us) / before_us,
                          100.0 * (before_us - after_us) / (before_us + products_us))));
  }
}

}  // namespace

LabReport interference(Instruments* instruments, const LabOptions& options) {
  LabReport report;
  if (instruments->survival() == nullptr) {
    throw LabError(
        "The lab needs loads with eviction hints: a GPU of compute capability 8.0 or newer. "
        "--simulate h200 has them");
  }
  const MemoryFacts& facts = instruments->facts();
  const std::uint64_t weights = 2 * facts.l2_bytes;
  const std::vector<std::uint64_t> sizes = geometric(
      facts.l2_bytes / 30, facts.l2_bytes * 4 / 5, options.quick ? 2.0 : 1.3, facts.l2_bytes / 240);
  const auto shown = *std::ranges::min_element(sizes, {}, [&](std::uint64_t size) {
    return std::max(size, facts.l2_bytes / 4) - std::min(size, facts.l2_bytes / 4);
  });
  std::vector<double> shares;
  for (std::size_t i = 0; i < kCures.size(); ++i) {
    const Cure& cure = kCures[i];
    Series series = {.name = std::string(cure.name),
                     .x_name = "keys and values",
                     .x_unit = "bytes",
                     .y_name = "still in L2",
                     .y_unit = "%",
                     .points = {}};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      options.on_progress(
          (static_cast<double>(i) + static_cast<double>(k) / static_cast<double>(sizes.size())) /
          static_cast<double>(kCures.size()));
      const double share = surviving_share(*instruments, cure, sizes[k], weights, options);
      series.points.push_back({.x = static_cast<double>(sizes[k]), .samples = {100.0 * share}});
      if (sizes[k] != shown) continue;
      shares.push_back(share);
      report.findings.push_back(found(
          fmt::format("{}_share", cure.key),
          fmt::format("Left of {}, {}", with_unit(static_cast<double>(shown), "bytes"), cure.name),
          100.0 * share, "%",
          cure.weights_go_first ? "Nothing passes between the two reads"
                                : fmt::format("{} of weights pass between the two reads",
                                              with_unit(static_cast<double>(weights), "bytes"))));
    }
    report.series.push_back(series);
  }
  const Rates rates = measured_rates(*instruments, options.quick ? 3 : 7);
  add_times(report, rates, static_cast<double>(shown), static_cast<double>(weights), shares);

  const double none = 100.0 * shares[0];
  const double aside = 100.0 * shares[1];
  report.claims.push_back(check_claim(
      "R021", "A matrix product between two reads of keys and values removes them from L2",
      none < 10.0 && shares[4] > 0.9,
      fmt::format("{:.0f} % of them are left; if nothing passes in between, {:.0f} %", none,
                  100.0 * shares[4])));
  report.claims.push_back(check_claim(
      "R025", "Weights that are read once should be read as a stream", shares[2] - shares[0] > 0.5,
      fmt::format("With evict_first, {:.0f} % of the keys and values are left instead "
                  "of {:.0f} %",
                  100.0 * shares[2], none)));
  const double gain = rates.reading_us(1e6, shares[0]) / rates.reading_us(1e6, shares[1]);
  report.claims.push_back(
      {.row = "R024",
       .claimed = "Setting L2 aside makes attention 30 to 50 % faster",
       .verdict = gain > 1.3 ? "condition" : "wrong",
       .because = fmt::format(
           "The second read can be {:.1f}x as fast, {:.1f} TB/s of L2 instead of {:.1f} of memory, "
           "if it does nothing but read. How much of a step that is depends on the weights: here "
           "the product takes {:.0f} us",
           gain, rates.l2_gbps / 1e3, rates.memory_gbps / 1e3,
           static_cast<double>(weights) / rates.memory_gbps * 1e-3)});
  report.claims.push_back(
      {.row = "R041",
       .claimed = "A window before the product, or one fused kernel, lifts hits from 15 to 85 %",
       .verdict = aside > 80.0 && 100.0 * shares[4] > 80.0 ? "condition" : "wrong",
       .because = fmt::format("From {:.0f} % to {:.0f} % with a window, as long as the keys and "
                              "values fit the {} that can be set aside; to {:.0f} % where nothing "
                              "passes in between",
                              none, aside,
                              with_unit(static_cast<double>(facts.most_persisting_bytes), "bytes"),
                              100.0 * shares[4])});
  report.notes.push_back(
      "Shares are measured line by line, as in lab L04. Times are computed: bytes over the "
      "measured bandwidths of L2 and of memory, hits and misses overlapped.");
  return report;
}

}  // namespace ladder::labs
