// SPDX-License-Identifier: MIT
#include "ladder/program/many_gpus/watchdog.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace ladder::many_gpus {

Watchdog::Watchdog(double patience_s) : patience_s_(patience_s), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wakes_.notify_one();
  thread_.join();
}

void Watchdog::set_name(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
}

void Watchdog::set_alarm(std::function<std::string()> failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
}

Watchdog::Wait::Wait(Watchdog& watchdog, std::string what) : watchdog_(watchdog) {
  const std::lock_guard lock(watchdog.mutex_);
  is_outermost_ = !watchdog.since_;
  if (!is_outermost_) return;
  watchdog.waits_for_ = std::move(what);
  watchdog.since_ = Clock::now();
}

Watchdog::Wait::~Wait() {
  if (!is_outermost_) return;
  const std::lock_guard lock(watchdog_.mutex_);
  watchdog_.since_.reset();
}

std::string Watchdog::trouble() {
  if (failure_) {
    if (std::string failed = failure_(); !failed.empty()) return failed;
  }
  if (!since_ || std::chrono::duration<double>(Clock::now() - *since_).count() < patience_s_) {
    return "";
  }
  return fmt::format(
      "waited for {:g} s for {}: another rank has ended, hangs, or needs longer (--patience)",
      patience_s_, waits_for_);
}

void Watchdog::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    wakes_.wait_for(lock, std::chrono::milliseconds(100));
    if (ends_) return;
    const std::string found = trouble();
    if (found.empty()) continue;
    fmt::print(stderr, "many_gpus: {}: {}\n", name_, found);
    std::fflush(stderr);
    std::_Exit(kLeftAlone);
  }
}

}  // namespace ladder::many_gpus
