// SPDX-License-Identifier: MIT
/// \file  tests/bench/labs/drawn_gpus.hpp
/// \brief Whole simulated GPUs, drawn at random: what a lab says of one can be held against what it
///        is made of.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bench/labs/simulator/memory_system.hpp"

namespace ladder::labs {

/// Draws what a system is made of.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed + 1) {}
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  /// Each octave is as likely as any other one.
  double octaves(double low, double high);
  bool coin() { return between(0, 1) == 1; }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<int>(values.size()) - 1)];
  }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
};

/// \brief  A GPU of which everything is drawn: SMs, caches and their sides, one to three levels of
///         TLB (entries, ways, pages, who shares them), latencies, memory, and all that disturbs
///         measurements. The same seed draws the same GPU.
MemorySystemShape drawn_gpu(std::uint64_t seed);

/// \brief  Which SMs share something: alone, pairs, groups of one size, groups of any sizes with
///         neighbours or strangers, singles among them, or all.
std::vector<int> drawn_groups(Draw& draw, int sms);

}  // namespace ladder::labs
