// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/register_ports.cpp
/// \brief L19: what the banks of the register file deliver, what the reuse cache saves, and when
///        another warp hides a pause.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "bench/labs/analysis/register_banks.hpp"
#include "bench/labs/instruments/ffma_program.hpp"
#include "bench/labs/questions/curves.hpp"
#include "bench/labs/questions/labs.hpp"

namespace ladder::labs {
namespace {

constexpr int kSlots = 3;
constexpr double kHalf = 0.5;    // of a cycle: between one read more and none
constexpr double kNoise = 0.15;  // of a cycle: what two ways to one number may differ
constexpr int kRepeats = 9;      // where the worst of many medians is told
constexpr std::array<std::string_view, kSlots> kSlotNames = {"a", "b", "c"};

/// An FFMA that reads some registers and writes none.
FfmaStep reading(int a, int b = kZeroRegister, int c = kZeroRegister) {
  FfmaStep step;
  step.sources = {FfmaSource{a}, FfmaSource{b}, FfmaSource{c}};
  return step;
}

class Ports {
 public:
  Ports(RegisterInstrument& registers, const LabOptions& options)
      : instrument_(registers), options_(options), free_(registers.registers()) {}

  LabReport report() {
    const std::optional<RegisterBanks> banks = measure_banks();
    options_.on_progress(kHalf);
    if (banks) {
      choose_registers(*banks);
      if (own_.size() >= kWanted) {
        measure_reads();
        measure_reuse(banks->banks > 1);
      }
    }
    measure_pauses();
    return std::move(report_);
  }

 private:
  static constexpr std::size_t kWanted = 5;  // registers of one bank

  double cycles(const FfmaProgram& program, int warps = 1) {
    return median_of(instrument_.cycles(program, warps, options_.quick ? 3 : 5));
  }

  /// Cycles of a whole program.
  double in_all(const FfmaProgram& program, int warps = 1) {
    return cycles(program, warps) * static_cast<double>(program.size());
  }

  void add(const std::string& key, const std::string& name, double value, const std::string& unit,
           const std::string& how) {
    report_.findings.push_back(found(key, name, value, unit, how));
  }

  /// Pairs of free registers whose numbers have this exclusive or; up to two.
  std::vector<std::pair<int, int>> pairs_of(int difference) const {
    std::vector<std::pair<int, int>> pairs;
    for (const int reg : free_) {
      const int partner = reg ^ difference;
      if (reg < partner && std::ranges::binary_search(free_, partner) &&
          std::ranges::none_of(pairs, [&](const auto& pair) { return pair.first == reg - 1; }))
        pairs.emplace_back(reg, partner);
    }
    if (pairs.size() > 2) pairs = {pairs.front(), pairs[pairs.size() / 2]};
    return pairs;
  }

  std::optional<RegisterBanks> measure_banks() {
    const auto none = [&](const std::string& why) {
      report_.findings.push_back(
          not_found("register_banks", "Banks of the register file", "banks", why));
      return std::nullopt;
    };
    const double one = cycles({reading(free_.front())});
    std::vector<bool> same(std::size_t{1} << kBankBits, false);
    for (std::size_t difference = 1; difference < same.size(); ++difference) {
      const std::vector<std::pair<int, int>> pairs = pairs_of(static_cast<int>(difference));
      if (pairs.empty()) return none(fmt::format("No pair of registers differs by {}", difference));
      std::vector<bool> collide;
      collide.reserve(pairs.size());
      for (const auto& [first, second] : pairs)
        collide.push_back(cycles({reading(first, second)}) > one + kHalf);
      if (collide.front() != collide.back())
        return none(
            fmt::format("Some registers that differ by {} collide, others do not", difference));
      same[difference] = collide.front();
    }
    std::optional<RegisterBanks> banks = find_banks(same);
    constexpr int kMostBanks = 16;
    if (!banks) return none("No assignment to banks explains which pairs of registers collide");
    if (banks->banks > kMostBanks) return none("Hardly any two registers collide");
    add("register_banks", "Banks of the register file", banks->banks, "banks",
        banks->banks == 1
            ? "Any two registers collide"
            : fmt::format(
                  "Chosen by {} of a register's number: 63 differences of two numbers, each "
                  "in up to two pairs of registers",
                  banks->text()));
    int bits = 0;
    for (const int mask : banks->masks)
      bits |= mask;
    add("register_bank_bits", "Bits of a register's number that choose its bank", bits, "mask",
        "Bit 0 is the lowest");
    return banks;
  }

  /// Registers of one bank, and of others.
  void choose_registers(const RegisterBanks& banks) {
    std::map<int, std::vector<int>> by_bank;
    for (const int reg : free_)
      by_bank[banks.bank_of(reg)].push_back(reg);
    own_ = by_bank.begin()->second;
    if (by_bank.size() > 1) other_ = by_bank.rbegin()->second;
  }

  void measure_reads() {
    Series series = {.name = "reads of one bank",
                     .x_name = "registers of one bank that an FFMA reads",
                     .x_unit = "registers",
                     .y_name = "one warp",
                     .y_unit = "cycles",
                     .points = {}};
    const std::array programs = {reading(own_[0]), reading(own_[0], own_[1]),
                                 reading(own_[0], own_[1], own_[2])};
    std::vector<double> medians;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      series.points.push_back(
          {.x = static_cast<double>(i + 1), .samples = instrument_.cycles({programs[i]}, 1, 5)});
      medians.push_back(median_of(series.points.back().samples));
    }
    report_.series.push_back(series);
    const double slope = (medians[2] - medians[0]) / 2;
    if (std::abs(medians[1] - medians[0] - slope) < kNoise) {
      add("bank_read_cycles", "One more read of the same bank costs", slope, "cycles",
          fmt::format("An FFMA with 1, 2 and 3 registers of one bank takes {:.2f}, {:.2f} and "
                      "{:.2f} cycles",
                      medians[0], medians[1], medians[2]));
    } else {
      report_.findings.push_back(not_found(
          "bank_read_cycles", "One more read of the same bank costs", "cycles",
          fmt::format("1, 2 and 3 reads take {:.2f}, {:.2f} and {:.2f} cycles: no straight line",
                      medians[0], medians[1], medians[2])));
    }
    measure_bursts();
  }

  /// Does an FFMA wait for its own reads, or only what needs the bank after it?
  void measure_bursts() {
    constexpr std::size_t kSteps = 8;
    const double plain = in_all(FfmaProgram(kSteps, reading(kZeroRegister)));
    for (const std::size_t heavy : {1, 2}) {
      FfmaProgram program(kSteps, reading(kZeroRegister));
      for (std::size_t i = 0; i < heavy; ++i)
        program[i] = reading(own_[0], own_[1], own_[2]);
      add(fmt::format("burst_{}_cycles", heavy),
          heavy == 1 ? "A lone FFMA with three reads of one bank delays the others by"
                     : "Two of them in a row delay the others by",
          in_all(program) - plain, "cycles",
          fmt::format("{} among 8 FFMAs; the others read no bank", heavy));
    }
  }

  /// What the third FFMA here saves if the first one keeps its operand in `slot`.
  double saved(std::size_t slot, std::size_t read_slot, const FfmaProgram& between, int pause,
               bool yields, int warps) {
    const auto with = [&](bool reuse) {
      const auto around = [&](std::size_t where, int second, int third) {
        FfmaStep step;
        step.sources[where].reg = own_[0];
        step.sources[(where + 1) % kSlots].reg = second;
        step.sources[(where + 2) % kSlots].reg = third;
        return step;
      };
      FfmaStep first = around(slot, own_[1], own_[2]);
      first.sources[slot].reuse = reuse;
      first.pause = pause;
      first.yields = yields;
      FfmaProgram program = {first};
      program.insert(program.end(), between.begin(), between.end());
      program.push_back(around(read_slot, own_[3], own_[4]));
      // Programs of 3 steps do not go into 256: another FFMA of the same bank pads them.
      if (program.size() == kSlots) program.push_back(reading(own_[1], own_[2], own_[3]));
      return in_all(program, warps) / warps;
    };
    return with(false) - with(true);
  }

  void add_saved(const std::string& key, const std::string& name, double reads,
                 const std::string& how) {
    add(key, name, reads, "cycles", how);
  }

  void measure_reuse(bool has_other_bank) {
    for (std::size_t slot = 0; slot < kSlots; ++slot)
      add_saved(fmt::format("reuse_{}_cycles", kSlotNames[slot]),
                fmt::format("Saved by .reuse of operand {}", kSlotNames[slot]),
                saved(slot, slot, {}, 1, false, 1), "Two FFMAs that read the same register there");
    add_saved("reuse_other_slot_cycles", "Saved if the next FFMA reads it as another operand",
              saved(0, 1, {}, 1, false, 1), "Kept as operand a, read as operand b");
    add_saved("reuse_after_same_bank_cycles", "Saved after an FFMA with another register there",
              saved(0, 0, {reading(own_[1], own_[3], own_[4])}, 1, false, 1),
              "Of the same bank, in the same operand");
    if (has_other_bank)
      add_saved("reuse_after_other_bank_cycles",
                "Saved after an FFMA with a register of another bank there",
                saved(0, 0, {reading(other_[0], own_[3], own_[4])}, 1, false, 1),
                "In the same operand");
    add_saved("reuse_after_yield_cycles", "Saved if the first FFMA yields",
              saved(0, 0, {}, 1, true, 1), "One warp alone");
    add_saved("reuse_two_warps_cycles", "Saved with two warps on a scheduler",
              saved(0, 0, {}, 1, false, 2), "Nothing makes it change warps in between");
    add_saved("reuse_two_warps_pause_cycles", "Saved with two warps and a pause of 2 in between",
              saved(0, 0, {}, 2, false, 2), "The other warp has that cycle");
    measure_life();
  }

  void measure_life() {
    int longest = 0;
    for (int pause = 1; pause <= kSlots + 1; ++pause)
      if (saved(0, 0, {}, pause, false, 1) > kHalf) longest = pause;
    add("reuse_longest_pause", "Longest pause after which the reuse cache still has it", longest,
        "cycles", "Pauses of 1 to 4 cycles, one warp alone");
  }

  void measure_pauses() {
    double worst = 0;
    for (const int warps : {1, 2, 4}) {
      Series series = {.name = fmt::format("{} warp{}", warps, warps == 1 ? "" : "s"),
                       .x_name = "pause after each FFMA",
                       .x_unit = "cycles",
                       .y_name = "of a scheduler for one FFMA",
                       .y_unit = "cycles",
                       .points = {}};
      for (int pause = 1; pause <= 8; ++pause) {
        FfmaStep step = reading(free_.front());
        step.pause = pause;
        std::vector<double> samples = instrument_.cycles({step}, warps, kRepeats);
        for (double& sample : samples)
          sample /= warps;
        const double expected = std::max(1.0, static_cast<double>(pause) / warps);
        worst = std::max(worst, std::abs(median_of(samples) / expected - 1));
        series.points.push_back({.x = static_cast<double>(pause), .samples = std::move(samples)});
      }
      report_.series.push_back(std::move(series));
    }
    constexpr double kPercent = 100;
    add("pause_rule_error_percent", "Pauses differ from the rule by at most", kPercent * worst, "%",
        "The rule: a cycle for each FFMA, or the pauses of one warp shared by all warps, whichever "
        "is more; pauses of 1 to 8 with 1, 2 and 4 warps");
    FfmaStep yielding = reading(free_.front());
    yielding.yields = true;
    add("yield_cycles", "An FFMA that yields takes, in one warp alone", cycles({yielding}),
        "cycles", "A pause of 1 is written beside it");
  }

  RegisterInstrument& instrument_;
  const LabOptions& options_;
  std::vector<int> free_;
  std::vector<int> own_;
  std::vector<int> other_;
  LabReport report_;
};

}  // namespace

LabReport register_ports(Instruments* instruments, const LabOptions& options) {
  RegisterInstrument* const registers = instruments == nullptr ? nullptr : instruments->registers();
  if (registers == nullptr) {
    throw LabError(
        "register_ports times machine code of compute capability 9.0 on a GPU. It cannot be "
        "simulated: nothing here models registers");
  }
  return Ports(*registers, options).report();
}

}  // namespace ladder::labs
