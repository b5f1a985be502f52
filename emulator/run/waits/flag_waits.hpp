// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/flag_waits.hpp
/// \brief Flags in global memory, which blocks poll to wait for each other.
#pragma once

#include <array>
#include <source_location>
#include <string>

#include "emulator/run/block/block_scheduler.hpp"
#include "emulator/run/block/fiber_stacks.hpp"

namespace ladder::emulator {

/// \brief The flags that threads of a block poll. A thread that finds one value often enough in a
///        row counts as waiting for it to change.
class FlagWaits final : public Awaited {
 public:
  explicit FlagWaits(BlockScheduler& scheduler) : scheduler_(scheduler) {}

  void start_block();

  /// \param as  what the thread waits for, if it has a name of its own
  unsigned load_acquire(const unsigned* flag, std::source_location where,
                        const Awaited* as = nullptr);
  void store_release(unsigned* flag, unsigned value);
  /// Of a flag that another process may set.
  unsigned load_acquire_system(const unsigned* flag, std::source_location where);

  bool any() const noexcept { return waiters_ > 0; }  ///< whether a thread waits
  /// Whether a flag that a thread waits for has changed. Any CPU thread may ask.
  bool any_changed() const;
  void wake_where_changed();

  /// \brief  Lets threads poll for much longer before they count as waiting: their loop may be
  ///         about to end.
  /// \return false: they have already been allowed to
  bool extend_patience();

  WaitKind kind() const override { return WaitKind::kFlag; }
  Fields missing(unsigned held) const override;

 private:
  /// What a thread read last.
  struct Poll {
    const unsigned* flag = nullptr;
    unsigned value = 0;  ///< that it found there, ...
    unsigned times = 0;  ///< ... and how often in a row
  };

  bool may_poll_on(const Poll& poll) const;

  BlockScheduler& scheduler_;
  std::array<Poll, FiberStacks::kMaxStacks> polls_;  ///< by thread
  ThreadSet waiting_ = {};
  unsigned waiters_ = 0;
  unsigned limit_ = 0;  ///< this many polls in a row are a wait
  bool used_ = false;   ///< since the block started
};

}  // namespace ladder::emulator
