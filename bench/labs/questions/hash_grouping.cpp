// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/hash_grouping.cpp
/// \brief L14: counting groups in tables of more and more memory, and what helps against TLB
///        misses.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/emulated_grouping.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// One way to group, with its passes or windows.
struct Way {
  std::string key;   ///< "spill_4"
  std::string name;  ///< "passes over 32 GiB, the rest spilled"
  GroupingWay way = GroupingWay::one_pass;
  std::uint64_t scope = 0;  ///< bytes of the table that a pass works on; 0: all
  int windows = 0;          ///< into which the tuples are sorted
  bool zero_copy = false;

  int parts(std::uint64_t table_bytes) const {
    if (windows != 0) return windows;
    return scope == 0 ? 1 : static_cast<int>((table_bytes + scope - 1) / scope);
  }
};

/// All ways with the tuples in one of the two memories, the plain one first.
std::vector<Way> ways_of(std::uint64_t most, int sms, bool zero_copy) {
  const auto passes = [&](std::uint64_t share, GroupingWay way) {
    const std::string scope = with_unit(static_cast<double>(most / share), "bytes");
    const bool spills = way == GroupingWay::spill;
    return Way{.key = fmt::format("{}_{}", spills ? "spill" : "rescan", share),
               .name = fmt::format("passes over {}{}", scope, spills ? ", the others spilled" : ""),
               .way = way,
               .scope = (most + share - 1) / share};
  };
  const auto windows = [&](int per_sm) {
    const int count = std::min(per_sm * sms, kMostParts);
    return Way{.key = fmt::format("windows_{}", per_sm),
               .name = fmt::format("sorted into {} windows", count),
               .way = GroupingWay::windows,
               .windows = count};
  };
  std::vector<Way> ways = {{.key = "one_pass", .name = "one pass"},
                           passes(4, GroupingWay::rescan),
                           passes(4, GroupingWay::spill),
                           windows(8)};
  if (!zero_copy) {
    ways.push_back(passes(16, GroupingWay::spill));
    ways.push_back(windows(2));
  }
  for (Way& way : ways) {
    way.zero_copy = zero_copy;
    if (zero_copy) way.key = "zero_copy_" + way.key;
    if (zero_copy) way.name = "zero-copy: " + way.name;
  }
  return ways;
}

/// Sizes of tables, the largest first: the memory is then taken once.
std::vector<std::uint64_t> table_sizes(std::uint64_t most, std::uint64_t least, double factor) {
  std::vector<std::uint64_t> sizes;
  for (auto bytes = static_cast<double>(most); bytes >= static_cast<double>(least); bytes /= factor)
    sizes.push_back(std::max(static_cast<std::uint64_t>(bytes) / kMiB, std::uint64_t{1}) * kMiB);
  return sizes;
}

/// Every way, with few tuples, against what the CPU counts.
void require_exact(GroupingInstrument& grouping, std::uint64_t seed) {
  constexpr std::uint64_t kOnGpu = std::uint64_t{1} << 20;
  constexpr std::uint64_t kOnEmulator = std::uint64_t{1} << 12;
  for (const GroupingWay way :
       {GroupingWay::one_pass, GroupingWay::rescan, GroupingWay::spill, GroupingWay::windows}) {
    for (const bool zero_copy : {false, true}) {
      const auto wanted = [&](std::uint64_t tuples) {
        return Grouping{.table_bytes = tuples * 2,
                        .tuples = tuples,
                        .way = way,
                        .parts = way == GroupingWay::one_pass ? 1 : 5,
                        .zero_copy = zero_copy,
                        .seed = seed};
      };
      const auto keys_of = [&](const Grouping& small) {
        std::vector<TableWord> keys(small.tuples);
        for (std::uint64_t i = 0; i < small.tuples; ++i)
          keys[i] = tuple_key(small.groups(), seed, i);
        return keys;
      };
      const Grouping on_gpu = wanted(kOnGpu);
      const std::vector<TableWord> keys = keys_of(on_gpu);
      if (const auto table = grouping.grouped(on_gpu, keys)) {
        require_counts(*table, keys);
      } else {
        const Grouping emulated = wanted(kOnEmulator);
        const std::vector<TableWord> few = keys_of(emulated);
        require_counts(grouped_on_emulator(emulated, few), few);
      }
    }
  }
}

/// The curves of some ways, from the smallest table to the largest.
std::vector<Series> curves_of(GroupingInstrument& instrument, const std::vector<Way>& ways,
                              const std::vector<std::uint64_t>& sizes, std::uint64_t tuples,
                              const LabOptions& options,
                              const std::function<void(double)>& on_progress) {
  std::vector<Series> curves;
  for (const Way& way : ways)
    curves.push_back({.name = way.name,
                      .x_name = "table",
                      .x_unit = "bytes",
                      .y_name = "tuples",
                      .y_unit = "10^9/s",
                      .points = {}});
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const int parts = ways[i].parts(sizes[size]);
      if (ways[i].scope != 0 && parts < 2) continue;
      Point point = {.x = static_cast<double>(sizes[size]), .samples = {}};
      for (const double rate : instrument.tuples_per_second({.table_bytes = sizes[size],
                               .tuples = tuples,
                               .way = ways[i].way,
                               .parts = parts,
                               .zero_copy = ways[i].zero_copy,
                               .seed = options.seed},
                                                            options.quick ? 3 : 5))
        point.samples.push_back(rate * 1e-9);
      curves[i].points.insert(curves[i].points.begin(), point);
    }
    on_progress(static_cast<double>(size + 1) / static_cast<double>(sizes.size()));
  }
  return curves;
}

double rate_at(const Series& series, double x) {
  for (const Point& point : series.points)
    if (point.x == x) return median_of(point.samples);
  return 0.0;
}

/// The plain way: where it is best, what is left over the largest table, and where it falls.
struct PlainFall {
  double best = 0;
  double last = 0;
  double last_good = 0;  ///< the largest table with 80 % of the best rate
  double first_bad = 0;  ///< the next one; 0: there is none
};

PlainFall fall_of(const Series& plain, double least_bytes) {
  constexpr double kFallen = 0.8;
  PlainFall fall;
  for (const Point& point : plain.points)
    if (point.x >= least_bytes) fall.best = std::max(fall.best, median_of(point.samples));
  fall.last = median_of(plain.points.back().samples);
  for (const Point& point : plain.points) {
    if (median_of(point.samples) < kFallen * fall.best) {
      if (fall.first_bad == 0) fall.first_bad = point.x;
    } else {
      fall.last_good = point.x;
      fall.first_bad = 0;
    }
  }
  return fall;
}

void add_fall(LabReport& report, const PlainFall& fall) {
  report.findings.push_back(found("best_tuples", "Tuples in one pass, best table", fall.best,
                                  "10^9/s", "Tables of four times L2 or more"));
  report.findings.push_back(
      found("largest_tuples", "Tuples in one pass, the largest table", fall.last, "10^9/s",
            fmt::format("{:.2f}x slower than with the best table", fall.best / fall.last)));
  const std::string name = "Table up to which one pass keeps its speed";
  if (fall.first_bad == 0)
    report.findings.push_back(
        not_found("reach", name, "bytes", "With no table is it below 80 % of the best"));
  else
    report.findings.push_back(
        found("reach", name, Estimate{fall.last_good, fall.last_good, fall.first_bad}, "bytes",
              "The last one with 80 % of the best rate; the interval ends with the next one"));
}

/// What each other way gives with the largest table.
/// \return the best speed-up
double add_cures(LabReport& report, const std::vector<Way>& ways,
                 const std::vector<Series>& curves) {
  double best = 0;
  const Series& plain = curves.front();
  const double x = plain.points.back().x;
  for (std::size_t i = 1; i < ways.size(); ++i) {
    const double rate = rate_at(curves[i], x);
    if (rate == 0.0) continue;
    best = std::max(best, rate / rate_at(plain, x));
    report.findings.push_back(found(
        "cure_" + ways[i].key, "The same, " + ways[i].name, rate, "10^9/s",
        fmt::format("{:.2f}x as fast as one pass over the same tuples", rate / rate_at(plain, x))));
  }
  return best;
}

/// The smallest table from which on another way is faster than one pass.
void add_crossover(LabReport& report, const std::vector<Series>& curves) {
  constexpr double kFaster = 1.05;
  double crossover = 0;
  std::string winner;
  for (auto point = curves.front().points.rbegin(); point != curves.front().points.rend();
       ++point) {
    const double plain = median_of(point->samples);
    const auto best = std::ranges::max_element(
        curves, {}, [&](const Series& series) { return rate_at(series, point->x); });
    if (rate_at(*best, point->x) < kFaster * plain) break;
    crossover = point->x;
    winner = best->name;
  }
  const std::string name = "Table from which on another way is faster";
  report.findings.push_back(
      crossover == 0
          ? not_found("crossover", name, "bytes", "One pass is best, or within 5 % of the best")
          : found("crossover", name, crossover, "bytes", "There the best is: " + winner));
}

/// \param  host_fall  of one pass over tuples in the host's memory
void add_claims(LabReport& report, const PlainFall& fall, double on_gpu, const PlainFall& host_fall,
                double zero_copy) {
  constexpr double kClaimed = 2.5;  // on a P100
  constexpr double kFalls = 1.25;
  report.claims.push_back(check_claim(
      "R152", "Grouping into a table beyond what the TLBs cover is several times slower",
      fall.best / fall.last >= 2.0,
      fmt::format("{:.1f}x slower with the largest table", fall.best / fall.last)));
  // Where one pass is as slow with a small table, passes gain something else.
  const bool by_table = host_fall.best / host_fall.last >= kFalls;
  const std::string host =
      by_table ? fmt::format("{:.2f}x with tuples in the host's memory", zero_copy)
               : fmt::format(
                     "{:.2f}x with tuples in the host's memory, where one pass is as slow "
                     "with smaller tables",
                     zero_copy);
  report.claims.push_back(
      {.row = "R180",
       .claimed = "Working on a part of the table at a time makes grouping of tuples in the host's "
                  "memory 2.5 times as fast on a P100, and 12.5 times on a K80",
       .verdict = by_table && zero_copy >= kClaimed         ? "holds"
                  : std::max(on_gpu, zero_copy) >= kClaimed ? "condition"
                                                            : "wrong",
       .because = fmt::format("Here at most {:.2f}x with tuples in the GPU's memory, and {}",
                              on_gpu, host)});
}

}  // namespace

LabReport hash_grouping(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  GroupingInstrument& grouping = instruments->grouping();
  require_exact(grouping, options.seed);
  // Tuples and buffer take at most a quarter of the memory.
  const std::uint64_t tuples =
      std::min(std::uint64_t{1} << (options.quick ? 26 : 27), facts.free_bytes / 64);
  const std::uint64_t most =
      (facts.free_bytes / 16 * 15 - 2 * tuples * sizeof(TableWord)) / kMiB * kMiB;
  const std::uint64_t least = std::min(64 * kMiB, most / 16);
  const std::vector<std::uint64_t> sizes = table_sizes(most, least, options.quick ? 2.0 : 1.5);
  const std::vector<std::uint64_t> few = table_sizes(most, most / 8, options.quick ? 4.0 : 2.0);
  const std::vector<Way> on_gpu = ways_of(most, facts.sms, false);
  const std::vector<Way> zero_copy = ways_of(most, facts.sms, true);
  const std::vector<Series> curves =
      curves_of(grouping, on_gpu, sizes, tuples, options,
                [&](double done) { options.on_progress(0.8 * done); });
  const std::vector<Series> host_curves =
      curves_of(grouping, zero_copy, few, tuples, options,
                [&](double done) { options.on_progress(0.8 + 0.2 * done); });
  LabReport report;
  const PlainFall fall = fall_of(curves.front(), std::min(4.0 * static_cast<double>(facts.l2_bytes),
                                                          static_cast<double>(most) / 2));
  add_fall(report, fall);
  const double best_on_gpu = add_cures(report, on_gpu, curves);
  add_crossover(report, curves);
  report.findings.push_back(found("zero_copy_one_pass", "One pass, tuples in the host's memory",
                                  median_of(host_curves.front().points.back().samples), "10^9/s",
                                  "The largest table"));
  const double best_zero_copy = add_cures(report, zero_copy, host_curves);
  add_claims(report, fall, best_on_gpu, fall_of(host_curves.front(), 0), best_zero_copy);
  report.series = curves;
  report.series.insert(report.series.end(), host_curves.begin(), host_curves.end());
  report.notes.push_back(fmt::format(
      "{} million tuples of 8 bytes, buckets of 16 bytes, half of them empty. All groups are in "
      "the table before the clock starts.",
      tuples / 1'000'000));
  report.notes.push_back(
      instruments->simulated()
          ? "Simulated are the accesses to the table and the streams of tuples. The kernels ran on "
            "the emulator with 4096 tuples, and every count was that of the CPU."
          : "With a million tuples, every count was that of the CPU. With every table above, the "
            "number of groups, the sum of all counts and a checksum over all keys were exact.");
  return report;
}

}  // namespace ladder::labs
