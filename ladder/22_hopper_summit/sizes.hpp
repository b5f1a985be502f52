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
  double share_us;  ///< to split tiles: all clusters have to start together
  double part_us;   ///< to add one piece of a tile
};

inline constexpr std::array kSizes = {
    Size{"128 x 256, in pairs", 128, 256, 2, 1, 3.793, 0.900, 0.650, 0.443, 7.132, 0.396},
    Size{"128 x 256", 128, 256, 1, 1, 4.044, 0.300, 0.657, 0.650, 8.793, 0.473},
    Size{"128 x 128", 128, 128, 1, 1, 2.646, 0.349, 0.372, 0.398, 4.978, 0.543},
    Size{"128 x 64", 128, 64, 1, 1, 2.770, 0.006, 0.265, 0.299, 2.023, 1.233},
    Size{"64 x 64", 64, 64, 1, 1, 2.009, 0.333, 0.224, 0.361, 2.479, 0.691},
    Size{"128 x 256, 1 x 2", 128, 256, 1, 2, 3.793, 0.900, 0.650, 0.443, 7.132, 0.396},
    Size{"128 x 256, 2 x 2", 128, 256, 2, 2, 3.793, 0.900, 0.650, 0.300, 7.132, 0.396},
    Size{"128 x 128, 2 x 1", 128, 128, 2, 1, 2.646, 0.349, 0.372, 0.300, 4.978, 0.543},
    Size{"128 x 128, 1 x 2", 128, 128, 1, 2, 2.646, 0.349, 0.372, 0.300, 4.978, 0.543},
    Size{"128 x 128, 2 x 2", 128, 128, 2, 2, 2.646, 0.349, 0.372, 0.200, 4.978, 0.543},
    Size{"128 x 64, 1 x 2", 128, 64, 1, 2, 2.770, 0.006, 0.265, 0.250, 2.023, 1.233},
    Size{"128 x 64, 1 x 4", 128, 64, 1, 4, 2.770, 0.006, 0.265, 0.200, 2.023, 1.233},
    Size{"64 x 128, 2 x 1", 64, 128, 2, 1, 2.770, 0.006, 0.265, 0.200, 2.023, 1.233},
    Size{"64 x 256, 2 x 1", 64, 256, 2, 1, 3.000, 0.300, 0.450, 0.400, 5.000, 0.500},
};

/// How a shape is cut into tiles of one size.
struct Cut {
  int clusters;  ///< that run
  int k_tiles;   ///< of a tile
  int whole;     ///< tiles that a cluster computes alone
  int split;     ///< tiles after these, shared among all clusters
  int share;     ///< k tiles that each cluster takes of them
  double us;     ///< that it should take
};

/// \brief  How long 64 of K take: until they are multiplied, or until they have come.
/// \param  busy  the part of all clusters that run. An SM alone loads at most kAlone times as fast.
inline double step_us(const Size& size, const Shape& shape, double busy) {
  constexpr double kAlone = 2.5;
  constexpr int kLine = 64;  // elements; if rows are no multiple, 128 bytes of one lie in two lines
  const double of_a = static_cast<double>(size.BM) / size.columns;  // rows that a block asks for
  const double of_b = static_cast<double>(size.BN) / size.rows;     // columns
  const double lines =
      (of_a * (shape.K % kLine == 0 ? 1 : 2) + of_b * (shape.N % kLine == 0 ? 1 : 2)) /
      (of_a + of_b);
  return std::max(size.step_us, size.load_us * lines * std::max(busy, 1 / kAlone));
}

/// \brief The cut of a shape. The tiles of the last round, or of the only one, are split if that
///        is sooner: in as many pieces as that takes.
inline Cut cut_of(const Size& size, const Shape& shape, int sms) {
  constexpr int kBoxColumns = 64;
  constexpr long long kMostTiles = 1 << 30;
  constexpr std::array kPieces = {2, 3, 4, 6, 8, 12, 16};
  const int boxes = size.BN / kBoxColumns;  // segments are multiples: results leave under them
  const long long rows = ceil_div(shape.M, size.rows * size.BM);  // no memory holds 2^31 tiles
  const int tiles = static_cast<int>(std::min(rows * ceil_div(shape.N, size.columns * size.BN), kMostTiles));
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
    const int even = ceil_div(rest * padded, most);
    const int share = ceil_div(std::max(even, ceil_div(padded, pieces)), boxes) * boxes;
    if (rest == 0 || share >= padded) continue;
    const int sharing = ceil_div(rest * padded, share);
    const double us = size.start_us + tiles / most * full_us + size.tile_us +
                      share * step_us(size, shape, double(sharing) / most) + size.share_us +
                      ceil_div(padded, share) * size.part_us;
    if (us >= best.us) continue;
    best = {.clusters = tiles >= most ? most : sharing,
            .k_tiles = padded,
            .whole = tiles - rest,
            .split = rest,
            .share = share,
            .us = us};
  }
  return best;
}

/// Number of the size that should be the fastest. A pair of blocks needs two SMs.
inline int fastest_size(const Shape& shape, int sms) {
  const auto us = [&](const Size& size) {
    return size.rows * size.columns > sms ? std::numeric_limits<double>::max() : cut_of(size, shape, sms).us;
  };
  return static_cast<int>(std::ranges::min_element(kSizes, {}, us) - kSizes.begin());
}

}  // namespace ladder::hopper_summit
