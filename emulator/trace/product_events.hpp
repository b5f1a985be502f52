// SPDX-License-Identifier: MIT
/// \file  emulator/trace/product_events.hpp
/// \brief Products on the tensor cores: how many, and what they read in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/trace/event_order.hpp"
#include "emulator/trace/request_sites.hpp"
#include "emulator/trace/shared_requests.hpp"
#include "emulator/trace/shared_shadow.hpp"
#include "emulator/trace/tracer_state.hpp"
#include "emulator/trace/warp_clocks.hpp"

namespace ladder::emulator {

/// \brief Has products counted, and what they read checked: it must be there when they start, and
///        stay as it is until somebody has waited for them.
class ProductEvents {
 public:
  ProductEvents(const TracerState& state, const WarpClocks& clocks, SharedShadow& shadow,
                SharedRequests& requests, EventOrder& order)
      : state_(state), clocks_(clocks), shadow_(shadow), requests_(requests), order_(order) {}

  /// \param thread  the first of the warp
  /// \param pieces  addresses of 16 bytes
  void started(RequestSite& site, unsigned thread, std::span<const std::uintptr_t> pieces);
  /// \param thread  the first of a warp that has waited for it
  /// \param number  of the product in its warp
  void ended(AccessCode code, unsigned thread, unsigned number,
             std::span<const std::uintptr_t> pieces);

 private:
  WordAccess by_warp(AccessCode code, unsigned thread) const;
  std::uint32_t word_of(std::uintptr_t piece) const;

  const TracerState& state_;
  const WarpClocks& clocks_;
  SharedShadow& shadow_;
  SharedRequests& requests_;
  EventOrder& order_;
};

}  // namespace ladder::emulator
