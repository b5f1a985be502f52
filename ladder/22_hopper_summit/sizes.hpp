// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/sizes.hpp
/// \brief The tile sizes of rung 22, how a shape is cut into them, and which is the fastest.
///
/// Nothing is timed at run time. The same shape gets the same size in every program on the same
/// kind of GPU, so its result is the same too.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "common/gemm.hpp"

namespace ladder::hopper_summit {

/// \brief A tile size, and how long it takes on an H100: fitted by
///        `python3 -m bench.record.fit_sizes`. Only the ratios of the times matter.
struct Size {
  const char* name;
  int BM, BN;       ///< block tile
  int rows;         ///< of blocks in a cluster, which share B
  int columns;      ///< of blocks in a cluster, which share A
  double start_us;  ///< to start the launch and to end it
  double tile_us;   ///< to begin and to finish a tile
  double step_us;   ///< to multiply 64 of K
  double load_us;   ///< to load 64 of K from whole lines, while all SMs load
  double share_us;  ///< to split tiles
  double part_us;   ///< to add one piece of a tile
};

inline constexpr std::array kSizes = {
    Size{"128 x 256, 2 x 1", 128, 256, 2, 1, 3.800, 0.900, 0.650, 0.443, 6.000, 0.500},
    Size{"128 x 256", 128, 256, 1, 1, 3.800, 0.100, 0.664, 0.650, 6.000, 1.000},
    Size{"128 x 256, 2 x 2", 128, 256, 2, 2, 3.333, 0.900, 0.660, 0.320, 11.176, 0.434},
    Size{"128 x 192, 1 x 2", 128, 192, 1, 2, 4.026, 0.700, 0.510, 0.400, 7.035, 0.898},
    Size{"128 x 128, 2 x 1", 128, 128, 2, 1, 3.544, 0.663, 0.448, 0.293, 3.220, 0.193},
    Size{"128 x 128, 2 x 2", 128, 128, 2, 2, 1.907, 0.850, 0.376, 0.217, 4.979, 0.323},
    Size{"128 x 64", 128, 64, 1, 1, 2.777, 0.263, 0.140, 0.310, 5.063, 0.165},
    Size{"128 x 64, 1 x 4", 128, 64, 1, 4, 2.095, 0.465, 0.235, 0.132, 4.061, 0.030},
    Size{"64 x 128, 4 x 1", 64, 128, 4, 1, 2.075, 0.544, 0.205, 0.134, 5.083, 0.098},
    Size{"64 x 64", 64, 64, 1, 1, 3.966, 0.311, 0.123, 0.368, 3.028, 0.197},
    Size{"64 x 64, 2 x 2", 64, 64, 2, 2, 1.816, 0.342, 0.184, 0.008, 3.286, 0.085},
};

/// How a shape is cut into tiles of one size.
struct Cut {
  int clusters;  ///< that run
  int k_tiles;   ///< of a tile
  int whole;     ///< tiles that a cluster computes alone
  int split;     ///< tiles after these, shared among clusters
  int share;     ///< k tiles that each of those takes of them
  double us;     ///< how long all should take
};

/// \brief  How long 64 of K take: until they are multiplied, or until they have come.
/// \param  busy  the part of all clusters that run. An SM alone loads at most kAlone times as fast.
inline double step_us(const Size& size, const Shape& shape, double busy) {
  constexpr double kAlone = 2.5;
  constexpr int kLine = 64;  // elements; if rows are no multiple of it, a box's lie in two lines
  const double of_a = static_cast<double>(size.BM) / size.columns;  // rows that a block asks for
  const double of_b = static_cast<double>(size.BN) / size.rows;     // columns
  const double lines =
      (of_a * (shape.K % kLine == 0 ? 1 : 2) + of_b * (shape.N % kLine == 0 ? 1 : 2)) /
      (of_a + of_b);
  return std::max(size.step_us, size.load_us * lines * std::max(busy, 1 / kAlone));
}

/// \brief The cut of a shape. The tiles of the last round, or of the only one, are split if that
///        is faster, into the number of pieces that is the fastest.
inline Cut cut_of(const Size& size, const Shape& shape, int sms) {
  constexpr int kBoxColumns = 64;
  constexpr long long kMostTiles = 1 << 30;
  constexpr std::array kPieces = {2, 3, 4, 6, 8, 12, 16};
  const int boxes = size.BN / kBoxColumns;  // shares are multiples: results leave under them
  const long long rows = ceil_div(shape.M, size.rows * size.BM);  // no memory holds 2^31 tiles
  const int tiles =
      static_cast<int>(std::min(rows * ceil_div(shape.N, size.columns * size.BN), kMostTiles));
  // On an H100, 30 clusters of four blocks run at the same time, and not 33.
  const int blocks = size.rows * size.columns;
  const int most = std::max(1, blocks == 4 ? sms * 10 / 11 / 4 : sms / blocks);
  const int k_tiles = std::max(boxes, ceil_div(shape.K, kBoxColumns));
  const int rest = tiles % most;
  const double full_us = size.tile_us + k_tiles * step_us(size, shape, 1);  // a round of them
  const double last_us =
      rest == 0 ? 0 : size.tile_us + k_tiles * step_us(size, shape, double(rest) / most);
  Cut best{.clusters = std::min(tiles, most),
           .k_tiles = k_tiles,
           .whole = tiles,
           .split = 0,
           .share = 0,
           .us = size.start_us + tiles / most * full_us + last_us};
  const int padded = ceil_div(k_tiles, boxes) * boxes;  // the last of them are zeros
  for (const int pieces : kPieces) {
    // Clusters that are at the same k tiles read the same parts of A or B at the same time. So all
    // tiles are cut alike. There is an exception: after whole rounds, shares may begin anywhere in
    // a tile if halves of the tiles almost find clusters.
    const bool alike = rest * pieces <= most;
    const bool almost = tiles > most && pieces == 2 && rest * 5 <= most * 3;
    if (rest == 0 || (!alike && !almost)) break;
    const int even = alike ? ceil_div(k_tiles, pieces) : ceil_div(rest * padded, most);
    const int share = ceil_div(even, boxes) * boxes;
    if (share * (pieces - 1) >= k_tiles) continue;
    const int cut_tiles = alike && tiles < most ? share * pieces : padded;
    const int sharing = ceil_div(rest * cut_tiles, share);
    const double us = size.start_us + tiles / most * full_us + size.tile_us +
                      share * step_us(size, shape, double(sharing) / most) + size.share_us +
                      ceil_div(cut_tiles, share) * size.part_us;
    if (us >= best.us) continue;
    best = {.clusters = tiles >= most ? most : sharing,
            .k_tiles = cut_tiles,
            .whole = tiles - rest,
            .split = rest,
            .share = share,
            .us = us};
  }
  return best;
}

/// Number of the size that should be the fastest. A cluster needs an SM for each of its blocks.
inline int fastest_size(const Shape& shape, int sms) {
  const auto us = [&](const Size& size) {
    return size.rows * size.columns > sms ? std::numeric_limits<double>::max()
                                          : cut_of(size, shape, sms).us;
  };
  return static_cast<int>(std::ranges::min_element(kSizes, {}, us) - kSizes.begin());
}

}  // namespace ladder::hopper_summit
