// SPDX-License-Identifier: MIT
#include "common/emulator/trace/warp_clocks.hpp"

#include <algorithm>
#include <numeric>

namespace ladder::emulator {
namespace {

void join(std::span<std::uint32_t> into, std::span<const std::uint32_t> from) {
  for (std::size_t i = 0; i < into.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

bool is_within(std::span<const std::uint32_t> clock, std::span<const std::uint32_t> other) {
  std::uint32_t later = 0;
  for (std::size_t i = 0; i < clock.size(); ++i)
    later |= clock[i] > other[i] ? 1 : 0;
  return later == 0;
}

}  // namespace

void WarpClocks::start_block(unsigned threads) {
  warps_ = (threads + 31) / 32;
  width_ = 2 * warps_ + kMaxCopyBarriers;
  thread_epoch_.fill(1);
  now_.fill(1);
  if (active_) reset();
}

void WarpClocks::activate() {
  if (active_) return;
  active_ = true;
  reset();
}

void WarpClocks::reset() {
  kept_.assign(std::size_t{warps_} * kKept * width_, 0);
  for (unsigned warp = 0; warp < warps_; ++warp)
    newest(warp)[warp] = 1;
  for (unsigned warp = 0; warp < warps_; ++warp)
    bring_together(warp);
  objects_.clear();
  copy_barriers_.clear();
  landed_.fill(0);
  acquired_.fill(0);
}

std::span<const std::uint32_t> WarpClocks::knowledge(unsigned warp, Epoch at) const {
  const Epoch now = now_[warp];
  const Epoch kept = now - at < kKept ? at : now - kKept + 1;
  return {&kept_[(warp * kKept + kept % kKept) * width_], width_};
}

std::uint32_t* WarpClocks::newest(unsigned warp) {
  return &kept_[(warp * kKept + now_[warp] % kKept) * width_];
}

void WarpClocks::begin_epoch(unsigned warp) {
  const std::uint32_t* const before = newest(warp);
  ++now_[warp];
  std::uint32_t* const after = newest(warp);
  std::copy_n(before, width_, after);
  after[warp] = now_[warp];
}

// -- Lanes that do the same one after the other --------------------------------------------------

/// Did a lane before this one do the same? Then the thread goes on in that lane's epoch.
bool WarpClocks::follows(unsigned thread, Event::Kind kind, const void* object) {
  constexpr std::size_t kLookedAt = 16;  // single lanes may have done something in between
  const std::vector<Event>& events = events_[thread / 32];
  const std::size_t end = std::min(events.size(), seen_[thread] + kLookedAt);
  for (std::size_t i = seen_[thread]; i < end; ++i) {
    if (events[i].kind != kind || events[i].object != object) continue;
    seen_[thread] = static_cast<std::uint32_t>(i + 1);
    thread_epoch_[thread] = std::max(thread_epoch_[thread], events[i].after);
    return true;
  }
  return false;
}

/// Others may follow, if the thread had seen all that its warp did.
void WarpClocks::lead(unsigned thread, Event::Kind kind, const void* object) {
  constexpr std::size_t kMost = 512;
  const unsigned warp = thread / 32;
  std::vector<Event>& events = events_[warp];
  if (seen_[thread] != events.size()) return;
  if (events.size() == kMost) {
    events.erase(events.begin(), events.begin() + kMost / 2);
    for (unsigned other = 32 * warp; other < 32 * warp + 32; ++other)
      seen_[other] -= std::min<std::uint32_t>(seen_[other], kMost / 2);
  }
  events.push_back({kind, object, thread_epoch_[thread]});
  seen_[thread] = static_cast<std::uint32_t>(events.size());
}

/// The thread's next accesses are in a new epoch of its warp, or in one that others are in already.
void WarpClocks::end_epoch(unsigned thread, Event::Kind kind, const void* object) {
  const unsigned warp = thread / 32;
  if (thread_epoch_[thread] == now_[warp]) begin_epoch(warp);
  ++thread_epoch_[thread];
  lead(thread, kind, object);
}

void WarpClocks::bring_together(unsigned warp) {
  std::fill_n(&thread_epoch_[std::size_t{32} * warp], 32, now_[warp]);
  std::fill_n(&seen_[std::size_t{32} * warp], 32, 0u);
  events_[warp].clear();
}

// -- What puts accesses in order -----------------------------------------------------------------

void WarpClocks::advance(unsigned thread) {
  end_epoch(thread, Event::Kind::kOther, nullptr);
}

WarpClocks::Object& WarpClocks::object_at(const void* object) {
  const auto [found, is_new] = objects_.try_emplace(object);
  if (is_new) found->second = {Clock(width_), Clock(width_)};
  return found->second;
}

void WarpClocks::publish(unsigned thread, const void* object, bool at_once) {
  // A lane that fell out of step may be in a later epoch than the one that its leader released.
  const Epoch before = thread_epoch_[thread];
  const bool follower = follows(thread, Event::Kind::kRelease, object);
  if (follower && thread_epoch_[thread] > before) return;
  Object& target = object_at(object);
  Clock& clock = at_once ? target.visible : target.arrived;
  join(clock, knowledge(thread / 32, thread_epoch_[thread]));
  clock[thread / 32] = std::max(clock[thread / 32], thread_epoch_[thread]);
  end_epoch(thread, Event::Kind::kRelease, object);
}

void WarpClocks::release(unsigned thread, const void* object) {
  publish(thread, object, true);
}

void WarpClocks::arrive(unsigned thread, const void* object) {
  publish(thread, object, false);
}

void WarpClocks::complete(const void* object) {
  Object& target = object_at(object);
  join(target.visible, target.arrived);
}

void WarpClocks::acquire(unsigned thread, const void* object) {
  if (follows(thread, Event::Kind::kAcquire, object)) return;
  const unsigned warp = thread / 32;
  const auto found = objects_.find(object);
  if (found != objects_.end() &&
      !is_within(found->second.visible, knowledge(warp, thread_epoch_[thread]))) {
    begin_epoch(warp);
    join({newest(warp), width_}, found->second.visible);
    thread_epoch_[thread] = now_[warp];
    const auto barrier = copy_barriers_.find(object);
    if (barrier != copy_barriers_.end()) acquired_[barrier->second] = landed_[barrier->second];
  }
  lead(thread, Event::Kind::kAcquire, object);
}

void WarpClocks::fence(unsigned thread) {
  if (follows(thread, Event::Kind::kFence, nullptr)) return;
  const unsigned warp = thread / 32;
  const std::span<const std::uint32_t> known = knowledge(warp, thread_epoch_[thread]);
  begin_epoch(warp);
  std::uint32_t* const fenced = newest(warp) + warps_;
  for (unsigned other = 0; other < warps_; ++other)
    fenced[other] = std::max(fenced[other], known[other]);
  thread_epoch_[thread] = now_[warp];
  lead(thread, Event::Kind::kFence, nullptr);
}

void WarpClocks::meet(unsigned warp) {
  begin_epoch(warp);
  bring_together(warp);
}

void WarpClocks::pass_barrier() {
  Clock all(width_);
  for (unsigned warp = 0; warp < warps_; ++warp)
    join(all, {newest(warp), width_});
  for (unsigned warp = 0; warp < warps_; ++warp) {
    begin_epoch(warp);
    join({newest(warp), width_}, all);
    bring_together(warp);
  }
}

// -- Copies --------------------------------------------------------------------------------------

unsigned WarpClocks::copy_barrier(const void* barrier) {
  const auto next = static_cast<unsigned>(copy_barriers_.size() % kMaxCopyBarriers);
  return copy_barriers_.try_emplace(barrier, next).first->second;
}

std::uint32_t WarpClocks::landed(const void* barrier) {
  const unsigned number = copy_barrier(barrier);
  if (landed_[number] == acquired_[number]) ++landed_[number];
  object_at(barrier).arrived[2 * warps_ + number] = landed_[number];
  return landed_[number];
}

unsigned WarpClocks::phases_known(unsigned warp, Epoch at) const {
  const std::span<const std::uint32_t> clock = knowledge(warp, at).subspan(std::size_t{2} * warps_);
  return std::accumulate(clock.begin(), clock.end(), 0u);
}

}  // namespace ladder::emulator
