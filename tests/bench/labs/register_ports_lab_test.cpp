// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/register_ports_lab_test.cpp
/// \brief The lab finds banks, reuse cache and pauses of register files drawn at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "bench/labs/analysis/register_banks.hpp"
#include "bench/labs/instruments/ffma_program.hpp"
#include "bench/labs/questions/labs.hpp"
#include "tests/bench/labs/find_in_report.hpp"
#include "tests/bench/labs/gpu_that_answers.hpp"
#include "tests/bench/labs/made_up_curves.hpp"
#include "tests/bench/labs/tally.hpp"

namespace ladder::labs {
namespace {

/// A register file that is made up.
struct Design {
  RegisterBanks banks = {};
  int read_cycles = 1;         ///< of a bank, for one register
  int kept_for = 1;            ///< idle cycles that the reuse cache outlives; -1: it keeps nothing
  bool by_bank = true;         ///< it has an entry for each bank, or one for each operand
  int yield_cycles = 2;        ///< the least pause of an FFMA that yields
  double noise = 0.01;         ///< standard deviation, as a share
  double outliers = 0.05;      ///< share of samples that take half as long again
  bool any_pair = false;       ///< collisions do not follow any assignment to banks
  int one_bank_from = 256;     ///< registers from this one on are all in one bank
  bool third_is_free = false;  ///< an FFMA with three reads of one bank takes as long as with two
};

/// Its warps issue in turn; a warp keeps the scheduler until it pauses.
class DrawnRegisters final : public RegisterInstrument {
 public:
  DrawnRegisters(Design design, std::uint64_t seed) : design_(std::move(design)), random_(seed) {}

  std::vector<int> registers() override {
    std::vector<int> all(66);
    std::iota(all.begin(), all.end(), 2);
    return all;
  }

  std::vector<double> cycles(const FfmaProgram& program, int warps, int repeats) override {
    const double truth = exact_cycles(program, warps);
    std::normal_distribution<double> noise(1, design_.noise);
    std::bernoulli_distribution outlier(design_.outliers);
    std::vector<double> samples;
    samples.reserve(static_cast<std::size_t>(repeats));
    for (int i = 0; i < repeats; ++i)
      samples.push_back(truth * noise(random_) * (outlier(random_) ? 1.5 : 1));
    return samples;
  }

 private:
  using Cache = std::map<std::pair<std::size_t, int>, int>;
  struct Warp {
    long ready = 0;
    long last = -1;  ///< when it issued
    std::size_t done = 0;
    Cache cache;
    bool forgets = false;
  };

  int bank_of(int reg) const {
    if (reg >= design_.one_bank_from) return 0;
    return design_.any_pair ? (reg * 2654435761U >> 9) % 3 : design_.banks.bank_of(reg);
  }

  /// Registers that the step reads from banks; what it keeps is then in the warp's cache.
  std::set<int> fresh(const FfmaStep& step, Warp& warp) const {
    std::set<int> reads;
    for (std::size_t slot = 0; slot < step.sources.size(); ++slot) {
      const auto [reg, reuse] = step.sources[slot];
      if (reg == kZeroRegister) continue;
      const std::pair place{slot, design_.by_bank ? bank_of(reg) : 0};
      const auto kept = warp.cache.find(place);
      if (kept == warp.cache.end() || kept->second != reg) reads.insert(reg);
      warp.cache.erase(place);
      if (reuse && design_.kept_for >= 0) warp.cache[place] = reg;
    }
    return reads;
  }

  double exact_cycles(const FfmaProgram& program, int count) const {
    const std::size_t steps = 64 * program.size();
    std::vector<Warp> warps(static_cast<std::size_t>(count));
    std::map<int, long> free;
    long cycle = 0;
    std::size_t running = 0;
    std::size_t last = 0;
    long half = 0;
    for (std::size_t issued = 0; issued < 2 * steps * warps.size(); ++issued) {
      if (issued == steps * warps.size()) half = cycle;
      // The same warp goes on if it can; else the one that is ready first.
      std::size_t chosen = last;
      if (warps[last].ready > cycle)
        chosen = static_cast<std::size_t>(
            std::ranges::min_element(warps, {}, [](const Warp& w) { return w.ready; }) -
            warps.begin());
      Warp& warp = warps[chosen];
      cycle = std::max(cycle, warp.ready);
      const FfmaStep& step = program[warp.done % program.size()];
      if (chosen != running || warp.forgets) warp.cache.clear();
      running = last = chosen;
      std::set<int> reads = fresh(step, warp);
      for (const int reg : reads)
        cycle = std::max(cycle, free[bank_of(reg)]);
      if (design_.third_is_free && reads.size() == 3) reads.erase(reads.begin());
      for (const int reg : reads)
        free[bank_of(reg)] = std::max(free[bank_of(reg)], cycle) + design_.read_cycles;
      const int pause = step.yields ? std::max(step.pause, design_.yield_cycles) : step.pause;
      warp.forgets = pause - 1 > design_.kept_for || step.yields;
      warp.ready = cycle + pause;
      ++warp.done;
      ++cycle;
    }
    return static_cast<double>(std::max(cycle, warps[last].ready) - half) /
           static_cast<double>(steps);
  }

  Design design_;
  std::mt19937_64 random_;
};

class GpuWithRegisters final : public GpuThatAnswers {
 public:
  GpuWithRegisters(const Design& design, std::uint64_t seed) : drawn_(design, seed) {}
  RegisterInstrument* registers() override { return &drawn_; }

 private:
  DrawnRegisters drawn_;
};

LabReport report_of(const Design& design, std::uint64_t seed) {
  GpuWithRegisters gpu(design, seed);
  return register_ports(&gpu, {});
}

std::optional<Estimate> told(const LabReport& report, const std::string& key) {
  const auto found = std::ranges::find(report.findings, key, &Finding::key);
  return found == report.findings.end() ? std::nullopt : found->value;
}

/// One, two or four banks, by sums of random bits.
RegisterBanks drawn_banks(std::mt19937_64& random) {
  const int bits = std::uniform_int_distribution(0, 2)(random);
  RegisterBanks banks;
  while (static_cast<int>(banks.masks.size()) < bits) {
    const int mask = std::uniform_int_distribution(1, (1 << kBankBits) - 1)(random);
    if (std::ranges::find(banks.masks, mask) == banks.masks.end()) banks.masks.push_back(mask);
  }
  banks.banks = 1 << bits;
  return banks;
}

Design drawn(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Design design = {.banks = drawn_banks(random)};
  design.kept_for = std::uniform_int_distribution(-1, 2)(random);
  design.by_bank = std::bernoulli_distribution(0.5)(random);
  design.yield_cycles = std::uniform_int_distribution(1, 3)(random);
  design.noise = std::uniform_real_distribution(0.0, 0.02)(random);
  design.outliers = std::uniform_real_distribution(0.0, 0.05)(random);
  return design;
}

TEST(DrawnRegisterFiles, AreRecoveredOrNotFound) {
  Tally banks("Banks of registers", "register files with noise and outliers", 0.9);
  Tally life("Pauses that the reuse cache outlives", "register files with noise and outliers", 0.9);
  for (int i = 0; i < draws(); ++i) {
    const std::uint64_t seed = seed_of_draw(i);
    const Design design = drawn(seed);
    const LabReport report = report_of(design, seed);
    const std::optional<Estimate> count = told(report, "register_banks");
    int bits = 0;
    // The same banks as the lab tells them: by the simplest masks.
    std::vector<bool> same(std::size_t{1} << kBankBits);
    for (std::size_t reg = 0; reg < same.size(); ++reg)
      same[reg] = design.banks.bank_of(static_cast<int>(reg)) == 0;
    const std::optional<RegisterBanks> simplest = find_banks(same);
    for (const int mask : simplest->masks)
      bits |= mask;
    banks.take(seed, count,
               count && count->value == design.banks.banks &&
                   told(report, "register_bank_bits")->value == bits);
    if (!count) continue;
    const std::optional<Estimate> kept = told(report, "reuse_longest_pause");
    life.take(seed, kept, kept && kept->value == design.kept_for + 1);
    EXPECT_NEAR(value_of(report, "bank_read_cycles"), 1, 0.15) << seed;
    EXPECT_NEAR(value_of(report, "reuse_a_cycles"), design.kept_for >= 0 ? 1 : 0, 0.3) << seed;
    EXPECT_NEAR(value_of(report, "reuse_other_slot_cycles"), 0, 0.3) << seed;
    EXPECT_NEAR(value_of(report, "reuse_after_same_bank_cycles"), 0, 0.5) << seed;
    if (design.banks.banks > 1) {
      EXPECT_NEAR(value_of(report, "reuse_after_other_bank_cycles"),
                  design.kept_for >= 0 && design.by_bank ? 1 : 0, 0.5)
          << seed;
    }
    EXPECT_NEAR(value_of(report, "yield_cycles"), design.yield_cycles, 0.1) << seed;
    EXPECT_LT(value_of(report, "pause_rule_error_percent"), 15) << seed;
  }
}

TEST(RegisterPortsTest, CollisionsWithoutBanksAreNotExplained) {
  const LabReport report = report_of({.any_pair = true}, 1);
  EXPECT_FALSE(finding(report, "register_banks").value);
  EXPECT_FALSE(told(report, "bank_read_cycles"));
}

TEST(RegisterPortsTest, PairsThatContradictEachOtherAreNoBanks) {
  const RegisterBanks odd_and_even = {.banks = 2, .masks = {1}};
  EXPECT_TRUE(finding(report_of({.banks = odd_and_even}, 1), "register_banks").value);
  EXPECT_FALSE(
      finding(report_of({.banks = odd_and_even, .one_bank_from = 30}, 1), "register_banks").value);
}

TEST(RegisterPortsTest, ReadsThatAreOnNoStraightLineHaveNoPrice) {
  const Design design = {.banks = {.banks = 2, .masks = {1}}, .third_is_free = true};
  EXPECT_FALSE(finding(report_of(design, 1), "bank_read_cycles").value);
}

TEST(RegisterPortsTest, WhereNothingCollidesThereAreNoBanks) {
  EXPECT_FALSE(finding(report_of({.banks = {.banks = 64, .masks = {1, 2, 4, 8, 16, 32}}}, 1),
                       "register_banks")
                   .value);
}

TEST(RegisterPortsTest, ASlowBankIsToldAsSlow) {
  EXPECT_NEAR(value_of(report_of({.banks = {.banks = 2, .masks = {1}}, .read_cycles = 2}, 1),
                       "bank_read_cycles"),
              2, 0.2);
}

TEST(RegisterPortsTest, ItCannotBeSimulated) {
  EXPECT_THROW(register_ports(nullptr, {}), LabError);
  GpuThatAnswers gpu;
  EXPECT_THROW(register_ports(&gpu, {}), LabError);
}

TEST(RegisterBanksTest, TheSimplestBitsOfABank) {
  std::vector<bool> same(std::size_t{1} << kBankBits, false);
  for (std::size_t i = 0; i < same.size(); i += 2)
    same[i] = true;
  const std::optional<RegisterBanks> found = find_banks(same);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->banks, 2);
  EXPECT_EQ(found->text(), "bit 0");
  EXPECT_EQ(found->bank_of(7), 1);
  same[4] = false;
  EXPECT_FALSE(find_banks(same)) << "no sums of bits explain that";
}

}  // namespace
}  // namespace ladder::labs
