// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/energy.hpp
/// \brief What a product takes in joules: the inputs that are tried, and what a meter's readings
///        say.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/labs/instruments/energy_log.hpp"
#include "common/random.hpp"
#include "common/timing.hpp"

namespace ladder::bench {

/// Numbers that fill A and B. The mean is 0 and the standard deviation 1, except where `what` says
/// otherwise.
struct InputKind {
  const char* name;  ///< "zeros"
  const char* what;  ///< a sentence's part, for tables
  /// Element i of so many.
  float (*element)(const RandomArray& random, std::size_t i, std::size_t count);
};

/// All kinds; the first are the numbers on which rungs are verified and timed.
std::span<const InputKind> input_kinds();

/// One kernel on one kind of inputs.
struct Turn {
  std::size_t kernel;
  std::size_t inputs;

  bool operator==(const Turn&) const = default;
};

/// \brief  Every kernel on all inputs once. Odd rounds run backwards, so that whoever came late in
///         one, when the GPU was warm, comes early in the next.
std::vector<Turn> turns_of(std::size_t kernels, std::size_t inputs, int round);

/// How long a turn takes, in seconds.
struct TurnTimes {
  double rest = 0.3;
  double warm = 0.5;  ///< runs, but does not count
  double counted = 2.0;

  double all() const { return rest + warm + counted; }
};

/// What the driver says at one moment.
struct Reading {
  double seconds = 0;  ///< since the turn began to run
  std::optional<double> sm_mhz = {};
  std::optional<double> power_w = {};
  std::optional<bool> power_capped = {};  ///< the power limit holds the clock down
};

/// What was seen while a kernel ran over and over.
struct TurnLog {
  std::vector<double> launch_ms;         ///< per launch, of windows that count
  std::vector<labs::EnergyStep> joules;  ///< when the energy counter moved
  std::vector<Reading> readings;
};

/// Power from an energy counter, or why there is none.
struct CounterPower {
  std::optional<double> watts = {};
  std::string doubt = {};
};

/// \brief  Mean power between the first and the last step within these seconds, in which the
///         counter must move often, and never back.
CounterPower counter_power(std::span<const labs::EnergyStep> steps, double from_seconds,
                           double until_seconds);

/// One turn in figures. What the GPU does not tell is empty.
struct TurnResult {
  double time_ms = 0;  ///< mean of the launches
  std::optional<double> sm_mhz = {};
  std::optional<double> power_w = {};       ///< mean of readings that cover this turn alone
  std::optional<double> power_capped = {};  ///< share of the readings
  CounterPower counter = {};
  std::vector<std::pair<double, double>> clocks = {};  ///< (seconds, MHz), ten times a second

  std::optional<double> joules_by_counter() const { return joules(counter.watts); }
  std::optional<double> joules_by_readings() const { return joules(power_w); }

 private:
  /// Of a product, which takes time_ms.
  std::optional<double> joules(const std::optional<double>& watts) const;
};

/// \throws std::invalid_argument  no window counts
TurnResult result_of(const TurnLog& log, const TurnTimes& times);

/// \brief  Runs a candidate for a turn, while a second thread reads the counter about once a
///         millisecond, and the rest each twentieth time.
/// \param  read  everything but the counter and the time
TurnLog run_turn(Stopwatch& stopwatch, const Candidate& candidate, const TurnTimes& times,
                 const labs::EnergyLog::Counter& joules, const std::function<Reading()>& read);

/// \throws MachineError  this GPU, or a driver without NVML, tells neither energy nor power
void require_meter(const std::optional<double>& joules, const Reading& reading);

/// A kernel's turns with one kind of inputs, a turn of each round.
struct Measured {
  std::string name;       ///< "22_hopper_summit", "best_cublaslt_bf16"
  std::string precision;  ///< "BF16"
  int size;               ///< M = N = K
  InputKind inputs;
  std::vector<TurnResult> rounds = {};
};

/// \brief  A results file's entry: for each figure the median of the rounds and the lowest and
///         highest of them, or null where a round lacks it; and the rounds themselves.
nlohmann::json entry_of(const Measured& measured);

}  // namespace ladder::bench
