// SPDX-License-Identifier: MIT
/// \file  ladder/21_l2_sides/sides.cuh
/// \brief On which side of L2 a cluster runs, and what number it has among those there.
///
/// A cluster's number decides which tiles it computes. Where it runs is known only when it runs, so
/// the number cannot come from blockIdx: each cluster takes a ticket of its side, and a ticket is a
/// seat as long as that side has one left.
#pragma once

#include "common/device.cuh"
#include "common/side_aware/multiprocessor_sides.hpp"

namespace ladder::l2_sides {

/// The sides of L2, for a launch.
struct Sides {
  int count;                ///< 2, or 1: then it does not matter where a cluster runs
  side_aware::SideBits of;  ///< each SM
  unsigned* seats;          ///< (2)  taken on each side; zero before, and reset by Pace::end()

  /// \brief  A number for each cluster: those of side 0 have the first half of all numbers. The
  ///         hardware decides which SMs get a cluster, so more than half of them may run on one
  ///         side. The last of these sit on the other side, where as many seats stay free.
  __device__ int take_seat(unsigned sm, int cluster, int clusters) const {
    if (count == 1) return cluster;
    // -- Seat --------------------------------------------------------------------------------
    const unsigned half = clusters / 2;
    int side = of.of(sm);
    unsigned seat = atomicAdd(&seats[side], 1);
    if (seat >= half) {
      side = 1 - side;
      seat = atomicAdd(&seats[side], 1);
    }
    return side * half + seat;
  }
};

}  // namespace ladder::l2_sides
