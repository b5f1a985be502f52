// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/hang_watch.hpp
/// \brief Ends blocks that run without progress.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "emulator/run/settings.hpp"
#include "emulator/run/waits/watched.hpp"

namespace ladder::emulator {

/// \brief Progress is a thread that leaves the kernel, or a barrier that all pass. A block without
///        either may still be a long one: as long as a trace sees it access what it has not
///        accessed before, it goes on.
///
/// A thread that looks at the CPU threads of a grid every now and then. It counts the CPU time that
/// they got, so a kernel does not seem to hang in a debugger. On a busy computer less of it is
/// enough, after a little more than the limit by the clock.
class HangWatch {
 public:
  /// A CPU thread that runs blocks.
  struct Target {
    pthread_t thread = {};
    const std::atomic<pid_t>* id = nullptr;  ///< to the system; 0: it has not begun
    Watched* watched = nullptr;
    std::uint64_t seen_progress = 0;  ///< when it was last looked at
    Seconds seen_at = {};             ///< its CPU time then
    std::uint64_t seen_news = 0;      ///< when it last made progress, or accessed something new
    Seconds news_at = {};             ///< its CPU time then
    std::chrono::steady_clock::time_point news_seen = {};  ///< and the time of day
  };

  /// Watches these from now on, until rest().
  /// \param sees_accesses  their observers tell of accesses to new places
  void start(std::vector<Target> targets, Seconds limit, bool sees_accesses);
  void rest();

 private:
  void run();
  void look_at(Target& target);
  bool all_spin() const;

  std::mutex mutex_;
  std::condition_variable wakes_;
  bool is_started_ = false;
  std::vector<Target> targets_;  ///< none: it rests
  Seconds limit_ = {};
  bool sees_accesses_ = false;
};

}  // namespace ladder::emulator
