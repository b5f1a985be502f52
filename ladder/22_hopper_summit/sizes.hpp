// SPDX-License-Identifier: MIT
/// \file  ladder/22_hopper_summit/sizes.hpp
/// \brief The tile sizes of rung 22, how a shape is cut into them, and which is the fastest.
///
/// Nothing is timed at run time. The same shape gets the same size in every program on the same
/// kind of GPU, so its result is the same too.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "common/gemm.hpp"

namespace ladder::hopper_summit {

/// A tile size of a block.
struct Size {
  const char* name;
  int BM, BN;
  int box;         ///< rows of C that leave under one k tile
  double step_us;  ///< to multiply 64 of K
};

/// Blocks that load together: those of a row share A, those of a column share B.
struct Cluster {
  int rows, columns;
};

// How long things take on an H100, in microseconds, fitted by `python3 -m bench.record.fit_sizes`.
// Only their ratios matter.
inline constexpr std::array kSizes = {
    Size{"256 x 128", 256, 128, 64, 0.628}, Size{"224 x 128", 224, 128, 32, 0.570},
    Size{"192 x 128", 192, 128, 64, 0.492}, Size{"160 x 128", 160, 128, 80, 0.422},
    Size{"128 x 128", 128, 128, 64, 0.333}, Size{"96 x 128", 96, 128, 48, 0.278},
    Size{"80 x 128", 80, 128, 80, 0.285},   Size{"160 x 192", 160, 192, 80, 0.628},
    Size{"128 x 192", 128, 192, 64, 0.522}, Size{"96 x 192", 96, 192, 48, 0.401},
    Size{"256 x 64", 256, 64, 64, 0.368},   Size{"192 x 64", 192, 64, 64, 0.320},
    Size{"160 x 64", 160, 64, 80, 0.293},   Size{"128 x 64", 128, 64, 64, 0.210},
    Size{"96 x 64", 96, 64, 48, 0.201},     Size{"80 x 64", 80, 64, 80, 0.194},
    Size{"64 x 64", 64, 64, 64, 0.173},     Size{"48 x 64", 48, 64, 48, 0.170},
    Size{"32 x 64", 32, 64, 32, 0.149},     Size{"16 x 64", 16, 64, 16, 0.165},
};
inline constexpr std::array kClusters = {Cluster{1, 1}, Cluster{2, 1}, Cluster{1, 2}, Cluster{2, 2},
                                         Cluster{4, 1}, Cluster{1, 4}, Cluster{4, 2}, Cluster{2, 4},
                                         Cluster{8, 1}, Cluster{1, 8}};
inline constexpr std::array kStartUs = {1.882, 2.431, 1.857, 1.887};  ///< with 1, 2, 4, 8 blocks
inline constexpr double kFinishUs = 1.90463;  ///< to begin and to finish 256 x 128 results
inline constexpr double kLineUs = 0.00094;    ///< to load a line of 128 bytes while all SMs load
inline constexpr double kTwoLines = 2.22192;  ///< lines that a row of a box costs if it has two
inline constexpr double kSplitUs = 1.44548;   ///< to split tiles
inline constexpr double kPieceUs = 0.05606;   ///< for each piece, of any size
inline constexpr double kSumsUs = 3.15377;    ///< to add 256 x 128 sums of a piece

/// How a shape is cut into tiles of clusters.
struct Cut {
  int clusters;  ///< that run
  int k_tiles;   ///< of a tile
  int whole;     ///< tiles that a cluster computes alone
  int split;     ///< tiles after these, shared among clusters
  int share;     ///< k tiles that each of those takes of them
  double us;     ///< how long all should take
};

/// How many clusters run at the same time. On an H100 these are 30 of four blocks, not 33, and 15
/// of eight, not 16.
inline int clusters_at_once(const Cluster& cluster, int sms) {
  const int blocks = cluster.rows * cluster.columns;
  return std::max(1, (blocks < 4 ? sms : sms * 10 / 11) / blocks);
}

/// \brief  How long 64 of K take. Multiplying and loading overlap in part.
/// \param  busy  the part of all clusters that run
inline double step_us(const Size& size, const Cluster& cluster, const Shape& shape, double busy) {
  constexpr int kLine = 64;  // elements; if rows are no multiple of it, a box's lie in two lines
  const auto lines = [](int extent, int tile, int sharers, int row) {  // that a block asks for
    const int tiles = ceil_div(extent, sharers * tile) * sharers;
    return static_cast<double>(extent) / tiles * (row % kLine == 0 ? 1 : kTwoLines);
  };
  const double of_a = lines(shape.M, size.BM, cluster.rows, shape.K) / cluster.columns;
  const double of_b = lines(shape.N, size.BN, cluster.columns, shape.N) / cluster.rows;
  const double load_us = (of_a + of_b) * kLineUs * busy;
  return std::sqrt(size.step_us * size.step_us + load_us * load_us);
}

/// \brief The cut of a shape. The tiles of the last round, or of the only one, are split if that
///        is faster, into the number of pieces that is the fastest.
inline Cut cut_of(const Size& size, const Cluster& cluster, const Shape& shape, int sms) {
  constexpr int kDepth = 64;
  constexpr long long kMostTiles = 1 << 30;
  constexpr std::array kPieces = {2, 3, 4, 6, 8, 12, 16};
  const int boxes = size.BM / size.box;  // shares are multiples: results leave under them
  const long long rows = ceil_div(shape.M, cluster.rows * size.BM);  // no memory holds 2^31 tiles
  const int tiles =
      static_cast<int>(std::min(rows * ceil_div(shape.N, cluster.columns * size.BN), kMostTiles));
  const int most = clusters_at_once(cluster, sms);
  const int k_tiles = std::max(boxes, ceil_div(shape.K, kDepth));
  const int rest = tiles % most;
  const double area = size.BM * size.BN / (256.0 * 128.0);
  const double start_us = kStartUs[std::countr_zero(unsigned(cluster.rows * cluster.columns))];
  const double finish_us = area * kFinishUs;
  const auto round_us = [&](int steps, int of_clusters) {
    return finish_us + steps * step_us(size, cluster, shape, double(of_clusters) / most);
  };
  const double before_us = start_us + (tiles < most ? 0 : tiles / most * round_us(k_tiles, most));
  Cut best{.clusters = std::min(tiles, most),
           .k_tiles = k_tiles,
           .whole = tiles,
           .split = 0,
           .share = 0,
           .us = before_us + (rest == 0 ? 0 : round_us(k_tiles, rest))};
  // The last of them are zeros. Tiles of whole rounds get them too, which the model leaves out.
  const int padded = ceil_div(k_tiles, boxes) * boxes;
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
    const double us = before_us + round_us(share, sharing) + kSplitUs +
                      ceil_div(cut_tiles, share) * (kPieceUs + area * kSumsUs);
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

/// A size, in clusters.
struct Choice {
  int size;     ///< its number in kSizes
  int cluster;  ///< its number in kClusters
  Cut cut;
};

/// \brief  A size in the clusters in which it should be the fastest, of those that a GPU can run
///         and that are not larger than C by a row or a column of blocks.
inline Choice fastest_clusters(int size, const Shape& shape, int sms) {
  const Size& tile = kSizes[size];
  Choice best = {};
  best.cut.us = std::numeric_limits<double>::max();
  for (int i = 0; i < static_cast<int>(kClusters.size()); ++i) {
    const auto [rows, columns] = kClusters[i];
    // Blocks of a row load whole groups of 8 rows of A, as the swizzle wants them.
    const bool fits = rows * columns <= sms && tile.BM % (8 * columns) == 0;
    const bool is_in_c = (rows - 1) * tile.BM < shape.M && (columns - 1) * tile.BN < shape.N;
    if (!fits || !is_in_c) continue;
    const Choice choice = {size, i, cut_of(tile, kClusters[i], shape, sms)};
    if (choice.cut.us < best.cut.us) best = choice;
  }
  return best;
}

/// The choice that should be the fastest.
inline Choice fastest(const Shape& shape, int sms) {
  Choice best = fastest_clusters(0, shape, sms);
  for (int i = 1; i < static_cast<int>(kSizes.size()); ++i) {
    const Choice choice = fastest_clusters(i, shape, sms);
    if (choice.cut.us < best.cut.us) best = choice;
  }
  return best;
}

}  // namespace ladder::hopper_summit
