// SPDX-License-Identifier: MIT
/// \file  emulator/trace/global_polls.hpp
/// \brief Where threads look at one place of global memory again and again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "emulator/trace/access_log.hpp"

namespace ladder::emulator {

/// \brief The instructions of a grid that poll: a thread loads as volatile, or updates atomically
///        without changing it, what it has looked at just before.
class GlobalPolls {
 public:
  void start_grid() { instructions_.clear(); }
  void start_block() {
    if (used_) last_.fill({});
    used_ = false;
  }

  /// \param next  where the thread's next access will be logged: tells whether it does anything
  ///              else
  void look(unsigned thread, const void* address, std::uintptr_t instruction,
            const std::byte* next) {
    std::uint32_t value = 0;
    std::memcpy(&value, address, sizeof value);
    Look& last = last_[thread];
    const bool again =
        last.address == address && last.value == value && next == last.next + sizeof(WarpLog::Row);
    last = {address, next, value};
    used_ = true;
    if (again && std::ranges::find(instructions_, instruction) == instructions_.end())
      instructions_.push_back(instruction);
  }

  const std::vector<std::uintptr_t>& instructions() const { return instructions_; }

 private:
  struct Look {
    const void* address = nullptr;
    const std::byte* next = nullptr;
    std::uint32_t value = 0;
  };

  bool used_ = false;
  std::array<Look, 1024> last_ = {};  ///< by thread
  std::vector<std::uintptr_t> instructions_;
};

}  // namespace ladder::emulator
