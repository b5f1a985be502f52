// SPDX-License-Identifier: MIT
#include "emulator/run/block/block_threads.hpp"

#include <alloca.h>

#include "emulator/run/settings.hpp"

namespace ladder::emulator {
namespace {

/// The stacks are allocated and freed as one piece; a fiber that ends frees nothing.
struct KeepStack {
  void deallocate(boost::context::stack_context&) const noexcept {}
};

}  // namespace

BlockThreads::BlockThreads(std::function<void()> life) : life_(std::move(life)) {
  for (unsigned number = 0; number < lanes_.size(); ++number)
    lanes_[number].number = lanes_[number].stack = number;
}

void BlockThreads::start_grid(const GridPlan& plan, BlockObserver* observer) {
  plan_ = &plan;
  observer_ = observer;
  lane_by_lane_ = thread_turns() == ThreadTurns::kLaneByLane;
  // Threads have swapped stacks, but never with one that no grid had.
  stacks_.prepare(plan.threads);
  for (unsigned number = 0; number < plan.threads; ++number) {
    const uint3 index = plan.thread_index(number);
    lanes_[number].index = pack(index.x, index.y, index.z);
  }
}

/// Of the lowest lanes that are ready, the one of the lowest warp.
Lane* BlockThreads::lowest_ready() {
  Lane* lowest = nullptr;
  for (unsigned w = 0; w < warps(); ++w) {
    if (warps_[w].ready == 0) continue;
    Lane& lane = lanes_[32 * w + static_cast<unsigned>(__builtin_ctz(warps_[w].ready))];
    if (lowest == nullptr || lane.number % 32 < lowest->number % 32) lowest = &lane;
  }
  return lowest;
}

void BlockThreads::start_block(std::uint64_t block) {
  block_ = block;
  const uint3 index = plan_->block_index(block);
  block_index_ = pack(index.x, index.y, index.z);
  finished_ = 0;
  for (unsigned w = 0; w < warps_.size(); ++w) {
    const unsigned first = 32 * w;
    const unsigned lanes = plan_->threads > first ? plan_->threads - first : 0;
    warps_[w] = {};
    warps_[w].exists = warps_[w].ready = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  }
  for (unsigned number = 0; number < plan_->threads; ++number) {
    lanes_[number].steps = 0;
    if (!lanes_[number].fiber.get()) make_fiber(lanes_[number]);
  }
}

/// The fiber may begin as another thread: see go_on_as(). A stack starts at an offset of its own,
/// so that the stacks of neighbours do not compete for the same sets of the cache.
void BlockThreads::make_fiber(Lane& lane) {
  const auto stack = stacks_.stack(lane.stack);
  ::new (&lane.fiber.get()) boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), KeepStack{},
      [this, number = lane.stack](boost::context::fiber&& from) {
        constexpr unsigned kCacheLineBytes = 64;
        constexpr unsigned kLinesPerPage = 64;
        left_->fiber.get() = std::move(from);
        void* const stagger = alloca(std::size_t{kCacheLineBytes} * (1 + number % kLinesPerPage));
        __asm__ volatile("" : : "r"(stagger) : "memory");
        life_();
        return boost::context::fiber();
      });
}

void BlockThreads::finish() noexcept {
  running_->has_begun = false;
  WarpState& warp = warp_of(*running_);
  warp.ready &= ~running_->bit();
  warp.finished |= running_->bit();
  ++finished_;
}

void BlockThreads::forget() {
  for (Lane& lane : lanes_) {
    lane.fiber.forget();
    lane.has_begun = false;
  }
}

unsigned BlockThreads::first_finished() const {
  const WarpState* warp = warps_.data();
  while (warp->finished == 0)
    ++warp;
  return first_lane(*warp, warp->finished);
}

Index BlockThreads::index_of(unsigned thread) const {
  return array_of(plan_->thread_index(thread));
}

}  // namespace ladder::emulator
