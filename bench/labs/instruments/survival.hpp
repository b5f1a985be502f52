// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/survival.hpp
/// \brief What is still in a cache after other data went through it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::labs {

/// How a load asks to be cached, by the names of PTX.
enum class Hint : std::uint8_t { ca, cg, cs, lu, cv, no_l1, evict_first, evict_last };

std::string name_of(Hint hint);

/// All hints, in the order of the enumeration.
std::vector<Hint> all_hints();

/// A part of L2 that is set aside for accesses that a window marks as persisting.
struct SetAside {
  std::uint64_t limit_bytes = 0;   ///< of L2, for persisting accesses
  std::uint64_t window_bytes = 0;  ///< of the hot array, from its beginning
  double hit_ratio = 1.0;          ///< share of the window that is marked
};

/// A hot array is read; then a stream passes by; then lines of the hot array are read again, one by
/// one, and the clock tells which of them were still in L2.
struct Survival {
  std::uint64_t hot_bytes = 0;
  std::uint64_t stream_bytes = 0;
  Hint hot_hint = Hint::ca;
  Hint stream_hint = Hint::ca;
  int hot_passes = 2;  ///< times that the hot array is read before
  std::optional<SetAside> set_aside = {};
  int sampled_lines = 4096;
  std::uint64_t seed = 1;
  int hot_sectors = 4;  ///< of each line of the hot array that are read, the first ones
};

class SurvivalInstrument {
 public:
  virtual ~SurvivalInstrument() = default;
  /// \return share of the sampled lines that were still in L2, for each repeat
  /// \throws LabError  the arrays do not fit, or nothing can be set aside on this GPU
  virtual std::vector<double> survivors(const Survival& survival, int repeats) = 0;
  /// \brief  A walk over a few KiB with one kind of load, and its latency in the second lap: short
  ///         where L1 kept what the first lap loaded.
  virtual double second_lap_cycles(Hint hint) = 0;
};

}  // namespace ladder::labs
