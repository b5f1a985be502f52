// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/tiled_product.hpp
/// \brief A matrix product whose blocks take their tiles in any order.
#pragma once

#include <algorithm>
#include <vector>

namespace ladder::labs {

/// Rows and columns of a tile of C, and extent in K of the tiles of A and B.
inline constexpr int kProductTile = 32;

/// C = A*B, or C += A*B over a part of K. Extents are multiples of kProductTile.
struct TiledProduct {
  int M = 0;
  int N = 0;
  int K = 0;
  int k_begin = 0;  ///< the part of K that is added up
  int k_end = 0;
  bool accumulate = false;   ///< to what C holds
  const float* A = nullptr;  ///< (M, K) row-major
  const float* B = nullptr;  ///< (K, N) row-major
  float* C = nullptr;        ///< (M, N) row-major
  /// (blocks)  the tile of each block, counted along the rows of tiles
  const int* tiles = nullptr;

  int blocks() const { return M / kProductTile * (N / kProductTile); }
};

/// A product, and in which order its tiles and the parts of its K are taken.
struct ProductPlan {
  int M = 0;
  int N = 0;
  int K = 0;
  std::vector<int> order;  ///< (tiles of C)
  int k_chunk = 0;         ///< of K in one launch; 0: all of it
};

/// Calls `start` with the TiledProduct of each launch that a plan needs.
template <class Start>
void for_each_part(const ProductPlan& plan, const float* A, const float* B, float* C,
                   const int* tiles, const Start& start) {
  const int chunk = plan.k_chunk == 0 ? plan.K : plan.k_chunk;
  for (int k = 0; k < plan.K; k += chunk) {
    start(TiledProduct{.M = plan.M,
                       .N = plan.N,
                       .K = plan.K,
                       .k_begin = k,
                       .k_end = std::min(k + chunk, plan.K),
                       .accumulate = k > 0,
                       .A = A,
                       .B = B,
                       .C = C,
                       .tiles = tiles});
  }
}

}  // namespace ladder::labs
