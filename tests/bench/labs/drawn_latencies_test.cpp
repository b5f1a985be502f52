// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/drawn_latencies_test.cpp
/// \brief What labs about latencies say of drawn systems is true.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/labs/instruments/near_memory.hpp"
#include "tests/bench/labs/drawn_reports.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/tally.hpp"

namespace ladder::labs {
namespace {

const char* const kWholeGpus = "whole GPUs";

/// The truth lies in an interval of its own.
bool meets(const std::optional<Estimate>& told, double low, double high) {
  return told && told->low <= high && told->high >= low;
}

/// What all TLBs together cost.
double all_misses(const MemorySystemShape& shape) {
  double cycles = 0;
  for (const TlbLevelShape& level : shape.tlb)
    cycles += level.miss_cycles;
  return cycles;
}

TEST(DrawnCaches, HaveTheSizesAndLatenciesThatTheLabTells) {
  Tally l1("Capacity of L1", kWholeGpus);
  Tally l1_cycles("Latency of L1", kWholeGpus);
  Tally l2("Where the latency of L2 ends", kWholeGpus);
  Tally l2_cycles("Latency of L2", kWholeGpus);
  Tally dram_cycles("Latency of memory", kWholeGpus);
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const MemorySystemShape& shape = drawn.shape;
    const LabReport report = drawn.run("latency");
    l1.take(drawn.seed, estimate(report, "l1_bytes"), static_cast<double>(shape.l1->bytes));
    l1_cycles.take(drawn.seed, estimate(report, "l1_cycles"), shape.l1_cycles);
    // A cache with random victims, or trees of bits, loses lines a little before it is full; and
    // the latency of L2 ends where a TLB reaches less far than that.
    const auto bytes = static_cast<double>(shape.l2->side.bytes);
    double least = 0.75 * bytes;
    for (const TlbLevelShape& tlb : shape.tlb)
      least = std::min(least, static_cast<double>(tlb.reach_bytes()));
    const auto end = estimate(report, "l2_first_bytes");
    l2.take(drawn.seed, end, meets(end, least, bytes));
    // SMs and slices are not equally far from each other.
    const double apart = 3 * shape.sm_sigma_cycles + 2 * shape.slice_sigma_cycles;
    const auto near = estimate(report, "l2_cycles");
    l2_cycles.take(drawn.seed, near,
                   meets(near, shape.near_cycles - apart, shape.near_cycles + apart));
    const auto memory = estimate(report, "dram_cycles");
    dram_cycles.take(
        drawn.seed, memory,
        meets(memory, shape.dram_cycles - apart, shape.dram_cycles + all_misses(shape) + apart));
  }
}

TEST(DrawnCaches, FetchAsMuchAsTheLabTells) {
  Tally tally("Bytes that a miss brings", "whole GPUs, sectors of 32, 64 or 128 bytes", 0.75);
  for (int draw = 0; draw < few_draws(); ++draw) {
    Drawn drawn(draw);
    Draw sizes(drawn.seed ^ 0x5ec702);
    const auto sector = [&] { return static_cast<std::uint64_t>(sizes.one_of({32, 64, 128})); };
    drawn.shape.l1->sector_bytes = sector();
    drawn.shape.l2->side.sector_bytes = sector();
    const LabReport report = drawn.run("sectors");
    tally.take(drawn.seed, estimate(report, "l1_fetch_bytes"),
               static_cast<double>(drawn.shape.l1->sector_bytes));
    tally.take(drawn.seed, estimate(report, "l2_fetch_bytes"),
               static_cast<double>(drawn.shape.l2->side.sector_bytes));
  }
}

TEST(DrawnOperators, UseL1AsTheLabTells) {
  Tally tally("Whether L1 keeps what an operator loads", "whole GPUs, half of them without an L1");
  const std::set<Hint> keep = {Hint::ca, Hint::cs, Hint::evict_first, Hint::evict_last};
  for (int draw = 0; draw < few_draws(); ++draw) {
    Drawn drawn(draw);
    if (draw % 2 == 1) drawn.shape.l1.reset();
    const LabReport report = drawn.run("cache_operators");
    const std::vector<Hint> hints = all_hints();
    for (std::size_t i = 0; i < hints.size(); ++i) {
      const auto told = estimate(report, "operator_" + std::to_string(i) + "_in_l1");
      if (drawn.shape.l1)
        tally.take(drawn.seed, told, told && (told->value == 1) == keep.contains(hints[i]));
      else
        tally.take_nothing(drawn.seed, told);
    }
  }
}

TEST(DrawnLinks, HaveTheLatenciesThatTheLabTells) {
  Tally knees("Where reads from another GPU get slower", "whole GPUs, quick and full");
  Tally hits("Latency of a line in another GPU's L2", "whole GPUs, quick and full");
  Tally misses("Latency of another GPU's memory", "whole GPUs, quick and full");
  Tally rates("Bandwidth between two GPUs", "whole GPUs, quick and full");
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const MemorySystemShape& shape = drawn.shape;
    const LabReport report = drawn.run("remote_memory", draw % 4 != 0);
    const auto bytes = static_cast<double>(shape.facts.l2_bytes);
    const auto knee = estimate(report, "remote_knee_bytes");
    // Where a TLB ends, reads get slower as well.
    const bool tlb_ends = std::ranges::any_of(shape.tlb, [&](const TlbLevelShape& tlb) {
      const auto reach = static_cast<double>(tlb.reach_bytes());
      return meets(knee, reach, reach);
    });
    knees.take(drawn.seed, knee, tlb_ends || meets(knee, 0.75 * bytes, bytes));
    // Nobody may say that there is no such place: each drawn link has one.
    EXPECT_EQ(finding(report, "remote_knee_bytes").how.find("same latency"), std::string::npos)
        << "seed " << drawn.seed;
    const double ns = 1e3 / shape.facts.sm_clock_mhz;
    const double apart = 3 * shape.sm_sigma_cycles + 2 * shape.slice_sigma_cycles;
    const auto hit = estimate(report, "remote_hit_ns");
    hits.take(drawn.seed, hit,
              meets(hit, (shape.link->hit_cycles - apart) * ns,
                    (shape.link->hit_cycles + all_misses(shape) + apart) * ns));
    const auto miss = estimate(report, "remote_miss_ns");
    misses.take(drawn.seed, miss,
                meets(miss, (shape.link->miss_cycles - apart) * ns,
                      (shape.link->miss_cycles + all_misses(shape) + apart) * ns));
    for (const char* const key : {"remote_read_gbps", "remote_write_gbps"})
      rates.take(drawn.seed, estimate(report, key), shape.link->gbps);
  }
}

TEST(DrawnSides, SaveTheEnergyThatTheLabTells) {
  Tally speeds("Change of a copy's speed by its sides", "whole GPUs with two sides");
  Tally powers("Change of a copy's power by its sides", "whole GPUs with two sides");
  Tally energies("Change of a byte's energy by its sides", "whole GPUs with two sides");
  for (int draw = 0; draw < few_draws(); ++draw) {
    const Drawn drawn(draw);
    const MemorySystemShape& shape = drawn.shape;
    const LabReport report = drawn.run("near_memory");
    if (shape.l2->sides == 1) {
      energies.take_nothing(drawn.seed, estimate(report, "copy_right_over_off_percent"));
      continue;
    }
    const auto exact = drawn.exact();
    const double gbps =
        exact->sweeps()
            .gbps(
                {.bytes = std::min(std::uint64_t{2} << 30, shape.facts.free_bytes / 4) / 128 * 128,
                 .direction = Direction::copy},
                1)
            .front();
    const auto watts = [&](Assignment assignment) {
      const double far = 1 - exact->near_memory().near_share(assignment);
      return shape.energy.idle_watts +
             gbps * (shape.energy.joules_per_gb + far * shape.energy.far_joules_per_gb);
    };
    const auto change = [&](Assignment from, Assignment to) {
      return 100 * (watts(to) / watts(from) - 1);
    };
    const double saved = change(Assignment::off, Assignment::right);
    for (const char* const data : {"copy", "zeros"}) {
      const std::string key = std::string(data) + "_right_over_off";
      speeds.take(drawn.seed, estimate(report, key + "_speed_percent"), 0.0);
      powers.take(drawn.seed, estimate(report, key + "_power_percent"), saved);
      energies.take(drawn.seed, estimate(report, key + "_percent"), saved);
    }
    energies.take(drawn.seed, estimate(report, "copy_right_over_wrong_percent"),
                  change(Assignment::wrong, Assignment::right));
    energies.take(drawn.seed, estimate(report, "copy_random_over_off_percent"),
                  change(Assignment::off, Assignment::random));
  }
}

}  // namespace
}  // namespace ladder::labs
