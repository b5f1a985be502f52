// SPDX-License-Identifier: MIT
/// \file  emulator/run/waits/named_barriers.hpp
/// \brief bar.sync with a number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <source_location>
#include <vector>

#include "emulator/run/block/block_scheduler.hpp"

namespace ladder::emulator {

/// \brief The named barriers of a block.
class NamedBarriers {
 public:
  explicit NamedBarriers(BlockScheduler& scheduler) : scheduler_(scheduler) {}

  void start_block();
  void wait(int id, int threads, std::source_location where);

 private:
  struct Arrival {
    unsigned thread;
    std::uint32_t step;
    std::source_location where;
  };
  struct Barrier final : Awaited {
    unsigned expected = 0;  ///< threads; 0: none waits
    unsigned arrived = 0;
    unsigned first = 0;  ///< the thread that came first
    ThreadSet waiting = {};
    // For the observer: by warp, who came last time, and who has come this time.
    std::vector<Arrival> before = {};
    std::vector<Arrival> now = {};

    WaitKind kind() const override { return WaitKind::kNamedBarrier; }
    Fields missing(unsigned id) const override;
  };

  void note_arrival(Barrier& barrier, int id);
  [[noreturn]] void fail_otherwise(const Barrier& barrier, int id, int threads,
                                   std::source_location where);

  BlockScheduler& scheduler_;
  std::array<Barrier, 16> barriers_;
  bool used_ = false;  ///< since the block started
};

}  // namespace ladder::emulator
