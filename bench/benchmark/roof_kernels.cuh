// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/roof_kernels.cuh
/// \brief Kernels that keep one part of a GPU busy and nothing else. Each writes a float per thread
///        that depends on all its work, so that the compiler cannot leave any of it out.
#pragma once

#include <cstddef>

#include "common/device.cuh"

namespace ladder::bench::kernels {

constexpr int kThreads = 256;

// -- FFMA in registers ----------------------------------------------------------------------------

constexpr int kChains = 8;  // an FFMA takes 4 cycles, a scheduler has several warps: 8 is plenty
constexpr int kFmaSteps = 32768;  // about 2 ms, so that the launches themselves do not count
constexpr int kFmaUnroll = 32;

/// Multiply-adds of ffma_chains per thread.
constexpr double kFmaPerThread = 1.0 * kChains * kFmaSteps;

/// \brief The FP32 rate: independent chains of multiply-adds in registers. The loop holds 256 FFMA
///        and its counter, and loads nothing. Two of three operands are the same in all of them, so
///        register ports are never short, as they are in a GEMM.
/// \param x  below 1 in size, or the chains end in infinity
__global__ void __launch_bounds__(kThreads) ffma_chains(float* out, float x, float y) {
  float acc[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain)
    acc[chain] = static_cast<float>(threadIdx.x + chain);
#pragma unroll 1
  for (int step = 0; step < kFmaSteps; step += kFmaUnroll) {
#pragma unroll
    for (int i = 0; i < kFmaUnroll; ++i) {
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain)
        acc[chain] = acc[chain] * x + y;
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain)
    sum += acc[chain];
  out[static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x] = sum;
}

// -- FFMA fed from shared memory ------------------------------------------------------------------

constexpr int BM = 128;
constexpr int BN = 256;
constexpr int BK = 8;
constexpr int TM = 8;
constexpr int TN = 16;
constexpr int kSlabs = 4;  // each has A and B of one k tile: 48 KiB in all
constexpr int kFedSteps = 1536;

/// Multiply-adds of fed_ffma per block.
constexpr double kFedFmaPerBlock = 1.0 * BM * BN * BK * kFedSteps;

/// Four neighbours in shared memory, by one LDS.128.
__device__ inline void load4(float* registers, const float* shared) {
  const float4 four = *reinterpret_cast<const float4*>(shared);
  registers[0] = four.x;
  registers[1] = four.y;
  registers[2] = four.z;
  registers[3] = four.w;
}

/// \brief The main loop of a GEMM whose tiles are already in shared memory: 8 x 16 results per
///        thread, fed by 6 LDS.128 for every 128 FFMA. No global loads, no barriers. A GEMM with
///        its multiply-adds in this order, row by row, loses the rest to filling tiles. Rungs 10
///        to 13 have an order that suits the register ports better.
__global__ void __launch_bounds__(kThreads, 1) fed_ffma(float* out) {
  __shared__ float sA[kSlabs][BK][BM];  // (slab, BK, BM)
  __shared__ float sB[kSlabs][BK][BN];  // (slab, BK, BN)
  // Numbers of both signs near 1: sums grow slowly, and the multipliers have real work.
  for (int i = threadIdx.x; i < kSlabs * BK * BM; i += kThreads)
    (&sA[0][0][0])[i] = static_cast<float>((i * 37) % 101 - 50) * 0.02f;
  for (int i = threadIdx.x; i < kSlabs * BK * BN; i += kThreads)
    (&sB[0][0][0])[i] = static_cast<float>((i * 53) % 103 - 51) * 0.02f;
  __syncthreads();

  const int warp = threadIdx.x / 32;  // 2 x 4 warps of 64 x 64 results
  const int lane = threadIdx.x % 32;  // 8 x 4 lanes
  const int row0 = warp / 4 * 64 + lane / 4 * 4;
  const int col0 = warp % 4 * 64 + lane % 4 * 4;
  float acc[TM][TN] = {};
  float a[2][TM];
  float b[2][TN];
  const auto load_fragments = [&](int into, int slab, int k) {
#pragma unroll
    for (int m = 0; m < TM; m += 4)
      load4(&a[into][m], &sA[slab][k][row0 + m / 4 * 32]);
#pragma unroll
    for (int n = 0; n < TN; n += 4)
      load4(&b[into][n], &sB[slab][k][col0 + n / 4 * 16]);
  };
  load_fragments(0, 0, 0);
#pragma unroll 1
  for (int step = 0; step < kFedSteps; ++step) {
    const int slab = step % kSlabs;
    const int next_slab = (step + 1) % kSlabs;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      load_fragments((k + 1) % 2, k + 1 < BK ? slab : next_slab, (k + 1) % BK);
#pragma unroll
      for (int m = 0; m < TM; ++m) {
#pragma unroll
        for (int n = 0; n < TN; ++n)
          acc[m][n] += a[k % 2][m] * b[k % 2][n];
      }
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int m = 0; m < TM; ++m) {
#pragma unroll
    for (int n = 0; n < TN; ++n)
      sum += acc[m][n];
  }
  out[static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x] = sum;
}

// -- Memory ---------------------------------------------------------------------------------------

constexpr int kInFlight = 4;  // float4 per thread that are in flight at once

/// \brief DRAM: every byte is read once and written once, in arrays far larger than L2.
/// \param count  a multiple of kInFlight * threads of the grid
__global__ void __launch_bounds__(kThreads)
    copy(float4* __restrict__ to, const float4* __restrict__ from, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  for (std::size_t i = first; i < count; i += kInFlight * stride) {
    float4 held[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j)
      held[j] = from[i + j * stride];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j)
      to[i + j * stride] = held[j];
  }
}

constexpr int kL2Steps = 2048;
constexpr int kL2Unroll = 8;

/// \brief L2: all blocks read one small array again and again. ld.global.cg bypasses L1, and the
///        array fits L2 but not L1.
/// \param count  float4 in the array, a power of two
__global__ void __launch_bounds__(kThreads)
    read_l2(float* out, const float4* __restrict__ array, unsigned count) {
  const unsigned stride = gridDim.x * kThreads;
  const unsigned first = blockIdx.x * kThreads + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned step = 0; step < kL2Steps; step += kL2Unroll) {
    float4 held[kL2Unroll];
#pragma unroll
    for (unsigned j = 0; j < kL2Unroll; ++j)
      held[j] = __ldcg(&array[(first + (step + j) * stride) & (count - 1)]);
#pragma unroll
    for (unsigned j = 0; j < kL2Unroll; ++j)
      sum += held[j].x + held[j].y + held[j].z + held[j].w;
  }
  out[first] = sum;
}

constexpr int kSharedFloat4 = 2048;  // 32 KiB
constexpr int kSharedReads = 16;
constexpr int kSharedSteps = 2048;

/// \brief Shared memory: the lanes of a warp read 512 neighbouring bytes with each LDS.128, so a
///        wavefront brings 128. Four additions use what one LDS.128 brought; they take a quarter of
///        its time.
__global__ void __launch_bounds__(kThreads) read_shared(float* out) {
  __shared__ float4 array[kSharedFloat4];
  for (int i = threadIdx.x; i < kSharedFloat4; i += kThreads)
    array[i] = make_float4(1.0f, -1.0f, 0.5f, -0.5f);
  __syncthreads();
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 1
  for (int step = 0; step < kSharedSteps; ++step) {
    // The address changes with the step: otherwise the compiler would load only once.
    const float4* place = &array[(threadIdx.x + step * kThreads) % (kSharedFloat4 / 2)];
#pragma unroll
    for (int i = 0; i < kSharedReads; ++i) {
      const float4 four = place[i * (kSharedFloat4 / 2 / kSharedReads)];
      sum.x += four.x;
      sum.y += four.y;
      sum.z += four.z;
      sum.w += four.w;
    }
  }
  out[static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x] =
      sum.x + sum.y + sum.z + sum.w;
}

}  // namespace ladder::bench::kernels
