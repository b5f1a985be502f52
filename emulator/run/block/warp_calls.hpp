// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/warp_calls.hpp
/// \brief Lanes that wait for each other in warp functions.
#pragma once

#include <cstddef>
#include <source_location>

#include "emulator/run/block/block_scheduler.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

/// \brief The warp functions that lanes of a block wait in. WarpState says which lane waits where.
class WarpCalls {
 public:
  explicit WarpCalls(BlockScheduler& scheduler) : scheduler_(scheduler) {}

  void meet(const WarpCall& call);
  unsigned lanes_at_this_line(std::source_location where);
  [[noreturn]] void refuse_width(const char* function, int width, std::source_location where);

  /// Called while a shuffle is answered: `lane` gets what the lane `source` does not give.
  void give_undefined(void* result, std::size_t bytes, unsigned lane, unsigned source);

  /// No lane of the warp is ready: lanes in __activemask get their answer, and lanes in a warp
  /// function wait in vain.
  void settle(WarpState& warp);

  /// Every lane of the running thread's warp waits for another lane.
  [[noreturn]] void fail_deadlock();

 private:
  static unsigned effective_mask(const WarpState& warp, const Lane& lane);
  bool complete_without_others(WarpState& warp);
  bool complete(WarpState& warp, unsigned mask);
  void answer_lanes_at_line(WarpState& warp);
  [[noreturn]] void fail_stuck(const WarpState& warp);
  void fail_if_missing(const WarpState& warp, const Lane& lane, unsigned missing);
  [[noreturn]] void fail_different(const Lane& lane, const Lane& other);

  BlockScheduler& scheduler_;
};

}  // namespace ladder::emulator
