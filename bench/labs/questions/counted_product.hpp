// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/counted_product.hpp
/// \brief What a matrix product asks of DRAM, by the order of its blocks: traced on the emulator,
///        and replayed through the caches of a card.
#pragma once

#include <vector>

#include "bench/labs/analysis/tile_order.hpp"
#include "bench/labs/instruments/kernel_instruments.hpp"
#include "common/device_card.hpp"

namespace ladder::labs {

/// What a product moved.
struct ProductTraffic {
  double l2_hit_rate = 0.0;    ///< of sectors that are read
  double read_bytes = 0.0;     ///< from DRAM
  double written_bytes = 0.0;  ///< to DRAM, with those that were still in L2 at the end

  double bytes() const { return read_bytes + written_bytes; }
};

/// Its tiles of C.
TileGrid grid_of(const ProductPlan& plan);

/// Blocks of a product that run at once on a card.
int blocks_in_flight(const DeviceCard& card);

/// \brief  Traces blocks that differ, and replays all of them.
/// \throws std::invalid_argument  extents are no multiples of the tile
ProductTraffic count_product(const ProductPlan& plan, const DeviceCard& card);

/// \brief  The product itself, from traced kernels that run all blocks.
/// \param  A  (M, K)
/// \param  B  (K, N)
/// \return (M, N)
std::vector<float> emulated_product(const ProductPlan& plan, const std::vector<float>& A,
                                    const std::vector<float>& B);

}  // namespace ladder::labs
