// SPDX-License-Identifier: MIT
#include "emulator/trace/access_samples.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <random>

#include "emulator/run/block/faults.hpp"
#include "emulator/run/grid_plan.hpp"
#include "emulator/trace/access_log.hpp"

namespace ladder::emulator {
namespace {

constexpr std::uintptr_t kPageBytes = 4096;

/// Between two samples, and the accesses of one: a grid of a second has some ten thousand. The
/// larger the arrays, the longer a sample takes, and twice as long comes no other. On a busy
/// machine it may seem to take very long.
constexpr int kLeastMicroseconds = 300;
constexpr int kMostMicroseconds = 1200;
constexpr int kAccesses = 16;
constexpr int kRest = 2;

/// From one sample of an entering thread to the next, the entries grow by about this factor: the
/// first thousand entries have some fifty samples, and ten times as many only 25 more. Most of
/// these samples are of one access or two, because each costs a walk through all pages.
constexpr double kGrowth = 1.1;
constexpr double kLastAccess = 0.5;

/// Of the flags of an x86 CPU: run one instruction, then send SIGTRAP.
constexpr greg_t kSingleStep = 0x100;

/// Of the stack, in which the call of a library function is looked for.
constexpr std::size_t kWordsOfStack = 512;

using Clock = std::chrono::steady_clock;
constexpr Clock::duration kLongest = std::chrono::milliseconds(10);

Clock::rep now() noexcept {
  return Clock::now().time_since_epoch().count();
}

std::atomic<AccessSamples*> samples = nullptr;
std::mutex of_pages;

struct Range {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};
/// The last ranges that a thread of this CPU thread has announced.
constinit thread_local std::array<Range, 2> ranges = {};

/// Has the running thread announced this byte?
bool is_announced(std::uintptr_t address) noexcept {
  for (const Range& range : ranges) {
    if (address - range.begin < range.bytes) return true;
  }
  const AccessCursor& cursor = access_cursor;
  if (!cursor.is_active()) return true;
  for (const std::byte* row = cursor.next; row != cursor.first;) {
    row -= sizeof(WarpLog::Row);
    const auto begin = *reinterpret_cast<const std::uint64_t*>(row);
    const auto code = *reinterpret_cast<const AccessCode*>(row + cursor.to_code);
    if (address - begin < bytes_of(code)) return true;
  }
  return false;
}

}  // namespace

void announce_range(const volatile void* address, std::size_t bytes) noexcept {
  ranges[1] = ranges[0];
  ranges[0] = {reinterpret_cast<std::uintptr_t>(address), bytes};
}

AccessSamples::AccessSamples(const std::vector<TracedArray>& arrays)
    : emulator_(reinterpret_cast<const void*>(&announce_range)) {
  for (const TracedArray& array : arrays)
    add(static_cast<const std::byte*>(array.data), array.bytes);
  samples = this;
  set_fault_filter(&AccessSamples::filter);
  sampler_ = std::thread([this] { close_now_and_then(); });
}

AccessSamples::~AccessSamples() {
  end_grid();
  is_over_ = true;
  sampler_.join();
  set_fault_filter(nullptr);
  samples = nullptr;
}

void AccessSamples::start_grid(const GridPlan& plan) {
  kernel_ = plan.code;
  runs_ = true;
}

void AccessSamples::watch(std::span<const std::byte> shared) {
  add(shared.data(), shared.size());
}

void AccessSamples::enter() noexcept {
  const std::uint64_t entry = ++entries_;
  std::uint64_t next = next_;
  if (entry < next) return;
  thread_local std::minstd_rand random(std::random_device{}());
  std::uniform_real_distribution<double> part(0, 1);
  const double growth = 1 + 2 * part(random) * (kGrowth - 1);
  const auto after = static_cast<std::uint64_t>(static_cast<double>(entry) * growth) + 1;
  if (!next_.compare_exchange_strong(next, after)) return;
  close(1 + std::geometric_distribution<int>(kLastAccess)(random));
}

void AccessSamples::end_grid() {
  runs_ = false;
  while (closes_)
    std::this_thread::yield();
  protect(PROT_READ | PROT_WRITE);
  closed_ = false;  // of a sample that nothing has ended
}

std::vector<std::uintptr_t> AccessSamples::uncounted() const {
  return {uncounted_.begin(), uncounted_.begin() + static_cast<std::ptrdiff_t>(found_)};
}

/// Whole pages: in the others there may be anything.
void AccessSamples::add(const std::byte* begin, std::size_t bytes) {
  const auto from = (reinterpret_cast<std::uintptr_t>(begin) + kPageBytes - 1) & ~(kPageBytes - 1);
  const auto to = (reinterpret_cast<std::uintptr_t>(begin) + bytes) & ~(kPageBytes - 1);
  const std::lock_guard lock(of_pages);
  if (from >= to || count_ == kMostPages || holds(reinterpret_cast<const void*>(from))) return;
  pages_[count_] = {reinterpret_cast<std::byte*>(from), to - from};
  ++count_;
}

void AccessSamples::protect(int protection) const noexcept {
  for (std::size_t i = 0; i < count_; ++i)
    mprotect(pages_[i].begin, pages_[i].bytes, protection);
}

bool AccessSamples::holds(const void* address) const noexcept {
  return std::any_of(pages_.begin(), pages_.begin() + count_, [&](const Pages& pages) {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - pages.begin) <
           pages.bytes;
  });
}

void AccessSamples::close(int accesses) noexcept {
  if (!runs_ || closed_.exchange(true)) return;
  left_ = accesses;
  began_ = now();
  protect(PROT_NONE);
}

void AccessSamples::close_now_and_then() {
  std::minstd_rand random(std::random_device{}());
  std::uniform_int_distribution<int> pause(kLeastMicroseconds, kMostMicroseconds);
  while (!is_over_) {
    std::this_thread::sleep_for(std::max<Clock::duration>(std::chrono::microseconds(pause(random)),
                                                          kRest * Clock::duration(took_)));
    closes_ = true;
    close(kAccesses);
    closes_ = false;
  }
}

bool AccessSamples::filter(int signal, const siginfo_t& info, ucontext_t& context) noexcept {
  AccessSamples* const active = samples;
  if (active == nullptr) return false;
  return signal == SIGTRAP ? active->take_step(context) : active->take_access(info, context);
}

bool AccessSamples::take_access(const siginfo_t& info, ucontext_t& context) noexcept {
  const auto instruction = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (info.si_code != SEGV_ACCERR || address == instruction || !holds(info.si_addr)) return false;
  protect(PROT_READ | PROT_WRITE);
  look_at(address, context);
  if (--left_ > 0) {
    context.uc_mcontext.gregs[REG_EFL] |= kSingleStep;
  } else {
    took_ = std::min<Clock::rep>(now() - began_, kLongest.count());
    closed_ = false;
  }
  return true;
}

/// The instruction that was let through has run.
bool AccessSamples::take_step(ucontext_t& context) noexcept {
  greg_t& flags = context.uc_mcontext.gregs[REG_EFL];
  if ((flags & kSingleStep) == 0) return false;
  flags &= ~kSingleStep;
  protect(PROT_NONE);
  return true;
}

/// What the emulator accesses for a kernel, it counts itself. What a library function accesses that
/// the kernel calls, nobody has counted.
void AccessSamples::look_at(std::uintptr_t address, const ucontext_t& context) noexcept {
  const auto instruction = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  if (kernel_.contains(instruction)) {
    if (!is_announced(address)) keep(instruction);
    return;
  }
  const auto* const stack =
      reinterpret_cast<const std::uintptr_t*>(context.uc_mcontext.gregs[REG_RSP]);
  if (emulator_.contains(instruction) || emulator_.contains(*stack) || is_announced(address))
    return;
  for (std::size_t i = 0; i < kWordsOfStack; ++i) {
    if (!kernel_.contains(stack[i])) continue;
    keep(stack[i] - 1);
    return;
  }
}

void AccessSamples::keep(std::uintptr_t instruction) noexcept {
  const std::size_t found = found_;
  const auto end = uncounted_.begin() + found;
  if (found == kMostInstructions || std::find(uncounted_.begin(), end, instruction) != end) return;
  uncounted_[found] = instruction;
  found_ = found + 1;
}

}  // namespace ladder::emulator
