// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/last_poll.hpp
/// \brief What a loop without an end looks at: whoever would change that could end it.
#pragma once

namespace ladder::emulator {

/// The address that the threads of this CPU thread have last loaded as volatile, or updated
/// atomically, and how often in a row.
class LastPoll {
 public:
  void look(const void* address) {
    times_ = address == address_ ? times_ + 1 : 1;
    address_ = address;
  }

  /// Null if no loop looks at one address alone.
  const void* address() const {
    constexpr unsigned kTimesOfALoop = 1000;
    return times_ < kTimesOfALoop ? nullptr : address_;
  }

 private:
  const void* address_ = nullptr;
  unsigned times_ = 0;
};

inline constinit thread_local LastPoll last_poll;

}  // namespace ladder::emulator
