// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/simulated_parts.hpp
/// \brief The instruments of a simulated memory system, one by one, and what they share.
#pragma once

#include <memory>

#include "bench/labs/instruments/hash_grouping.hpp"
#include "bench/labs/instruments/near_memory.hpp"
#include "bench/labs/simulator/memory_system.hpp"

namespace ladder::labs {

/// \throws LabError  a region of no bytes, or of more than are free
void require_fits(std::uint64_t bytes, const MemoryFacts& facts);

/// \throws LabError  an array that does not have whole lines: a GPU would end with a misaligned
///         address
void require_lines(std::uint64_t bytes);

/// \throws LabError  there is no such SM
int require_sm(int sm, const MemoryFacts& facts);

/// \brief  A small model of the system's L2: some of its sets, and as small a share of what is
///         read. A set sees only its own lines, so that it cannot tell the difference.
struct L2Sample {
  L2Shape shape;
  std::uint64_t scale = 1;

  explicit L2Sample(const L2Shape& whole) : shape(whole) {
    constexpr std::uint64_t kMostLines = 4096;  // of a side
    const std::uint64_t least_sets = std::min<std::uint64_t>(whole.side.sets(), 8);
    while (whole.side.lines() / scale > kMostLines && whole.side.sets() % (scale * 2) == 0 &&
           whole.side.sets() / (scale * 2) >= least_sets) {
      scale *= 2;
    }
    shape.side.bytes /= scale;
    // Homes alternate line by line: the bits of the mask lie above what a small model reads.
    if (shape.sides == 2) shape.home_mask = shape.side.line_bytes;
  }

  std::uint64_t lines() const {
    return shape.side.lines() * static_cast<std::uint64_t>(shape.sides);
  }
};

/// Each keeps references to the system and to its noise.
std::unique_ptr<WalkInstrument> make_simulated_walks(MemorySystem& system, Noise& noise);
std::unique_ptr<SweepInstrument> make_simulated_sweeps(const MemorySystem& system, Noise& noise,
                                                       std::uint64_t seed);
std::unique_ptr<RandomReadInstrument> make_simulated_random_reads(MemorySystem& system,
                                                                  Noise& noise, std::uint64_t seed);
std::unique_ptr<GroupingInstrument> make_simulated_grouping(MemorySystem& system, Noise& noise,
                                                            RandomReadInstrument& reads);
/// \brief  Seconds for a tuple of a grouping with a number of threads, of which each goes to one
///         bucket at a time: those of other threads come between the buckets that it tries.
double seconds_per_probed_tuple(MemorySystem& system, const Grouping& grouping);
std::unique_ptr<NearMemoryInstrument> make_simulated_near_memory(const MemorySystem& system,
                                                                 SweepInstrument& sweeps,
                                                                 std::uint64_t seed);
std::unique_ptr<SurvivalInstrument> make_simulated_survival(const MemorySystem& system,
                                                            Noise& noise, std::uint64_t seed);

}  // namespace ladder::labs
