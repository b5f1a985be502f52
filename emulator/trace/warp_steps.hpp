// SPDX-License-Identifier: MIT
/// \file  emulator/trace/warp_steps.hpp
/// \brief Which steps of other warps each warp of a block is sure to come after: initialisations of
///        mbarriers, and arrivals at named barriers.
///
/// Unlike WarpClocks it takes the kernel's side wherever it can. What one lane learns its whole
/// warp knows, a flag needs no fences, and what other blocks have a part in tells everything. So
/// where a step is not known here, nothing puts it first.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

namespace ladder::emulator {

/// \brief Of one block. Nothing is kept until a warp takes the first step.
class WarpSteps {
 public:
  void start_block();

  /// \return the step's number, from 1 on
  std::uint32_t take(unsigned warp);
  /// Does what the warp does now come after this step of `other`?
  bool knows(unsigned warp, unsigned other, std::uint32_t step) const {
    return warp == other || known_[warp][other] >= step;
  }

  void release(unsigned warp, const void* object);
  /// Who acquires the object learns of it when it is complete.
  void arrive(unsigned warp, const void* object);
  /// Another block arrives, which may know of all that was done here.
  void arrive_from_elsewhere(const void* object);
  void complete(const void* object);
  /// Nothing here has been told of an object that others may have told of everything.
  void acquire(unsigned warp, const void* object);
  void pass_barrier();

 private:
  using Clock = std::array<std::uint32_t, 32>;  ///< by warp
  struct Object {
    Clock visible = {};
    Clock arrived = {};
  };

  static void join(Clock& into, const Clock& from);
  Clock everything() const;

  bool active_ = false;
  std::array<Clock, 32> known_ = {};  ///< by warp
  std::unordered_map<const void*, Object> objects_;
};

}  // namespace ladder::emulator
