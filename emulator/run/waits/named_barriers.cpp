// SPDX-License-Identifier: MIT
#include "emulator/run/waits/named_barriers.hpp"

#include <algorithm>
#include <utility>

namespace ladder::emulator {

Fields NamedBarriers::Barrier::missing(unsigned id) const {
  return {{"barrier", id}, {"arrived", arrived}, {"expected", expected}};
}

void NamedBarriers::start_block() {
  if (used_) barriers_.fill({});
  used_ = false;
}

void NamedBarriers::wait(int id, int threads, std::source_location where) {
  // Without a number it is for all threads of the block, whose last warp may have lanes to spare.
  const bool whole_warps = threads > 0 && (threads % 32 == 0 || static_cast<unsigned>(threads) ==
                                                                    scheduler_.threads().count());
  if (id < 0 || id >= static_cast<int>(barriers_.size()) || !whole_warps) {
    scheduler_.fail({FaultKind::kNamedBarrierNotThere, {{"barrier", id}, {"threads", threads}}},
                    where);
  }
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
    note_arrival(barrier, id);
    observer->arrived(lane.number, &barrier);
    scheduler_.meet_if_last_of_warp(barrier.waiting);
  }
  if (++barrier.arrived == barrier.expected) {
    if (observer != nullptr) {
      observer->completed(&barrier);
      barrier.before = std::exchange(barrier.now, {});
    }
    barrier.arrived = 0;
    scheduler_.note_progress();
    scheduler_.wake(barrier.waiting);
  } else {
    scheduler_.wait_for({&barrier, static_cast<unsigned>(id)}, barrier.waiting);
  }
  if (observer != nullptr) observer->acquired(lane.number, &barrier);
}

/// A warp that need not come after one of those that met last time might have met the others there.
void NamedBarriers::note_arrival(Barrier& barrier, int id) {
  const Lane& lane = scheduler_.running();
  BlockObserver& observer = *scheduler_.observer();
  const auto unknown = std::ranges::find_if(barrier.before, [&](const Arrival& other) {
    return !observer.knows_step(lane.number, other.thread, other.step);
  });
  if (unknown != barrier.before.end()) {
    OtherAccess other = scheduler_.other(unknown->thread, unknown->where);
    other.block.reset();
    scheduler_.report({FaultKind::kNamedBarrierShared, {{"barrier", id}}, std::move(other)},
                      lane.number, lane.where);
  }
  const Arrival arrival = {lane.number, observer.take_step(lane.number), lane.where};
  const auto of_warp = std::ranges::find_if(
      barrier.now, [&](const Arrival& other) { return other.thread / 32 == lane.number / 32; });
  if (of_warp == barrier.now.end()) {
    barrier.now.push_back(arrival);
  } else {
    *of_warp = arrival;
  }
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
