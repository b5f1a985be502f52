// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/tile_order.cpp
/// \brief In which order the tiles of a matrix are taken, and what waves of them read.
#include "bench/labs/analysis/tile_order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <utility>

namespace ladder::labs {
namespace {

constexpr double kElementBytes = 4.0;

/// Row and column of a step along Hilbert's curve through a square of `side`.
/// \source the bitwise walk from the finest to the coarsest square (Warren, Hacker's Delight, 16)
std::pair<int, int> hilbert_place(int side, int step) {
  int row = 0;
  int column = 0;
  for (int square = 1; square < side; square *= 2) {
    const int right = step / 2 % 2;
    const int down = (step ^ right) % 2;
    if (down == 0) {
      if (right == 1) {
        row = square - 1 - row;
        column = square - 1 - column;
      }
      std::swap(row, column);
    }
    row += square * down;
    column += square * right;
    step /= 4;
  }
  return {row, column};
}

}  // namespace

TileOrder row_major_order(const TileGrid& grid) {
  return grouped_order(grid, grid.columns);
}

TileOrder column_major_order(const TileGrid& grid) {
  return grouped_order(grid, 1);
}

TileOrder grouped_order(const TileGrid& grid, int columns) {
  TileOrder order;
  for (int first = 0; first < grid.columns; first += columns) {
    const int last = std::min(first + columns, grid.columns);
    for (int row = 0; row < grid.rows; ++row)
      for (int column = first; column < last; ++column)
        order.push_back(row * grid.columns + column);
  }
  return order;
}

TileOrder hilbert_order(const TileGrid& grid) {
  const auto longer = static_cast<unsigned>(std::max(grid.rows, grid.columns));
  const auto side = static_cast<int>(std::bit_ceil(longer));
  TileOrder order;
  for (int step = 0; step < side * side; ++step) {
    const auto [row, column] = hilbert_place(side, step);
    if (row < grid.rows && column < grid.columns) order.push_back(row * grid.columns + column);
  }
  return order;
}

WaveReads wave_reads(std::span<const int> order, const TileGrid& grid, const TileShape& tile, int K,
                     int in_flight) {
  WaveReads reads;
  for (std::size_t first = 0; first < order.size(); first += static_cast<std::size_t>(in_flight)) {
    const auto wave = order.subspan(
        first, std::min<std::size_t>(static_cast<std::size_t>(in_flight), order.size() - first));
    std::set<int> rows;
    std::set<int> columns;
    for (const int number : wave) {
      rows.insert(number / grid.columns);
      columns.insert(number % grid.columns);
    }
    const auto bytes = [&](std::size_t row_panels, std::size_t column_panels) {
      return kElementBytes * K *
             (static_cast<double>(row_panels) * tile.BM +
              static_cast<double>(column_panels) * tile.BN);
    };
    reads.requested_bytes += bytes(wave.size(), wave.size());
    reads.unique_bytes += bytes(rows.size(), columns.size());
  }
  return reads;
}

double wave_efficiency(int tiles, int in_flight) {
  const int waves = (tiles + in_flight - 1) / in_flight;
  return static_cast<double>(tiles) / (static_cast<double>(waves) * in_flight);
}

double rectangle_hit_rate(double wave_rows, double wave_columns, const TileShape& tile) {
  return 1.0 - (1.0 / wave_rows + 1.0 / wave_columns) / (1.0 / tile.BM + 1.0 / tile.BN);
}

double printed_hit_rate(double wave_rows, double wave_columns, const TileShape& tile) {
  return 1.0 - (wave_rows + wave_columns) / (wave_rows * wave_columns * (tile.BM + tile.BN));
}

}  // namespace ladder::labs
