// SPDX-License-Identifier: MIT
#include "bench/benchmark/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "common/machine.hpp"

namespace ladder::bench {
namespace {

using nlohmann::json;

constexpr double kRoot3 = 1.7320508;  // numbers spread evenly up to it have the deviation 1

float normal(const RandomArray& random, std::size_t i, std::size_t) {
  return random[i];
}

float uniform(const RandomArray& random, std::size_t i, std::size_t) {
  std::uint64_t x = (random.seed * 0x9e3779b97f4a7c15u + random.array) * 0xbf58476d1ce4e5b9u + i;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<float>(kRoot3 * (static_cast<double>(x >> 11) * 0x1p-52 - 1.0));
}

float zero(const RandomArray&, std::size_t, std::size_t) {
  return 0.0f;
}

float one(const RandomArray&, std::size_t, std::size_t) {
  return 1.0f;
}

/// Cuts the fraction off after its first bit.
float short_normal(const RandomArray& random, std::size_t i, std::size_t) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(random[i]) & 0xffc00000u);
}

float ascending(const RandomArray&, std::size_t i, std::size_t count) {
  return static_cast<float>(kRoot3 * ((2.0 * static_cast<double>(i) + 1.0) / count - 1.0));
}

constexpr std::array<InputKind, 6> kKinds = {{
    {"normal", "normal, as everywhere in this book", normal},
    {"uniform", "uniform", uniform},
    {"sorted", "uniform, sorted by size", ascending},
    {"short", "normal, cut to two significant bits", short_normal},
    {"ones", "all 1", one},
    {"zeros", "all 0", zero},
}};

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The mean of a field over the readings from a moment on; nothing if none has it.
template <class Field>
std::optional<double> mean_of(std::span<const Reading> readings, double from_seconds, Field field) {
  std::vector<double> values;
  for (const Reading& reading : readings)
    if (reading.seconds >= from_seconds && reading.*field)
      values.push_back(static_cast<double>(*(reading.*field)));
  if (values.empty()) return {};
  return mean(values);
}

std::vector<std::pair<double, double>> thinned_clocks(std::span<const Reading> readings) {
  constexpr double kStepSeconds = 0.1;
  std::vector<std::pair<double, double>> clocks;
  for (const Reading& reading : readings) {
    if (!reading.sm_mhz || reading.seconds < kStepSeconds * static_cast<double>(clocks.size()))
      continue;
    clocks.emplace_back(std::round(reading.seconds * 1e3) / 1e3, *reading.sm_mhz);
  }
  return clocks;
}

/// {"value": median, "low": ..., "high": ...} over the rounds; null where one lacks the figure.
template <class Figure>
json summary(const std::vector<TurnResult>& rounds, Figure figure) {
  std::vector<double> values;
  for (const TurnResult& round : rounds) {
    const std::optional<double> value = figure(round);
    if (!value) return nullptr;
    values.push_back(*value);
  }
  if (values.empty()) return nullptr;
  const auto [low, high] = std::ranges::minmax(values);
  return {{"value", median(values)}, {"low", low}, {"high", high}};
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json round_of(const TurnResult& round) {
  return {{"time_ms", round.time_ms},
          {"sm_mhz", or_null(round.sm_mhz)},
          {"power_w", or_null(round.power_w)},
          {"power_capped", or_null(round.power_capped)},
          {"counter_w", or_null(round.counter.watts)},
          {"counter_doubt", round.counter.doubt},
          {"clocks", round.clocks}};
}

}  // namespace

std::span<const InputKind> input_kinds() {
  return kKinds;
}

std::vector<Turn> turns_of(std::size_t kernels, std::size_t inputs, int round) {
  std::vector<Turn> turns;
  for (std::size_t i = 0; i < inputs; ++i)
    for (std::size_t kernel = 0; kernel < kernels; ++kernel)
      turns.push_back({.kernel = kernel, .inputs = i});
  if (round % 2 == 1) std::ranges::reverse(turns);
  return turns;
}

CounterPower counter_power(std::span<const labs::EnergyStep> steps, double from_seconds,
                           double until_seconds) {
  constexpr double kLongestGap = 0.25;  // counters move ten times a second, or more often
  if (steps.empty()) return {.doubt = "the GPU tells no energy"};
  const labs::EnergyStep* first = nullptr;
  const labs::EnergyStep* last = nullptr;
  double moved = from_seconds;
  for (const labs::EnergyStep& step : steps) {
    if (step.seconds < from_seconds) continue;
    if (step.seconds > until_seconds) break;
    if (step.seconds - moved > kLongestGap) return {.doubt = "the energy counter stood still"};
    if (last != nullptr && step.joules < last->joules)
      return {.doubt = "the energy counter went back"};
    if (first == nullptr) first = &step;
    last = &step;
    moved = step.seconds;
  }
  if (until_seconds - moved > kLongestGap) return {.doubt = "the energy counter stood still"};
  if (first == last) return {.doubt = "the energy counter moved once at most"};
  return {.watts = (last->joules - first->joules) / (last->seconds - first->seconds)};
}

std::optional<double> TurnResult::joules(const std::optional<double>& watts) const {
  if (!watts) return {};
  return *watts * time_ms * 1e-3;
}

TurnResult result_of(const TurnLog& log, const TurnTimes& times) {
  // NVML's power is the mean of the second before.
  constexpr double kAveraged = 1.0;
  if (log.launch_ms.empty()) throw std::invalid_argument("a turn in which no window counts");
  return {.time_ms = mean(log.launch_ms),
          .sm_mhz = mean_of(log.readings, times.warm, &Reading::sm_mhz),
          .power_w = mean_of(log.readings, std::max(times.warm, kAveraged), &Reading::power_w),
          .power_capped = mean_of(log.readings, times.warm, &Reading::power_capped),
          .counter = counter_power(log.joules, times.warm, times.warm + times.counted),
          .clocks = thinned_clocks(log.readings)};
}

TurnLog run_turn(Stopwatch& stopwatch, const Candidate& candidate, const TurnTimes& times,
                 const labs::EnergyLog::Counter& joules, const std::function<Reading()>& read) {
  constexpr double kWindowMs = 50.0;
  constexpr int kLooksPerReading = 20;
  int counter = 0;
  const auto launch = [&](int launches) {
    return stopwatch.time_ms([&] {
      for (int i = 0; i < launches; ++i)
        candidate.launch(counter++);
    });
  };
  launch(1);  // loads the module
  const int launches = std::max(1, static_cast<int>(kWindowMs / std::max(1e-3, launch(1))));
  stopwatch.rest_ms(times.rest * 1e3);

  TurnLog log;
  const auto began = std::chrono::steady_clock::now();
  const auto now = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  labs::EnergyLog energy([&, looks = 0]() mutable {
    if (looks++ % kLooksPerReading == 0) {
      log.readings.push_back(read());
      log.readings.back().seconds = now();
    }
    return joules().value_or(0.0);  // without a counter, too, the log goes on
  });
  while (now() < times.warm + times.counted) {
    const bool counts = now() >= times.warm;
    const double ms = launch(launches) / launches;
    if (counts) log.launch_ms.push_back(ms);
  }
  log.joules = energy.stop();
  return log;
}

void require_meter(const std::optional<double>& joules, const Reading& reading) {
  if (joules || reading.power_w) return;
  throw MachineError(
      "this GPU tells neither energy nor power: NVML (libnvidia-ml.so.1), which comes with "
      "NVIDIA's driver, is missing or does not know them");
}

json entry_of(const Measured& measured) {
  const std::vector<TurnResult>& rounds = measured.rounds;
  const double flop = 2.0 * std::pow(measured.size, 3);
  const auto picojoules = [&](const std::optional<double>& joules) -> std::optional<double> {
    if (!joules) return {};
    return *joules / flop * 1e12;
  };
  json entry = {
      {"name", measured.name},
      {"precision", measured.precision},
      {"m", measured.size},
      {"n", measured.size},
      {"k", measured.size},
      {"inputs", measured.inputs.name},
      {"inputs_are", measured.inputs.what},
      {"time_ms", summary(rounds, [](const TurnResult& r) { return std::optional(r.time_ms); })},
      {"sm_mhz", summary(rounds, [](const TurnResult& r) { return r.sm_mhz; })},
      {"power_w", summary(rounds, [](const TurnResult& r) { return r.power_w; })},
      {"power_capped", summary(rounds, [](const TurnResult& r) { return r.power_capped; })},
      {"counter_w", summary(rounds, [](const TurnResult& r) { return r.counter.watts; })}};
  const auto add = [&](const std::string& by, auto joules) {
    entry["joules_by_" + by] = summary(rounds, joules);
    entry["pj_per_flop_by_" + by] =
        summary(rounds, [&](const TurnResult& r) { return picojoules(joules(r)); });
  };
  add("counter", [](const TurnResult& r) { return r.joules_by_counter(); });
  add("readings", [](const TurnResult& r) { return r.joules_by_readings(); });
  entry["rounds"] = json::array();
  for (const TurnResult& round : rounds)
    entry["rounds"].push_back(round_of(round));
  return entry;
}

}  // namespace ladder::bench
