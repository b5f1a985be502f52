// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/tlb_sharing.cpp
/// \brief L12: which SMs share a TLB. Two SMs that together need more entries than there are push
///        out each other's translations if they share them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/labs/analysis/groups.hpp"
#include "bench/labs/analysis/layout.hpp"
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
  const Walk first = {.places = static_cast<std::uint64_t>(kShareOfEntries * level.entries->low),
                      .stride_bytes = *level.page_bytes,
                      .order = Order::ascending,
                      .spread_lines = true};
  Walk second = first;
  second.first_byte = first.span_bytes();
  return {.first = first, .second = second};
}

/// What each partner costs an SM. The undisturbed walk comes right before, so that clocks which
/// drift do not come between the two.
std::vector<double> excess_of(WalkInstrument& walks, const WalkPair& pair, int sm,
                              std::span<const int> partners) {
  constexpr int kRepeats = 5;
  std::vector<double> cycles = {median_of(walks.cycles(pair.first, kRepeats, sm))};
  const Matrix disturbed =
      walks.disturbed_cycles(pair.first, pair.second, std::span(&sm, 1), partners);
  for (const double value : disturbed.values)
    cycles.push_back(value - cycles.front());
  return cycles;
}

/// \brief  Why two such walks cannot tell who shares this level; empty if they can. Each one has to
///         be too large for the level before, which would keep the translations for itself, and
///         both together have to fit the next one.
std::string unsuitable(const TlbSearch& search, std::size_t index, const WalkPair& walks,
                       std::uint64_t most_bytes) {
  constexpr double kMargin = 1.2;
  if (walks.second.first_byte + walks.second.span_bytes() > most_bytes)
    return "Two walks that fill it need more memory than is free";
  const auto stride = static_cast<double>(walks.first.stride_bytes);
  const auto places_in = [&](const TlbLevel& other) {
    const auto page = static_cast<double>(other.page_bytes.value_or(other.stride_bytes));
    return other.reach_bytes.value / std::min(stride, page);
  };
  const auto places = static_cast<double>(walks.first.places);
  if (index > 0 && places < kMargin * places_in(search.levels[index - 1]))
    return "It holds hardly more than the level before, which hides what happens in it";
  if (index + 1 < search.levels.size() &&
      2 * places * kMargin > places_in(search.levels[index + 1]))
    return "Two walks that fill it fill the next level as well";
  if (places < 4) return "It has too few entries";
  return {};
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

/// Which SMs a full chip would have besides.
void add_layout(LabReport& report, const std::string& key, const std::string& of,
                const Groups& groups) {
  const std::optional<Layout> layout = layout_of(groups.of_row);
  if (!layout || groups.count < 2) return;
  std::string where;
  for (const MissingSms& missing : layout->missing)
    where += fmt::format("{}{} of the full chip, after SM {}", where.empty() ? "" : "; ",
                         layout->unit == 1
                             ? fmt::format("{}", missing.full_sm)
                             : fmt::format("{} and {}", missing.full_sm, missing.full_sm + 1),
                         missing.after_sm);
  const auto sms = static_cast<int>(groups.of_row.size());
  report.findings.push_back(
      found(key, "SMs that the groups of the " + of + " lack", layout->full_sms - sms, "",
            fmt::format("If {} groups are of one size, and numbers go to each in turn{}, a full "
                        "chip has {}{}{}. {} units of {} are out of turn",
                        layout->groups, layout->unit == 2 ? ", two at a time" : "",
                        layout->full_sms, where.empty() ? "" : ": missing are ", where,
                        layout->out_of_turn.empty() ? std::string("No")
                                                    : std::to_string(layout->out_of_turn.size()),
                        layout->unit)));
}

}  // namespace

LabReport tlb_sharing(Instruments* instruments, const LabOptions& options) {
  const MemoryFacts& facts = instruments->facts();
  LabOptions coarse = options;
  coarse.quick = true;  // the sizes are those of lab L11, and only roughly needed
  const TlbSearch curves = walk_from_page_to_page(*instruments, coarse, 0.3);
  LabReport report;
  for (std::size_t i = 0; i < curves.levels.size(); ++i) {
    const TlbLevel& level = curves.levels[i];
    const std::string key = fmt::format("tlb_{}_groups", i + 1);
    const std::string name =
        fmt::format("Groups that share the TLB of {}", with_unit(level.reach_bytes.value, "bytes"));
    if (!level.entries) {
      report.findings.push_back(
          not_found(key, name, "", "Its number of entries is not known: " + level.why_not));
      continue;
    }
    const WalkPair walks = walks_for(level);
    if (const std::string why = unsuitable(curves, i, walks, facts.free_bytes / 16 * 15);
        !why.empty()) {
      report.findings.push_back(not_found(key, name, "", why));
      continue;
    }
    const GroupSearch search = find_groups(facts.sms, [&](int sm, std::span<const int> partners) {
      return excess_of(instruments->walks(), walks, sm, partners);
    });
    if (!search.groups) {
      report.findings.push_back(not_found(key, name, "", search.why_not));
      continue;
    }
    const Groups& groups = *search.groups;
    if (level.penalty_cycles && (groups.shared_cycles > 1.4 * level.penalty_cycles->high ||
                                 groups.shared_cycles < 0.3 * level.penalty_cycles->low)) {
      report.findings.push_back(not_found(
          key, name, "",
          fmt::format("An SM that disturbs itself loses {:.3g} cycles, which is not a miss in this "
                      "level",
                      groups.shared_cycles)));
      continue;
    }
    report.findings.push_back(
        found(key, name, groups.count, "",
              fmt::format("{}; each pair is settled: who shares loses {:.3g} cycles, give or take "
                          "{:.2g}",
                          sizes_text(groups), groups.shared_cycles, groups.sigma_cycles)));
    const std::string of = fmt::format("TLB of {}", with_unit(level.reach_bytes.value, "bytes"));
    report.series.push_back(groups_series(of, groups));
    add_layout(report, fmt::format("tlb_{}_off", i + 1), of, groups);
    options.on_progress(0.3 + 0.7 * static_cast<double>(i + 1) / curves.levels.size());
  }
  for (const UnresolvedCliff& cliff : curves.unresolved)
    report.notes.push_back(fmt::format(
        "Another cliff begins between {} and {}, not resolved, so that who shares it was not "
        "asked.",
        with_unit(cliff.begin_bytes.low, "bytes"), with_unit(cliff.begin_bytes.high, "bytes")));
  if (curves.levels.empty()) {
    report.findings.push_back(not_found("tlb_1_groups", "Groups of SMs that share a TLB", "",
                                        "No TLB was found: see lab L11"));
  }
  return report;
}

}  // namespace ladder::labs
