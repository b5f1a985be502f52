// SPDX-License-Identifier: MIT
/// \file  ladder/23_split_precision/pace.cuh
/// \brief How clusters keep in step: none is more than an epoch ahead of another.
#pragma once

#include "common/device.cuh"
#include "common/ptx/flag.cuh"

namespace ladder::split_precision {

constexpr int kCounters = 3;   // beginnings of even epochs, of odd epochs, ends
constexpr int kPatience = 64;  // looks at a counter, of less than a microsecond each

/// How far clusters have come along K: each counts, in global memory, the epochs that it begins,
/// and waits until all have begun the epoch before.
class Pace {
 public:
  /// \param counters  (kCounters)  zero, before and after; or null: nobody waits
  /// \param clusters  that run at the same time
  __device__ Pace(unsigned* counters, unsigned clusters)
      : counters_(counters), clusters_(clusters) {}

  /// Tells the others that this cluster begins its next epoch, and waits for them.
  __device__ void begin_epoch() {
    if (counters_ == nullptr) return;
    // -- Epoch -------------------------------------------------------------------------------
    atomicAdd(&counters_[epoch_ % 2], 1);
    if (epoch_ > 0) {
      // The next epoch has this counter, too. Nobody counts there before all have begun this one.
      const unsigned last = epoch_ - 1;
      // This is about speed, not about results. So if others do not even run yet, we stop waiting;
      // then clusters may be further apart, and later epochs may be counted here, too.
      for (int i = 0; i < kPatience; ++i) {
        if (ptx::load_acquire(&counters_[last % 2]) >= clusters_ * (last / 2 + 1)) break;
      }
    }
    ++epoch_;
  }

  /// \brief  Counts on with those that have more tiles, so that they do not wait for this cluster.
  /// \param  epochs  of a cluster that has the most tiles
  __device__ void end(unsigned epochs) {
    if (counters_ == nullptr) return;
    while (epoch_ < epochs)
      begin_epoch();
    __threadfence();  // a cluster that sees this end sees all that was counted before
    if (atomicAdd(&counters_[2], 1) < clusters_ - 1) return;
    __threadfence();
    for (int i = 0; i < kCounters; ++i)
      counters_[i] = 0;  // for the next launch
  }

 private:
  unsigned* counters_;
  unsigned clusters_;
  unsigned epoch_ = 0;  // the next
};

}  // namespace ladder::split_precision
