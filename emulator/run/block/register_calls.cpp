// SPDX-License-Identifier: MIT
#include "emulator/run/block/register_calls.hpp"

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
  if (!used_) return;
  for (const auto& calls : calls_) {
    const auto partial =
        std::ranges::find_if(calls, [](const Call& call) { return call.threads != kWarpgroup; });
    if (partial == calls.end()) continue;
    scheduler_.fail(KernelErrorKind::kRegisters,
                    "all four warps of a warpgroup must call setmaxnreg, but only " +
                        std::to_string(partial->threads) + " of its 128 threads did,",
                    partial->first, partial->where);
  }
  check_sum();
}

/// A block cannot start with more registers than an SM has, and setmaxnreg only moves them from one
/// warpgroup to another. What a warpgroup has that never called it is not known.
void RegisterCalls::check_sum() {
  constexpr unsigned kRegistersOfSm = 65536;
  constexpr unsigned kMostPerThread = 256;
  constexpr unsigned kUnit = 8;  // ptxas gives each thread a multiple of it
  const unsigned threads = scheduler_.threads().count();
  const unsigned per_thread = std::min(kRegistersOfSm / threads / kUnit * kUnit, kMostPerThread);
  unsigned sum = 0;
  std::string list;
  const Call* largest = nullptr;
  for (unsigned group = 0; kWarpgroup * group < threads; ++group) {
    if (calls_[group].empty()) continue;
    const Call& last = calls_[group].back();
    sum += kWarpgroup * static_cast<unsigned>(last.registers);
    list += (list.empty() ? "" : " + ") + std::to_string(last.registers);
    if (largest == nullptr || last.registers > largest->registers) largest = &last;
  }
  if (sum <= per_thread * threads) return;
  scheduler_.fail(KernelErrorKind::kRegisters,
                  "setmaxnreg asks for registers that no SM has: the warpgroups end up with " +
                      list + " per thread, " + std::to_string(sum) + " in all, but a block of " +
                      std::to_string(threads) + " threads starts with at most " +
                      std::to_string(per_thread) + " each, " +
                      std::to_string(per_thread * threads) +
                      " in all; on a GPU a warpgroup would wait for them forever,",
                  largest->first, largest->where);
}

}  // namespace ladder::emulator
