// SPDX-License-Identifier: MIT
/// \file  ladder/program/many_gpus/watchdog.hpp
/// \brief Ends this process when it has waited for another rank for too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace ladder::many_gpus {

/// The exit code of a rank that another one has left alone.
inline constexpr int kLeftAlone = 3;

/// \brief A thread that looks, some ten times a second, whether what this process waits for is late
///        or has failed. It says so and ends the process: a rank that waits in a collective or on a
///        GPU cannot. mpirun then ends the others.
class Watchdog {
 public:
  explicit Watchdog(double patience_s);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// What to print in front of the sentence, "rank 1".
  void set_name(std::string name);
  /// \param failure  asked again and again; empty while all is well, else what has failed
  void set_alarm(std::function<std::string()> failure);

  /// While it lives, the process waits for other ranks.
  class Wait {
   public:
    /// \param what  completes the sentence "waited for 20 s for ..."
    Wait(Watchdog& watchdog, std::string what);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    Watchdog& watchdog_;
    bool is_outermost_;
  };

 private:
  void run();
  /// Empty while all is well.
  std::string trouble();

  using Clock = std::chrono::steady_clock;
  double patience_s_;
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool ends_ = false;
  std::string name_ = "a rank";
  std::function<std::string()> failure_;
  std::string waits_for_;
  std::optional<Clock::time_point> since_;
  std::thread thread_;
};

}  // namespace ladder::many_gpus
