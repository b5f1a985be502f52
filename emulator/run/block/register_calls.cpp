// SPDX-License-Identifier: MIT
#include "emulator/run/block/register_calls.hpp"

#include <algorithm>
#include <utility>

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
    scheduler_.fail({FaultKind::kRegistersNoWarpgroup, {{"threads", threads.count()}}}, where);
  }
  used_ = true;
  std::vector<Call>& calls = calls_[thread / kWarpgroup];
  const std::size_t call = made_[thread]++;
  if (call == calls.size()) calls.push_back({registers, 0, thread, where});
  Call& mine = calls[call];
  if (mine.registers != registers) {
    scheduler_.fail(
        {FaultKind::kRegistersDiffer,
         {{"registers", registers}, {"other_registers", mine.registers}},
         OtherAccess({mine.where.file_name(), mine.where.line()}, threads.index_of(mine.first))},
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
    scheduler_.fail({FaultKind::kRegistersPartial, {{"threads", partial->threads}}}, partial->first,
                    partial->where);
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
  FieldValue::Numbers registers;
  const Call* largest = nullptr;
  for (unsigned group = 0; kWarpgroup * group < threads; ++group) {
    if (calls_[group].empty()) continue;
    const Call& last = calls_[group].back();
    sum += kWarpgroup * static_cast<unsigned>(last.registers);
    registers.push_back(last.registers);
    if (largest == nullptr || last.registers > largest->registers) largest = &last;
  }
  if (sum <= per_thread * threads) return;
  scheduler_.fail({FaultKind::kRegistersBeyondSm,
                   {{"registers", std::move(registers)},
                    {"registers_in_all", sum},
                    {"threads", threads},
                    {"limit", per_thread}}},
                  largest->first, largest->where);
}

}  // namespace ladder::emulator
