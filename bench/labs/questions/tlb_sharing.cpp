// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/tlb_sharing.cpp
/// \brief L12: which SMs share a TLB. Two SMs that together need more entries than there are push
///        out each other's translations if they share them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "bench/labs/analysis/groups.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/questions/tlb_curves.hpp"
#include "bench/labs/report_text.hpp"

namespace ladder::labs {
namespace {

/// Two walks of which each fits the TLB, and both together do not.
struct WalkPair {
  Walk first;
  Walk second;
};

WalkPair walks_for(const TlbLevel& level) {
  constexpr double kShareOfEntries = 0.75;
  // Where the page is not known, the stride at which the reach was seen serves as well.
  const auto page = static_cast<std::uint64_t>(level.reach_bytes / *level.entries);
  const auto places = static_cast<std::uint64_t>(kShareOfEntries * *level.entries);
  const Walk first = {
      .places = places, .stride_bytes = page, .order = Order::ascending, .spread_lines = true};
  Walk second = first;
  second.first_byte = first.span_bytes();
  return {.first = first, .second = second};
}

/// \brief Cycles per load of each SM after each other one has walked. Of few SMs a single outlier
///        would weigh too much, so their pairs are measured three times.
Matrix disturbed_cycles(WalkInstrument& walks, const WalkPair& pair, const std::vector<int>& sms) {
  constexpr std::size_t kFew = 32;
  const std::size_t repeats = sms.size() <= kFew ? 3 : 1;
  std::vector<Matrix> measured;
  for (std::size_t i = 0; i < repeats; ++i)
    measured.push_back(walks.disturbed_cycles(pair.first, pair.second, sms, sms));
  Matrix middle = measured.front();
  for (std::size_t cell = 0; cell < middle.values.size(); ++cell) {
    std::vector<double> values;
    for (const Matrix& matrix : measured)
      values.push_back(matrix.values[cell]);
    middle.values[cell] = median_of(values);
  }
  return middle;
}

/// Cycles per load of each SM, when no other one walks.
std::vector<double> undisturbed_cycles(WalkInstrument& walks, const Walk& walk,
                                       const std::vector<int>& sms) {
  constexpr int kRepeats = 3;
  std::vector<double> cycles;
  cycles.reserve(sms.size());
  for (const int sm : sms)
    cycles.push_back(median_of(walks.cycles(walk, kRepeats, sm)));
  return cycles;
}

/// "66 groups of 2 SMs" or "1 group of 2 SMs, 8 groups of 16 SMs".
std::string sizes_text(const Groups& groups) {
  std::map<int, int> members;
  for (const int group : groups.of_row)
    ++members[group];
  std::map<int, int> sizes;
  for (const auto& [group, count] : members)
    ++sizes[count];
  std::string text;
  for (const auto& [size, count] : sizes)
    text += fmt::format("{}{} group{} of {} SM{}", text.empty() ? "" : ", ", count,
                        count == 1 ? "" : "s", size, size == 1 ? "" : "s");
  return text;
}

Series groups_series(const std::string& name, const Groups& groups) {
  Series series = {
      .name = name, .x_name = "SM", .x_unit = "", .y_name = "group", .y_unit = "", .points = {}};
  for (std::size_t sm = 0; sm < groups.of_row.size(); ++sm)
    series.points.push_back(
        {.x = static_cast<double>(sm), .samples = {static_cast<double>(groups.of_row[sm])}});
  return series;
}

}  // namespace

LabReport tlb_sharing(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  LabOptions coarse = options;
  coarse.quick = true;  // the sizes are those of lab L11, and only roughly needed
  const TlbCurves curves = walk_from_page_to_page(*instruments, coarse, 0.3);
  std::vector<int> sms(static_cast<std::size_t>(facts.sms));
  std::iota(sms.begin(), sms.end(), 0);
  LabReport report;
  for (std::size_t i = 0; i < curves.levels.size(); ++i) {
    const TlbLevel& level = curves.levels[i];
    const std::string key = fmt::format("tlb_{}_groups", i + 1);
    const std::string name =
        fmt::format("Groups that share the TLB of {}", with_unit(level.reach_bytes, "bytes"));
    if (!level.entries) {
      report.findings.push_back(not_found(key, name, "", "Its number of entries is not known"));
      continue;
    }
    const WalkPair walks = walks_for(level);
    if (walks.second.first_byte + walks.second.span_bytes() > facts.free_bytes / 16 * 15) {
      report.findings.push_back(
          not_found(key, name, "", "Two walks that fill it need more memory than is free"));
      continue;
    }
    const Matrix cycles = disturbed_cycles(instruments->walks(), walks, sms);
    std::optional<Groups> groups = find_groups(cycles, level.penalty_cycles);
    if (!groups) {  // where nearly all SMs share, no pair shows what a quick walk takes
      groups = find_groups(cycles, level.penalty_cycles,
                           undisturbed_cycles(instruments->walks(), walks.first, sms));
    }
    if (!groups) {
      report.findings.push_back(
          not_found(key, name, "", "No grouping of the SMs explains who disturbs whom"));
      continue;
    }
    report.findings.push_back(found(key, name, groups->count, "",
                                    fmt::format("{}; they explain {:.2f} % of the pairs",
                                                sizes_text(*groups), 100.0 * groups->agreement)));
    report.series.push_back(
        groups_series(fmt::format("TLB of {}", with_unit(level.reach_bytes, "bytes")), *groups));
    options.on_progress(0.3 + 0.7 * static_cast<double>(i + 1) / curves.levels.size());
  }
  if (curves.levels.empty()) {
    report.findings.push_back(not_found("tlb_1_groups", "Groups of SMs that share a TLB", "",
                                        "No TLB was found: see lab L11"));
  }
  return report;
}

}  // namespace ladder::labs
