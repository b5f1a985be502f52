// SPDX-License-Identifier: MIT
#include "emulator/trace/warp_clocks.hpp"

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

void WarpClocks::start_block(unsigned threads, unsigned rank, unsigned blocks) {
  warps_ = (threads + 31) / 32;
  const std::size_t of_block = epochs() + warps_ + kMaxCopyBarriers;
  width_ = blocks * of_block;
  own_ = rank * of_block;
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
    newest(warp)[own_ + warp] = 1;
  for (unsigned warp = 0; warp < warps_; ++warp)
    bring_together(warp);
  objects_.clear();
  copy_barriers_.clear();
  fenced_.fill(0);
  forget_loaded_flags();
  landed_.fill(0);
  acquired_.fill(0);
}

std::uint32_t* WarpClocks::newest(unsigned warp) {
  return &kept_[(warp * kKept + now_[warp] % kKept) * width_];
}

void WarpClocks::begin_epoch(unsigned warp) {
  const std::uint32_t* const before = newest(warp);
  ++now_[warp];
  std::uint32_t* const after = newest(warp);
  std::copy_n(before, width_, after);
  after[own_ + warp] = now_[warp];
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
  meetings_[warp].clear();
  forgotten_[warp] = 0;
}

// -- What puts accesses in order -----------------------------------------------------------------

void WarpClocks::advance(unsigned thread) {
  end_epoch(thread, Event::Kind::kOther, nullptr);
}

WarpClocks::Object& WarpClocks::object_at(const void* object) {
  const auto [found, is_new] = objects_.try_emplace(object);
  if (is_new) found->second = {.visible = Clock(width_), .arrived = Clock(width_)};
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
  std::uint32_t& own = clock[own_ + thread / 32];
  own = std::max(own, thread_epoch_[thread]);
  end_epoch(thread, Event::Kind::kRelease, object);
}

void WarpClocks::release(unsigned thread, const void* object) {
  publish(thread, object, true);
}

void WarpClocks::arrive(unsigned thread, const void* object) {
  publish(thread, object, false);
  objects_.at(object).arrivers |= 1u << thread / 32;
}

void WarpClocks::complete(const void* object) {
  Object& target = object_at(object);
  join(target.visible, target.arrived);
}

WarpClocks::Clock WarpClocks::tell(unsigned thread, const void* object) {
  const unsigned warp = thread / 32;
  const std::span<const std::uint32_t> known = knowledge(warp, thread_epoch_[thread]);
  Clock clock(known.begin(), known.end());
  clock[own_ + warp] = thread_epoch_[thread];
  const Epoch before = thread_epoch_[thread];
  const bool follower = follows(thread, Event::Kind::kRelease, object);
  if (!follower || thread_epoch_[thread] == before) {
    end_epoch(thread, Event::Kind::kRelease, object);
  }
  return clock;
}

void WarpClocks::arrive_from(const Clock& clock, const void* object) {
  join(object_at(object).arrived, clock);
}

void WarpClocks::complete_with(const WarpClocks& other, const void* theirs, const void* object) {
  const auto found = other.objects_.find(theirs);
  if (found == other.objects_.end() || found->second.arrived.size() != width_) return;
  join(object_at(object).visible, found->second.arrived);
}

/// Lanes of a warp that have arrived at a barrier one by one know of each other behind it.
void WarpClocks::learn_from_own_warp(unsigned thread, const Object& object) {
  const unsigned warp = thread / 32;
  if ((object.arrivers >> warp & 1) == 0) return;
  add_meeting(warp, {.after = thread_epoch_[thread],
                     .lanes = 1u << thread % 32,
                     .limit = object.visible[own_ + warp]});
}

void WarpClocks::acquire(unsigned thread, const void* object) {
  const unsigned warp = thread / 32;
  const auto found = objects_.find(object);
  if (follows(thread, Event::Kind::kAcquire, object)) {
    if (found != objects_.end()) learn_from_own_warp(thread, found->second);
    return;
  }
  if (found != objects_.end() &&
      !is_within(found->second.visible, knowledge(warp, thread_epoch_[thread]))) {
    begin_epoch(warp);
    join({newest(warp), width_}, found->second.visible);
    thread_epoch_[thread] = now_[warp];
    const auto barrier = copy_barriers_.find(object);
    if (barrier != copy_barriers_.end()) acquired_[barrier->second] = landed_[barrier->second];
  }
  if (found != objects_.end()) learn_from_own_warp(thread, found->second);
  lead(thread, Event::Kind::kAcquire, object);
}

void WarpClocks::fence(unsigned thread) {
  if (follows(thread, Event::Kind::kFence, nullptr)) return;
  const unsigned warp = thread / 32;
  const std::span<const std::uint32_t> known = knowledge(warp, thread_epoch_[thread]);
  begin_epoch(warp);
  std::uint32_t* const fenced = newest(warp) + own_ + epochs();
  for (unsigned other = 0; other < warps_; ++other)
    fenced[other] = std::max(fenced[other], known[own_ + other]);
  thread_epoch_[thread] = now_[warp];
  lead(thread, Event::Kind::kFence, nullptr);
}

void WarpClocks::meet(unsigned warp) {
  begin_epoch(warp);
  for (unsigned thread = 32 * warp; any_loaded_ && thread < 32 * warp + 32; ++thread)
    learn_from_flags(thread);
  // Each lane's fence is one of them all.
  const auto fenced = std::span(fenced_).subspan(std::size_t{32} * warp, 32);
  std::ranges::fill(fenced, *std::ranges::max_element(fenced));
  bring_together(warp);
}

void WarpClocks::wait_for_products(unsigned warp, unsigned number) {
  begin_epoch(warp);
  std::uint32_t& known = newest(warp)[own_ + tensor_cores_of(warp)];
  known = std::max(known, number);
  bring_together(warp);
}

void WarpClocks::wait_for_copy(unsigned thread, unsigned number) {
  const unsigned warp = thread / 32;
  begin_epoch(warp);
  newest(warp)[own_ + copy_engine_for(warp)] = number;
  thread_epoch_[thread] = now_[warp];
  lead(thread, Event::Kind::kOther, nullptr);
}

// -- Lanes ---------------------------------------------------------------------------------------

void WarpClocks::add_meeting(unsigned warp, const Meeting& meeting) {
  constexpr std::size_t kMost = 4096;
  std::vector<Meeting>& meetings = meetings_[warp];
  if (meetings.size() == kMost) {
    forgotten_[warp] = meetings[kMost / 2 - 1].after;
    meetings.erase(meetings.begin(), meetings.begin() + kMost / 2);
  }
  meetings.insert(std::ranges::upper_bound(meetings, meeting.after, {}, &Meeting::after), meeting);
}

void WarpClocks::meet_lanes(unsigned warp, std::uint32_t lanes) {
  begin_epoch(warp);
  add_meeting(warp, {.after = now_[warp], .lanes = lanes, .limit = 0});
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    learn_from_flags(32 * warp + lane);
    thread_epoch_[32 * warp + lane] = now_[warp];
    seen_[32 * warp + lane] = static_cast<std::uint32_t>(events_[warp].size());
  }
}

bool WarpClocks::lane_knows(unsigned warp, std::uint32_t lanes, Epoch at, unsigned other,
                            Epoch earlier) const {
  if (earlier < forgotten_[warp]) return true;  // nobody can tell: no accusation
  const std::vector<Meeting>& meetings = meetings_[warp];
  std::uint32_t known = 1u << other;
  auto next = std::ranges::upper_bound(meetings, earlier, {}, &Meeting::after);
  for (; next != meetings.end() && next->after <= at && (lanes & ~known) != 0; ++next) {
    const bool learn = next->limit != 0 ? earlier <= next->limit : (next->lanes & known) != 0;
    if (learn) known |= next->lanes;
  }
  return (lanes & ~known) == 0;
}

// -- Fences and flags ----------------------------------------------------------------------------

/// What the flags tell that the thread has loaded is in order with what it does from now on: its
/// warp has just begun an epoch.
void WarpClocks::learn_from_flags(unsigned thread) {
  const unsigned warp = thread / 32;
  for (const void* const flag : loaded_flags_[thread])
    join({newest(warp), width_}, objects_.at(flag).visible);
  newest(warp)[own_ + warp] = now_[warp];
  settle_flags(thread, now_[warp]);
}

/// The thread goes on in epoch `after`, in which its warp knows what the flags tell.
void WarpClocks::settle_flags(unsigned thread, Epoch after) {
  const unsigned warp = thread / 32;
  Epoch limit = 0;
  for (const void* const flag : loaded_flags_[thread])
    limit = std::max(limit, objects_.at(flag).visible[own_ + warp]);
  loaded_flags_[thread].clear();
  if (limit != 0) add_meeting(warp, {.after = after, .lanes = 1u << thread % 32, .limit = limit});
}

bool WarpClocks::knows_flags(unsigned thread) const {
  return std::ranges::all_of(loaded_flags_[thread], [&](const void* flag) {
    const Clock& told = objects_.at(flag).visible;
    const auto known = knowledge(thread / 32, thread_epoch_[thread]);
    for (std::size_t i = 0; i < told.size(); ++i) {
      // What the lanes of its own warp did is told lane by lane, to those who come later.
      const bool is_own = i == own_ + thread / 32;
      if (is_own ? told[i] >= thread_epoch_[thread] : told[i] > known[i]) return false;
    }
    return true;
  });
}

void WarpClocks::forget_loaded_flags() {
  if (!any_loaded_) return;
  any_loaded_ = false;
  for (std::vector<const void*>& flags : loaded_flags_)
    flags.clear();
}

void WarpClocks::fence_thread(unsigned thread) {
  const unsigned warp = thread / 32;
  fenced_[thread] = thread_epoch_[thread];
  if (!loaded_flags_[thread].empty()) {
    const void* const last = loaded_flags_[thread].back();
    if (follows(thread, Event::Kind::kThreadFence, last) && knows_flags(thread)) {
      settle_flags(thread, thread_epoch_[thread]);
      return;
    }
    begin_epoch(warp);
    thread_epoch_[thread] = now_[warp];
    learn_from_flags(thread);
    seen_[thread] = static_cast<std::uint32_t>(events_[warp].size());
    lead(thread, Event::Kind::kThreadFence, last);
    return;
  }
  if (follows(thread, Event::Kind::kThreadFence, nullptr)) return;
  end_epoch(thread, Event::Kind::kThreadFence, nullptr);
}

void WarpClocks::store_flag(unsigned thread, const void* flag) {
  const Epoch fenced = fenced_[thread];
  if (fenced == 0) return;
  const unsigned warp = thread / 32;
  Clock& clock = object_at(flag).visible;
  join(clock, knowledge(warp, fenced));
  clock[own_ + warp] = std::max(clock[own_ + warp], fenced);
}

void WarpClocks::load_flag(unsigned thread, const void* flag) {
  constexpr std::size_t kMost = 256;
  std::vector<const void*>& flags = loaded_flags_[thread];
  if (!flags.empty() && flags.back() == flag) return;
  if (!objects_.contains(flag)) return;  // nobody has stored it behind a fence
  any_loaded_ = true;
  if (flags.size() < kMost) flags.push_back(flag);
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
  forget_loaded_flags();
}

// -- Copies --------------------------------------------------------------------------------------

unsigned WarpClocks::copy_barrier(const void* barrier) {
  const auto next = static_cast<unsigned>(copy_barriers_.size() % kMaxCopyBarriers);
  return copy_barriers_.try_emplace(barrier, next).first->second;
}

std::uint32_t WarpClocks::landed(const void* barrier) {
  const unsigned number = copy_barrier(barrier);
  if (landed_[number] == acquired_[number]) ++landed_[number];
  object_at(barrier).arrived[own_ + epochs() + warps_ + number] = landed_[number];
  return landed_[number];
}

unsigned WarpClocks::phases_known(Knowledge clock) const {
  const Knowledge phases = clock.subspan(own_ + epochs() + warps_, kMaxCopyBarriers);
  return std::accumulate(phases.begin(), phases.end(), 0u);
}

}  // namespace ladder::emulator
