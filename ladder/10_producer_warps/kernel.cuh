// SPDX-License-Identifier: MIT
/// \file  ladder/10_producer_warps/kernel.cuh
/// \brief Four warps only load, eight only multiply; barriers in shared memory connect them.
///
/// In rung 09 every warp computes addresses, starts copies and meets all others at a barrier in
/// each tile. Here the work is divided: producers fill slices of a ring, consumers read them, and
/// each slice has a barrier for "full" and one for "empty". B comes by TMA, a whole box per
/// instruction; A has to be transposed and goes through the producers' registers. They need few,
/// and give the rest to the consumers.
///
/// Traffic  L2  4*M*N*K*(1/BM + 1/BN) bytes;  issue slots  a few producer instructions per 16 of K.
#pragma once

#include "common/device.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mbarrier.cuh"
#include "common/ptx/registers.cuh"
#include "common/ptx/tma.cuh"

namespace ladder::producer_warps {

/// What one step of the pipeline holds: BK of K.
template <int BM, int BN, int BK>
struct __align__(128) Slice {
  float A[BK][BM];      // (BK, BM)  A transposed
  float B[BK][BN];      // (BK, BN)
  ptx::Mbarrier full;   // the slice has been filled
  ptx::Mbarrier empty;  // the slice has been read
};

/// \brief   C = alpha*A*B + beta*C; one BM x BN block tile of C per thread block.
/// \tparam  BM,BN,BK  block tile in elements; BM is 128, BK is 8
/// \tparam  WM,WN     warp tile in elements; (BM/WM)*(BN/WN) consumer warps behind 4 producers
/// \tparam  TM,TN     thread tile in elements, multiples of 4; (WM/TM)*(WN/TN) is 32
/// \tparam  SLICES    of the ring, in dynamic shared memory; even, at least 4
/// \tparam  BAND      block rows that consecutive blocks walk through before the next block column
/// \param   map_b     B as (K, N) with boxes of BK x BN
/// \param   M         extent in elements, any value >= 1
/// \param   N,K       extents in elements, multiples of 4
/// \param   A         (M, K) row-major, 16-byte aligned
/// \param   C         (M, N) row-major, 16-byte aligned; not read when beta == 0
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int SLICES, int BAND>
__global__ void __launch_bounds__(128 + 32 * (BM / WM) * (BN / WN), 1)
    kernel(const __grid_constant__ ptx::TensorMap map_b, int M, int N, int K, float alpha,
           const float* A, float beta, float* C) {
  constexpr int kProducerWarps = 4;
  constexpr int kConsumerWarps = (BM / WM) * (BN / WN);
  constexpr int kWarpCols = BN / WN;  // warps beside each other
  constexpr int kLaneRows = WM / TM;  // lanes below each other
  constexpr int kLaneCols = WN / TN;  // lanes beside each other
  static_assert(kLaneRows * kLaneCols == 32, "the lanes of a warp");
  constexpr int kRound = 2 * BK;  // of K that producers fill at a time
  using Slice = producer_warps::Slice<BM, BN, BK>;
  static_assert(BM * kRound == 16 * 32 * kProducerWarps, "a 4 x 4 block of A per producer");
  static_assert(SLICES % 2 == 0 && SLICES >= 4, "consumers hold a slice until they see the next");

  // -- Where this thread works ---------------------------------------------------------------
  // Blocks start in the order of their index: down a column of BAND tiles, then the next column.
  const int row0 = (blockIdx.y * BAND + blockIdx.x % BAND) * BM;
  const int col0 = blockIdx.x / BAND * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row0 >= M) return;  // the last band may reach below C

  // -- Shared tiles and registers ------------------------------------------------------------
  extern __shared__ __align__(128) unsigned char shared[];
  auto* const slices = reinterpret_cast<Slice*>(shared);  // (SLICES)
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
    const int a_m = (warp * 8 + lane % 8) * 4;
    const int a_k = lane / 8 * 4;
    const float* gA = A + static_cast<size_t>(row0 + a_m) * K + a_k;
    const int rows = M - (row0 + a_m);  // of this thread's four that are inside of A
    float4 a[4];
    const auto fetch = [&](int k0) {
      const int inside = k0 + a_k < K ? rows : 0;
      for (int m = 0; m < 4; ++m) {
        a[m] = m < inside ? *reinterpret_cast<const float4*>(gA + static_cast<size_t>(m) * K)
                          : float4{};
      }
      gA += kRound;
    };
    fetch(0);
    bool in_order = true;  // slices are read in the order of the ring
    unsigned offset = 0;   // of the slice to fill, in bytes
    int phase = 1;
    for (int k0 = 0; k0 < K; k0 += kRound) {
      Slice* const slice = reinterpret_cast<Slice*>(shared + offset);
      ptx::mbarrier_wait(&slice[1].empty, phase);
      if (threadIdx.x == 0) {
        for (int i = 0; i < 2; ++i) {
          in_order &= ptx::mbarrier_test(&slice[i].empty, phase);  // PTX wants each phase seen
          ptx::mbarrier_arrive_expect(&slice[i].full, sizeof slice[i].B);
          ptx::tma_load(slice[i].B, map_b, k0 + i * BK, col0, &slice[i].full);
        }
      }
      float(&sA)[BK][BM] = slice[a_k / BK].A;
      const int k = a_k % BK;
      *reinterpret_cast<float4*>(&sA[k + 0][a_m]) = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
      *reinterpret_cast<float4*>(&sA[k + 1][a_m]) = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
      *reinterpret_cast<float4*>(&sA[k + 2][a_m]) = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
      *reinterpret_cast<float4*>(&sA[k + 3][a_m]) = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
      __syncwarp();
      if (lane < 2) ptx::mbarrier_arrive(&slice[lane].full);
      offset += 2 * sizeof(Slice);
      if (offset == SLICES * sizeof(Slice)) {
        offset = 0;
        phase ^= 1;
      }
      fetch(k0 + kRound);
    }
    if (!in_order) __trap();
    // Consumers read one row ahead, also behind the last slice: let them find zeros.
    Slice* const slice = reinterpret_cast<Slice*>(shared + offset);
    ptx::mbarrier_wait(&slice->empty, phase);
    slice->A[0][threadIdx.x] = 0.0f;
    slice->B[0][threadIdx.x] = 0.0f;
    slice->B[0][threadIdx.x + BM] = 0.0f;
    if (threadIdx.x == 0) ptx::mbarrier_arrive(&slice->full);
    __syncwarp();
    if (lane == 0) ptx::mbarrier_arrive(&slice->full);
    return;
  }

  // -- Consumer ------------------------------------------------------------------------------
  ptx::take_registers<216>();
  const int consumer = warp - kProducerWarps;
  const int thread_row = consumer / kWarpCols * WM + lane / kLaneCols * 4;
  const int thread_col = consumer % kWarpCols * WN + lane % kLaneCols * 4;
  float acc[TM][TN] = {};         // (TM, TN)
  __align__(16) float rA[2][TM];  // (2, TM)
  __align__(16) float rB[2][TN];  // (2, TN)
  const float* sA = &slices->A[0][thread_row];
  const float* sB = &slices->B[0][thread_col];
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

  // -- Main loop over K ----------------------------------------------------------------------
  unsigned offset = 0;  // of the slice to read, in bytes
  int phase = 0;
  ptx::mbarrier_wait(&slices->full, phase);
  read(0, 0);
#pragma unroll 1
  for (int k0 = 0; k0 < (K + kRound - 1) / kRound * kRound; k0 += BK) {
    Slice* const slice = reinterpret_cast<Slice*>(shared + offset);
    offset += sizeof(Slice);
    if (offset == SLICES * sizeof(Slice)) {
      offset = 0;
      phase ^= 1;
    }
    Slice* const next = reinterpret_cast<Slice*>(shared + offset);
    ptx::mbarrier_wait(&next->full, phase);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k + 1 == BK) {
        __syncwarp();  // all lanes have read this slice
        sA = &next->A[0][thread_row];
        sB = &next->B[0][thread_col];
      }
      read((k + 1) % 2, (k + 1) % BK);
      for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
          const int m = TM - 1 - i;
          const int n = i % 2 == 0 ? TN - 1 - j : j;  // there and back
          acc[m][n] += rA[k % 2][m] * rB[k % 2][n];
        }
      }
    }
    if (lane == 0) ptx::mbarrier_arrive(&slice->empty);
  }

  // -- Epilogue: C = alpha*acc + beta*C ------------------------------------------------------
  for (int m = 0; m < TM; ++m) {
    const int row = row0 + thread_row + m / 4 * 4 * kLaneRows + m % 4;
    for (int n = 0; n < TN; n += 4) {
      const int col = col0 + thread_col + n * kLaneCols;
      if (row >= M || col >= N) continue;
      float4* gC = reinterpret_cast<float4*>(C + static_cast<size_t>(row) * N + col);
      float4 c = make_float4(alpha * acc[m][n + 0], alpha * acc[m][n + 1], alpha * acc[m][n + 2],
                             alpha * acc[m][n + 3]);
      if (beta != 0.0f) {
        const float4 old = *gC;
        c.x += beta * old.x;
        c.y += beta * old.y;
        c.z += beta * old.z;
        c.w += beta * old.w;
      }
      *gC = c;
    }
  }
}

}  // namespace ladder::producer_warps
