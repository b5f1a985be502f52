// SPDX-License-Identifier: MIT
#include "glassbox/runtime/device_clock.hpp"

#include <chrono>
#include <ctime>

#include "emulator/run/block/block_runner.hpp"
#include "glassbox/runtime/orders.hpp"

long long clock64() {
  return static_cast<long long>(__globaltimer()) * ladder::glassbox::card().sm_clock_mhz / 1000;
}

unsigned long long __globaltimer() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// In a kernel that of the SM, elsewhere the C library's.
extern "C" std::clock_t clock() noexcept {
  if (ladder::emulator::BlockRunner::of_this_cpu_thread() != nullptr) return clock64();
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * CLOCKS_PER_SEC + time.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}
