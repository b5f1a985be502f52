// SPDX-License-Identifier: MIT
#include "ladder/program/cache_replay.hpp"

#include <algorithm>

#include "common/terminal/access_verdict.hpp"

namespace ladder {
namespace {

/// What keeps an SM busy, in cycles for a block: 128 multiply-adds each, and one wavefront each of
/// the L1 and shared-memory pipe.
struct BusyCycles {
  double multiply_adds;
  double memory_pipe;
};

BusyCycles busy_cycles(const KernelOnCard& run) {
  constexpr double kPerCycle = 128;
  BusyCycles cycles = {run.multiply_adds / kPerCycle, 0};
  for (const emulator::LineCounts& line : run.kernel.lines) {
    cycles.memory_pipe += static_cast<double>(line.counts.lines);
    if (asks_shared_memory(line.operation)) {
      cycles.memory_pipe += static_cast<double>(line.counts.wavefronts);
    }
  }
  const auto blocks = static_cast<double>(
      std::ranges::count_if(run.kernel.launched, [&](const emulator::TracedBlock& block) {
        return !run.kernel.streams[block.stream].accesses.empty();
      }));
  return {cycles.multiply_adds / blocks, cycles.memory_pipe / blocks};
}

}  // namespace

std::optional<emulator::MemoryTraffic> replay_caches(const KernelOnCard& run,
                                                     std::uint64_t touch_budget) {
  const DeviceCard& card = run.card;
  const auto shared =
      static_cast<std::size_t>(card.shared_bytes_reserved_per_block) + run.kernel.shared_bytes;
  const emulator::MemorySystem system = {
      .sms = card.sms,
      .l1_bytes = static_cast<std::size_t>(card.l1_and_shared_bytes_per_sm) -
                  std::min(static_cast<std::size_t>(card.shared_bytes_per_sm),
                           shared * static_cast<std::size_t>(run.blocks_per_sm)),
      .l2_bytes = static_cast<std::size_t>(card.l2_bytes),
      .l2_ways = card.l2_ways,
      .l2_partitions = card.l2_partitions,
      .merging_gpcs = card.l2_merging_gpcs};
  const BusyCycles busy = busy_cycles(run);
  const emulator::ReplaySettings settings = {
      .blocks_per_sm = run.blocks_per_sm,
      .loads_hidden = run.kernel.order.hidden(),
      .tiles_ahead = run.kernel.order.tiles_ahead(),
      .has_barriers = run.kernel.order.steps_ahead > 0,
      .block_cycles = std::max(busy.multiply_adds, busy.memory_pipe),
      .younger_speed = busy.multiply_adds >= busy.memory_pipe ? 0.7 : 0.4,
      .touch_budget = touch_budget};
  std::vector<emulator::ReplayBlock> blocks;
  blocks.reserve(run.kernel.launched.size());
  for (const emulator::TracedBlock& block : run.kernel.launched)
    blocks.push_back({&run.kernel.streams[block.stream], block.line_shift});
  return emulator::replay(system, settings, run.kernel.patterns, run.array_first_lines, blocks);
}

}  // namespace ladder
