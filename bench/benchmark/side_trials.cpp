// SPDX-License-Identifier: MIT
#include "bench/benchmark/side_trials.hpp"

#include <array>
#include <functional>
#include <random>

namespace ladder::bench {
namespace {

using side_aware::MultiprocessorSides;
using side_aware::SideBits;

constexpr int kPair = 2;  // SMs with neighbouring numbers share a TPC
constexpr unsigned kSeed = 1;

/// \param side_of_pair  of the pair whose first SM has this number
SideBits by_pairs(const MultiprocessorSides& found, const std::function<int(int)>& side_of_pair) {
  SideBits sides;
  for (int sm = 0; sm < found.multiprocessors; sm += kPair) {
    if (side_of_pair(sm) == 0) continue;
    for (int i = sm; i < sm + kPair && i < found.multiprocessors; ++i)
      sides.set(i);
  }
  return sides;
}

/// Every other pair of each side is told the other one.
SideBits half_of_each(const MultiprocessorSides& found) {
  std::array<int, 2> pairs = {0, 1};  // of an odd number, one half gets more of each side
  return by_pairs(found, [&](int sm) { return pairs.at(found.bits.of(sm))++ % 2; });
}

SideBits by_chance(const MultiprocessorSides& found) {
  std::mt19937 random(kSeed);
  return by_pairs(found, [&](int) { return static_cast<int>(random() % 2); });
}

}  // namespace

std::vector<SideTrial> side_trials(const MultiprocessorSides& found) {
  return {{"sides_right", "each half by the SMs of one side", found.bits},
          {"sides_wrong", "each half by SMs of both sides, as many of either", half_of_each(found)},
          {"sides_random", "each half by SMs that were drawn", by_chance(found)},
          {"sides_off", "no halves", std::nullopt}};
}

}  // namespace ladder::bench
