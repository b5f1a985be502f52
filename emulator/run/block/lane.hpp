// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/lane.hpp
/// \brief One CUDA thread, and one warp, as the scheduler sees them.
#pragma once

#include <array>
#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <source_location>
#include <string>
#include <utility>

#include "emulator/words/thread_context.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

/// \brief A fiber that can be abandoned. Boost unwinds a fiber when its handle is destroyed; a
///        thread that crashed cannot be unwound, so this handle is never destroyed.
class FiberHandle {
 public:
  FiberHandle() { forget(); }
  FiberHandle(const FiberHandle&) = delete;
  FiberHandle& operator=(const FiberHandle&) = delete;

  boost::context::fiber& get() noexcept {
    return *std::launder(reinterpret_cast<boost::context::fiber*>(storage_));
  }

  /// Abandons the fiber where it is.
  void forget() noexcept { ::new (static_cast<void*>(storage_)) boost::context::fiber(); }

 private:
  alignas(boost::context::fiber) std::byte storage_[sizeof(boost::context::fiber)];
};

/// Threads of a block, one bit for each.
using ThreadSet = std::array<std::uint32_t, 32>;

/// What threads wait for, other than barriers of the whole block and warp functions.
class Awaited {
 public:
  virtual WaitKind kind() const = 0;
  /// \brief What is missing, as ThreadGroup::missing has it.
  /// \param value  what a thread gave to BlockScheduler::wait_for()
  virtual Fields missing(unsigned value) const = 0;

 protected:
  ~Awaited() = default;
};

struct LaneWait {
  const Awaited* object = nullptr;
  unsigned value = 0;  ///< parity, number of the barrier, or what the flag held
};

/// One CUDA thread.
struct Lane {
  FiberHandle fiber;               ///< where it will go on; empty while it runs
  PackedIndex index = 0;           ///< threadIdx
  unsigned number = 0;             ///< within the block
  unsigned stack = 0;              ///< which of the room's stacks it has
  bool has_begun = false;          ///< it is in the kernel
  unsigned steps = 0;              ///< atomics since it last stepped aside
  unsigned answer = 0;             ///< of __activemask
  const WarpCall* call = nullptr;  ///< the warp function it waits in
  std::source_location where;      ///< the line it waits at
  LaneWait wait;                   ///< what it waits for, if it is in its warp's `waiting`

  unsigned bit() const noexcept { return 1u << number % 32; }  ///< in the sets of its warp
};

/// The threads of one warp, one bit for each; every existing thread is in one of the other sets.
struct WarpState {
  unsigned exists = 0;
  unsigned ready = 0;
  unsigned at_barrier = 0;
  unsigned in_call = 0;  ///< wait in a warp function
  unsigned at_line = 0;  ///< wait in __activemask
  unsigned to_look = 0;  ///< wait until the observer has looked at the warp
  unsigned waiting = 0;  ///< see Lane::wait
  unsigned finished = 0;
};

}  // namespace ladder::emulator
