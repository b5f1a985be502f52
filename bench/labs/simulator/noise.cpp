// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/noise.cpp
#include "bench/labs/simulator/noise.hpp"

#include <cmath>
#include <numbers>

namespace ladder::labs {
namespace {

/// The throttled stretch begins among the first samples, where every lab meets it.
constexpr int kEarliest = 50;
constexpr int kLatest = 1000;

}  // namespace

Noise::Noise(const NoiseShape& shape, std::uint64_t seed)
    : shape_(shape),
      random_(seed),
      phase_(std::uniform_real_distribution<double>(0, 2 * std::numbers::pi)(random_)),
      throttled_from_(std::uniform_int_distribution<std::int64_t>(kEarliest, kLatest)(random_)) {}

double Noise::slowdown() {
  const auto sample = static_cast<double>(sample_);
  double factor = 1 + shape_.drift_share *
                          std::sin(phase_ + 2 * std::numbers::pi * sample / shape_.drift_samples);
  const std::int64_t throttled = sample_++ - throttled_from_;
  if (throttled >= 0 && throttled < shape_.throttled_samples) factor *= 1 + shape_.throttled_longer;
  if (std::uniform_real_distribution<double>()(random_) < shape_.outlier_share) {
    factor *= 1 + std::exponential_distribution<double>(1 / shape_.outlier_size)(random_);
  }
  return factor;
}

double Noise::cycles(double exact) {
  return exact * slowdown() + shape_.sigma_cycles * normal_(random_);
}

double Noise::rate(double exact) {
  return exact / slowdown() * (1 + shape_.sigma_share * normal_(random_));
}

}  // namespace ladder::labs
