// SPDX-License-Identifier: MIT
/// \file  emulator/trace/access_samples.hpp
/// \brief Does a kernel access memory that no hook was told of? g++ tells of loads, stores and
///        atomics; not of an object behind `...`, not of what a function of the C library reads.
///
/// From time to time, and now and then as a thread begins to run, the arrays and shared memory are
/// closed: a busy machine has no time for the clock's samples. The next access, whatever
/// instruction makes it, is a fault of the page: if the thread has not announced it, nobody counts
/// it. The instruction then runs by itself, with everything open, and all is closed again for the
/// next few accesses: most of the time passes in the hooks of counted ones, so the first access
/// of a sample is hardly ever another. Then everything is open until the next sample.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "emulator/run/debug_info/shared_object.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::emulator {

struct GridPlan;

/// \brief Samples the accesses of the grids that run while it exists. One at a time.
class AccessSamples {
 public:
  /// \param  arrays  in global memory; of each, whole pages are watched
  explicit AccessSamples(const std::vector<TracedArray>& arrays);
  ~AccessSamples();
  AccessSamples(const AccessSamples&) = delete;
  AccessSamples& operator=(const AccessSamples&) = delete;

  /// Blocks of this grid run from now on; not before the last grid's have ended.
  void start_grid(const GridPlan& plan);
  /// A CPU thread has its blocks' shared memory here.
  void watch(std::span<const std::byte> shared);
  /// A thread of a block runs from here on.
  void enter() noexcept;
  void end_grid();

  /// Instructions that have accessed what they had not announced, each once.
  std::vector<std::uintptr_t> uncounted() const;

 private:
  struct Pages {
    std::byte* begin;
    std::size_t bytes;
  };
  static constexpr std::size_t kMostPages = 128;
  static constexpr std::size_t kMostInstructions = 64;

  static bool filter(int signal, const siginfo_t& info, ucontext_t& context) noexcept;
  bool take_access(const siginfo_t& info, ucontext_t& context) noexcept;
  bool take_step(ucontext_t& context) noexcept;
  void look_at(std::uintptr_t address, const ucontext_t& context) noexcept;
  void keep(std::uintptr_t instruction) noexcept;
  void add(const std::byte* begin, std::size_t bytes);
  void protect(int protection) const noexcept;
  bool holds(const void* address) const noexcept;
  void close(int accesses) noexcept;
  void close_now_and_then();

  CodeRanges emulator_;
  CodeRanges kernel_;
  std::array<Pages, kMostPages> pages_ = {};
  std::atomic<std::size_t> count_ = 0;  ///< of pages_
  std::array<std::uintptr_t, kMostInstructions> uncounted_ = {};
  std::atomic<std::size_t> found_ = 0;      ///< of uncounted_
  std::atomic<bool> runs_ = false;          ///< a grid does
  std::atomic<bool> closes_ = false;        ///< the sampling thread is at it
  std::atomic<bool> closed_ = false;        ///< a sample has begun and not ended
  std::atomic<int> left_ = 0;               ///< accesses of the sample that are still to come
  std::atomic<std::int64_t> began_ = 0;     ///< the sample, by the clock
  std::atomic<std::int64_t> took_ = 0;      ///< the last one
  std::atomic<std::uint64_t> entries_ = 0;  ///< of threads
  std::atomic<std::uint64_t> next_ = 1;     ///< entry that a sample begins with
  std::atomic<bool> is_over_ = false;
  std::thread sampler_;
};

/// The running thread is about to access a range of which its log may hold only the end.
void announce_range(const volatile void* address, std::size_t bytes) noexcept;

}  // namespace ladder::emulator
