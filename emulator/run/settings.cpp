// SPDX-License-Identifier: MIT
#include "emulator/run/settings.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace ladder::emulator {
namespace {

constexpr double kDefaultHangSeconds = 10;
constexpr unsigned kMaxCpuThreads = 24;
constexpr int kDefaultMultiprocessors = 8;
constexpr int kMaxMultiprocessors = 1024;
constexpr int kMaxSharedBytesPerBlock = 227 * 1024;  // as SharedMemory has

/// A positive number from the environment, or `otherwise` where there is none.
double number_from_environment(const char* name, double otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (*end != '\0' || !(value > 0) || !std::isfinite(value)) {
    throw std::invalid_argument(std::string(name) + "=" + text + " is not a positive number");
  }
  return value;
}

unsigned cpus_of_this_process() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

std::atomic<double>& hang_seconds() {
  static std::atomic<double> seconds =
      number_from_environment("LADDER_HANG_SECONDS", kDefaultHangSeconds);
  return seconds;
}

std::atomic<unsigned>& cpu_thread_count() {
  static std::atomic<unsigned> count = [] {
    const double wanted = number_from_environment("LADDER_CPU_THREADS", cpus_of_this_process());
    return static_cast<unsigned>(std::clamp(wanted, 1.0, double{kMaxCpuThreads}));
  }();
  return count;
}

/// Does the environment have `other`? False if it has `usual`, or nothing.
bool environment_says(const char* name, const std::string& other, const std::string& usual) {
  const char* const text = std::getenv(name);
  const std::string wanted = text == nullptr ? "" : text;
  if (!wanted.empty() && wanted != other && wanted != usual) {
    throw std::invalid_argument(std::string(name) + "=" + wanted + " is neither " + usual +
                                " nor " + other);
  }
  return wanted == other;
}

std::atomic<CopyArrival>& arrival_of_copies() {
  static std::atomic<CopyArrival> arrival = environment_says("LADDER_COPY_ARRIVAL", "early", "late")
                                                ? CopyArrival::kEarly
                                                : CopyArrival::kLate;
  return arrival;
}

std::atomic<BlockOrder>& order_of_blocks() {
  static std::atomic<BlockOrder> order =
      environment_says("LADDER_BLOCK_ORDER", "descending", "ascending") ? BlockOrder::kDescending
                                                                        : BlockOrder::kAscending;
  return order;
}

std::atomic<ThreadTurns>& turns_of_threads() {
  static std::atomic<ThreadTurns> turns = environment_says("LADDER_THREAD_TURNS", "lanes", "warps")
                                              ? ThreadTurns::kLaneByLane
                                              : ThreadTurns::kWarpByWarp;
  return turns;
}

std::atomic<int> most_shared_bytes = kMaxSharedBytesPerBlock;

std::atomic<int>& multiprocessor_count() {
  static std::atomic<int> count = [] {
    const double wanted =
        number_from_environment("LADDER_MULTIPROCESSORS", kDefaultMultiprocessors);
    return static_cast<int>(std::clamp(wanted, 1.0, double{kMaxMultiprocessors}));
  }();
  return count;
}

}  // namespace

void set_hang_limit(Seconds limit) {
  if (!(limit.count() > 0) || !std::isfinite(limit.count())) {
    throw std::invalid_argument("the hang limit must be a positive number of seconds");
  }
  hang_seconds() = limit.count();
}

Seconds hang_limit() {
  return Seconds(hang_seconds());
}

void set_cpu_threads(unsigned count) {
  if (count < 1 || count > kMaxCpuThreads) {
    throw std::invalid_argument("the number of CPU threads must be 1 to " +
                                std::to_string(kMaxCpuThreads));
  }
  cpu_thread_count() = count;
}

unsigned cpu_threads() {
  return cpu_thread_count();
}

void set_copy_arrival(CopyArrival arrival) {
  arrival_of_copies() = arrival;
}

CopyArrival copy_arrival() {
  return arrival_of_copies();
}

void set_block_order(BlockOrder order) {
  order_of_blocks() = order;
}

BlockOrder block_order() {
  return order_of_blocks();
}

void set_thread_turns(ThreadTurns turns) {
  turns_of_threads() = turns;
}

ThreadTurns thread_turns() {
  return turns_of_threads();
}

void set_multiprocessors(int count) {
  if (count < 1 || count > kMaxMultiprocessors) {
    throw std::invalid_argument("the number of multiprocessors must be 1 to " +
                                std::to_string(kMaxMultiprocessors));
  }
  multiprocessor_count() = count;
}

int multiprocessors() {
  return multiprocessor_count();
}

void set_shared_bytes_per_block(int bytes) {
  if (bytes < 1 || bytes > kMaxSharedBytesPerBlock) {
    throw std::invalid_argument("the shared memory of a block must be 1 to " +
                                std::to_string(kMaxSharedBytesPerBlock) + " bytes");
  }
  most_shared_bytes = bytes;
}

int shared_bytes_per_block() {
  return most_shared_bytes;
}

}  // namespace ladder::emulator
