// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/sizes.hpp
/// \brief The tile sizes of rung 22, how a shape is cut into them, and which is the fastest.
///
/// Nothing is timed at run time. The same shape gets the same size in every program on the same
/// kind of GPU, so its result is the same too.
#pragma once

#include <algorithm>
#include <array>

#include "common/gemm.hpp"

namespace ladder::hopper_summit {

/// \brief A tile size, and how long it takes on an H100: fitted by
///        `python3 -m bench.record.fit_sizes`. Only the ratios of the times matter.
struct Size {
  const char* name;
  int BM, BN;       ///< block tile
  int pair;         ///< blocks in a cluster, one below the other
  double start_us;  ///< to start the launch and to end it
  double tile_us;   ///< to begin and to finish a tile
  double step_us;   ///< to multiply 64 of K
  double part_us;   ///< to add what others have multiplied of a tile
};

inline constexpr std::array kSizes = {
    Size{"128 x 256, in pairs", 128, 256, 2, 5.0, 0.30, 0.62, 4.0},
    Size{"128 x 256", 128, 256, 1, 4.2, 0.30, 0.62, 4.0},
    Size{"128 x 128", 128, 128, 1, 3.2, 0.30, 0.36, 4.0},
    Size{"128 x 64", 128, 64, 1, 2.6, 0.20, 0.22, 4.0},
    Size{"64 x 64", 64, 64, 1, 2.4, 0.20, 0.15, 4.0},
};

inline constexpr int kMostPieces = 4;    ///< of a tile: more cost more than they gain
inline constexpr int kFewestSpared = 8;  ///< k tiles, of each cluster

/// How a shape is cut into tiles of one size.
struct Cut {
  int clusters;  ///< that run
  int k_tiles;   ///< of a tile
  int whole;     ///< tiles that a cluster computes alone
  int split;     ///< tiles after these, shared among all clusters
  int share;     ///< k tiles that each cluster takes of them
  double us;     ///< that it should take
};

/// \brief The cut of a shape. The last round's tiles are shared if that is sooner.
inline Cut cut_of(const Size& size, const Shape& shape, int sms) {
  constexpr int kBoxColumns = 64;
  const int boxes = size.BN / kBoxColumns;  // segments are multiples: results leave under them
  const int tiles = ceil_div(shape.M, size.pair * size.BM) * ceil_div(shape.N, size.BN);
  Cut cut{.clusters = std::min(tiles, sms / size.pair),
          .k_tiles = std::max(boxes, ceil_div(shape.K, 64)),
          .whole = tiles,
          .split = 0,
          .share = 0,
          .us = 0};
  const double tile_us = size.tile_us + cut.k_tiles * size.step_us;
  cut.us = size.start_us + ceil_div(tiles, cut.clusters) * tile_us;
  const int rest = tiles % cut.clusters;
  if (rest == 0 || cut.k_tiles % boxes != 0) return cut;
  const int even = ceil_div(rest * cut.k_tiles, cut.clusters);
  const int share = ceil_div(std::max(even, ceil_div(cut.k_tiles, kMostPieces)), boxes) * boxes;
  const double split_us = size.start_us + tiles / cut.clusters * tile_us + size.tile_us +
                          share * size.step_us + size.part_us;
  if (cut.k_tiles - share < kFewestSpared || split_us >= cut.us) return cut;
  cut.whole -= rest;
  cut.split = rest;
  cut.share = share;
  cut.us = split_us;
  return cut;
}

/// Number of the size that should be the fastest.
inline int fastest_size(const Shape& shape, int sms) {
  const auto fastest = std::ranges::min_element(
      kSizes, {}, [&](const Size& size) { return cut_of(size, shape, sms).us; });
  return static_cast<int>(fastest - kSizes.begin());
}

}  // namespace ladder::hopper_summit
