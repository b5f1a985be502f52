// SPDX-License-Identifier: MIT
#include "emulator/run/waits/grid_barrier.hpp"

namespace ladder::emulator {

void GridBarrier::wait(std::source_location where) {
  const GridPlan& plan = scheduler_.threads().plan();
  if (!plan.cooperative) {
    scheduler_.fail({FaultKind::kGridSyncNotCooperative}, where);
  }
  unsigned* const turns = plan.turns.get();
  unsigned* const turns_of_all = &turns[plan.blocks];
  const std::uint64_t block = scheduler_.threads().block();
  const unsigned turn = turns[block] + 1;
  flags_.store_release(&turns[block], turn);
  const auto wait_for = [&](const unsigned* flag) {
    while (flags_.load_acquire(flag, where, this) < turn) {
    }
  };
  if (block == 0) {
    for (std::uint64_t other = 1; other < plan.blocks; ++other)
      wait_for(&turns[other]);
    flags_.store_release(turns_of_all, turn);
  }
  wait_for(turns_of_all);
  if (scheduler_.observer() != nullptr) scheduler_.observer()->pass_grid_barrier();
}

Fields GridBarrier::missing(unsigned turns) const {
  const GridPlan& plan = scheduler_.threads().plan();
  std::uint64_t missing = 0;
  for (std::uint64_t block = 0; block < plan.blocks; ++block) {
    if (__atomic_load_n(&plan.turns[block], __ATOMIC_RELAXED) <= turns) ++missing;
  }
  return {{"missing_blocks", missing}, {"blocks", plan.blocks}};
}

}  // namespace ladder::emulator
