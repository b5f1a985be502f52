// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/block_named_barriers.cpp
/// \brief BlockRunner's agreements between some warps of a block: bar.sync with a number of
///        threads, and setmaxnreg.
#include <algorithm>
#include <string>

#include "common/emulator/run/block_runner.hpp"

namespace ladder::emulator {

void BlockRunner::wait_at_named_barrier(int id, int threads, std::source_location where) {
  Lane& lane = *running_;
  lane.where = where;
  async_.used = true;
  NamedBarrier& barrier = async_.named[static_cast<std::size_t>(id)];
  if (barrier.arrived == 0) {
    barrier.expected = static_cast<unsigned>(threads);
    barrier.first = lane.number;
  } else if (barrier.expected != static_cast<unsigned>(threads)) {
    const Lane& first = lanes_[barrier.first];
    fail_at(KernelErrorKind::kNamedBarrier,
            name_of(lane.number) + " comes to barrier " + std::to_string(id) + " for " +
                std::to_string(threads) + " threads, but " + name_of(first.number) +
                " waits there for " + std::to_string(barrier.expected) + ", at line " +
                std::to_string(first.where.line()) + ",",
            lane.number, where);
  }
  if (tracer_ != nullptr) tracer_->arrived(lane.number, &barrier);
  if (tracer_ != nullptr) meet_if_last_of_warp(barrier.waiting);
  if (++barrier.arrived == barrier.expected) {
    if (tracer_ != nullptr) tracer_->completed(&barrier);
    barrier.arrived = 0;
    note_progress();
    wake(barrier.waiting);
  } else {
    wait_for({WaitKind::kNamedBarrier, &barrier, static_cast<unsigned>(id)}, &barrier.waiting);
  }
  if (tracer_ != nullptr) tracer_->acquired(lane.number, &barrier);
}

// -- setmaxnreg ----------------------------------------------------------------------------------

void BlockRunner::set_registers(int registers, std::source_location where) {
  constexpr unsigned kWarpgroup = 128;
  Lane& lane = *running_;
  if (plan_->threads % kWarpgroup != 0) {
    fail_at(KernelErrorKind::kRegisters,
            "setmaxnreg is for warpgroups of 128 threads, but the block has " +
                std::to_string(plan_->threads) + " threads,",
            lane.number, where);
  }
  async_.used = true;
  auto& calls = async_.register_calls[lane.number / kWarpgroup];
  const std::size_t call = lane.register_calls++;
  if (call == calls.size()) calls.push_back({registers, 0, lane.number, where});
  RegisterCall& mine = calls[call];
  if (mine.registers != registers) {
    fail_at(
        KernelErrorKind::kRegisters,
        "the four warps of a warpgroup must ask setmaxnreg for the same: " + name_of(lane.number) +
            " asks for " + std::to_string(registers) + " registers, but " + name_of(mine.first) +
            " for " + std::to_string(mine.registers) + " at line " +
            std::to_string(mine.where.line()) + ",",
        lane.number, where);
  }
  ++mine.threads;
}

/// All threads have left: each call of setmaxnreg must have been made by a whole warpgroup.
void BlockRunner::check_registers_at_end() {
  constexpr unsigned kWarpgroup = 128;
  for (const auto& calls : async_.register_calls) {
    const auto partial = std::ranges::find_if(
        calls, [](const RegisterCall& call) { return call.threads != kWarpgroup; });
    if (partial == calls.end()) continue;
    fail_at(KernelErrorKind::kRegisters,
            "all four warps of a warpgroup must call setmaxnreg, but only " +
                std::to_string(partial->threads) + " of its 128 threads did,",
            partial->first, partial->where);
  }
}

}  // namespace ladder::emulator
