// SPDX-License-Identifier: MIT
#include "common/emulator/fiber_stacks.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace ladder::emulator {
namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kStrideBytes = kGuardBytes + FiberStacks::kStackBytes;

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
}

void FiberStacks::prepare(std::size_t count) {
  for (; prepared_ < count; ++prepared_) {
    std::byte* const bottom = memory_ + prepared_ * kStrideBytes + kGuardBytes;
    if (mprotect(bottom, kStackBytes, PROT_READ | PROT_WRITE) != 0) {
      throw std::system_error(errno, std::generic_category(),
                              "the emulator may not map more stacks; set LADDER_CPU_THREADS lower");
    }
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

bool FiberStacks::contains(std::uintptr_t address) const {
  const auto first = reinterpret_cast<std::uintptr_t>(memory_);
  return address - first < kMaxStacks * kStrideBytes;
}

const std::byte* FiberStacks::end(std::size_t index) const {
  return memory_ + (index + 1) * kStrideBytes;
}

}  // namespace ladder::emulator
