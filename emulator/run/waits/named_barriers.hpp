// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/named_barriers.hpp
/// \brief bar.sync with a number of threads.
#pragma once

#include <array>
#include <source_location>
#include <string>

#include "emulator/run/block/block_scheduler.hpp"

namespace ladder::emulator {

/// \brief The named barriers of a block.
class NamedBarriers {
 public:
  explicit NamedBarriers(BlockScheduler& scheduler) : scheduler_(scheduler) {}

  void start_block();
  void wait(int id, int threads, std::source_location where);

 private:
  struct Barrier final : Awaited {
    unsigned expected = 0;  ///< threads; 0: none waits
    unsigned arrived = 0;
    unsigned first = 0;  ///< the thread that came first
    ThreadSet waiting = {};

    WaitKind kind() const override { return WaitKind::kNamedBarrier; }
    Fields missing(unsigned id) const override;
  };

  [[noreturn]] void fail_otherwise(const Barrier& barrier, int id, int threads,
                                   std::source_location where);

  BlockScheduler& scheduler_;
  std::array<Barrier, 16> barriers_;
  bool used_ = false;  ///< since the block started
};

}  // namespace ladder::emulator
