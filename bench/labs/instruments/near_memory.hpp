// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/near_memory.hpp
/// \brief Streams through memory whose sides are known: how near they are, how fast, and what they
///        cost in energy.
#pragma once

#include <cstdint>
#include <vector>

#include "common/side_aware/launch_plan.hpp"

namespace ladder::labs {

using side_aware::Assignment;

/// What a stream does with its elements.
enum class StreamOperation : std::uint8_t { copy, scale, sum, rope };

/// What is known of the memory and of who works on it.
struct NearMemoryFacts {
  std::uint64_t mask = 0;  ///< 0: no two sides
  int sms_of_side_1 = 0;
  std::uint64_t array_bytes = 0;  ///< of each array
  std::uint64_t pages = 0;        ///< of all arrays
  std::uint64_t pages_off_rule = 0;
  int blocks_per_sm = 0;
};

/// A stream that runs for a while.
struct StreamRun {
  StreamOperation operation = StreamOperation::copy;
  Assignment assignment = Assignment::off;
  bool zeros = false;    ///< the arrays hold zeros, not random bits
  double seconds = 1.0;  ///< that count
  double warm_seconds = 0.2;
};

/// What it gave.
struct StreamResult {
  std::vector<double> gbps;   ///< bytes read plus bytes written, one for each group of launches
  std::vector<double> watts;  ///< one for each window; empty: this GPU does not tell
  double sm_mhz = 0;          ///< median; 0: not known
};

/// Two kernels, one after the other: the second reads what the first may have left in L2.
enum class TwoPasses : std::uint8_t {
  scale_forwards,   ///< the largest magnitude of an array, then its scaling into another one
  scale_backwards,  ///< the same, with reverse_order in the second
  copy_kept,        ///< a copy, then the sum of what it wrote
  copy_evicted,     ///< the same, with input_evict in the first
};

class NearMemoryInstrument {
 public:
  virtual ~NearMemoryInstrument() = default;
  /// \brief  Allocates the arrays, at the first call, and checks that each assignment copies all of
  ///         them.
  /// \throws LabError  it does not, or memory is missing
  virtual NearMemoryFacts facts() = 0;
  /// \brief  Share of a copy's accesses whose home is on the side of the SM: of granules that are
  ///         picked at random, the SM is recorded and the home is measured.
  virtual double near_share(Assignment assignment) = 0;
  virtual StreamResult run(const StreamRun& run) = 0;
  /// \brief  Milliseconds of both passes, all accesses near, when nothing of the arrays is in L2.
  /// \param  bytes  of each array
  /// \return one for each repeat; empty: there is no GPU to ask
  virtual std::vector<double> two_passes_ms(TwoPasses passes, std::uint64_t bytes, int repeats) = 0;
};

}  // namespace ladder::labs
