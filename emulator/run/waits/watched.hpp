// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/watched.hpp
/// \brief What the watch sees of a CPU thread that runs blocks, and what it can ask of it.
#pragma once

#include <atomic>
#include <cstdint>

namespace ladder::emulator {

/// \brief Progress of one CPU thread. It writes; the watch reads and asks.
class Watched {
 public:
  /// Called whenever a block starts, a thread finishes or a barrier lets threads pass. Only the
  /// watched CPU thread writes the counter, so it needs no atomic addition.
  void note_progress() noexcept {
    progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// Likewise, whenever threads accessed what none had accessed since the watch began to doubt.
  void note_news() noexcept {
    news_.store(news_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::uint64_t news() const noexcept { return news_.load(std::memory_order_relaxed); }

  /// The watch has seen no progress for a while: accesses to new places would be some.
  void set_doubted(bool doubted) noexcept { doubted_.store(doubted, std::memory_order_relaxed); }
  bool is_doubted() const noexcept { return doubted_.load(std::memory_order_relaxed); }

  /// Grows with progress. Never 0 while a block runs.
  std::uint64_t progress() const noexcept { return progress_.load(std::memory_order_relaxed); }

  /// Asks the running thread to give up, unless progress() has gone beyond `progress` by then: at
  /// once where it executes the kernel's own code, and wherever it is when `anywhere` is set.
  void ask_to_stop(std::uint64_t progress, bool anywhere) noexcept {
    stop_anywhere_.store(anywhere, std::memory_order_relaxed);
    stop_at_.store(progress, std::memory_order_relaxed);
  }

  bool asked_to_stop() const noexcept {
    return stop_at_.load(std::memory_order_relaxed) == progress();
  }

  bool may_stop_anywhere() const noexcept { return stop_anywhere_.load(std::memory_order_relaxed); }

  /// Its blocks only spin: they may be waiting for another CPU thread's work.
  void set_spinning(bool spinning) noexcept {
    spinning_.store(spinning, std::memory_order_relaxed);
  }
  bool is_spinning() const noexcept { return spinning_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> progress_ = 0;
  std::atomic<std::uint64_t> news_ = 0;
  std::atomic<bool> doubted_ = false;
  std::atomic<std::uint64_t> stop_at_ = 0;  ///< the progress at which a thread must give up
  std::atomic<bool> stop_anywhere_ = false;
  std::atomic<bool> spinning_ = false;
};

}  // namespace ladder::emulator
