// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/energy_log.hpp
/// \brief Power from an energy counter that moves in steps.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace ladder::labs {

/// A moment at which the counter moved.
struct EnergyStep {
  double seconds = 0;  ///< of any clock
  double joules = 0;   ///< what it said from then on
};

/// \brief  Mean power of windows that follow each other. A window begins and ends where the counter
///         moved, so that what lies between is known exactly.
/// \param  from_seconds    earlier steps do not count
/// \param  window_seconds  at least; the last one may be left out
/// \return watts
std::vector<double> watts_of(std::span<const EnergyStep> steps, double from_seconds,
                             double window_seconds);

/// \brief Reads a counter about once a millisecond, as long as it lives, and notes its steps.
class EnergyLog {
 public:
  using Counter = std::function<std::optional<double>()>;
  explicit EnergyLog(Counter joules);
  /// Seconds since the log began.
  double now() const;
  /// Ends the log.
  /// \return the steps; none if the counter says nothing
  std::vector<EnergyStep> stop();

 private:
  Counter joules_;
  double began_;
  std::vector<EnergyStep> steps_;
  std::jthread thread_;
};

}  // namespace ladder::labs
