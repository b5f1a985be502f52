// SPDX-License-Identifier: MIT
#include "emulator/run/block/cluster_member.hpp"

#include "emulator/run/block/block_runner.hpp"

namespace ladder::emulator {

void ClusterMember::start_grid() {
  own_.start(1);
  own_.set_shared(0, shared_.memory());
  join(own_, 0);
}

void ClusterMember::join(Cluster& cluster, unsigned rank) noexcept {
  cluster_ = &cluster;
  rank_ = rank;
  cluster.set_block(rank, runner_);
}

void ClusterMember::start_block() {
  rounds_ = arrived_ = left_after_ = waiters_ = 0;
  has_arrived_ = waiting_ = {};
  arrivals_ = passes_ = {};
  is_given_up_ = false;
}

Fields ClusterMember::missing(unsigned) const {
  return {{"arrived", arrived_},
          {"expected", scheduler_.threads().count()},
          {"of_another_block", all_have_arrived()}};
}

// -- The barrier ---------------------------------------------------------------------------------

void ClusterMember::arrive(std::source_location where) {
  Lane& lane = scheduler_.running();
  lane.where = where;
  wake_if_over();
  if (arrivals_[lane.number] != passes_[lane.number]) {
    scheduler_.fail({FaultKind::kClusterArrivedTwice}, where);
  }
  if (arrived_ == 0) {
    first_ = lane.number;
    first_at_ = where;
  }
  ++arrived_;
  if (scheduler_.threads().finished() > left_after_) fail_missing(first_missing());
  if (BlockObserver* const observer = scheduler_.observer(); observer != nullptr) {
    observer->arrived(lane.number, barrier());
    scheduler_.meet_if_last_of_warp(has_arrived_);
  }
  has_arrived_[lane.number / 32] |= lane.bit();
  ++arrivals_[lane.number];
  if (all_have_arrived()) arrive_for_block();
}

/// The last of the block's threads has come.
void ClusterMember::arrive_for_block() {
  if (scheduler_.observer() != nullptr) scheduler_.observer()->arrive_at_cluster_barrier();
  phase_ = cluster_->arrive();
}

void ClusterMember::wait(std::source_location where) {
  Lane& lane = scheduler_.running();
  lane.where = where;
  if (arrivals_[lane.number] == passes_[lane.number]) {
    scheduler_.fail({FaultKind::kClusterNotArrived}, where);
  }
  const unsigned round = arrivals_[lane.number] - 1;
  wake_if_over();
  if (rounds_ == round) {
    ++waiters_;
    scheduler_.wait_for({this, 0}, waiting_);
  }
  ++passes_[lane.number];
  if (scheduler_.observer() != nullptr) {
    scheduler_.observer()->acquired(lane.number, &of_round_[round % 2]);
  }
}

void ClusterMember::wake_if_over() {
  if (!all_have_arrived() || cluster_->phase() == phase_) return;
  if (BlockObserver* const observer = scheduler_.observer(); observer != nullptr) {
    observer->completed(barrier());
    for (unsigned rank = 0; rank < cluster_->size(); ++rank) {
      const ClusterMember& other = block(rank).cluster();
      if (rank != rank_) {
        observer->completed_elsewhere(*block(rank).observer(), &other.of_round_[rounds_ % 2],
                                      barrier());
      }
    }
    observer->pass_cluster_barrier();
  }
  arrived_ = left_after_ = waiters_ = 0;
  has_arrived_ = {};
  ++rounds_;
  runner_.mbarriers().pass_cluster_barrier(rounds_);
  scheduler_.note_progress();
  scheduler_.wake(waiting_);
}

void ClusterMember::leave() {
  wake_if_over();
  const Lane& lane = scheduler_.running();
  if ((has_arrived_[lane.number / 32] & lane.bit()) != 0) {
    ++left_after_;
  } else if (arrived_ > 0) {
    fail_missing(lane.number);
  }
}

/// The first thread that has left the kernel and does not come in this round.
unsigned ClusterMember::first_missing() const {
  const BlockThreads& threads = scheduler_.threads();
  for (unsigned w = 0; w < threads.warps(); ++w) {
    const unsigned gone = threads.warp(w).finished & ~has_arrived_[w];
    if (gone != 0) return threads.first_lane(threads.warp(w), gone);
  }
  return threads.first_finished();
}

void ClusterMember::fail_missing(unsigned gone) {
  const BlockThreads& threads = scheduler_.threads();
  scheduler_.fail({FaultKind::kMissingClusterBarrier, {}, OtherAccess({}, threads.index_of(gone))},
                  first_, first_at_);
}

// -- The other blocks ----------------------------------------------------------------------------

void ClusterMember::require_rank(unsigned rank, std::source_location where) const {
  if (rank < cluster_->size()) return;
  scheduler_.fail({FaultKind::kClusterNoBlock, {{"rank", rank}, {"blocks", cluster_->size()}}},
                  where);
}

void ClusterMember::wait_forever() {
  is_given_up_ = true;
  ThreadSet waiting = {};
  scheduler_.wait_for({this, 0}, waiting);
}

void ClusterMember::require_running(unsigned rank, bool copies, std::source_location where) {
  require_rank(rank, where);
  while (cluster_->has_failed())
    wait_forever();
  if (!cluster_->has_left(rank)) return;
  BlockRunner& gone = block(rank);
  const Lane& last = gone.threads().left();
  scheduler_.fail({FaultKind::kClusterLeftEarly,
                   {{"copies", copies}},
                   gone.scheduler().other(last.number, last.where)},
                  where);
}

void ClusterMember::arrive_in_block(void* barrier, unsigned rank, std::source_location where) {
  if (rank == rank_) {
    runner_.mbarriers().arrive(barrier, 0, where);
    return;
  }
  require_running(rank, false, where);
  shared_.require_inside("mbarrier", barrier, 1, where);
  block(rank).mbarriers().arrive_from(runner_, counterpart(barrier, rank), where);
  block(rank).note_visit();
}

void* ClusterMember::shared_of_block(void* shared, unsigned rank, std::source_location where) {
  require_rank(rank, where);
  shared_.require_inside("in_block-object", shared, 1, where);
  if (cluster_->has_left(rank)) {
    scheduler_.fail({FaultKind::kClusterBlockLeft, {{"rank", rank}}}, where);
  }
  return counterpart(shared, rank);
}

void* ClusterMember::counterpart(void* shared, unsigned rank) const {
  const auto offset = static_cast<std::byte*>(shared) - shared_.memory().arrays.data();
  return cluster_->shared(rank).arrays.data() + offset;
}

std::optional<std::pair<unsigned, std::size_t>> ClusterMember::place_of(
    std::uintptr_t address) const {
  for (unsigned rank = 0; rank < cluster_->size(); ++rank) {
    const auto arrays = cluster_->shared(rank).arrays;
    const std::size_t offset = address - reinterpret_cast<std::uintptr_t>(arrays.data());
    if (offset < arrays.size()) return std::pair(rank, offset);
  }
  return std::nullopt;
}

}  // namespace ladder::emulator
