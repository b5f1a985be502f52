// SPDX-License-Identifier: MIT
#include "emulator/run/block/block_queue.hpp"

#include "emulator/run/settings.hpp"

namespace ladder::emulator {

void BlockQueue::start(const GridPlan& plan, const GridObserver* observer) {
  observer_ = observer;
  count_ = observer == nullptr ? plan.blocks : observer->count();
  room_ = plan.resident;
  descending_ = plan.cooperative && plan.cluster == 1 && block_order() == BlockOrder::kDescending;
  next_ = resident_ = 0;
  stop_ = ~std::uint64_t{0};
}

bool BlockQueue::may_start() const {
  const std::uint64_t next = next_;
  return next < count_ && number_of(next) < stop_;
}

/// The block that is the next-th to start.
std::uint64_t BlockQueue::number_of(std::uint64_t next) const {
  const std::uint64_t i = descending_ ? count_ - 1 - next : next;
  return observer_ == nullptr ? i : observer_->block(i);
}

std::optional<std::uint64_t> BlockQueue::take() {
  if (!may_start()) return std::nullopt;
  if (resident_.fetch_add(1) < room_) {
    const std::uint64_t next = next_.fetch_add(1);
    if (next < count_) {
      const std::uint64_t block = number_of(next);
      if (block < stop_) return block;
    }
  }
  --resident_;
  return std::nullopt;
}

std::optional<std::uint64_t> BlockQueue::take_cluster(unsigned size) {
  const std::uint64_t next = next_.fetch_add(size);
  if (next >= count_) return std::nullopt;
  const std::uint64_t first = number_of(next);
  return first < stop_ ? std::optional(first) : std::nullopt;
}

}  // namespace ladder::emulator
