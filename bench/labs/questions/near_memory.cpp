// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/near_memory.cpp
/// \brief L10: what a stream saves if each SM works on the memory that is near to it.
#include "bench/labs/instruments/near_memory.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bench/labs/analysis/paired_slots.hpp"
#include "bench/labs/analysis/saturation.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"
#include "bench/labs/questions/near_passes.hpp"

namespace ladder::labs {
namespace {

using side_aware::name_of;

constexpr std::array kAll = {Assignment::off, Assignment::right, Assignment::wrong,
                             Assignment::random};

/// What was measured of one operation on one kind of data, slot after slot.
struct Streams {
  std::string key;   ///< "copy"
  std::string name;  ///< "Copy of random bits"
  std::vector<Assignment> order = {};
  std::vector<Slot> gbps = {};
  std::vector<Slot> joules_per_gb = {};  ///< empty: the GPU tells no power
  std::vector<Slot> watts = {};
};

int kind_of(Assignment assignment) {
  return static_cast<int>(assignment);
}

/// A B B A: forwards, then backwards.
std::vector<Assignment> there_and_back(std::vector<Assignment> order) {
  order.insert(order.end(), order.rbegin(), order.rend());
  return order;
}

/// Runs all slots of a measurement.
/// \param progress gets 0 to 1
Streams measured(NearMemoryInstrument& memory, Streams streams, StreamRun run,
                 const std::function<void(double)>& progress) {
  for (std::size_t i = 0; i < streams.order.size(); ++i) {
    progress(static_cast<double>(i) / static_cast<double>(streams.order.size()));
    run.assignment = streams.order[i];
    const int kind = kind_of(run.assignment);
    const StreamResult result = memory.run(run);
    streams.gbps.push_back({kind, result.gbps});
    if (result.watts.empty()) continue;
    const double rate = median_of(result.gbps);
    Slot energy = {kind, {}};
    for (const double watts : result.watts)
      energy.samples.push_back(watts / rate);
    streams.joules_per_gb.push_back(energy);
    streams.watts.push_back({kind, result.watts});
  }
  if (streams.watts.size() != streams.order.size()) {
    streams.joules_per_gb.clear();
    streams.watts.clear();
  }
  return streams;
}

/// All samples of one kind.
std::vector<double> samples_of(const std::vector<Slot>& slots, Assignment assignment) {
  std::vector<double> samples;
  for (const Slot& slot : slots) {
    if (slot.kind != kind_of(assignment)) continue;
    samples.insert(samples.end(), slot.samples.begin(), slot.samples.end());
  }
  return samples;
}

void add_near_shares(LabReport& report, NearMemoryInstrument& memory) {
  for (const Assignment assignment : kAll) {
    const std::string name = name_of(assignment);
    report.findings.push_back(
        found("near_" + name + "_percent", "Near accesses, assignment " + name,
              100.0 * memory.near_share(assignment), "%",
              "Of granules picked at random: their home was measured, and their SM recorded"));
  }
}

/// "4178 GB/s and 575 W", of the medians.
std::string rates_text(const Streams& streams, Assignment assignment) {
  std::string text = fmt::format("{:.0f} GB/s", median_of(samples_of(streams.gbps, assignment)));
  if (!streams.watts.empty())
    text += fmt::format(" and {:.0f} W", median_of(samples_of(streams.watts, assignment)));
  return text;
}

void add_bandwidths(LabReport& report, const Streams& streams, std::uint64_t seed) {
  for (const Assignment assignment : kAll)
    report.findings.push_back(
        found(fmt::format("{}_{}_gbps", streams.key, name_of(assignment)),
              fmt::format("{}, {}", streams.name, name_of(assignment)),
              median_with_interval(samples_of(streams.gbps, assignment), seed), "GB/s",
              "Bytes read plus bytes written; median over the slots"));
}

void add_energies(LabReport& report, const Streams& streams, std::uint64_t seed) {
  for (const Assignment assignment : kAll) {
    const std::vector<double> samples = samples_of(streams.joules_per_gb, assignment);
    if (samples.empty()) continue;
    report.findings.push_back(
        found(fmt::format("{}_{}_j_per_gb", streams.key, name_of(assignment)),
              fmt::format("{}: energy, {}", streams.name, name_of(assignment)),
              median_with_interval(samples, seed), "J/GB", rates_text(streams, assignment)));
  }
}

std::string interval_text(const Change& change) {
  return fmt::format("{:+.1f} % ({:+.1f} to {:+.1f} %)", change.percent.value, change.least(),
                     change.most());
}

/// What one assignment changes against another.
struct Changes {
  Change speed;
  std::optional<Change> power;   ///< nothing: the GPU tells no power
  std::optional<Change> energy;  ///< of a byte
};

Changes changes_of(const Streams& streams, Assignment reference, Assignment other,
                   std::uint64_t seed) {
  const auto change = [&](const std::vector<Slot>& slots) {
    return change_between(slots, kind_of(reference), kind_of(other), seed);
  };
  Changes changes = {.speed = change(streams.gbps), .power = {}, .energy = {}};
  if (streams.watts.empty()) return changes;
  changes.power = change(streams.watts);
  changes.energy = change(streams.joules_per_gb);
  return changes;
}

void add_change(LabReport& report, const Streams& streams, const std::string& what,
                const std::string& suffix, Assignment reference, Assignment other,
                const std::optional<Change>& change) {
  const std::string key = fmt::format("{}_{}_over_{}{}_percent", streams.key, name_of(other),
                                      name_of(reference), suffix);
  const std::string name =
      fmt::format("{}: {}, {} against {}", streams.name, what, name_of(other), name_of(reference));
  if (!change) {
    report.findings.push_back(not_found(key, name, "%", "This GPU does not tell its power"));
    return;
  }
  report.findings.push_back(found(
      key, name, Estimate{change->percent.value, change->least(), change->most()}, "%",
      fmt::format("{} against {}; slots of a kind differ by {:.2f} %", rates_text(streams, other),
                  rates_text(streams, reference), change->floor_percent)));
}

/// The energy of a byte in one assignment against another.
void add_energy_change(LabReport& report, const Streams& streams, Assignment reference,
                       Assignment other, std::uint64_t seed) {
  add_change(report, streams, "energy of a byte", "", reference, other,
             changes_of(streams, reference, other, seed).energy);
}

/// Speed, power and energy where all accesses are near, against ordinary order.
Changes add_saving(LabReport& report, const Streams& streams, std::uint64_t seed) {
  const Changes changes = changes_of(streams, Assignment::off, Assignment::right, seed);
  const auto add = [&](const char* what, const char* suffix, const std::optional<Change>& change) {
    add_change(report, streams, what, suffix, Assignment::off, Assignment::right, change);
  };
  add("speed", "_speed", changes.speed);
  add("power", "_power", changes.power);
  add("energy of a byte", "", changes.energy);
  return changes;
}

/// \brief  A claim about the power that the right side saves.
/// \param  percent  less power, at a speed that is said to stay the same
ClaimCheck claimed_saving(const std::string& claimed, double percent, const Changes& changes) {
  constexpr double kTolerance = 2.0;  // "about"
  ClaimCheck check = {.row = "R063", .claimed = claimed, .verdict = "pending", .because = {}};
  if (!changes.power) {
    check.because = "This GPU does not tell its power";
    return check;
  }
  const Decision decision = decide(*changes.power, -percent, kTolerance);
  if (decision == Decision::confirmed) {
    check.verdict = "holds";
  } else if (decision == Decision::refuted) {
    // The claim is about power. What a faster copy saves of a byte's energy is another matter.
    check.verdict = changes.power->most() < -percent ? "condition" : "wrong";
  }
  check.because = fmt::format(
      "Against ordinary order, the right side changes the power by {}, the speed by {}, and so the "
      "energy of a byte by {}",
      interval_text(*changes.power), interval_text(changes.speed), interval_text(*changes.energy));
  return check;
}

void add_series(LabReport& report, const Streams& streams) {
  for (const Assignment assignment : kAll) {
    Series series = {.name = fmt::format("{}, {}", streams.key, name_of(assignment)),
                     .x_name = "slot",
                     .x_unit = "",
                     .y_name = "energy",
                     .y_unit = "J/GB",
                     .points = {}};
    for (std::size_t i = 0; i < streams.joules_per_gb.size(); ++i)
      if (streams.joules_per_gb[i].kind == kind_of(assignment))
        series.points.push_back(
            {.x = static_cast<double>(i), .samples = streams.joules_per_gb[i].samples});
    if (!series.points.empty()) report.series.push_back(series);
  }
}

/// The other operations, in short slots: right against wrong.
void add_other_operations(LabReport& report, NearMemoryInstrument& memory,
                          const LabOptions& options) {
  struct Other {
    const char* key;
    const char* name;
    StreamOperation operation;
  };
  constexpr std::array kOthers = {Other{"scale", "Scale of floats", StreamOperation::scale},
                                  Other{"sum", "Sum of floats", StreamOperation::sum},
                                  Other{"rope", "Rotary embedding", StreamOperation::rope}};
  for (const Other& other : kOthers) {
    const Streams streams = measured(
        memory,
        {.key = other.key,
         .name = other.name,
         .order = there_and_back({Assignment::right, Assignment::wrong})},
        {.operation = other.operation, .seconds = 0.8, .warm_seconds = 0.2}, options.on_progress);
    add_energy_change(report, streams, Assignment::wrong, Assignment::right, options.seed);
  }
}

/// Copies of both kinds of data.
struct Copies {
  Streams bits;
  Streams zeros;
};

/// Seconds of a slot.
struct SlotTimes {
  double counted;
  double warm;
};

Copies measured_copies(NearMemoryInstrument& memory, const SlotTimes& times,
                       const LabOptions& options) {
  const auto part = [&](double from, double to) {
    return [&options, from, to](double done) { options.on_progress(from + (to - from) * done); };
  };
  StreamRun run = {.seconds = times.counted, .warm_seconds = times.warm};
  Copies copies;
  copies.bits = measured(memory,
                         {.key = "copy",
                          .name = "Copy of random bits",
                          .order = there_and_back({kAll.begin(), kAll.end()})},
                         run, part(0.05, 0.6));
  run.zeros = true;
  copies.zeros = measured(memory,
                          {.key = "zeros",
                           .name = "Copy of zeros",
                           .order = there_and_back({Assignment::off, Assignment::right})},
                          run, part(0.6, 0.9));
  return copies;
}

/// Rates, changes and curves of the copies, and what they say to the claims.
void add_copies(LabReport& report, const Copies& copies, std::uint64_t seed) {
  add_bandwidths(report, copies.bits, seed);
  add_energies(report, copies.bits, seed);
  const Changes bits = add_saving(report, copies.bits, seed);
  add_energy_change(report, copies.bits, Assignment::wrong, Assignment::right, seed);
  add_energy_change(report, copies.bits, Assignment::off, Assignment::random, seed);
  add_energies(report, copies.zeros, seed);
  const Changes zeros = add_saving(report, copies.zeros, seed);
  add_series(report, copies.bits);
  add_series(report, copies.zeros);
  report.claims.push_back(claimed_saving(
      "A copy of random data takes 9 % less power if all accesses are near", 9.0, bits));
  report.claims.push_back(claimed_saving(
      "A copy of zeros takes 6.8 % less power if all accesses are near", 6.8, zeros));
  report.claims.push_back(check_claim(
      "R075", "Near accesses do not matter for the speed of a copy from memory",
      bits.speed.least() > -2.0 && bits.speed.most() < 2.0,
      fmt::format("The right side changes the bandwidth by {}", interval_text(bits.speed))));
}

}  // namespace

LabReport near_memory(Instruments* instruments, const LabOptions& options) {
  LabReport report;
  const auto nothing = [&](const std::string& why) {
    report.findings.push_back(
        not_found("near_right_percent", "Near accesses, assignment right", "%", why));
    return report;
  };
  NearMemoryInstrument* memory = nullptr;
  try {
    memory = &instruments->near_memory();
  } catch (const LabError& error) {  // a tool is missing; other labs may go on
    return nothing(error.what());
  }
  const NearMemoryFacts facts = memory->facts();
  if (facts.mask == 0) return nothing("No two sides of L2 that a parity of address bits explains");
  report.findings.push_back(found("pages_off_rule",
                                  "Pages whose side is not the one of their address",
                                  static_cast<double>(facts.pages_off_rule), "",
                                  fmt::format("Of {}; side = parity(address & {:#x})", facts.pages,
                                              facts.mask | side_aware::kPageBytes)));
  add_near_shares(report, *memory);
  const SlotTimes times =
      options.quick ? SlotTimes{.counted = 0.7, .warm = 0.2} : SlotTimes{.counted = 9, .warm = 1};
  add_copies(report, measured_copies(*memory, times, options), options.seed);
  if (instruments->simulated()) {
    report.notes.push_back(
        "How much faster near accesses are in simulated memory was put in: what was measured on "
        "such a GPU, or nothing.");
  }
  if (!options.quick) add_other_operations(report, *memory, options);
  add_two_passes(report, *memory, instruments->facts().l2_bytes, options);
  report.notes.push_back(fmt::format(
      "Each array has {} MiB; an SM runs {} blocks. Each slot takes {:.1f} s, of which the first "
      "{:.1f} s do not count. All assignments run the same instructions with another mask.",
      facts.array_bytes >> 20, facts.blocks_per_sm, times.counted + times.warm, times.warm));
  return report;
}

}  // namespace ladder::labs
