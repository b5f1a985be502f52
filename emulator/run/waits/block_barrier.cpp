// SPDX-License-Identifier: MIT
#include "emulator/run/waits/block_barrier.hpp"

#include <cstring>
#include <map>
#include <utility>

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

/// "warp 0 (threads 0-31) waits at the barrier of line 40, and warp 1 (threads 32-63) waits at ..."
std::string BlockBarrier::waiters() const {
  const BlockThreads& threads = scheduler_.threads();
  std::map<unsigned, ThreadSet> by_line;
  for (unsigned w = 0; w < threads.warps(); ++w) {
    for_each_lane(threads.warp(w).at_barrier, [&](unsigned bit) {
      by_line[threads.lane(32 * w + bit).where.line()][w] |= 1u << bit;
    });
  }
  std::string text;
  for (const auto& [line, set] : by_line) {
    text += (text.empty() ? "" : ", and ") + threads_that(threads, set, {"waits", "wait"}) +
            " at the barrier of line " + std::to_string(line);
  }
  return text;
}

/// "warp 2 (threads 64-95) has left the kernel"; empty if none has.
std::string BlockBarrier::who_left() const {
  const BlockThreads& threads = scheduler_.threads();
  if (threads.finished() == 0) return "";
  ThreadSet left = {};
  for (unsigned w = 0; w < threads.warps(); ++w)
    left[w] = threads.warp(w).finished;
  return threads_that(threads, left, {"has left the kernel", "have left the kernel"});
}

bool BlockBarrier::pass_without_others() {
  const BlockThreads& threads = scheduler_.threads();
  if (arrived_ == 0 || diverged_ || arrived_ + threads.finished() < threads.count()) return false;
  if (scheduler_.observer() != nullptr) {
    scheduler_.observer()->pass_barrier_without_others(
        first_, threads.lane(first_).where,
        "missing barrier: " + waiters() + ", but " + who_left());
  }
  release();
  return true;
}

void BlockBarrier::fail() {
  const BlockThreads& threads = scheduler_.threads();
  const Lane& first = threads.lane(first_);
  const std::string gone = who_left();
  if (diverged_) {
    scheduler_.fail(KernelErrorKind::kDivergentBarrier,
                    "divergent barrier: " + waiters() + (gone.empty() ? "" : ", and " + gone) +
                        "; all threads of a block must reach the same one,",
                    first_, first.where);
  }
  scheduler_.fail(
      KernelErrorKind::kMissingBarrier,
      "missing barrier: " + waiters() + ", but " + gone + "; all threads of a block must reach it,",
      first_, first.where);
}

}  // namespace ladder::emulator
