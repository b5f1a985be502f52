// SPDX-License-Identifier: MIT
/// \file  tests/bench/benchmark/energy_test.cpp
/// \brief Joules out of readings that are known: what counts, and what is left out.
#include "bench/benchmark/energy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "common/bfloat16.hpp"
#include "common/machine.hpp"
#include "tests/common/timed_gpu.hpp"

namespace ladder::bench {
namespace {

constexpr TurnTimes kTimes = {.rest = 0.3, .warm = 0.5, .counted = 2.0};

/// A counter that moves 20 times a second: 900 W while the kernel warms up, then 600 W.
std::vector<labs::EnergyStep> steps() {
  std::vector<labs::EnergyStep> all;
  for (int i = 1; i <= 50; ++i) {
    const double seconds = 0.05 * i;
    all.push_back({seconds, 900.0 * std::min(seconds, kTimes.warm) +
                                600.0 * std::max(0.0, seconds - kTimes.warm)});
  }
  return all;
}

/// Launches of 2 ms. The clock falls from 1900 to 1500 MHz at 1 s; power is read as it was in the
/// second before.
TurnLog a_log() {
  TurnLog log = {.launch_ms = {1.9, 2.0, 2.1}, .joules = steps(), .readings = {}};
  for (int i = 0; i < 50; ++i) {
    const double seconds = 0.05 * i;
    log.readings.push_back({.seconds = seconds,
                            .sm_mhz = seconds < 1.0 ? 1900.0 : 1500.0,
                            .power_w = seconds < 1.0 ? 100.0 : 590.0,
                            .power_capped = seconds >= 1.5});
  }
  return log;
}

std::string doubt_of(const std::vector<labs::EnergyStep>& steps) {
  const CounterPower power = counter_power(steps, kTimes.warm, kTimes.warm + kTimes.counted);
  EXPECT_FALSE(power.watts.has_value());
  return power.doubt;
}

TEST(EnergyTest, PowerTimesTimeGivesJoulesInTwoWays) {
  const TurnResult result = result_of(a_log(), kTimes);
  EXPECT_DOUBLE_EQ(result.time_ms, 2.0);
  EXPECT_NEAR(*result.joules_by_counter(), 1.2, 1e-9) << "600 W: what was before does not count";
  EXPECT_NEAR(*result.joules_by_readings(), 1.18, 1e-9) << "590 W: readings of the rest do not";
  EXPECT_NEAR(*result.sm_mhz, (10 * 1900.0 + 30 * 1500.0) / 40, 1e-9);
  EXPECT_NEAR(*result.power_capped, 0.5, 1e-9);
  ASSERT_EQ(result.clocks.size(), 25u);
  EXPECT_EQ(result.clocks.front(), (std::pair{0.0, 1900.0}));
  EXPECT_EQ(result.clocks.back(), (std::pair{2.4, 1500.0}));
}

TEST(EnergyTest, ACounterThatGoesBackGivesNothing) {
  std::vector<labs::EnergyStep> wrapped = steps();
  for (std::size_t i = 30; i < wrapped.size(); ++i)
    wrapped[i].joules -= wrapped[30].joules;
  EXPECT_EQ(doubt_of(wrapped), "the energy counter went back");
}

TEST(EnergyTest, ACounterThatSticksGivesNothing) {
  const std::vector<labs::EnergyStep> all = steps();
  const auto stuck = [&](double from, double until) {
    std::vector<labs::EnergyStep> some;
    std::ranges::copy_if(all, std::back_inserter(some), [&](const labs::EnergyStep& step) {
      return step.seconds < from || step.seconds > until;
    });
    return doubt_of(some);
  };
  EXPECT_EQ(stuck(0.4, 1.0), "the energy counter stood still") << "at the beginning";
  EXPECT_EQ(stuck(1.2, 1.6), "the energy counter stood still") << "in the middle";
  EXPECT_EQ(stuck(2.0, 9.0), "the energy counter stood still") << "at the end";
  EXPECT_EQ(stuck(0.1, 9.0), "the energy counter stood still") << "nearly from the start";
  EXPECT_EQ(doubt_of({}), "the GPU tells no energy");
}

TEST(EnergyTest, OneStepIsNoPower) {
  const CounterPower power = counter_power(steps(), 1.0, 1.04);
  EXPECT_FALSE(power.watts.has_value());
  EXPECT_EQ(power.doubt, "the energy counter moved once at most");
}

TEST(EnergyTest, WhatIsNotToldIsEmpty) {
  TurnLog log = a_log();
  for (Reading& reading : log.readings)
    reading = {.seconds = reading.seconds};
  log.joules.clear();
  const TurnResult result = result_of(log, kTimes);
  EXPECT_FALSE(result.sm_mhz || result.power_w || result.power_capped);
  EXPECT_FALSE(result.joules_by_counter() || result.joules_by_readings());
  EXPECT_TRUE(result.clocks.empty());
  log.launch_ms.clear();
  EXPECT_THROW(result_of(log, kTimes), std::invalid_argument);
}

TEST(EnergyTest, RoundsGiveAMedianAndWhatHoldsThem) {
  Measured measured = {"22_hopper_summit", "BF16", 1000, input_kinds().front()};
  for (const double watts : {500.0, 700.0, 510.0}) {
    measured.rounds.push_back({.time_ms = 4.0, .sm_mhz = 1400.0, .counter = {.watts = watts}});
  }
  const nlohmann::json entry = entry_of(measured);
  const nlohmann::json& joules = entry.at("joules_by_counter");
  EXPECT_NEAR(joules.at("value").get<double>(), 2.04, 1e-9);
  EXPECT_NEAR(joules.at("low").get<double>(), 2.0, 1e-9);
  EXPECT_NEAR(joules.at("high").get<double>(), 2.8, 1e-9);
  EXPECT_NEAR(entry.at("pj_per_flop_by_counter").at("value").get<double>(), 1020.0, 1e-6)
      << "of 2e9 FLOP";
  EXPECT_TRUE(entry.at("joules_by_readings").is_null());
  EXPECT_TRUE(entry.at("power_w").is_null());
  EXPECT_EQ(entry.at("rounds").size(), 3u);

  measured.rounds[1].counter = {.doubt = "the energy counter stood still"};
  const nlohmann::json lacking = entry_of(measured);
  EXPECT_TRUE(lacking.at("joules_by_counter").is_null()) << "a round lacks it";
  EXPECT_EQ(lacking.at("rounds").at(1).at("counter_doubt"), "the energy counter stood still");
  EXPECT_EQ(lacking.at("sm_mhz").at("value"), 1400.0);
}

/// What two rounds of two kernels on two kinds of inputs would give; a counter sticks in one.
std::vector<Measured> made_up() {
  std::vector<Measured> all;
  for (const char* name : {"22_hopper_summit", "best_cublaslt_bf16"}) {
    for (const InputKind& kind : {input_kinds().front(), input_kinds().back()}) {
      const bool zeros = std::string(kind.name) == "zeros";
      Measured measured = {name, "BF16", 8192, kind};
      for (const double ms : {1.5, 1.625}) {
        TurnResult turn;
        turn.time_ms = zeros ? ms / 2 : ms;
        turn.sm_mhz = zeros ? 1875.0 : 1275.0;
        turn.power_w = 690.5;
        turn.power_capped = zeros ? 0.5 : 1.0;
        turn.counter.watts = 696.25;
        turn.clocks = {{0.0, 1800.0}, {0.125, 1275.0}};
        measured.rounds.push_back(turn);
      }
      all.push_back(measured);
    }
  }
  all.back().rounds.back().counter = {.doubt = "the energy counter stood still"};
  all.back().rounds.back().sm_mhz = {};
  return all;
}

// docs/report reads it: tests/docs/report/joules_test.py.
TEST(EnergyTest, EntriesAreAsPagesReadThem) {
  nlohmann::json entries = nlohmann::json::array();
  for (const Measured& measured : made_up())
    entries.push_back(entry_of(measured));
  std::ifstream file(LADDER_SOURCE_DIR "/tests/bench/benchmark/data/energy.json");
  const nlohmann::json recorded = nlohmann::json::parse(file);
  EXPECT_EQ(recorded.at("benchmarks"), entries) << entries.dump(2);
}

TEST(EnergyTest, TurnsAreInterleavedAndTurnRound) {
  const std::vector<Turn> first = turns_of(2, 3, 0);
  std::vector<Turn> second = turns_of(2, 3, 1);
  ASSERT_EQ(first.size(), 6u);
  EXPECT_NE(first[0].kernel, first[1].kernel) << "kernels take turns on one kind of inputs";
  EXPECT_EQ(first[0].inputs, first[1].inputs);
  EXPECT_NE(first, second);
  std::ranges::reverse(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(turns_of(2, 3, 2), first);
}

/// Mean and standard deviation, and what a BF16 matrix would hold.
struct Spread {
  double mean = 0, deviation = 0;
  std::set<float> stored = {};
};

Spread spread_of(const InputKind& kind) {
  constexpr std::size_t kCount = 100'000;
  Spread spread;
  double squares = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const float x = kind.element({.seed = 1, .array = 1}, i, kCount);
    spread.mean += x / kCount;
    squares += x * x / kCount;
    spread.stored.insert(static_cast<float>(bfloat16(x)));
  }
  spread.deviation = std::sqrt(squares - spread.mean * spread.mean);
  return spread;
}

TEST(EnergyTest, InputsAreWhatTheirNamesSay) {
  const auto kinds = input_kinds();
  EXPECT_EQ(kinds.front().name, std::string("normal"));
  EXPECT_EQ(kinds.front().element({.seed = 5, .array = 1}, 7, 9),
            (RandomArray{.seed = 5, .array = 1}[7]));
  for (const InputKind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    const Spread spread = spread_of(kind);
    const std::string name = kind.name;
    if (name == "zeros" || name == "ones") {
      EXPECT_EQ(spread.stored, (std::set<float>{name == "ones" ? 1.0f : 0.0f}));
      continue;
    }
    EXPECT_NEAR(spread.mean, 0.0, 0.01);
    EXPECT_NEAR(spread.deviation, 1.0, name == "short" ? 0.2 : 0.01);
    for (const float x : spread.stored) {
      int exponent = 0;
      const double two_bits = std::abs(std::frexp(x, &exponent)) * 4;
      if (name == "short") {
        EXPECT_EQ(two_bits, std::floor(two_bits)) << x;
      }
    }
  }
}

TEST(EnergyTest, SortedNumbersAreUniformOnesInOrder) {
  const auto kinds = input_kinds();
  const auto sorted = std::ranges::find(
      kinds, "sorted", [](const InputKind& kind) { return std::string(kind.name); });
  float before = -2.0f;
  for (std::size_t i = 0; i < 1000; ++i) {
    const float x = sorted->element({}, i, 1000);
    EXPECT_GT(x, before);
    before = x;
  }
  EXPECT_LT(before, 1.7321f);
}

/// Sleeps as long as a launch takes.
class SleepingStopwatch : public testing_machine::ScriptedStopwatch {
 public:
  double time_ms(const std::function<void()>& work) override {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  }
};

TEST(EnergyTest, ATurnReadsTheMeterWhileItRuns) {
  SleepingStopwatch stopwatch;
  const Candidate candidate = {
      "sleeps", [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }};
  const auto began = std::chrono::steady_clock::now();
  // Moves 50 times a second, at 300 W.
  const auto joules = [&]() -> std::optional<double> {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return std::floor(seconds * 50.0) * 6.0;
  };
  const auto read = [] { return Reading{.sm_mhz = 1500.0}; };
  const TurnTimes times = {.rest = 0.0, .warm = 0.2, .counted = 0.6};
  const TurnResult result = result_of(run_turn(stopwatch, candidate, times, joules, read), times);
  EXPECT_GE(result.time_ms, 10.0);
  EXPECT_LT(result.time_ms, 35.0) << "five launches are a window";
  ASSERT_TRUE(result.counter.watts.has_value()) << result.counter.doubt;
  EXPECT_NEAR(*result.counter.watts, 300.0, 30.0);
  EXPECT_EQ(result.sm_mhz, 1500.0);
}

TEST(EnergyTest, WindowsOfTheWarmUpDoNotCount) {
  SleepingStopwatch stopwatch;
  const auto began = std::chrono::steady_clock::now();
  const Candidate candidate = {
      "slow at first", [&](int) {
        const bool cold = std::chrono::steady_clock::now() - began < std::chrono::milliseconds(400);
        std::this_thread::sleep_for(std::chrono::milliseconds(cold ? 100 : 5));
      }};
  const TurnTimes times = {.rest = 0.0, .warm = 0.4, .counted = 0.2};
  const TurnLog log = run_turn(
      stopwatch, candidate, times, [] { return std::optional<double>(); },
      [] { return Reading(); });
  ASSERT_FALSE(log.launch_ms.empty());
  EXPECT_LT(*std::ranges::max_element(log.launch_ms), 100.0);
}

TEST(EnergyTest, WithoutACounterATurnStillReadsTheClock) {
  SleepingStopwatch stopwatch;
  const Candidate candidate = {
      "sleeps", [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }};
  const TurnTimes times = {.rest = 0.0, .warm = 0.1, .counted = 0.3};
  const TurnLog log = run_turn(
      stopwatch, candidate, times, [] { return std::optional<double>(); },
      [] { return Reading{.sm_mhz = 1500.0}; });
  EXPECT_TRUE(log.joules.empty());
  EXPECT_EQ(result_of(log, times).sm_mhz, 1500.0);
}

TEST(EnergyTest, AGpuWithoutAnyMeterIsRefused) {
  EXPECT_THROW(require_meter({}, {}), MachineError);
  EXPECT_NO_THROW(require_meter(1.0, {}));
  EXPECT_NO_THROW(require_meter({}, {.power_w = 300.0}));
}

}  // namespace
}  // namespace ladder::bench
