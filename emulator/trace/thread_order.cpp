// SPDX-License-Identifier: MIT
#include "emulator/trace/thread_order.hpp"

#include <algorithm>
#include <utility>

#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

void ThreadOrder::start_grid(GridOrder* grid, unsigned threads_of_block,
                             unsigned blocks_of_cluster) {
  grid_ = grid;
  threads_ = threads_of_block;
  cluster_ = blocks_of_cluster;
}

void ThreadOrder::start_block(std::uint64_t block) {
  block_ = static_cast<std::uint32_t>(block);
  now_ = block_known_ = 1;
  is_lenient_ = false;
  cluster_phase_ = 0;
  std::fill_n(epoch_.begin(), threads_, Epoch{1});
  warp_known_.fill(1);
  exchanged_.fill(1);
  met_in_parts_.fill(false);
  if (any_fence_) {
    std::fill_n(fences_.begin(), threads_, Fences());
    met_in_block_ = nullptr;
    met_in_warp_.fill(nullptr);
    any_fence_ = new_fence_ = false;
    new_fence_in_warp_.fill(false);
  }
  acquired_ = nullptr;
  if (any_looked_up_) looked_up_.fill({});
  any_looked_up_ = false;
  if (any_acquired_alone_) acquired_alone_.fill(nullptr);
  if (any_loaded_) {
    for (std::vector<std::uint64_t>& flags : loaded_)
      flags.clear();
  }
  any_acquired_alone_ = any_loaded_ = false;
}

// -- What threads have acquired -------------------------------------------------------------------

void ThreadOrder::set_acquired(unsigned thread, AcquiredFlags flags) {
  if (is_lenient_) acquired_ = GridOrder::join(acquired_, flags);
  acquired_alone_[thread] = std::move(flags);
  any_acquired_alone_ = true;
}

void ThreadOrder::be_lenient() {
  if (is_lenient_) return;
  is_lenient_ = true;
  for (unsigned thread = 0; any_acquired_alone_ && thread < threads_; ++thread)
    acquired_ = GridOrder::join(acquired_, acquired_alone_[thread]);
}

AcquiredFlags ThreadOrder::news_of(unsigned thread, std::uint64_t flag) const {
  return grid_->acquire(acquired_by(thread), flag);
}

void ThreadOrder::acquire(unsigned thread, AcquiredFlags news) {
  set_acquired(thread, std::move(news));
}

void ThreadOrder::acquire_later(unsigned thread, std::uint64_t flag) {
  constexpr std::size_t kMost = 64;
  std::vector<std::uint64_t>& flags = loaded_[thread];
  if (!flags.empty() && flags.back() == flag) return;
  if (flags.size() == kMost) settle_loads(thread);
  flags.push_back(flag);
  any_loaded_ = true;
}

/// What the flags tell that the thread has loaded it knows from now on. Other CPU threads may have
/// stored them just before they were loaded: what they tell is looked up now.
void ThreadOrder::settle_loads(unsigned thread) {
  if (!any_loaded_) return;
  for (const std::uint64_t flag : loaded_[thread]) {
    if (!grid_->has_releases()) break;
    if (AcquiredFlags news = news_of(thread, flag)) set_acquired(thread, std::move(news));
  }
  loaded_[thread].clear();
}

// -- Epochs ---------------------------------------------------------------------------------------

unsigned ThreadOrder::lanes_end(unsigned warp) const {
  return std::min(32 * warp + 32, threads_);
}

/// The fences of threads that have just met.
std::shared_ptr<const FencesMet> ThreadOrder::fences_of(unsigned first, unsigned end) const {
  auto met = std::make_shared<FencesMet>();
  met->first = static_cast<std::uint16_t>(first);
  met->end = static_cast<std::uint16_t>(end);
  met->each = fences_[first].device.thread;
  bool alike = true;
  for (unsigned thread = first; thread < end; ++thread) {
    const FencedEpochs& fence = fences_[thread].device;
    alike = alike && fence.thread == met->each;
    met->block = std::max(met->block, fence.block);
    met->acquired = GridOrder::join(met->acquired, fence.acquired);
  }
  if (alike) return met;
  met->each = 0;
  met->threads.reserve(end - first);
  for (unsigned thread = first; thread < end; ++thread)
    met->threads.push_back(fences_[thread].device.thread);
  return met;
}

void ThreadOrder::pass_barrier() {
  if (new_fence_) {
    met_in_block_ = fences_of(0, threads_);
    new_fence_ = false;
  }
  for (unsigned thread = 0; any_loaded_ && thread < threads_; ++thread)
    settle_loads(thread);
  any_loaded_ = false;
  if (any_acquired_alone_) {
    AcquiredFlags last;
    for (unsigned thread = 0; thread < threads_; ++thread) {
      AcquiredFlags flags = std::exchange(acquired_alone_[thread], nullptr);
      if (flags == last) continue;
      acquired_ = GridOrder::join(acquired_, flags);
      last = std::move(flags);
    }
    any_acquired_alone_ = false;
  }
  block_known_ = ++now_;
  std::fill_n(epoch_.begin(), threads_, now_);
  met_in_parts_.fill(false);
}

/// \return the warp's next epoch
Epoch ThreadOrder::end_epoch_of_warp(unsigned warp) {
  const unsigned first = 32 * warp;
  const unsigned end = lanes_end(warp);
  if (new_fence_in_warp_[warp]) {
    met_in_warp_[warp] = fences_of(first, end);
    new_fence_in_warp_[warp] = false;
  }
  for (unsigned thread = first; any_loaded_ && thread < end; ++thread)
    settle_loads(thread);
  if (any_acquired_alone_) {
    AcquiredFlags all;
    for (unsigned thread = first; thread < end; ++thread)
      all = GridOrder::join(all, acquired_alone_[thread]);
    if (all != nullptr) {
      for (unsigned thread = first; thread < end; ++thread)
        acquired_alone_[thread] = all;
    }
  }
  Epoch next = 0;
  for (unsigned thread = first; thread < end; ++thread)
    next = std::max(next, epoch_[thread]);
  ++next;
  now_ = std::max(now_, next);
  std::fill(epoch_.begin() + first, epoch_.begin() + end, next);
  return next;
}

void ThreadOrder::meet(unsigned warp) {
  warp_known_[warp] = end_epoch_of_warp(warp);
  met_in_parts_[warp] = false;
}

void ThreadOrder::exchange(unsigned warp) {
  exchanged_[warp] = end_epoch_of_warp(warp);
}

void ThreadOrder::meet_lanes(unsigned warp, std::uint32_t lanes) {
  std::unique_ptr<LanesKnown>& known = lanes_[warp];
  if (known == nullptr) known = std::make_unique<LanesKnown>();
  if (!met_in_parts_[warp]) *known = {};
  met_in_parts_[warp] = true;
  std::array<Epoch, 32> all = {};
  Epoch next = 0;
  AcquiredFlags acquired;
  for_each_lane(lanes, [&](unsigned lane) {
    const unsigned thread = 32 * warp + lane;
    settle_loads(thread);
    if (any_acquired_alone_) acquired = GridOrder::join(acquired, acquired_alone_[thread]);
    next = std::max(next, epoch_[thread]);
    for (unsigned other = 0; other < 32; ++other)
      all[other] = std::max(all[other], (*known)[lane][other]);
  });
  ++next;
  now_ = std::max(now_, next);
  for_each_lane(lanes, [&](unsigned lane) { all[lane] = next; });
  for_each_lane(lanes, [&](unsigned lane) {
    const unsigned thread = 32 * warp + lane;
    (*known)[lane] = all;
    epoch_[thread] = next;
    if (acquired != nullptr) acquired_alone_[thread] = acquired;
  });
}

// -- Fences and flags -----------------------------------------------------------------------------

/// What a flag that the thread stores now may tell of its warp.
Epoch ThreadOrder::known_of_warp(unsigned thread) const {
  const unsigned warp = thread / 32;
  Epoch known = std::max(warp_known_[warp], exchanged_[warp]);
  if (met_in_parts_[warp])
    known = std::max(known, *std::ranges::max_element((*lanes_[warp])[thread % 32]));
  return known;
}

void ThreadOrder::fence(unsigned thread, Scope scope) {
  settle_loads(thread);
  now_ = std::max(now_, ++epoch_[thread]);
  Fences& fences = fences_[thread];
  fences.any = {.thread = epoch_[thread],
                .warp = known_of_warp(thread),
                .block = is_lenient_ ? now_ + 1 : block_known_,
                .acquired = acquired_by(thread)};
  any_fence_ = true;
  if (scope != Scope::kDevice) return;
  fences.device = fences.any;
  new_fence_ = new_fence_in_warp_[thread / 32] = true;
}

void ThreadOrder::release(unsigned thread, std::uint64_t flag, Scope scope) {
  const Fences& fences = fences_[thread];
  const auto tell = [&](const FencedEpochs& fence, Scope to) {
    grid_->release(flag, block_,
                   {.thread = static_cast<std::uint16_t>(thread),
                    .scope = to,
                    .fence = fence,
                    .met_in_block = met_in_block_,
                    .met_in_warp = met_in_warp_[thread / 32]});
  };
  const bool has_met = met_in_block_ != nullptr || met_in_warp_[thread / 32] != nullptr;
  if (scope == Scope::kDevice && (fences.device.thread != 0 || has_met))
    tell(fences.device, Scope::kDevice);
  if (fences.any.thread > fences.device.thread || scope == Scope::kBlock)
    tell(fences.any, Scope::kBlock);
}

// -- Clusters -------------------------------------------------------------------------------------

std::uint64_t ThreadOrder::cluster_flag() const {
  return std::uint64_t{3} << 62 | std::uint64_t{block_ / cluster_} << 24 |
         cluster_phase_ % (1 << 24);
}

void ThreadOrder::arrive_at_cluster() {
  pass_barrier();
  ++cluster_phase_;
  grid_->release(cluster_flag(), block_,
                 {.thread = 0,
                  .scope = Scope::kDevice,
                  .fence = {.thread = now_, .warp = now_, .block = now_, .acquired = acquired_}});
}

void ThreadOrder::pass_cluster() {
  if (AcquiredFlags news = grid_->acquire(acquired_, cluster_flag())) acquired_ = std::move(news);
}

// -- Queries --------------------------------------------------------------------------------------

bool ThreadOrder::knows_by(const AcquiredFlags& acquired, const OrderedAccess& access) const {
  LookedUp& known = looked_up_[access.block % looked_up_.size()];
  if (known.acquired == acquired && known.block == access.block && access.epoch < known.below)
    return true;
  const Epoch below = grid_->knows(*acquired, block_, access);
  if (below > 1) {
    known = {acquired, access.block, below};
    any_looked_up_ = true;
  }
  return below != 0;
}

bool ThreadOrder::knows_more(unsigned thread, const OrderedAccess& access, bool is_strong) const {
  const unsigned warp = thread / 32;
  if (access.block == block_ && access.thread / 32u == warp && met_in_parts_[warp] &&
      access.epoch < (*lanes_[warp])[thread % 32][access.thread % 32]) {
    return true;
  }
  const AcquiredFlags& acquired = acquired_by(thread);
  if (acquired != nullptr && knows_by(acquired, access)) return true;
  if (is_lenient_ && acquired_ != nullptr && knows_by(acquired_, access)) return true;
  if (!is_strong || !any_loaded_) return false;
  return std::ranges::any_of(loaded_[thread], [&](std::uint64_t flag) {
    const AcquiredFlags loaded = grid_->acquire(acquired, flag);
    return loaded != nullptr && knows_by(loaded, access);
  });
}

}  // namespace ladder::emulator
