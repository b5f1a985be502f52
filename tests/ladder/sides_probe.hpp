// SPDX-License-Identifier: MIT
/// \file  tests/ladder/sides_probe.hpp
/// \brief Rung 21 with sides that a test makes up, whole and in parts.
#pragma once

#include <span>
#include <vector>

#include "common/gemm.hpp"
#include "common/side_aware/multiprocessor_sides.hpp"

namespace ladder::sides_probe {

/// What Sides::take_seat() makes of it.
struct Taken {
  std::vector<int> of_cluster;  ///< its seat
  unsigned tickets[2];          ///< that were taken on each side
};

/// \param  sm_of_cluster  where each runs, an even number of them
Taken take_seats(std::span<const unsigned> sm_of_cluster, const side_aware::SideBits& sides);

/// Where a tile of C begins.
struct Place {
  int row;
  int column;

  auto operator<=>(const Place&) const = default;
};

/// The tiles that the cluster of a seat computes, each of 256 x 256 for its two blocks.
std::vector<Place> tiles_of_seat(int M, int N, int seat, int clusters, int sides);

/// \brief  Rung 21 as on a GPU whose SMs are on these sides; null: on one.
/// \throws ShapeRefused  N or K is no multiple of 8
void run(const Gemm<bfloat16>& gemm, const side_aware::SideBits* sides, Stream stream);

/// What the emulator finds instead of a measurement.
bool finds_sides();

}  // namespace ladder::sides_probe
