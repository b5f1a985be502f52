// SPDX-License-Identifier: MIT
#include "common/emulator/run/register_calls.hpp"

#include <algorithm>
#include <string>

namespace ladder::emulator {

void RegisterCalls::start_block() {
  if (!used_) return;
  used_ = false;
  made_.fill(0);
  for (auto& calls : calls_)
    calls.clear();
}

void RegisterCalls::set(int registers, std::source_location where) {
  const BlockThreads& threads = scheduler_.threads();
  const unsigned thread = threads.running().number;
  if (threads.count() % kWarpgroup != 0) {
    scheduler_.fail(KernelErrorKind::kRegisters,
                    "setmaxnreg is for warpgroups of 128 threads, but the block has " +
                        std::to_string(threads.count()) + " threads,",
                    where);
  }
  used_ = true;
  std::vector<Call>& calls = calls_[thread / kWarpgroup];
  const std::size_t call = made_[thread]++;
  if (call == calls.size()) calls.push_back({registers, 0, thread, where});
  Call& mine = calls[call];
  if (mine.registers != registers) {
    scheduler_.fail(KernelErrorKind::kRegisters,
                    "the four warps of a warpgroup must ask setmaxnreg for the same: " +
                        threads.name_of(thread) + " asks for " + std::to_string(registers) +
                        " registers, but " + threads.name_of(mine.first) + " for " +
                        std::to_string(mine.registers) + " at line " +
                        std::to_string(mine.where.line()) + ",",
                    where);
  }
  ++mine.threads;
}

void RegisterCalls::check_at_end() {
  for (const auto& calls : calls_) {
    const auto partial =
        std::ranges::find_if(calls, [](const Call& call) { return call.threads != kWarpgroup; });
    if (partial == calls.end()) continue;
    scheduler_.fail(KernelErrorKind::kRegisters,
                    "all four warps of a warpgroup must call setmaxnreg, but only " +
                        std::to_string(partial->threads) + " of its 128 threads did,",
                    partial->first, partial->where);
  }
}

}  // namespace ladder::emulator
