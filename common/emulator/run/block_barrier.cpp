// SPDX-License-Identifier: MIT
#include "common/emulator/run/block_barrier.hpp"

#include <cstring>

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
    fail_divergent(where);
  }
  ++arrived_;
  votes_ += vote ? 1 : 0;
  if (threads.finished() > 0) fail_missing(threads.first_finished());
  if (arrived_ == threads.count()) {
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
    threads.warp(w).ready = threads.warp(w).exists;
    threads.warp(w).at_barrier = 0;
  }
}

void BlockBarrier::leave() {
  if (arrived_ > 0) fail_missing(scheduler_.running().number);
}

void BlockBarrier::fail_divergent(std::source_location where) {
  const BlockThreads& threads = scheduler_.threads();
  const Lane& first = threads.lane(first_);
  scheduler_.fail(KernelErrorKind::kDivergentBarrier,
                  "divergent barrier: " + threads.name_of(threads.running().number) +
                      " waits at the barrier of line " + std::to_string(where.line()) + ", but " +
                      threads.name_of(first_) + " waits at the one of line " +
                      std::to_string(first.where.line()) +
                      "; all threads of a block must reach the same one,",
                  first_, first.where);
}

void BlockBarrier::fail_missing(unsigned gone) {
  const BlockThreads& threads = scheduler_.threads();
  scheduler_.fail(KernelErrorKind::kMissingBarrier,
                  "missing barrier: " + threads.name_of(gone) + " has left the kernel while " +
                      threads.name_of(first_) + " waits at a barrier that all threads must reach,",
                  first_, threads.lane(first_).where);
}

}  // namespace ladder::emulator
