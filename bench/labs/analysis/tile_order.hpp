// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/tile_order.hpp
/// \brief In which order the tiles of a matrix are taken, and what waves of them read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ladder::labs {

/// Tiles of C.
struct TileGrid {
  int rows = 0;
  int columns = 0;
};

/// Tiles in the order in which blocks take them, counted along the rows of the grid.
using TileOrder = std::vector<int>;

TileOrder row_major_order(const TileGrid& grid);
TileOrder column_major_order(const TileGrid& grid);

/// \brief  Groups of columns, one after the other; each is walked through row by row.
/// \param  columns  of a group; 1 is the column-major order
TileOrder grouped_order(const TileGrid& grid, int columns);

/// Along Hilbert's curve through the smallest square of a power of two that holds the grid.
TileOrder hilbert_order(const TileGrid& grid);

/// A tile of C, and how far it reaches along K at a time, in elements.
struct TileShape {
  int BM = 0;
  int BN = 0;
  int BK = 0;
};

/// What blocks read of A and B.
struct WaveReads {
  double requested_bytes = 0.0;  ///< by all blocks
  double unique_bytes = 0.0;     ///< each wave fetches its panels once

  /// Share of the requests that a block of the same wave has already made.
  double hit_rate() const { return 1.0 - unique_bytes / requested_bytes; }
};

/// \brief  Waves of blocks that run in step and share nothing with the wave before.
/// \param  in_flight  blocks of a wave
/// \param  K          extent in elements of 4 bytes
/// \source h = 1 - (R*BM + Q*BN) / (W*(BM + BN)) for W tiles in R rows and Q columns
WaveReads wave_reads(std::span<const int> order, const TileGrid& grid, const TileShape& tile, int K,
                     int in_flight);

/// \brief  Share of the GPU's time that is used where every block takes as long as any other.
/// \param  tiles      blocks of the launch
/// \param  in_flight  blocks that run at once
double wave_efficiency(int tiles, int in_flight);

/// Hit rate of a wave that is a full rectangle of so many elements.
double rectangle_hit_rate(double wave_rows, double wave_columns, const TileShape& tile);

/// \brief The last line of a printed derivation of the same, which takes elements for blocks: its
///        units do not agree.
double printed_hit_rate(double wave_rows, double wave_columns, const TileShape& tile);

}  // namespace ladder::labs
