// SPDX-License-Identifier: MIT
/// \file  common/terminal/progress.hpp
/// \brief One line on the terminal while work takes longer than two seconds.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace ladder {

/// Draws on standard error, and only when that is a terminal.
class Progress {
 public:
  /// \param done  share of the work, 0..1
  void show(const std::string& phase, double done) {
    using namespace std::chrono_literals;
    const auto now = Clock::now();
    if (!terminal_ || now - start_ < 2s || now - drawn_ < 100ms) return;
    drawn_ = now;
    visible_ = true;
    fmt::print(stderr, "\r\033[K{:3.0f} %  {}", 100 * done, phase);
    std::fflush(stderr);
  }

  void clear() {
    if (visible_) fmt::print(stderr, "\r\033[K");
    visible_ = false;
  }

  ~Progress() { clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool visible_ = false;
};

}  // namespace ladder
