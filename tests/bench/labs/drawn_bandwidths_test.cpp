// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/drawn_bandwidths_test.cpp
/// \brief What labs about bandwidth say of drawn systems is true.
#include <gtest/gtest.h>

#include <array>

#include "bench/labs/analysis/saturation.hpp"
#include "tests/bench/labs/drawn_reports.hpp"
#include "tests/bench/labs/tally.hpp"

namespace ladder::labs {
namespace {

const char* const kGpus = "whole GPUs";

double exact_gbps(Instruments& gpu, const Sweep& sweep) {
  return gpu.sweeps().gbps(sweep, 1).front();
}

double exact_gbps(Instruments& gpu, double bytes, Direction direction = Direction::read) {
  return exact_gbps(gpu, {.bytes = static_cast<std::uint64_t>(bytes), .direction = direction});
}

/// Whether a curve that falls is above a level at one end of an interval, and below at the other.
template <class Curve>
bool crosses(const std::optional<Estimate>& told, double level, const Curve& curve) {
  return told && curve(told->low) >= level && curve(told->high) < level;
}

TEST(DrawnBandwidths, OfL2AndWhereItEnds) {
  Tally rates("Bandwidth of L2", kGpus);
  Tally knees("Where the bandwidth of L2 ends", kGpus);
  Tally cyclic("Capacity of L2 by a sweep's hit rates", kGpus, 0);
  Tally random("Capacity of L2 by random hit rates", kGpus);
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const LabReport report = drawn.run("l2_bandwidth");
    const auto exact = drawn.exact();
    const auto nominal = static_cast<double>(drawn.shape.facts.l2_bytes);
    const double cache = exact_gbps(*exact, nominal / 4);
    const double memory = exact_gbps(*exact, report.series.at(1).points.back().x);
    rates.take(drawn.seed, estimate(report, "l2_read_gbps"), cache);
    const auto knee = estimate(report, "l2_knee_bytes");
    knees.take(drawn.seed, knee, crosses(knee, memory + 0.9 * (cache - memory), [&](double bytes) {
                 return exact_gbps(*exact, bytes);
               }));
    // Two sides keep copies of each other's lines: they hold what one of them does, or more.
    const auto side = static_cast<double>(drawn.shape.l2->side.bytes);
    const auto holds_l2 = [&](const std::optional<Estimate>& told) {
      return told && told->low <= nominal && told->high >= side;
    };
    for (Tally* const tally : {&cyclic, &random}) {
      const auto told =
          estimate(report, tally == &cyclic ? "cyclic_capacity_bytes" : "random_capacity_bytes");
      tally->take(drawn.seed, told, holds_l2(told));
    }
  }
}

TEST(DrawnBandwidths, OfMemoryAndWhatMustBeInFlight) {
  Tally rates("Bandwidth of memory", kGpus);
  Tally knees("Bytes in flight that fill memory's pipe", kGpus, 0.3);
  Tally latencies("Latency by Little's law", kGpus, 0.3);
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const LabReport report = drawn.run("memory_bandwidth");
    const auto exact = drawn.exact();
    const MemorySystemShape& shape = drawn.shape;
    const double most = 32.0 * static_cast<double>(shape.facts.l2_bytes);
    for (const auto& [key, direction] : {std::pair("read_gbps", Direction::read),
                                         {"write_gbps", Direction::write},
                                         {"copy_gbps", Direction::copy}})
      rates.take(drawn.seed, estimate(report, key), exact_gbps(*exact, most, direction));
    knees.take(drawn.seed, estimate(report, "bytes_in_flight"),
               bytes_in_flight(shape.dram_read_gbps, shape.dram_cycles, shape.facts.sm_clock_mhz));
    latencies.take(drawn.seed, estimate(report, "loaded_latency_ns"),
                   shape.dram_cycles * 1e3 / shape.facts.sm_clock_mhz);
  }
}

TEST(DrawnSetAsides, ProtectWhatTheLabSays) {
  Tally tally("Largest hot array that survives", kGpus, 0.3);
  struct Way {
    const char* key;
    double share;
    double hit_ratio;
  };
  const std::array ways = {Way{"nothing", 0, 1}, Way{"all", 1, 1}, Way{"half", 0.5, 1},
                           Way{"half_marked", 1, 0.5}};
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const LabReport report = drawn.run("set_aside");
    const auto exact = drawn.exact();
    const MemoryFacts& facts = drawn.shape.facts;
    for (const Way& way : ways) {
      const auto survive = [&](double bytes) {
        const auto hot = static_cast<std::uint64_t>(bytes);
        Survival survival = {.hot_bytes = hot,
                             .stream_bytes = 2 * facts.l2_bytes / 128 * 128,
                             .sampled_lines = 1 << 30,
                             .seed = drawn.seed};
        const auto limit = static_cast<std::uint64_t>(
            static_cast<double>(facts.most_persisting_bytes) * way.share);
        if (limit > 0)
          survival.set_aside = SetAside{.limit_bytes = limit,
                                        .window_bytes = std::min(hot, facts.largest_window_bytes),
                                        .hit_ratio = way.hit_ratio};
        return exact->survival()->survivors(survival, 1).front();
      };
      const std::optional<Estimate> told =
          estimate(report, std::string(way.key) + "_protected_bytes");
      const Series& curve = report.series.at(static_cast<std::size_t>(&way - ways.begin()));
      if (survive(curve.points.front().x) < 0.9)
        tally.take_nothing(drawn.seed, told);
      else
        tally.take(drawn.seed, told, crosses(told, 0.9, survive));
    }
  }
}

TEST(DrawnInterference, SharesAndTimesAreThoseOfTheModel) {
  Tally shares("Share of keys and values left in L2", kGpus);
  Tally times("Time that a cure saves", kGpus);
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const LabReport report = drawn.run("interference");
    const LabReport truth =
        find_lab("interference").run(drawn.exact().get(), {.quick = true, .seed = drawn.seed});
    for (const char* const cure : {"none", "set_aside", "evict_first", "both", "order"}) {
      const std::string key = std::string(cure) + "_share";
      shares.take(drawn.seed, estimate(report, key), estimate(truth, key)->value);
    }
    for (const char* const cure : {"set_aside", "evict_first", "both", "order"}) {
      const std::string key = std::string(cure) + "_saves_us";
      if (const auto exact = estimate(truth, key))
        times.take(drawn.seed, estimate(report, key), exact->value);
    }
  }
}

TEST(DrawnRandomReads, HaveTheRatesOfTheModel) {
  Tally tally("Rate of random reads, with and without passes", kGpus);
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const LabReport report = drawn.run("random_sampling");
    const LabReport truth =
        find_lab("random_sampling").run(drawn.exact().get(), {.quick = true, .seed = drawn.seed});
    for (const char* const key : {"best_reads", "largest_reads", "cure_1", "cure_2", "cure_3"}) {
      if (const auto exact = estimate(truth, key))
        tally.take(drawn.seed, estimate(report, key), exact->value);
    }
  }
}

/// Rates of the exact curve with this name.
double rate_in(const LabReport& report, std::size_t curve, double x) {
  for (const Point& point : report.series.at(curve).points)
    if (point.x == x) return point.samples.front();
  return 0;
}

TEST(DrawnGroupings, HaveTheRatesOfTheModel) {
  Tally rates("Rate of grouping, with and without passes", kGpus);
  Tally reach("Table up to which one pass keeps its speed", kGpus, 0.3);
  Tally crossover("Table from which on another way is faster", kGpus, 0.2);
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const LabReport report = drawn.run("hash_grouping");
    const LabReport truth =
        find_lab("hash_grouping").run(drawn.exact().get(), {.quick = true, .seed = drawn.seed});
    for (const Finding& exact : truth.findings)
      if (exact.unit == "10^9/s" && exact.value)
        rates.take(drawn.seed, estimate(report, exact.key), exact.value->value);
    const double best = estimate(truth, "best_tuples")->value;
    const auto told = estimate(report, "reach");
    reach.take(drawn.seed, told,
               crosses(told, 0.8 * best, [&](double x) { return rate_in(truth, 0, x); }));
    // From the upper end on, another way is faster; at the lower end, none is.
    const auto other = estimate(report, "crossover");
    const auto faster = [&](double x) {
      double most = 0;
      for (std::size_t i = 1; i < 6; ++i)
        most = std::max(most, rate_in(truth, i, x));
      return most >= rate_in(truth, 0, x);
    };
    const bool begins =
        other && (other->low == truth.series.front().points.front().x || !faster(other->low));
    crossover.take(drawn.seed, other, begins && faster(other->high));
  }
}

}  // namespace
}  // namespace ladder::labs
