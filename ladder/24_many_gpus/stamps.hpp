// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/stamps.hpp
/// \brief What a block was busy with, and when: recorded by a variant of the kernels.
#pragma once

namespace ladder::many_gpus {

/// What takes time.
enum class Work : int {
  tile,     ///< consumers multiply a tile, or a part of it
  wait,     ///< a producer waits for another rank's rows
  fetch,    ///< couriers fetch from another rank
  deliver,  ///< couriers take a tile to another rank
};

/// Nanoseconds of this GPU's clock.
struct Interval {
  unsigned long long begin;
  unsigned long long end;
  Work what;
  int peer;  ///< the rank whose rows or tile it is
};

constexpr int kMostIntervals = 255;  ///< more of a track are counted, and not kept

/// Intervals that one of a block's threads has recorded.
struct Track {
  unsigned long long count;
  Interval intervals[kMostIntervals];
};

/// Threads of a block that record.
enum Recorder { kConsumerTrack, kProducerTrack, kCourierTrack, kTracks };

}  // namespace ladder::many_gpus
