// SPDX-License-Identifier: MIT
#include "emulator/run/block/cluster_member.hpp"

namespace ladder::emulator {

void ClusterMember::start_grid() {
  own_.start(1);
  own_.set_shared(0, shared_.memory());
  join(own_, 0);
}

void ClusterMember::start_block() {
  arrived_ = 0;
  waiting_ = {};
}

Fields ClusterMember::missing(unsigned) const {
  return {{"arrived", arrived_},
          {"expected", scheduler_.threads().count()},
          {"of_another_block", waits()}};
}

void ClusterMember::wait_at_barrier(std::source_location where) {
  const BlockThreads& threads = scheduler_.threads();
  BlockObserver* const observer = scheduler_.observer();
  Lane& lane = scheduler_.running();
  lane.where = where;
  if (arrived_ == 0) first_ = lane.number;
  ++arrived_;
  if (threads.finished() > 0) fail_missing(threads.first_finished());
  if (observer != nullptr) {
    observer->arrived(lane.number, this);
    scheduler_.meet_if_last_of_warp(waiting_);
  }
  if (waits()) {
    if (observer != nullptr) observer->arrive_at_cluster_barrier();
    phase_ = cluster_->arrive();
  }
  scheduler_.wait_for({this, 0}, waiting_);
  if (observer != nullptr) {
    observer->completed(this);
    observer->acquired(lane.number, this);
  }
}

void ClusterMember::wake_if_over() {
  if (!may_go_on()) return;
  arrived_ = 0;
  if (scheduler_.observer() != nullptr) scheduler_.observer()->pass_cluster_barrier();
  scheduler_.note_progress();
  scheduler_.wake(waiting_);
}

void ClusterMember::leave() {
  if (arrived_ > 0) fail_missing(scheduler_.running().number);
}

void ClusterMember::fail_missing(unsigned gone) {
  const BlockThreads& threads = scheduler_.threads();
  scheduler_.fail({FaultKind::kMissingClusterBarrier, {}, OtherAccess({}, threads.index_of(gone))},
                  first_, threads.lane(first_).where);
}

void* ClusterMember::shared_of_block(void* shared, unsigned rank, std::source_location where) {
  if (rank >= cluster_->size()) {
    scheduler_.fail({FaultKind::kClusterNoBlock, {{"rank", rank}, {"blocks", cluster_->size()}}},
                    where);
  }
  shared_.require_inside("in_block-object", shared, 1, where);
  if (cluster_->has_left(rank)) {
    scheduler_.fail({FaultKind::kClusterBlockLeft, {{"rank", rank}}}, where);
  }
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
