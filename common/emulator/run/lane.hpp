// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/lane.hpp
/// \brief One CUDA thread, and one warp, as the scheduler sees them.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <source_location>
#include <utility>

#include "common/emulator/run/async_state.hpp"
#include "common/emulator/words/thread_context.hpp"
#include "common/emulator/words/warp_functions.hpp"

namespace ladder::emulator {

/// \brief A fiber that can be given up. Boost unwinds a fiber when its handle is destroyed; a
///        thread that crashed cannot be unwound, so this handle is never destroyed.
class FiberHandle {
 public:
  FiberHandle() { forget(); }
  FiberHandle(const FiberHandle&) = delete;
  FiberHandle& operator=(const FiberHandle&) = delete;

  boost::context::fiber& get() noexcept {
    return *std::launder(reinterpret_cast<boost::context::fiber*>(storage_));
  }

  /// Gives the fiber up where it stands.
  void forget() noexcept { ::new (static_cast<void*>(storage_)) boost::context::fiber(); }

 private:
  alignas(boost::context::fiber) std::byte storage_[sizeof(boost::context::fiber)];
};

struct WarpCall;

/// What a thread waits for beside barriers of the whole block and warp functions.
enum class WaitKind : std::uint8_t { kMbarrier, kNamedBarrier, kClusterBarrier, kFlag };

struct LaneWait {
  WaitKind kind = WaitKind::kMbarrier;
  const void* object = nullptr;  ///< the barrier's state, or the flag
  unsigned value = 0;            ///< parity, number of the barrier, or what the flag held
};

/// One CUDA thread.
struct Lane {
  FiberHandle fiber;               ///< where it goes on; empty while it runs
  PackedIndex index = 0;           ///< threadIdx
  unsigned number = 0;             ///< within the block
  unsigned steps = 0;              ///< atomics since it last stepped aside
  unsigned answer = 0;             ///< of __activemask
  const WarpCall* call = nullptr;  ///< the warp function it waits in
  std::source_location where;      ///< the line it waits at
  LaneWait wait;                   ///< what for, where its warp counts it as waiting
  const unsigned* flag = nullptr;  ///< that it read last, ...
  unsigned flag_value = 0;         ///< ... what it found there, ...
  unsigned polls = 0;              ///< ... and how often in a row
  std::size_t register_calls = 0;  ///< of setmaxnreg
  CopyQueue copies;                ///< its cp.async
};

/// The threads of one warp, a bit for each; every thread that exists is in one of the other sets.
struct WarpState {
  unsigned exists = 0;
  unsigned ready = 0;
  unsigned at_barrier = 0;
  unsigned in_call = 0;   ///< wait in a warp function
  unsigned at_line = 0;   ///< wait in __activemask
  unsigned log_full = 0;  ///< wait until their accesses are looked at
  unsigned waiting = 0;   ///< see Lane::wait
  unsigned finished = 0;
};

}  // namespace ladder::emulator
