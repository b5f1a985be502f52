// SPDX-License-Identifier: MIT
#include "emulator/run/block/fiber_stacks.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <system_error>

namespace ladder::emulator {
namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kStrideBytes = kGuardBytes + FiberStacks::kStackBytes;

// Each stack and each guard page is a mapping; Linux allows 65,530.
constexpr std::size_t kMostStacks = 30000;  // with a guard page

std::atomic<std::size_t> stacks_of_all = 0;

void make_usable(std::byte* memory, std::size_t bytes) {
  if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "the emulator may not map more stacks; set LADDER_CPU_THREADS lower");
  }
}

}  // namespace

FiberStacks::FiberStacks() {
  void* const memory = mmap(nullptr, kMaxStacks * kStrideBytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(),
                            "the emulator finds no room for its threads' stacks");
  }
  memory_ = static_cast<std::byte*>(memory);
}

FiberStacks::~FiberStacks() {
  munmap(memory_, kMaxStacks * kStrideBytes);
  stacks_of_all -= prepared_;
}

void FiberStacks::prepare(std::size_t count) {
  if (prepared_ >= count) return;
  const std::size_t more = count - prepared_;
  // Other CPU threads prepare theirs at the same time.
  if (stacks_of_all.fetch_add(more) + more > kMostStacks) {
    stacks_of_all -= more;
    make_usable(memory_, count * kStrideBytes);
    return;
  }
  try {
    for (; prepared_ < count; ++prepared_)
      make_usable(memory_ + prepared_ * kStrideBytes + kGuardBytes, kStackBytes);
  } catch (const std::system_error&) {
    stacks_of_all -= count - prepared_;
    throw;
  }
}

boost::context::stack_context FiberStacks::stack(std::size_t index) const {
  boost::context::stack_context stack;
  stack.size = kStackBytes;
  stack.sp = memory_ + (index + 1) * kStrideBytes;  // stacks grow downwards
  return stack;
}

bool FiberStacks::in_guard(std::size_t index, const void* address) const {
  const auto* const guard = memory_ + index * kStrideBytes;
  return address >= guard && address < guard + kGuardBytes;
}

bool FiberStacks::holds(std::size_t index, std::uintptr_t address) const {
  return reinterpret_cast<std::uintptr_t>(end(index)) - address - 1 < kStackBytes;
}

bool FiberStacks::is_beyond(std::size_t index, const void* address) const {
  return address >= end(index) && contains(reinterpret_cast<std::uintptr_t>(address));
}

bool FiberStacks::contains(std::uintptr_t address) const {
  const auto first = reinterpret_cast<std::uintptr_t>(memory_);
  return address - first < kMaxStacks * kStrideBytes;
}

const std::byte* FiberStacks::end(std::size_t index) const {
  return memory_ + (index + 1) * kStrideBytes;
}

}  // namespace ladder::emulator
