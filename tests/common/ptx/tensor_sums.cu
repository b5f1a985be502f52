// SPDX-License-Identifier: MIT
#include "tests/common/ptx/tensor_sums.hpp"

#include "common/launch.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/mma.cuh"
#include "common/ptx/wgmma.cuh"

namespace ladder::tensor_sums_kernels {

using namespace ladder::ptx;
using tensor_sums::kColumns;
using tensor_sums::kRows;

/// Two BF16 that are neighbours.
__device__ unsigned pair_at(const unsigned* numbers) {
  return numbers[0] | numbers[1] << 16;
}

/// Where sum i of a lane is, of the first warp.
__device__ int sum_place(int i) {
  const int r = threadIdx.x / 4, column = threadIdx.x % 4 * 2;
  return (r + i / 2 * 8) * kColumns + column + i % 2;
}

__global__ void multiply_bf16(const unsigned* a, const unsigned* b, const unsigned* c,
                              unsigned* out) {
  constexpr int K = 16;
  const int r = threadIdx.x / 4, k = threadIdx.x % 4 * 2;
  unsigned own_a[4], own_b[2];
  for (int i = 0; i < 4; ++i)
    own_a[i] = pair_at(&a[(r + i % 2 * 8) * K + k + i / 2 * 8]);
  for (int i = 0; i < 2; ++i)
    own_b[i] = pair_at(&b[r * K + k + i * 8]);
  float sums[4];
  for (int i = 0; i < 4; ++i)
    sums[i] = __uint_as_float(c[sum_place(i)]);
  mma_bf16(sums, own_a, own_b);
  for (int i = 0; i < 4; ++i)
    out[sum_place(i)] = __float_as_uint(sums[i]);
}

__global__ void multiply_tf32(const unsigned* a, const unsigned* b, const unsigned* c,
                              unsigned* out) {
  constexpr int K = 8;
  const int r = threadIdx.x / 4, k = threadIdx.x % 4;
  unsigned own_a[4], own_b[2];
  for (int i = 0; i < 4; ++i)
    own_a[i] = a[(r + i % 2 * 8) * K + k + i / 2 * 4];
  for (int i = 0; i < 2; ++i)
    own_b[i] = b[r * K + k + i * 4];
  float sums[4];
  for (int i = 0; i < 4; ++i)
    sums[i] = __uint_as_float(c[sum_place(i)]);
  mma_tf32(sums, own_a, own_b);
  for (int i = 0; i < 4; ++i)
    out[sum_place(i)] = __float_as_uint(sums[i]);
}

/// Of 64 x 64 sums, the first warp's 16 rows and the first 8 columns; the rest is zero.
__global__ void multiply_by_warpgroup(const unsigned* a, const unsigned* b, const unsigned* c,
                                      unsigned* out) {
  constexpr int kLines = 64, K = 16, kWords = K / 2, kPieceWords = 4;
  __shared__ __align__(1024) unsigned sA[kLines][kWords];
  __shared__ __align__(1024) unsigned sB[kLines][kWords];
  for (int i = threadIdx.x; i < kLines * kWords; i += blockDim.x) {
    const int line = i / kWords, word = i % kWords;
    const int piece = word / kPieceWords ^ line / 4 % 2;  // swizzled rows of 32 bytes
    const int place = piece * kPieceWords + word % kPieceWords;
    sA[line][place] = line < kRows ? pair_at(&a[line * K + 2 * word]) : 0;
    sB[line][place] = line < kColumns ? pair_at(&b[line * K + 2 * word]) : 0;
  }
  fence_proxy_async();
  __syncthreads();
  const bool is_first_warp = threadIdx.x < 32;
  float sums[kLines / 2] = {};
  for (int i = 0; i < 4 && is_first_warp; ++i)
    sums[i] = __uint_as_float(c[sum_place(i)]);
  wgmma_fence();
  wgmma<kLines>(sums, matrix_descriptor(sA, 16, 256, Swizzle::rows_of_32),
                matrix_descriptor(sB, 16, 256, Swizzle::rows_of_32), true);
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < 4 && is_first_warp; ++i)
    out[sum_place(i)] = __float_as_uint(sums[i]);
}

}  // namespace ladder::tensor_sums_kernels

namespace ladder::tensor_sums {

namespace kernels = tensor_sums_kernels;

void multiply(Instruction instruction, const unsigned* a, const unsigned* b, const unsigned* c,
              unsigned* sums) {
  const LaunchShape warp = {.grid = dim3(1), .block = dim3(32)};
  const LaunchShape warpgroup = {.grid = dim3(1), .block = dim3(128)};
  switch (instruction) {
    case Instruction::mma_bf16:
      return launch(kernels::multiply_bf16, warp, a, b, c, sums);
    case Instruction::mma_tf32:
      return launch(kernels::multiply_tf32, warp, a, b, c, sums);
    case Instruction::wgmma:
      return launch(kernels::multiply_by_warpgroup, warpgroup, a, b, c, sums);
  }
}

}  // namespace ladder::tensor_sums
