// SPDX-License-Identifier: MIT
#include "emulator/run/workspace.hpp"

#include <sys/mman.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>

namespace ladder::emulator {
namespace {

std::atomic<std::size_t> in_use = 0;

}  // namespace

std::span<std::byte> whole_workspace() {
  constexpr std::size_t kBytes = std::size_t{512} << 20;
  // A tracer counts what lies close to shared memory as an access to it that missed: stay away.
  constexpr std::size_t kGuardBytes = std::size_t{1} << 20;
  // Pages that are never touched take no memory.
  static std::byte* const memory = [] {
    void* const all =
        mmap(nullptr, kBytes + 2 * kGuardBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    std::byte* const middle = static_cast<std::byte*>(all) + kGuardBytes;
    if (mprotect(middle, kBytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    return middle;
  }();
  return {memory, kBytes};
}

void* workspace(std::size_t bytes) {
  const std::span<std::byte> whole = whole_workspace();
  if (bytes > whole.size()) {
    throw std::invalid_argument("workspace: " + std::to_string(bytes) + " bytes asked for, " +
                                std::to_string(whole.size()) + " are the most");
  }
  std::size_t before = in_use;
  while (before < bytes && !in_use.compare_exchange_weak(before, bytes)) {
  }
  return whole.data();
}

void clear_workspace() {
  const std::span<std::byte> all = whole_workspace();
  if (madvise(all.data(), all.size(), MADV_REMOVE) != 0) {  // of shared memory only
    madvise(all.data(), all.size(), MADV_DONTNEED);
  }
}

std::size_t workspace_in_use() {
  return in_use;
}

}  // namespace ladder::emulator
