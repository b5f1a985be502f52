// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/hash_grouping.cpp
/// \brief L14: counting groups in tables of more and more memory, and what helps against TLB
///        misses.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "bench/labs/analysis/kept_level.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/emulated_grouping.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kPaperChunk = 128 * kMiB / sizeof(NarrowWord);  // tuples

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

/// Passes over parts of so many bytes.
Way passes_over(std::uint64_t scope, const std::string& key, GroupingWay way) {
  const bool spills = way == GroupingWay::spill;
  return {.key = fmt::format("{}_{}", spills ? "spill" : "rescan", key),
          .name = fmt::format("passes over {}{}", with_unit(static_cast<double>(scope), "bytes"),
                              spills ? ", the others spilled" : ""),
          .way = way,
          .scope = scope};
}

/// The paper's ways: tuples on the host, parts of the table of the same sizes on every GPU.
std::vector<Way> ways_of_paper(const LabOptions& options) {
  std::vector<Way> ways = {{.key = "one_pass", .name = "one pass"}};
  std::vector<std::uint64_t> scopes = options.scopes;
  if (scopes.empty()) scopes = {128 * kMiB, 2048 * kMiB};
  for (const std::uint64_t scope : scopes) {
    const std::string key = fmt::format("{}_mib", scope / kMiB);
    ways.push_back(passes_over(scope, key, GroupingWay::rescan));
    ways.push_back(passes_over(scope, key, GroupingWay::spill));
  }
  for (Way& way : ways)
    way.zero_copy = true;
  return ways;
}

/// All ways with the tuples in one of the two memories, the plain one first.
std::vector<Way> ways_of(std::uint64_t most, int sms, bool zero_copy, const LabOptions& options) {
  const auto passes = [&](std::uint64_t share, GroupingWay way) {
    Way passes = passes_over(most / share, std::to_string(share), way);
    passes.scope = (most + share - 1) / share;
    return passes;
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
    for (const std::uint64_t scope : options.scopes)
      ways.push_back(passes_over(scope, fmt::format("{}_mib", scope / kMiB), GroupingWay::spill));
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

/// The largest table of which each way has as many parts as a block can count.
std::uint64_t ways_limit(const std::vector<Way>& ways) {
  std::uint64_t limit = ~std::uint64_t{0};
  for (const Way& way : ways)
    if (way.scope != 0) limit = std::min(limit, way.scope * kMostParts);
  return limit;
}

/// Every way, with few tuples, against what the CPU counts.
void require_exact(GroupingInstrument& grouping, const LabOptions& options) {
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
                        .seed = options.seed,
                        .keys = options.paper ? KeySize::narrow : KeySize::wide,
                        .chunk_tuples = options.paper ? tuples / 3 : 0};
      };
      const auto keys_of = [&](const Grouping& small) {
        std::vector<TableWord> keys(small.tuples);
        for (std::uint64_t i = 0; i < small.tuples; ++i)
          keys[i] = tuple_key(small.groups(), options.seed, i);
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
  curves.reserve(ways.size());
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
                               .seed = options.seed,
                               .keys = options.paper ? KeySize::narrow : KeySize::wide,
                               .chunk_tuples = options.paper ? kPaperChunk : 0},
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
  Estimate best;
  Estimate last;
  std::uint64_t largest_bytes = 0;  ///< of a table
  std::optional<KeptLevel> kept;    ///< nothing: it is fast here, slow there and fast again
};

PlainFall fall_of(const Series& plain, double least_bytes) {
  constexpr double kFallen = 0.8;
  const std::vector<Estimate> rates = safe_medians(plain.points);
  std::vector<Estimate> chosen;
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (plain.points[i].x >= least_bytes) chosen.push_back(rates[i]);
  const Estimate best = highest_of(chosen);
  const Estimate level = {kFallen * best.value, kFallen * best.low, kFallen * best.high};
  return {.best = best,
          .last = rates.back(),
          .largest_bytes = static_cast<std::uint64_t>(plain.points.back().x),
          .kept = kept_level(plain.points, level)};
}

void add_fall(LabReport& report, const PlainFall& fall) {
  report.findings.push_back(found("best_tuples", "Tuples in one pass, best table", fall.best,
                                  "10^9/s", "Tables of four times L2 or more"));
  report.findings.push_back(found(
      "largest_tuples", "Tuples in one pass, the largest table", fall.last, "10^9/s",
      fmt::format("{:.2f}x as fast as with the best table", fall.last.value / fall.best.value)));
  const std::string name = "Table up to which one pass keeps its speed";
  if (!fall.kept || !fall.kept->kept)
    report.findings.push_back(
        not_found("reach", name, "bytes", "It is fast here, slow there, and fast again"));
  else if (!fall.kept->lost)
    report.findings.push_back(
        not_found("reach", name, "bytes", "With no table is it surely below 80 % of the best"));
  else
    report.findings.push_back(found(
        "reach", name, Estimate{*fall.kept->kept, *fall.kept->kept, *fall.kept->lost}, "bytes",
        "The last one with 80 % of the best rate; the interval ends with the first one that "
        "surely has less"));
}

/// What each other way gives with the largest table.
/// \return the best speed-up
double add_cures(LabReport& report, const std::vector<Way>& ways,
                 const std::vector<Series>& curves) {
  double best = 0;
  const Series& plain = curves.front();
  const double x = plain.points.back().x;
  for (std::size_t i = 1; i < ways.size(); ++i) {
    if (rate_at(curves[i], x) == 0.0) continue;
    const Estimate rate = safe_medians(curves[i].points).back();
    const double gain = rate.value / rate_at(plain, x);
    best = std::max(best, gain);
    report.findings.push_back(
        found("cure_" + ways[i].key, "The same, " + ways[i].name, rate, "10^9/s",
              fmt::format("{:.2f}x as fast as one pass over the same tuples", gain)));
  }
  return best;
}

/// How much faster the best other way is than one pass, as a ratio of rates.
struct Gain {
  std::string winner;
  double surely = 0;   ///< at least
  double perhaps = 0;  ///< at most
};

/// \return (tables,)
std::vector<Gain> gains(const std::vector<Series>& curves) {
  const std::vector<Estimate> plain = safe_medians(curves.front().points);
  std::vector<Gain> gains(plain.size());
  for (std::size_t i = 1; i < curves.size(); ++i) {
    const std::vector<Estimate> rates = safe_medians(curves[i].points);
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const auto at = std::ranges::find(curves.front().points, curves[i].points[k].x, &Point::x);
      const auto table = static_cast<std::size_t>(at - curves.front().points.begin());
      if (rates[k].low / plain[table].high > gains[table].surely) {
        gains[table].surely = rates[k].low / plain[table].high;
        gains[table].winner = curves[i].name;
      }
      gains[table].perhaps = std::max(gains[table].perhaps, rates[k].high / plain[table].low);
    }
  }
  return gains;
}

/// The table from which on another way is faster than one pass; the interval begins with the last
/// one of which that is surely not so.
void add_crossover(LabReport& report, const std::vector<Series>& curves) {
  const std::vector<Gain> all = gains(curves);
  const std::vector<Point>& tables = curves.front().points;
  std::size_t first = all.size();  // from here on, another way is surely faster
  while (first > 0 && all[first - 1].surely > 1)
    --first;
  std::size_t before = first;
  while (before > 0 && all[before].perhaps > 1)
    --before;
  const std::string name = "Table from which on another way is faster";
  report.findings.push_back(
      first == all.size()
          ? not_found("crossover", name, "bytes",
                      "With the largest one, no other way is surely faster than one pass")
          : found("crossover", name, Estimate{tables[first].x, tables[before].x, tables[first].x},
                  "bytes", "There the best is: " + all[first].winner));
}

/// \param  host_fall  of one pass over tuples in the host's memory
void add_claims(LabReport& report, const PlainFall& fall, double on_gpu, const PlainFall& host_fall,
                double zero_copy) {
  constexpr double kClaimed = 2.5;  // on a P100
  constexpr double kFalls = 1.25;
  report.claims.push_back(slower_beyond_tlbs(
      "R152", "Grouping into a table beyond what the TLBs cover",
      {.best = fall.best, .last = fall.last, .what = "table", .bytes = fall.largest_bytes}));
  // Where one pass is as slow with a small table, passes gain something else.
  const bool by_table = host_fall.best.value / host_fall.last.value >= kFalls;
  const std::string host =
      by_table ? fmt::format("{:.2f}x with tuples in the host's memory", zero_copy)
               : fmt::format(
                     "{:.2f}x with tuples in the host's memory, where one pass is as slow "
                     "with smaller tables",
                     zero_copy);
  report.claims.push_back(
      {.row = "R180",
       .claimed = "Working on a part of the table at a time makes grouping of tuples in the host's "
                  "memory 2.5x faster on a P100, and 12.5x on a K80",
       .verdict = by_table && zero_copy >= kClaimed         ? "holds"
                  : std::max(on_gpu, zero_copy) >= kClaimed ? "condition"
                                                            : "wrong",
       .because = fmt::format("Here at most {:.2f}x with tuples in the GPU's memory, and {}",
                              on_gpu, host)});
}

/// What fewer threads do with the largest table: each keeps to the page of its bucket while it
/// tries the next ones, if those of the others leave it in the TLB.
void add_threads(LabReport& report, GroupingInstrument& instrument, const Grouping& largest,
                 int most_threads, int repeats) {
  constexpr int kFew = 1000;  // fewer than the entries of a K80's last TLB
  Series series = {.name = "threads, the largest table",
                   .x_name = "threads",
                   .x_unit = "",
                   .y_name = "tuples",
                   .y_unit = "10^9/s",
                   .points = {}};
  double few = 0;
  double at = 0;
  const auto measure = [&](int threads) {
    Grouping grouping = largest;
    grouping.threads = threads;
    Point point = {.x = static_cast<double>(threads), .samples = {}};
    for (const double rate : instrument.tuples_per_second(grouping, repeats))
      point.samples.push_back(rate * 1e-9);
    series.points.push_back(point);
    return median_of(point.samples);
  };
  for (const int threads : {128, 256, 512, 736, 992}) {
    const double rate = measure(threads);
    if (threads < kFew && rate > few) {
      few = rate;
      at = threads;
    }
  }
  for (int threads = 2048; threads < most_threads; threads *= 2)
    measure(threads);
  const double all = measure(most_threads);
  report.series.push_back(series);
  report.findings.push_back(
      found("few_threads", "Tuples with fewer than 1000 threads, best", few, "10^9/s",
            fmt::format("{:.0f} threads: {:.2f}x as fast as {}", at, few / all, most_threads)));
  report.claims.push_back(check_claim(
      "R173",
      "Fewer than 1000 threads group faster than all of them, where the TLBs do not cover "
      "the table",
      few > 1.05 * all, fmt::format("{:.2f}x as fast as all threads", few / all)));
}

/// The paper's experiment: keys of 4 bytes in the host's memory, buckets of 8, chunks of 128 MB.
LabReport grouping_of_paper(Instruments& instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments.facts();
  GroupingInstrument& grouping = instruments.grouping();
  const std::uint64_t tuples =
      std::min((options.quick ? 2 : 6) * kPaperChunk, facts.free_bytes / 32);
  const std::uint64_t most =
      (facts.free_bytes / 16 * 15 - 2 * tuples * sizeof(NarrowWord)) / kMiB * kMiB;
  const std::vector<Way> ways = ways_of_paper(options);
  const std::uint64_t largest = std::min(most, ways_limit(ways));
  const std::vector<std::uint64_t> sizes =
      table_sizes(largest, std::min(64 * kMiB, largest / 16), options.quick ? 2.0 : 1.5);
  const std::vector<Series> curves =
      curves_of(grouping, ways, sizes, tuples, options,
                [&](double done) { options.on_progress(0.9 * done); });
  LabReport report;
  const PlainFall fall = fall_of(curves.front(), 0);
  add_fall(report, fall);
  const double best = add_cures(report, ways, curves);
  add_crossover(report, curves);
  add_claims(report, fall, best, fall, best);
  report.series = curves;
  add_threads(report, grouping,
              {.table_bytes = largest,
               .tuples = tuples,
               .seed = options.seed,
               .keys = KeySize::narrow,
               .chunk_tuples = kPaperChunk},
              2048 * facts.sms, options.quick ? 3 : 5);
  std::erase_if(report.series, [](const Series& series) { return series.points.empty(); });
  report.notes.push_back(fmt::format(
      "As in the paper: {} million keys of 4 bytes in the host's memory, {} MiB at a time, "
      "buckets of 8 bytes, half of them empty. All groups are in the table before the clock "
      "starts. For the number of threads, the keys are in the GPU's memory.",
      tuples / 1'000'000, kPaperChunk * sizeof(NarrowWord) / kMiB));
  return report;
}

}  // namespace

LabReport hash_grouping(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  GroupingInstrument& grouping = instruments->grouping();
  require_exact(grouping, options);
  if (options.paper) return grouping_of_paper(*instruments, options);
  // Tuples and buffer take at most a quarter of the memory.
  const std::uint64_t tuples =
      std::min(std::uint64_t{1} << (options.quick ? 26 : 27), facts.free_bytes / 64);
  const std::uint64_t most =
      (facts.free_bytes / 16 * 15 - 2 * tuples * sizeof(TableWord)) / kMiB * kMiB;
  const std::uint64_t least = std::min(64 * kMiB, most / 16);
  const std::vector<std::uint64_t> sizes = table_sizes(most, least, options.quick ? 2.0 : 1.5);
  const std::vector<std::uint64_t> few = table_sizes(most, most / 8, options.quick ? 4.0 : 2.0);
  const std::vector<Way> on_gpu = ways_of(most, facts.sms, false, options);
  const std::vector<Way> zero_copy = ways_of(most, facts.sms, true, options);
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
                                  safe_medians(host_curves.front().points).back(), "10^9/s",
                                  "The largest table"));
  const double best_zero_copy = add_cures(report, zero_copy, host_curves);
  add_claims(report, fall, best_on_gpu, fall_of(host_curves.front(), 0), best_zero_copy);
  report.series = curves;
  report.series.insert(report.series.end(), host_curves.begin(), host_curves.end());
  std::erase_if(report.series, [](const Series& series) { return series.points.empty(); });
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
