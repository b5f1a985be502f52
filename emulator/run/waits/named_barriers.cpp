// SPDX-License-Identifier: MIT
#include "emulator/run/waits/named_barriers.hpp"

namespace ladder::emulator {

Fields NamedBarriers::Barrier::missing(unsigned id) const {
  return {{"barrier", id}, {"arrived", arrived}, {"expected", expected}};
}

void NamedBarriers::start_block() {
  if (used_) barriers_.fill({});
  used_ = false;
}

void NamedBarriers::wait(int id, int threads, std::source_location where) {
  Lane& lane = scheduler_.running();
  BlockObserver* const observer = scheduler_.observer();
  lane.where = where;
  used_ = true;
  Barrier& barrier = barriers_[static_cast<std::size_t>(id)];
  if (barrier.arrived == 0) {
    barrier.expected = static_cast<unsigned>(threads);
    barrier.first = lane.number;
  } else if (barrier.expected != static_cast<unsigned>(threads)) {
    fail_otherwise(barrier, id, threads, where);
  }
  if (observer != nullptr) {
    observer->arrived(lane.number, &barrier);
    scheduler_.meet_if_last_of_warp(barrier.waiting);
  }
  if (++barrier.arrived == barrier.expected) {
    if (observer != nullptr) observer->completed(&barrier);
    barrier.arrived = 0;
    scheduler_.note_progress();
    scheduler_.wake(barrier.waiting);
  } else {
    scheduler_.wait_for({&barrier, static_cast<unsigned>(id)}, barrier.waiting);
  }
  if (observer != nullptr) observer->acquired(lane.number, &barrier);
}

void NamedBarriers::fail_otherwise(const Barrier& barrier, int id, int threads,
                                   std::source_location where) {
  const BlockThreads& all = scheduler_.threads();
  const std::source_location& there = all.lane(barrier.first).where;
  scheduler_.fail({FaultKind::kNamedBarrierCount,
                   {{"barrier", id}, {"threads", threads}, {"other_threads", barrier.expected}},
                   OtherAccess({there.file_name(), there.line()}, all.index_of(barrier.first))},
                  where);
}

}  // namespace ladder::emulator
