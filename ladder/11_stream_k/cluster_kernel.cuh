// SPDX-License-Identifier: MIT
/// \file  ladder/11_stream_k/cluster_kernel.cuh
/// \brief Two blocks of a cluster halve a tile's K and add up through each other's shared memory.
///
/// In a small product, handing sums over through the workspace costs more than multiplying: stores
/// go to L2, a flag is polled, loads come back. A cluster is a few blocks that run at the same time
/// on SMs close to each other; its threads can read the shared memory of all its blocks
/// (*distributed shared memory*, DSMEM), and one barrier connects all of them. launch.cu takes this
/// kernel where its model calls it quickest: where there are few tiles, about as many as half of
/// the SMs. Producer, consumer and the order of multiply-adds are those of kernel.cuh, for one part
/// of one tile.
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes; between the SMs of a cluster  4*BM*BN bytes per tile.
#pragma once

#include "common/ptx/cluster.cuh"
#include "ladder/11_stream_k/kernel.cuh"

namespace ladder::stream_k {

/// \brief   C = alpha*A*B + beta*C; one block tile of C per cluster of two blocks, launched as a
///          grid of 2 * tiles blocks, tiles row by row. Block 0 sums the first half of K.
/// \tparam  WARPS_M,WARPS_N,WARPS_K  consumer warps along M, N and K, 8 in all; each works on 64 x
///                   64, so that the block tile is 64*WARPS_M x 64*WARPS_N. WARPS_M*WARPS_K is a
///                   multiple of 4: each producer brings whole 4 x 4 blocks of A
/// \tparam  SLICES   of the ring, in dynamic shared memory; at least 2. When it has been read, sums
///                   take its place: 64 x 64 floats per consumer warp, and a block tile
/// \param   map_b    B as (K, N) with boxes of 8*WARPS_K x 64*WARPS_N
/// \param   M        extent in elements, any value >= 1
/// \param   N,K      extents in elements, multiples of 4; a half of K may be empty
/// \param   A        (M, K) row-major, 16-byte aligned
/// \param   C        (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int WARPS_M, int WARPS_N, int WARPS_K, int SLICES>
__global__ void __launch_bounds__(128 + 32 * WARPS_M * WARPS_N * WARPS_K, 1)
    cluster_kernel(const __grid_constant__ ptx::TensorMap map_b, int M, int N, int K, float alpha,
                   const float* A, float beta, float* C) {
  constexpr int WM = 64;
  constexpr int WN = 64;
  constexpr int TM = 8;
  constexpr int TN = 16;
  constexpr int kLaneRows = WM / TM;  // lanes below each other
  constexpr int kLaneCols = WN / TN;  // lanes beside each other
  constexpr int BM = WM * WARPS_M;
  constexpr int BN = WN * WARPS_N;
  constexpr int kDepth = 8;  // of K per warp in a slice
  constexpr int BK = kDepth * WARPS_K;
  constexpr int kProducerWarps = 4;
  constexpr int kProducers = 32 * kProducerWarps;
  constexpr int kConsumerWarps = WARPS_M * WARPS_N * WARPS_K;
  constexpr int kConsumers = 32 * kConsumerWarps;
  constexpr int kBlocks = BM * BK / (16 * kProducers);  // 4 x 4 of A per producer and slice
  using Slice = stream_k::Slice<BM, BN, BK>;

  // -- Where this thread works ---------------------------------------------------------------
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int tiles_n = (N + BN - 1) / BN;
  const int rank = ptx::cluster_rank();
  const int row0 = blockIdx.x / 2 / tiles_n * BM;
  const int col0 = blockIdx.x / 2 % tiles_n * BN;
  const int rounds = (K + BK - 1) / BK;
  const int begin = rank == 0 ? 0 : rounds / 2;
  const int end = rank == 0 ? rounds / 2 : rounds;

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(128) unsigned char shared[];
  Slice* const slices = reinterpret_cast<Slice*>(shared);    // (SLICES)
  float4* const sums = reinterpret_cast<float4*>(shared);    // (kConsumerWarps, WM*WN/4)
  float4* const half = sums + kConsumerWarps * WM * WN / 4;  // (WARPS_M*WARPS_N, WM*WN/4)
  if (threadIdx.x == 0) {
    for (int s = 0; s < SLICES; ++s) {
      ptx::mbarrier_init(&slices[s].full, 1 + kProducerWarps);
      ptx::mbarrier_init(&slices[s].empty, kConsumerWarps);
    }
    ptx::fence_mbarrier_init();
  }
  __syncthreads();

  if (warp < kProducerWarps) {
    // -- Producer ----------------------------------------------------------------------------
    ptx::give_registers<72>();
    constexpr int kStepK = 16 * kProducers / BM;
    const int a_m = (lane % 8 + warp * 8 % (BM / 4)) * 4;
    const int a_k = (lane / 8 + warp * 32 / BM * 4) * 4;
    const float* gA = A + static_cast<size_t>(row0 + a_m) * K + begin * BK + a_k;
    const int rows = M - (row0 + a_m);
    float4 a[kBlocks][4];
    const auto fetch = [&](int k0) {
      for (int i = 0; i < kBlocks; ++i) {
        const int inside = k0 + a_k + i * kStepK < K ? rows : 0;
        for (int m = 0; m < 4; ++m) {
          a[i][m] =
              m < inside
                  ? *reinterpret_cast<const float4*>(gA + static_cast<size_t>(m) * K + i * kStepK)
                  : float4{};
        }
      }
      gA += BK;
    };
    unsigned offset = 0;  // of the slice to fill, in bytes
    int phase = 1;
    fetch(begin * BK);
    for (int round = begin; round < end; ++round) {
      Slice* const slice = reinterpret_cast<Slice*>(shared + offset);
      ptx::mbarrier_wait(&slice->empty, phase);
      if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect(&slice->full, sizeof slice->B);
        ptx::tma_load(slice->B, map_b, round * BK, col0, &slice->full);
      }
      for (int i = 0; i < kBlocks; ++i) {
        const int k = a_k + i * kStepK;
        const float4* r = a[i];
        *reinterpret_cast<float4*>(&slice->A[k + 0][a_m]) =
            make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
        *reinterpret_cast<float4*>(&slice->A[k + 1][a_m]) =
            make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
        *reinterpret_cast<float4*>(&slice->A[k + 2][a_m]) =
            make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
        *reinterpret_cast<float4*>(&slice->A[k + 3][a_m]) =
            make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
      }
      __syncwarp();
      if (lane == 0) ptx::mbarrier_arrive(&slice->full);
      offset += sizeof(Slice);
      if (offset == SLICES * sizeof(Slice)) {
        offset = 0;
        phase ^= 1;
      }
      fetch((round + 1) * BK);
    }
    // Consumers read one row ahead, also behind the last slice: let them find zeros.
    Slice* const slice = reinterpret_cast<Slice*>(shared + offset);
    ptx::mbarrier_wait(&slice->empty, phase);
    for (int i = threadIdx.x; i < BM * WARPS_K; i += kProducers) {
      slice->A[i / BM * kDepth][i % BM] = 0.0f;
    }
    for (int i = threadIdx.x; i < BN * WARPS_K; i += kProducers) {
      slice->B[i / BN * kDepth][i % BN] = 0.0f;
    }
    if (threadIdx.x == 0) ptx::mbarrier_arrive(&slice->full);
    __syncwarp();
    if (lane == 0) ptx::mbarrier_arrive(&slice->full);
    // Consumers meet those of the other block twice, and a cluster's barrier counts all threads.
    ptx::cluster_sync();
    ptx::cluster_sync();
  } else {
    // -- Consumer ----------------------------------------------------------------------------
    ptx::take_registers<216>();
    const int consumer = threadIdx.x - kProducers;
    const int warp_k = (warp - kProducerWarps) / (WARPS_M * WARPS_N);
    const int warp_tile = (warp - kProducerWarps) % (WARPS_M * WARPS_N);
    const int thread_row = warp_tile / WARPS_N * WM + lane / kLaneCols * 4;
    const int thread_col = warp_tile % WARPS_N * WN + lane % kLaneCols * 4;
    float acc[TM][TN] = {};         // (TM, TN)
    __align__(16) float rA[2][TM];  // (2, TM)
    __align__(16) float rB[2][TN];  // (2, TN)
    unsigned offset = 0;            // of the slice to read, in bytes
    int phase = 0;
    const float* sA = &slices->A[warp_k * kDepth][thread_row];
    const float* sB = &slices->B[warp_k * kDepth][thread_col];
    const auto read = [&](int buffer, int k) {
      for (int n = 0; n < TN; n += 4) {
        *reinterpret_cast<float4*>(&rB[buffer][n]) =
            *reinterpret_cast<const float4*>(sB + k * BN + n * kLaneCols);
      }
      for (int m = 0; m < TM; m += 4) {
        *reinterpret_cast<float4*>(&rA[buffer][m]) =
            *reinterpret_cast<const float4*>(sA + k * BM + m * kLaneRows);
      }
    };
    ptx::mbarrier_wait(&slices->full, phase);
    read(0, 0);

    // -- Main loop over K --------------------------------------------------------------------
#pragma unroll 1
    for (int round = begin; round < end; ++round) {
      Slice* const slice = reinterpret_cast<Slice*>(shared + offset);
      offset += sizeof(Slice);
      if (offset == SLICES * sizeof(Slice)) {
        offset = 0;
        phase ^= 1;
      }
      Slice* const next = reinterpret_cast<Slice*>(shared + offset);
      ptx::mbarrier_wait(&next->full, phase);
#pragma unroll
      for (int k = 0; k < kDepth; ++k) {
        if (k + 1 == kDepth) {
          sA = &next->A[warp_k * kDepth][thread_row];
          sB = &next->B[warp_k * kDepth][thread_col];
        }
        read((k + 1) % 2, (k + 1) % kDepth);
        for (int n = 0; n < TN; ++n) {
          for (int i = 0; i < TM; ++i) {
            const int m = n % 2 == 0 ? TM - 1 - i : i;  // there and back
            acc[m][n] += rA[k % 2][m] * rB[k % 2][n];
          }
        }
      }
      if (lane == 0) ptx::mbarrier_arrive(&slice->empty);
    }

    // -- Epilogue: C = alpha*acc + beta*C ----------------------------------------------------
    ptx::barrier_sync<1, kConsumers>();  // all slices have been read: sums take their place
    float4* const mine = sums + (warp - kProducerWarps) * (WM * WN / 4) + lane;
    for (int m = 0; m < TM; ++m) {
      for (int n = 0; n < TN; n += 4) {
        mine[(m * TN + n) / 4 * 32] = make_float4(alpha * acc[m][n + 0], alpha * acc[m][n + 1],
                                                  alpha * acc[m][n + 2], alpha * acc[m][n + 3]);
      }
    }
    ptx::barrier_sync<1, kConsumers>();
    constexpr int kVectors = BM * BN / 4;
    for (int i = consumer; i < kVectors; i += kConsumers) {
      float4 sum = sums[i];
      for (int k = 1; k < WARPS_K; ++k) {
        const float4 other = sums[i + k * kVectors];
        sum.x += other.x;
        sum.y += other.y;
        sum.z += other.z;
        sum.w += other.w;
      }
      half[i] = sum;
    }
    ptx::cluster_sync();
    const float4* const low = ptx::in_block(half, 0);  // in the order of K
    const float4* const high = ptx::in_block(half, 1);
    for (int i = rank * kVectors / 2 + consumer; i < (rank + 1) * kVectors / 2; i += kConsumers) {
      // Vector i belongs to lane i % 32; the others of its warp stand 32 apart.
      const int m = i / 32 / (TN / 4) % TM;
      const int n = i / 32 % (TN / 4) * 4;
      const int tile = i / (WM * WN / 4);
      const int row =
          row0 + tile / WARPS_N * WM + lane / kLaneCols * 4 + m / 4 * 4 * kLaneRows + m % 4;
      const int col = col0 + tile % WARPS_N * WN + lane % kLaneCols * 4 + n * kLaneCols;
      if (row >= M || col >= N) continue;
      float4 c = low[i];
      const float4 other = high[i];
      c.x += other.x;
      c.y += other.y;
      c.z += other.z;
      c.w += other.w;
      float4* gC = reinterpret_cast<float4*>(C + static_cast<size_t>(row) * N + col);
      if (beta != 0.0f) {
        const float4 old = *gC;
        c.x += beta * old.x;
        c.y += beta * old.y;
        c.z += beta * old.z;
        c.w += beta * old.w;
      }
      *gC = c;
    }
    ptx::cluster_sync();  // the other block has read this one's sums
  }
}

}  // namespace ladder::stream_k
