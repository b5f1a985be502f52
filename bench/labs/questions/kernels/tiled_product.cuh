// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/tiled_product.cuh
/// \brief A matrix product whose blocks take their tiles in any order: a thread for each result, so
///        that two blocks of 1024 threads fill an SM.
#pragma once

#include "bench/labs/questions/kernels/tiled_product.hpp"
#include "common/device.cuh"

namespace ladder::labs::kernels {

/// \tparam T  tile in elements: T*T threads
template <int T>
__global__ void __launch_bounds__(T* T)
    tiled_product(const __grid_constant__ TiledProduct product) {
  const int tile = product.tiles[blockIdx.x];
  const int tile_cols = product.N / T;
  const int thread_row = threadIdx.x / T;
  const int thread_col = threadIdx.x % T;
  const int row = tile / tile_cols * T + thread_row;
  const int col = tile % tile_cols * T + thread_col;
  __shared__ float sA[T][T];  // (T, T)
  __shared__ float sB[T][T];  // (T, T)
  const float* gA = product.A + static_cast<size_t>(row) * product.K + thread_col;
  const float* gB = product.B + static_cast<size_t>(thread_row) * product.N + col;
  float sum = 0.0f;
  for (int k0 = product.k_begin; k0 < product.k_end; k0 += T) {
    sA[thread_row][thread_col] = gA[k0];
    sB[thread_row][thread_col] = gB[static_cast<size_t>(k0) * product.N];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; ++k)
      sum += sA[thread_row][k] * sB[k][thread_col];
    __syncthreads();
  }
  float* const gC = product.C + static_cast<size_t>(row) * product.N + col;
  *gC = product.accumulate ? *gC + sum : sum;
}

}  // namespace ladder::labs::kernels
