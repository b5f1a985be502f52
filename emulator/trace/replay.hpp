// SPDX-License-Identifier: MIT
/// \file  emulator/trace/replay.hpp
/// \brief What a traced kernel asks of L2 and DRAM on a given GPU: a model of the caches, and
///        of the order in which the blocks that run at once reach them.
///
/// A model, where the counters of trace.hpp are exact. Compared with Nsight Compute on an H200,
/// rungs 03 to 07 at 2048 to 16384: DRAM traffic within 10 %, L2 hit rate within 5 points.
/// Known to be off:
///  - 04 and 05 at 8192 stand between blocks in step and blocks apart. The H200 reads 4.7 and
///    11.8 GB; the model 7 to 13 GB, depending on the sample of lines.
///  - 02 at 4096 reads 5.5 GB, in the model 8.1 GB.
///
/// The GPCs of a Hopper GPU merge reads of their SMs before these reach L2. Counted with two to 132
/// SMs of an H100 that read the same lines at set times:
///  - Reads of SMs of one GPC are merged if they are for the same sectors of a line; also those of
///    one SM, where L1 does not. Others never are, nor stores and atomics.
///  - The first one goes to L2. Others join it until it has its answer: after 60 cycles if near L2
///    has the line, 260 from the other side, 380 or 580 from DRAM.
///  - Four at most share an answer.
/// So the count depends on how far apart the SMs are, to within 100 cycles, and the model guesses
/// it: SMs that wait for the same data are in step, others are not. What it counts at 14 rungs and
/// five shapes is within 24 %, on average 6 %, of the H100's count, which itself differs by up to
/// 10 % from run to run. l2_read_sectors_least and _most are the bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "emulator/trace/block_stream.hpp"

namespace ladder::emulator {

/// What of a GPU its memory traffic depends on.
struct MemorySystem {
  int sms = 1;
  std::size_t l1_bytes = 0;  ///< per SM: what shared memory leaves
  std::size_t l2_bytes = 0;  ///< of all partitions
  int l2_ways = 16;          ///< lines in a set
  /// Parts of L2, each the home of some lines and near to some SMs. Lines from another part are
  /// kept in the near part too.
  int l2_partitions = 1;
  /// Groups of SMs whose reads of the same sectors are merged before they reach L2; 0: none are.
  int merging_gpcs = 0;
};

/// How the kernel runs, and how closely to look.
struct ReplaySettings {
  int blocks_per_sm = 1;  ///< that reside on an SM at once
  /// Share of its loads' latency that a block covers with arithmetic. 0: loads, waits, computes; 1:
  /// fetches the next tile while it computes.
  double loads_hidden = 0;
  /// So much arithmetic, in slices, lies between asking for a slice and needing it.
  double tiles_ahead = 0;
  bool has_barriers = false;  ///< at which all of its warps wait for the data
  /// SM cycles in which a block alone on its SM would end if all data were there: those of its
  /// busiest pipe. How long loads take, next to this, decides which blocks stay in step.
  double block_cycles = 0;
  /// \brief Speed of a block relative to the next older one of its SM, while both have work: the
  ///        older one's warps are served first.
  ///
  /// Two blocks that start together do not end together. On an H200, when the first has ended, the
  /// other is 0.65 to 0.75 done where multiply-adds are the limit (rungs 06 and 07), and 0.4 where
  /// shared memory is (rung 03); in the long run new blocks start half-way through their partner.
  /// All SMs do so at the same time, to within a few percent of a block.
  double younger_speed = 0.7;
  /// \brief Touches of lines that the streams may have. One costs 1 to 3 ns; a touch that is looked
  ///        up costs about 64 times as much. So if there are more than a 64th of the budget, lines
  ///        are sampled.
  std::uint64_t touch_budget = 6'000'000'000;
};

/// Traffic of a launch that finds all caches empty. Of a sample, scaled to all lines.
struct MemoryTraffic {
  std::uint64_t l1_load_sectors = 0;
  std::uint64_t l1_load_hits = 0;           ///< sectors
  std::uint64_t l2_read_sectors = 0;        ///< lts__t_sectors_srcunit_tex_op_read
  std::uint64_t l2_read_sectors_least = 0;  ///< if all is merged that timing might let merge
  std::uint64_t l2_read_sectors_most = 0;   ///< if nothing is: what the L1s ask for
  std::uint64_t l2_write_sectors = 0;       ///< lts__t_sectors_srcunit_tex_op_write
  std::uint64_t l2_hits = 0;    ///< lts__t_sectors_srcunit_tex_lookup_hit; all writes are
  std::uint64_t l2_misses = 0;  ///< lts__t_sectors_srcunit_tex_lookup_miss
  std::uint64_t dram_read_bytes = 0;
  std::uint64_t dram_write_bytes = 0;  ///< written back to make room
  std::uint64_t dirty_left_bytes = 0;  ///< written, and still only in L2 at the end
  unsigned halvings = 0;               ///< one line in 2^halvings was looked up

  bool operator==(const MemoryTraffic&) const = default;
};

/// \brief  Replays the streams of all blocks through the memory system. The same input gives the
///         same traffic.
/// \param  patterns           of the streams' accesses
/// \param  array_first_lines  byte address / 128, by array
/// \param  blocks             in launch order
/// \return nothing if the streams have more touches than the budget
std::optional<MemoryTraffic> replay(const MemorySystem& memory, const ReplaySettings& settings,
                                    std::span<const LinePattern> patterns,
                                    std::span<const std::uint64_t> array_first_lines,
                                    std::span<const ReplayBlock> blocks);

}  // namespace ladder::emulator
