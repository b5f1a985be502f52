// SPDX-License-Identifier: MIT
/// \file  common/nvml.hpp
/// \brief Clocks, power and energy of the current GPU, as NVIDIA's management library tells them.
#pragma once

#include <optional>

#include "common/timing.hpp"

namespace ladder {

/// \brief The few NVML calls needed, found at run time: the library comes with the driver, not
///        with the toolkit. Where it is missing, nothing is told.
class Nvml {
 public:
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  void log(ClockLog& log) const;
  /// \brief  Energy that the GPU has taken since its driver was loaded. The counter moves on some
  ///         ten times a second.
  /// \return joules; nothing: this GPU has no such counter
  std::optional<double> joules() const;
  /// Whether the driver holds the clock down because of the power limit; nothing: it does not say.
  std::optional<bool> power_capped() const;

 private:
  template <class Function>
  Function* find(const char* name) const;

  void* library_;
  void* device_ = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
  int (*energy_)(void*, unsigned long long*) = nullptr;
  int (*clock_reasons_)(void*, unsigned long long*) = nullptr;
};

}  // namespace ladder
