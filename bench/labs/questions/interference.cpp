// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/interference.cpp
/// \brief L17: keys and values of attention are read, a matrix product streams its weights through
///        L2, and the keys and values are read again: how many are still there, and what is each
///        cure worth?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/labs/analysis/kept_level.hpp"
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
    Cure{"none", "no cure", false, Hint::ca, false},
    Cure{"set_aside", "L2 is set aside for them", true, Hint::ca, false},
    Cure{"evict_first", "weights are read with evict_first", false, Hint::evict_first, false},
    Cure{"both", "both are done", true, Hint::evict_first, false},
    Cure{"order", "the weights pass before both reads", false, Hint::ca, true},
};

/// Bandwidths that a step's time follows from.
struct Rates {
  Estimate l2_gbps;
  Estimate memory_gbps;
};

/// Microseconds to read keys and values of which this share is in L2.
double reading_us(double bytes, double share, double l2_gbps, double memory_gbps) {
  return bytes / overlapped_bandwidth(share, l2_gbps, memory_gbps) * 1e-3;
}

/// The time that a share saves against another one, at all ends of all intervals.
Estimate saved_us(double bytes, const Rates& rates, const Estimate& before, const Estimate& after) {
  const auto saved = [&](double l2, double memory, double from, double to) {
    return reading_us(bytes, from, l2, memory) - reading_us(bytes, to, l2, memory);
  };
  const auto ends = [](const Estimate& estimate) {
    return std::array{estimate.low, estimate.high};
  };
  const double value =
      saved(rates.l2_gbps.value, rates.memory_gbps.value, before.value, after.value);
  Estimate all = {value, value, value};
  for (const double l2 : ends(rates.l2_gbps))
    for (const double memory : ends(rates.memory_gbps))
      for (const double from : ends(before))
        for (const double to : ends(after)) {
          const double one = saved(l2, memory, from, to);
          all.low = std::min(all.low, one);
          all.high = std::max(all.high, one);
        }
  return all;
}

Rates measured_rates(Instruments& instruments, int repeats) {
  const std::uint64_t l2 = instruments.facts().l2_bytes;
  const std::vector<Estimate> rates =
      safe_medians(in_rounds({l2 / 4, 8 * l2}, 3 * repeats, [&](std::uint64_t bytes, int now) {
        return instruments.sweeps().gbps({.bytes = whole_lines(bytes)}, now);
      }));
  return {.l2_gbps = rates[0], .memory_gbps = rates[1]};
}

/// Per cent of the keys and values that the second read finds in L2.
std::vector<double> surviving_percent(Instruments& instruments, const Cure& cure,
                                      std::uint64_t bytes, std::uint64_t weights,
                                      const LabOptions& options) {
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
  std::vector<double> percent = instruments.survival()->survivors(survival, options.quick ? 3 : 7);
  for (double& share : percent)
    share *= 100.0;
  return percent;
}

using Shares = std::vector<std::optional<Estimate>>;

/// \brief  The step's times for keys and values of one size, by the shares that survive.
/// \param  shares  for each cure; nothing: this GPU does not allow it
void add_times(LabReport& report, const Rates& rates, double bytes, double weights,
               const Shares& shares) {
  const auto reading = [&](const Estimate& share) {
    return reading_us(bytes, share.value, rates.l2_gbps.value, rates.memory_gbps.value);
  };
  const double products_us = weights / rates.memory_gbps.value * 1e-3;
  const double before_us = reading(*shares[0]);
  for (std::size_t i = 1; i < kCures.size(); ++i) {
    if (!shares[i]) continue;
    const double after_us = reading(*shares[i]);
    report.findings.push_back(found(
        fmt::format("{}_saves_us", kCures[i].key), fmt::format("Time saved if {}", kCures[i].name),
        saved_us(bytes, rates, *shares[0], *shares[i]), "us",
        fmt::format("{:.1f} us become {:.1f}: {:.0f} % of the second read, {:.1f} % of it "
                    "and the product together",
                    before_us, after_us, 100.0 * (before_us - after_us) / before_us,
                    100.0 * (before_us - after_us) / (before_us + products_us))));
  }
}

/// What the shares say to the claims.
void add_claims(LabReport& report, const Rates& rates, const MemoryFacts& facts, double weights,
                const Shares& shares) {
  const double none = 100.0 * shares[0]->value;
  const double first = 100.0 * shares[2]->value;
  const double order = 100.0 * shares[4]->value;
  report.claims.push_back(check_claim(
      "R021", "A matrix product between two reads of keys and values removes them from L2",
      none < 10.0 && order > 90.0,
      fmt::format("{:.0f} % of them are left; if nothing passes in between, {:.0f} %", none,
                  order)));
  report.claims.push_back(check_claim(
      "R025", "Weights that are read once should be read as a stream", first - none > 50.0,
      fmt::format("With evict_first, {:.0f} % of the keys and values are left instead "
                  "of {:.0f} %",
                  first, none)));
  ClaimCheck faster = {.row = "R024",
                       .claimed = "Setting L2 aside makes attention 30 to 50 % faster",
                       .verdict = "pending",
                       .because = "No part of this L2 can be set aside"};
  ClaimCheck window = {
      .row = "R041",
      .claimed = "A window before the product, or one fused kernel, lifts hits from 15 to 85 %",
      .verdict = "pending",
      .because = faster.because};
  if (shares[1]) {
    const double l2 = rates.l2_gbps.value;
    const double memory = rates.memory_gbps.value;
    const double gain = reading_us(1e6, shares[0]->value, l2, memory) /
                        reading_us(1e6, shares[1]->value, l2, memory);
    const double aside = 100.0 * shares[1]->value;
    faster.verdict = gain > 1.3 ? "condition" : "wrong";
    faster.because = fmt::format(
        "The second read can be {:.1f}x as fast, {:.1f} TB/s of L2 instead of {:.1f} of memory, "
        "if it does nothing but read. How much of a step that is depends on the weights: here "
        "the product takes {:.0f} us",
        gain, l2 / 1e3, memory / 1e3, weights / memory * 1e-3);
    window.verdict = aside > 80.0 && order > 80.0 ? "condition" : "wrong";
    window.because = fmt::format(
        "From {:.0f} % to {:.0f} % with a window, as long as the keys and values fit the {} that "
        "can be set aside; to {:.0f} % where nothing passes in between",
        none, aside, with_unit(static_cast<double>(facts.most_persisting_bytes), "bytes"), order);
  }
  report.claims.push_back(faster);
  report.claims.push_back(window);
}

/// What is left of keys and values of all sizes.
Series survivors_by_size(Instruments& instruments, const Cure& cure,
                         const std::vector<std::uint64_t>& sizes, std::uint64_t weights,
                         const LabOptions& options, const std::function<void(double)>& progress) {
  Series series = {.name = std::string(cure.name),
                   .x_name = "keys and values",
                   .x_unit = "bytes",
                   .y_name = "still in L2",
                   .y_unit = "%",
                   .points = {}};
  for (const std::uint64_t size : sizes) {
    progress(static_cast<double>(series.points.size()) / static_cast<double>(sizes.size()));
    series.points.push_back(
        {.x = static_cast<double>(size),
         .samples = surviving_percent(instruments, cure, size, weights, options)});
  }
  return series;
}

/// The share that is left of keys and values of one size, 0 to 1.
Estimate share_of(const Series& series, double bytes) {
  const std::vector<Estimate> percent = safe_medians(series.points);
  const auto found = std::ranges::find(series.points, bytes, &Point::x);
  const Estimate& one = percent[static_cast<std::size_t>(found - series.points.begin())];
  return {one.value / 100, std::max(one.low, 0.0) / 100, std::min(one.high, 100.0) / 100};
}

/// Whether L2 keeps anything, at least where nothing passes between the two reads.
bool some_stay(const Shares& shares) {
  return shares.back()->low > 0.5;
}

void add_shares(LabReport& report, const Shares& shares, double bytes, double weights) {
  for (std::size_t i = 0; i < kCures.size(); ++i) {
    const std::string key = fmt::format("{}_share", kCures[i].key);
    const std::string name = fmt::format("Share still in L2, {}", kCures[i].name);
    if (!shares[i]) {
      report.findings.push_back(not_found(key, name, "%", "No part of this L2 can be set aside"));
    } else if (!some_stay(shares)) {
      report.findings.push_back(not_found(
          key, name, "%",
          fmt::format("Even if nothing passes between the two reads, the clock sees {:.0f} % of "
                      "them in L2",
                      100 * shares.back()->value)));
    } else {
      const Estimate& share = *shares[i];
      report.findings.push_back(
          found(key, name, Estimate{100 * share.value, 100 * share.low, 100 * share.high}, "%",
                fmt::format("Of {}; {} between the two reads", with_unit(bytes, "bytes"),
                            kCures[i].weights_go_first
                                ? "nothing passes"
                                : with_unit(weights, "bytes") + " of weights pass")));
    }
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
  const std::uint64_t weights = whole_lines(2 * facts.l2_bytes);
  const std::vector<std::uint64_t> sizes =
      geometric(facts.l2_bytes / 30, facts.l2_bytes * 4 / 5, options.quick ? 2.0 : 1.3,
                whole_lines(facts.l2_bytes / 240));
  const auto shown = *std::ranges::min_element(sizes, {}, [&](std::uint64_t size) {
    return std::max(size, facts.l2_bytes / 4) - std::min(size, facts.l2_bytes / 4);
  });
  Shares shares;
  for (std::size_t i = 0; i < kCures.size(); ++i) {
    if (kCures[i].set_aside && facts.most_persisting_bytes == 0) {
      shares.emplace_back();
      continue;
    }
    report.series.push_back(
        survivors_by_size(*instruments, kCures[i], sizes, weights, options, [&](double done) {
          options.on_progress((static_cast<double>(i) + done) / static_cast<double>(kCures.size()));
        }));
    shares.emplace_back(share_of(report.series.back(), static_cast<double>(shown)));
  }
  add_shares(report, shares, static_cast<double>(shown), static_cast<double>(weights));
  if (!some_stay(shares)) return report;
  const Rates rates = measured_rates(*instruments, options.quick ? 3 : 7);
  add_times(report, rates, static_cast<double>(shown), static_cast<double>(weights), shares);

  add_claims(report, rates, facts, static_cast<double>(weights), shares);
  report.notes.push_back(
      "Shares are measured line by line, as in lab L04. Times are computed: bytes over the "
      "measured bandwidths of L2 and of memory, hits and misses overlapped.");
  return report;
}

}  // namespace ladder::labs
