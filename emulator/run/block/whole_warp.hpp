// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/whole_warp.hpp
/// \brief What all 32 lanes of a warp do together, such as a product on the tensor cores.
#pragma once

#include <array>
#include <bit>
#include <source_location>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

/// The request of a lane, and where it came from.
template <class T>
struct Collective {
  T* own;
  const char* function;
  std::source_location where;
};

/// \param answer  what the last lane does for all
template <class T>
void meet_all(Collective<T>& mine, void (*answer)(const WarpRequests&)) {
  meet_in_warp({mine.function, kWholeWarp, &mine, answer, mine.where});
}

/// \brief  Of all lanes.
/// \throws KernelError  they are not all there
template <class T>
std::array<T*, 32> all_of(const WarpRequests& requests) {
  std::array<T*, 32> all = {};
  for_each_lane(requests.mask, [&](unsigned lane) {
    all[lane] = static_cast<const Collective<T>*>(requests.request[lane])->own;
  });
  if (requests.mask != kWholeWarp) {
    BlockScheduler& scheduler = BlockRunner::of_this_cpu_thread()->scheduler();
    const auto first = static_cast<unsigned>(std::countr_zero(requests.mask));
    const auto& any = *static_cast<const Collective<T>*>(requests.request[first]);
    scheduler.fail({FaultKind::kWarpIncomplete,
                    {{"function", any.function}, {"lanes", std::popcount(requests.mask)}}},
                   scheduler.running().number / 32 * 32 + first, any.where);
  }
  return all;
}

}  // namespace ladder::emulator
