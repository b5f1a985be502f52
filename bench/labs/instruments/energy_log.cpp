// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/energy_log.cpp
#include "bench/labs/instruments/energy_log.hpp"

#include <chrono>
#include <utility>

namespace ladder::labs {
namespace {

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::vector<double> watts_of(std::span<const EnergyStep> steps, double from_seconds,
                             double window_seconds) {
  std::vector<double> watts;
  const EnergyStep* start = nullptr;
  for (const EnergyStep& step : steps) {
    if (step.seconds < from_seconds) continue;
    if (start == nullptr) start = &step;
    const double seconds = step.seconds - start->seconds;
    if (seconds < window_seconds || seconds <= 0) continue;
    watts.push_back((step.joules - start->joules) / seconds);
    start = &step;
  }
  return watts;
}

EnergyLog::EnergyLog(Counter joules) : joules_(std::move(joules)), began_(clock_seconds()) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::optional<double> before = joules_();
    while (before && !stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::optional<double> after = joules_();
      if (after && *after != *before) steps_.push_back({.seconds = now(), .joules = *after});
      before = after;
    }
  });
}

double EnergyLog::now() const {
  return clock_seconds() - began_;
}

std::vector<EnergyStep> EnergyLog::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  return steps_;
}

}  // namespace ladder::labs
