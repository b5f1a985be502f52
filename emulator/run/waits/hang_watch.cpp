// SPDX-License-Identifier: MIT
#include "emulator/run/waits/hang_watch.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "emulator/run/block/faults.hpp"
#include "emulator/run/waits/ended_thread.hpp"

namespace ladder::emulator {
namespace {

/// Of the limit: all that is accessed is new to a watch that begins to look after this time.
constexpr double kSureFor = 0.1;
/// Of the limit: what is enough by the clock, on a busy machine, and how much CPU time a thread
/// must have got by then. More of it where nobody sees whether it comes to new places.
constexpr double kMostByTheClock = 1.1;
constexpr double kLeast = 0.1;
constexpr double kLeastUnseen = 0.3;
constexpr Seconds kLeastOfAll = Seconds(0.5);  ///< or the limit, if that is less
constexpr Seconds kPatience = Seconds(1.0);  ///< for a thread to come back to the kernel's own code

/// CPU time that a thread has used since it was started.
Seconds cpu_time_of(pthread_t thread) {
  clockid_t clock = {};
  timespec time = {};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool has_ended(pid_t thread) {
  return thread != 0 && tgkill(getpid(), thread, 0) != 0 && errno == ESRCH;
}

}  // namespace

void HangWatch::start(std::vector<Target> targets, Seconds limit, bool sees_accesses) {
  const std::lock_guard lock(mutex_);
  sees_accesses_ = sees_accesses;
  targets_ = std::move(targets);
  limit_ = limit;
  if (!std::exchange(is_started_, true)) std::thread([this] { run(); }).detach();
  wakes_.notify_one();
}

void HangWatch::rest() {
  const std::lock_guard lock(mutex_);
  targets_.clear();
}

void HangWatch::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wakes_.wait(lock, [&] { return !targets_.empty(); });
    const Seconds tick = std::clamp(limit_ / 8, Seconds(0.001), Seconds(0.1));
    wakes_.wait_for(lock, tick, [] { return false; });
    for (Target& target : targets_)
      look_at(target);
  }
}

/// One whose blocks spin may wait for the others: their progress counts as its own.
void HangWatch::look_at(Target& target) {
  if (has_ended(*target.id)) end_with_thread();
  const std::uint64_t progress = target.watched->progress();
  std::uint64_t seen = progress;
  std::uint64_t news = target.watched->news();
  if (target.watched->is_spinning()) {
    for (const Target& other : targets_) {
      seen += other.watched->progress();
      news += other.watched->news();
    }
  }
  const Seconds now = cpu_time_of(target.thread);
  if (progress == 0 || seen != target.seen_progress) {
    target.seen_progress = seen;
    target.seen_at = target.news_at = now;
    target.news_seen = std::chrono::steady_clock::now();
    target.watched->set_doubted(false);
    return;
  }
  const Seconds passed = std::chrono::steady_clock::now() - target.news_seen;
  if (std::max(now - target.seen_at, passed) >= kSureFor * limit_)
    target.watched->set_doubted(true);
  if (news != target.seen_news) {
    target.seen_news = news;
    target.news_at = now;
    target.news_seen = std::chrono::steady_clock::now();
    return;
  }
  const Seconds still_for = now - target.news_at;
  const bool all_spun = all_spin();
  const Seconds least =
      std::max((sees_accesses_ || all_spun ? kLeast : kLeastUnseen) * limit_, kLeastOfAll);
  const Seconds most = kMostByTheClock * limit_;
  // Who spins may wait for one that does not.
  const bool is_late =
      passed >= most && still_for >= least && (all_spun || !target.watched->is_spinning());
  if (still_for < limit_ && !is_late) return;
  const bool is_patient = still_for > limit_ + kPatience || (is_late && passed > most + kPatience);
  target.watched->ask_to_stop(progress, is_patient);
  pthread_kill(target.thread, kHangSignal);
}

/// Those that have run out of blocks do not count.
bool HangWatch::all_spin() const {
  return std::ranges::all_of(targets_, [](const Target& target) {
    return target.watched->is_spinning() || target.watched->progress() == 0;
  });
}

}  // namespace ladder::emulator
