// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/wgmma_roofs.cu
/// \brief The roof of wgmma: what the tensor cores reach when they read shared memory themselves.
#include "bench/benchmark/roof_work.hpp"
#include "bench/benchmark/tensor_operands.cuh"
#include "common/check.hpp"
#include "common/launch.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/wgmma.cuh"

namespace ladder::bench {
namespace kernels {

constexpr int kThreads = 256;  // two warpgroups
constexpr int BM = 128;
constexpr int BN = 256;
constexpr int BK = 64;
constexpr int kSteps = 4096;  // about 2 ms

/// A tile of A and one of B in rows of 128 bytes, two elements per word.
struct Stage {
  unsigned A[BM][BK / 2];           // (BM, BK)
  unsigned B[BN / 64][BK][64 / 2];  // (BN/64, BK, 64)
};

/// \brief The products of rung 17 on a tile that is already in shared memory: no copies, no
///        barriers.
/// \param out  (gridDim.x * 256)
__global__ void __launch_bounds__(kThreads, 1) wgmma_shared(float* out) {
  __shared__ __align__(1024) Stage stage;
  auto* const words = reinterpret_cast<unsigned*>(&stage);
  for (unsigned i = threadIdx.x; i < sizeof stage / sizeof *words; i += kThreads)
    words[i] = random_operand(i, kRandomBf16Pair, kSetBf16Pair);
  ptx::fence_proxy_async();
  __syncthreads();

  const int group_row = threadIdx.x / 128 * 64;
  float acc[BN / 2] = {};
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    ptx::wgmma_fence();
    for (int k = 0; k < BK; k += 16) {
      ptx::wgmma<BN, false, true>(
          acc,
          ptx::matrix_descriptor(&stage.A[group_row][k / 2], 16, 8 * sizeof stage.A[0],
                                 ptx::Swizzle::rows_of_128),
          ptx::matrix_descriptor(&stage.B[0][k][0], sizeof stage.B[0], 8 * sizeof stage.B[0][0],
                                 ptx::Swizzle::rows_of_128),
          true);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
  }
  float sum = 0.0f;
  for (int i = 0; i < BN / 2; ++i)
    sum += acc[i];
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

}  // namespace kernels

std::vector<RoofWork> wgmma_roofs(int sms, float* out, Stream stream) {
  using namespace kernels;
  int major = 0;
  int minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  if (major != 9 || minor != 0) return {};
  return {{"wgmma_bf16", "TFLOP/s", 2.0 * BM * BN * BK * kSteps * sms, [=](int) {
             launch(wgmma_shared, {.grid = dim3(sms), .block = dim3(kThreads), .stream = stream},
                    out);
           }}};
}

}  // namespace ladder::bench
