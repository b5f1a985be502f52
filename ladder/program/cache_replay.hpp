// SPDX-License-Identifier: MIT
/// \file  ladder/program/cache_replay.hpp
/// \brief What a traced kernel asks of the caches and of DRAM on the GPU of a card.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/device_card.hpp"
#include "emulator/trace/replay.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder {

/// How a traced kernel runs.
struct KernelOnCard {
  const emulator::KernelTrace& kernel;
  const DeviceCard& card;
  int blocks_per_sm = 1;
  /// Of the whole launch, in those of the FP32 units: a tensor core's count for less.
  double multiply_adds = 0;
  std::vector<std::uint64_t> array_first_lines;  ///< byte address / 128, by traced array
};

/// \brief  Replays what the blocks ask, as fast as the busiest pipe of an SM lets them.
/// \return nothing if they touch more lines than the budget
std::optional<emulator::MemoryTraffic> replay_caches(const KernelOnCard& run,
                                                     std::uint64_t touch_budget);

}  // namespace ladder
