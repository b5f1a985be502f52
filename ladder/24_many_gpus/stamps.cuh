// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/stamps.cuh
/// \brief How a kernel records what it is busy with; and how it does not, which costs nothing.
#pragma once

#include "common/device.cuh"
#include "common/ptx/nanoseconds.cuh"
#include "ladder/24_many_gpus/stamps.hpp"

namespace ladder::many_gpus {

/// Records nothing.
struct NoStamps {
  __device__ unsigned long long now() const { return 0; }
  __device__ void add(Recorder, Work, int, unsigned long long) const {}
};

/// Records intervals. Each recorder is a single thread.
struct Stamps {
  Track* tracks;  ///< (blocks, kTracks)  zero at first

  __device__ unsigned long long now() const { return ptx::nanoseconds(); }
  __device__ void add(Recorder recorder, Work what, int peer, unsigned long long begin) const {
    Track& track = tracks[blockIdx.x * kTracks + recorder];
    if (track.count < kMostIntervals) {
      track.intervals[track.count] = {begin, ptx::nanoseconds(), what, peer};
    }
    ++track.count;
  }
};

}  // namespace ladder::many_gpus
