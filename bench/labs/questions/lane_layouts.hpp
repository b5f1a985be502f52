// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/lane_layouts.hpp
/// \brief Accesses to shared memory as kernels make them: conflicts of a chosen degree, fragments
///        of a warp tile, and a tile that is transposed on its way in.
#pragma once

#include "bench/labs/questions/kernels/shared_access.hpp"

namespace ladder::labs {

/// Lanes that are served together.
constexpr unsigned lanes_in_part(unsigned bytes) {
  return 128 / bytes;
}

/// \brief  In each part of the warp, `degree` lanes want different words of the same banks.
/// \param  bytes   4, 8 or 16
/// \param  degree  1 to lanes_in_part(bytes)
SharedAccess conflicting(unsigned bytes, unsigned degree, bool stores);

/// How the 32 lanes of a warp tile of 4 x 8 threads are numbered.
enum class LaneOrder : std::uint8_t {
  row_major,  ///< 0 to 7 in the first row of threads
  zigzag,     ///< 0 and 1 below each other, then 2 and 3 to their right
};

/// Which 8 columns (of B) or rows (of A) a thread computes.
enum class Share : std::uint8_t {
  contiguous,  ///< 8 in a row
  split,       ///< 4 in each half of the warp tile
};

/// \brief  One float4 of a thread's 8 rows of A, or of its 8 columns of B, of a warp tile of 32 x
///         64.
/// \source memory notes' figure: a thread of 8 x 8 results in a warp of 4 x 8 threads
SharedAccess fragment_of_a(LaneOrder order, Share share);
SharedAccess fragment_of_b(LaneOrder order, Share share);

/// \brief  One of the four words of a float4 of A, stored into the transposed tile.
/// \param  lanes_per_row  that load neighbouring float4 of one row of A: 2 or 8
/// \param  pad            floats behind each row of the transposed tile
SharedAccess transposed_store(unsigned lanes_per_row, unsigned pad);

}  // namespace ladder::labs
