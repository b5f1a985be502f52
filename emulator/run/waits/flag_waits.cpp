// SPDX-License-Identifier: MIT
#include "emulator/run/waits/flag_waits.hpp"

#include <algorithm>

namespace ladder::emulator {
namespace {

// Before a hang is reported, a thread may poll on: a loop that gives up after a number of polls is
// none.
constexpr unsigned kPollsOfAWait = 256;
constexpr unsigned kPollsOfAHang = 65536;       // of all threads of the block that wait for flags
constexpr unsigned kFewestPollsOfAHang = 1024;  // of one of them

unsigned load(const unsigned* flag) {
  return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

}  // namespace

void FlagWaits::start_block() {
  limit_ = kPollsOfAWait;
  if (!used_) return;
  used_ = false;
  waiters_ = 0;
  waiting_ = {};
  polls_.fill({});  // the block before may have had more threads
}

Fields FlagWaits::missing(unsigned held) const {
  return {{"value", held}};
}

bool FlagWaits::may_poll_on(const Poll& poll) const {
  return load(poll.flag) != poll.value || poll.times < limit_;
}

bool FlagWaits::any_changed() const {
  for (unsigned w = 0; waiters_ > 0 && w < scheduler_.threads().warps(); ++w) {
    bool changed = false;
    for_each_lane(waiting_[w],
                  [&](unsigned bit) { changed = changed || may_poll_on(polls_[32 * w + bit]); });
    if (changed) return true;
  }
  return false;
}

void FlagWaits::wake_where_changed() {
  for (unsigned w = 0; waiters_ > 0 && w < scheduler_.threads().warps(); ++w) {
    WarpState& warp = scheduler_.threads().warp(w);
    for_each_lane(waiting_[w], [&](unsigned bit) {
      if (!may_poll_on(polls_[32 * w + bit])) return;
      waiting_[w] &= ~(1u << bit);
      warp.waiting &= ~(1u << bit);
      warp.ready |= 1u << bit;
      --waiters_;
    });
  }
}

bool FlagWaits::extend_patience() {
  if (waiters_ == 0 || limit_ != kPollsOfAWait) return false;
  limit_ = kPollsOfAWait + std::max(kPollsOfAHang / waiters_, kFewestPollsOfAHang);
  return true;
}

unsigned FlagWaits::load_acquire(const unsigned* flag, std::source_location where,
                                 const Awaited* as) {
  Lane& lane = scheduler_.running();
  Poll& last = polls_[lane.number];
  unsigned value = load(flag);
  const bool again = last.flag == flag && last.value == value;
  if (again) {
    lane.where = where;
    if (++last.times < limit_) {
      scheduler_.stop_if_asked();
      scheduler_.suspend();
    } else {
      ++waiters_;
      scheduler_.wait_for({as != nullptr ? as : this, value}, waiting_);
    }
    value = load(flag);
  }
  if (!again || value != last.value) {
    last = {flag, value, 0};
    used_ = true;
    if (scheduler_.observer() != nullptr) scheduler_.observer()->acquired(lane.number, flag);
  }
  return value;
}

unsigned FlagWaits::load_acquire_system(const unsigned* flag, std::source_location where) {
  scheduler_.running().where = where;
  scheduler_.step_aside(true);
  if (scheduler_.observer() != nullptr) {
    scheduler_.observer()->acquired(scheduler_.running().number, flag);
  }
  return load(flag);
}

void FlagWaits::store_release(unsigned* flag, unsigned value) {
  const unsigned thread = scheduler_.running().number;
  if (scheduler_.observer() != nullptr) scheduler_.observer()->released(thread, flag);
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
  polls_[thread].flag = nullptr;
  scheduler_.note_change();
  if (waiters_ > 0) scheduler_.wake_who_may_go_on();
  scheduler_.let_others_look();
}

}  // namespace ladder::emulator
