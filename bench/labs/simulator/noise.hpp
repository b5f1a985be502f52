// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/noise.hpp
/// \brief What makes a measurement differ from the truth: noise, outliers, drift, throttling.
#pragma once

#include <cstdint>
#include <random>

namespace ladder::labs {

struct NoiseShape {
  double sigma_cycles = 1.5;      ///< normal noise of a latency
  double sigma_share = 0.005;     ///< normal noise of a bandwidth, as a share of it
  double outlier_share = 0.02;    ///< of the samples
  double outlier_size = 0.5;      ///< mean of what an outlier takes longer, as a share
  double drift_share = 0.004;     ///< of the clocks, up and down
  double drift_samples = 5000;    ///< one wave of it
  double throttled_longer = 0.1;  ///< what a throttled sample takes longer, as a share
  int throttled_samples = 6;      ///< in a row, once
};

/// Disturbs one sample after the other. The memory of the machine is exact; its measurements are
/// not.
class Noise {
 public:
  Noise(const NoiseShape& shape, std::uint64_t seed);

  /// A latency as it is measured.
  double cycles(double exact);
  /// A rate as it is measured: what takes longer has a lower one.
  double rate(double exact);

 private:
  /// What the next sample takes longer, as a factor.
  double slowdown();

  NoiseShape shape_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double phase_;
  std::int64_t throttled_from_;
  std::int64_t sample_ = 0;
};

}  // namespace ladder::labs
