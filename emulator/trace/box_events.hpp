// SPDX-License-Identifier: MIT
/// \file  emulator/trace/box_events.hpp
/// \brief What the tensor memory accelerator does to shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/trace/event_order.hpp"
#include "emulator/trace/shared_requests.hpp"
#include "emulator/trace/shared_shadow.hpp"
#include "emulator/trace/tracer_state.hpp"
#include "emulator/trace/warp_clocks.hpp"

namespace ladder::emulator {

/// \brief The boxes of a block that have not landed.
class BoxEvents {
 public:
  BoxEvents(const TracerState& state, WarpClocks& clocks, SharedShadow& shadow,
            SharedRequests& requests, EventOrder& order)
      : state_(state), clocks_(clocks), shadow_(shadow), requests_(requests), order_(order) {}

  void start_block() {
    boxes_.clear();
    stores_read_ = {};
  }

  /// Tells the shadow, word by word.
  void start(const BoxCopy& box, const void* shared, unsigned bytes, const void* barrier);
  void land(const void* shared, unsigned bytes, const void* barrier);

  /// A thread asks to copy pieces of 16 bytes to global memory, and later it knows that they have
  /// been read.
  void start_store(AccessCode code, unsigned thread, std::span<const std::uintptr_t> pieces);
  void end_store(AccessCode code, unsigned thread, std::span<const std::uintptr_t> pieces);

  /// The order of events counts what a warp has waited for until an epoch.
  void see_order_as(unsigned warp, Epoch at);

 private:
  struct Started {
    const void* shared;
    const void* barrier;
    std::uint32_t number;  ///< see SharedShadow::start_box()
  };

  std::size_t offset_of(const void* shared) const {
    return reinterpret_cast<std::uintptr_t>(shared) - state_.shared_begin;
  }

  std::uint32_t word_of(std::uintptr_t piece) const;

  const TracerState& state_;
  WarpClocks& clocks_;
  SharedShadow& shadow_;
  SharedRequests& requests_;
  EventOrder& order_;
  std::vector<Started> boxes_;
  std::array<unsigned, 32> stores_read_ = {};  ///< by warp: how many have been waited for
};

}  // namespace ladder::emulator
