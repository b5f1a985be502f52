// SPDX-License-Identifier: MIT
#include "common/emulator/run/workspace.hpp"

#include <sys/mman.h>

#include <new>
#include <stdexcept>
#include <string>

namespace ladder::emulator {

std::span<std::byte> whole_workspace() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  // Pages that nobody touches take no memory.
  static void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<std::byte*>(memory), kBytes};
}

void* workspace(std::size_t bytes) {
  const std::span<std::byte> whole = whole_workspace();
  if (bytes > whole.size()) {
    throw std::invalid_argument("workspace: " + std::to_string(bytes) + " bytes asked for, " +
                                std::to_string(whole.size()) + " are the most");
  }
  return whole.data();
}

}  // namespace ladder::emulator
