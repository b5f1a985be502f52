// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/mma_roofs.cu
/// \brief Roofs of mma.sync: what the tensor cores reach when warps hand them registers.
#include "bench/benchmark/roof_work.hpp"
#include "bench/benchmark/tensor_operands.cuh"
#include "common/check.hpp"
#include "common/launch.cuh"
#include "common/ptx/ldmatrix.cuh"
#include "common/ptx/mma.cuh"

namespace ladder::bench {
namespace kernels {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kTileRows = 4;  // a warp tile of 64 x 64, as in rungs 15 and 16: 128 sums per lane
constexpr int kTileCols = 8;
constexpr int kSteps = 8192;  // about 2 ms
/// Multiply-adds of a step per warp and unit of depth.
constexpr double kFmaPerDepth = 16.0 * kTileRows * 8 * kTileCols;

struct Bf16 {
  static constexpr int kDepth = 16;
  static constexpr unsigned kRandomBits = kRandomBf16Pair;
  static constexpr unsigned kSetBits = kSetBf16Pair;
  static __device__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    ptx::mma_bf16(sum, a, b);
  }
};

struct Tf32 {
  static constexpr int kDepth = 8;
  static constexpr unsigned kRandomBits = 0x807FE000;  // sign and ten bits of mantissa
  static constexpr unsigned kSetBits = 0x3F000000;     // 0.5 to 1
  static __device__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    ptx::mma_tf32(sum, a, b);
  }
};

__device__ float total(const float (&sums)[kTileRows][kTileCols][4]) {
  float sum = 0.0f;
  for (int m = 0; m < kTileRows; ++m) {
    for (int n = 0; n < kTileCols; ++n) {
      sum += sums[m][n][0] + sums[m][n][1] + sums[m][n][2] + sums[m][n][3];
    }
  }
  return sum;
}

/// \brief The rate of mma.sync with operands that are in registers already. Each product has other
///        operands than the last one, because power depends on how many bits change.
/// \param out  (gridDim.x * 256)
template <class Number>
__global__ void __launch_bounds__(kThreads, 1) mma_registers(float* out) {
  float acc[kTileRows][kTileCols][4] = {};
  unsigned a[kTileRows][4];
  unsigned b[kTileCols][2];
  const auto drawn = [&](unsigned i) {
    return random_operand(threadIdx.x * 64 + i, Number::kRandomBits, Number::kSetBits);
  };
  for (int i = 0; i < kTileRows * 4; ++i)
    a[i / 4][i % 4] = drawn(i);
  for (int i = 0; i < kTileCols * 2; ++i)
    b[i / 2][i % 2] = drawn(32 + i);
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    for (int n = 0; n < kTileCols; ++n) {
      for (int m = 0; m < kTileRows; ++m) {
        Number::multiply(acc[m][n], a[m], b[n]);
      }
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = total(acc);
}

constexpr int BM = 128;
constexpr int BN = 256;
constexpr int BK = 32;
constexpr int kSlabs = 2;  // 48 KiB

/// \brief The loop of rung 16 on tiles that are already in shared memory: 8 ldmatrix for 32
///        products, no copies and no barriers.
/// \param out  (gridDim.x * 256)
__global__ void __launch_bounds__(kThreads, 1) fed_mma_bf16(float* out) {
  __shared__ unsigned sA[kSlabs][BM][BK / 2];  // (slab, BM, BK)  two elements per word
  __shared__ unsigned sB[kSlabs][BK][BN / 2];  // (slab, BK, BN)
  for (int i = threadIdx.x; i < kSlabs * BM * BK / 2; i += kThreads)
    (&sA[0][0][0])[i] = random_operand(i, kRandomBf16Pair, kSetBf16Pair);
  for (int i = threadIdx.x; i < kSlabs * BK * BN / 2; i += kThreads)
    (&sB[0][0][0])[i] = random_operand(~i, kRandomBf16Pair, kSetBf16Pair);
  __syncthreads();

  const int warp = threadIdx.x / 32;  // 2 x 4 warps of 64 x 64 results
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / 4 * 64;
  const int warp_col = warp % 4 * 64;
  float acc[kTileRows][kTileCols][4] = {};
  unsigned rA[2][kTileRows][4];
  unsigned rB[2][kTileCols / 2][4];
  // The pieces of 16 bytes lie as in rung 16, so that no two of a wavefront share a bank.
  const auto read = [&](int buffer, int slab, int k0) {
    const int k = k0 + lane % 16;
    for (int n = 0; n < kTileCols / 2; ++n) {
      const int piece = (warp_col + n * 16) / 8 + lane / 16;
      ptx::ldmatrix<true>(rB[buffer][n], &sB[slab][k][(piece ^ k % 8) * 4]);
    }
    for (int m = 0; m < kTileRows; ++m) {
      const int row = warp_row + m * 16 + lane % 16;
      const int piece = k0 / 8 + lane / 16;
      ptx::ldmatrix<false>(rA[buffer][m], &sA[slab][row][(piece ^ row / 2 % 4) * 4]);
    }
  };
  read(0, 0, 0);
#pragma unroll 1
  for (int step = 0; step < kSteps; step += 2 * kSlabs) {
#pragma unroll
    for (int half = 0; half < 2 * kSlabs; ++half) {  // of a slab
      const int next = (half + 1) % (2 * kSlabs);
      read(next % 2, next / 2, next % 2 * 16);
      for (int n = 0; n < kTileCols; ++n) {
        const auto& pair = rB[half % 2][n / 2];
        const unsigned b[] = {pair[n % 2 * 2], pair[n % 2 * 2 + 1]};
        for (int m = 0; m < kTileRows; ++m) {
          ptx::mma_bf16(acc[m][n], rA[half % 2][m], b);
        }
      }
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = total(acc);
}

}  // namespace kernels

std::vector<RoofWork> mma_roofs(int sms, float* out, Stream stream) {
  using namespace kernels;
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major < 8) return {};
  const LaunchShape shape{.grid = dim3(sms), .block = dim3(kThreads), .stream = stream};
  const double per_depth = 2.0 * kFmaPerDepth * kSteps * kWarps * sms;
  return {
      {"mma_tf32", "TFLOP/s", per_depth * Tf32::kDepth,
       [=](int) { launch(mma_registers<Tf32>, shape, out); }},
      {"mma_bf16", "TFLOP/s", per_depth * Bf16::kDepth,
       [=](int) { launch(mma_registers<Bf16>, shape, out); }},
      {"fed_mma_bf16", "TFLOP/s", per_depth * Bf16::kDepth,
       [=](int) { launch(fed_mma_bf16, shape, out); }},
  };
}

}  // namespace ladder::bench
