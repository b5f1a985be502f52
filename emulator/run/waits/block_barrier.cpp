// SPDX-License-Identifier: MIT
#include "emulator/run/waits/block_barrier.hpp"

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/waits/hang_report.hpp"

namespace ladder::emulator {
namespace {

bool same_line(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() &&
         (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

}  // namespace

BarrierVotes BlockBarrier::wait(bool vote, std::source_location where) {
  BlockThreads& threads = scheduler_.threads();
  Lane& lane = threads.running();
  lane.where = where;
  if (arrived_ == 0) {
    first_ = lane.number;
  } else if (!same_line(threads.lane(first_).where, where)) {
    diverged_ = true;
  }
  ++arrived_;
  votes_ += vote ? 1 : 0;
  if (arrived_ == threads.count() && !diverged_) {
    release();
  } else {
    scheduler_.stop(&WarpState::at_barrier);
  }
  return released_;
}

void BlockBarrier::release() {
  BlockThreads& threads = scheduler_.threads();
  released_ = {votes_, arrived_};
  arrived_ = votes_ = 0;
  ++passed_;
  scheduler_.note_progress();
  scheduler_.look_at_all_warps();
  for (unsigned w = 0; w < threads.warps(); ++w) {
    threads.warp(w).ready |= std::exchange(threads.warp(w).at_barrier, 0);
  }
}

/// Who waits at which line, and who has left the kernel.
Fault BlockBarrier::fault(FaultKind kind) const {
  const BlockThreads& threads = scheduler_.threads();
  std::map<unsigned, std::vector<unsigned>> by_line;
  std::vector<unsigned> gone;
  for (unsigned number = 0; number < threads.count(); ++number) {
    const Lane& lane = threads.lane(number);
    const WarpState& warp = threads.warp_of(lane);
    if ((warp.at_barrier & lane.bit()) != 0) by_line[lane.where.line()].push_back(number);
    if ((warp.finished & lane.bit()) != 0) gone.push_back(number);
  }
  Fault fault(kind, {{"threads", threads.count()}});
  for (auto& [line, numbers] : by_line) {
    const Lane& first = threads.lane(numbers.front());
    fault.groups.push_back(threads_that_wait(threads, std::move(numbers), WaitKind::kSyncthreads));
    fault.groups.back().place = {without_repository(first.where.file_name()), line};
    fault.groups.back().missing = {{"arrived", arrived_}, {"expected", threads.count()}};
  }
  if (!gone.empty()) {
    fault.groups.push_back(threads_that_wait(threads, std::move(gone), WaitKind::kGone));
  }
  return fault;
}

bool BlockBarrier::pass_without_others() {
  const BlockThreads& threads = scheduler_.threads();
  if (arrived_ == 0 || diverged_ || arrived_ + threads.finished() < threads.count()) return false;
  if (scheduler_.observer() != nullptr) {
    Fault missing = fault(FaultKind::kMissingBarrier);
    missing.fields.set("passed", true);
    scheduler_.report(std::move(missing), first_, threads.lane(first_).where);
  }
  release();
  return true;
}

void BlockBarrier::fail() {
  const Lane& first = scheduler_.threads().lane(first_);
  Fault fault = this->fault(diverged_ ? FaultKind::kDivergentBarrier : FaultKind::kMissingBarrier);
  if (!diverged_) fault.fields.set("passed", false);
  scheduler_.fail(std::move(fault), first_, first.where);
}

}  // namespace ladder::emulator
