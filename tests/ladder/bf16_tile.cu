// SPDX-License-Identifier: MIT
#include "tests/ladder/bf16_tile.hpp"

#include "common/launch.cuh"

namespace ladder {
namespace {

constexpr int BM = 16;
constexpr int BN = 32;
constexpr int BK = 32;

__device__ __nv_bfloat16 cut_off(float value) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(__float_as_uint(value) >> 16));
}

/// A tile of BM x BN by as many threads: 03's kernel for BF16 matrices and FP32 sums.
template <Bf16Mistake MISTAKE>
__global__ void kernel(int M, int N, int K, float alpha, const __nv_bfloat16* A,
                       const __nv_bfloat16* B, float beta, __nv_bfloat16* C) {
  const int row = blockIdx.y * BM + threadIdx.y;
  const int col = blockIdx.x * BN + threadIdx.x;
  __shared__ __nv_bfloat162 sA[BM][BK / 2];  // (BM, BK) in pairs
  __shared__ __nv_bfloat16 sB[BK][BN];       // (BK, BN)
  float acc = 0.0f;

  for (int k0 = 0; k0 < K; k0 += BK) {
    const __nv_bfloat162 zeros = __float2bfloat162_rn(0.0f);
    const int a_k = k0 + 2 * static_cast<int>(threadIdx.x);
    if (threadIdx.x < BK / 2) {
      const bool inside = row < M && a_k < K;
      sA[threadIdx.y][threadIdx.x] =
          inside ? *reinterpret_cast<const __nv_bfloat162*>(A + static_cast<size_t>(row) * K + a_k)
                 : zeros;
    }
    for (int k = threadIdx.y; k < BK; k += BM) {
      sB[k][threadIdx.x] =
          k0 + k < K && col < N ? B[static_cast<size_t>(k0 + k) * N + col] : __float2bfloat16(0.0f);
    }
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      const __nv_bfloat162 pair = sA[threadIdx.y][k / 2];
      const float a = k % 2 == 0 ? __low2float(pair) : __high2float(pair);
      acc += a * __bfloat162float(sB[k][threadIdx.x]);
      if (MISTAKE == Bf16Mistake::sums_in_bf16) acc = __bfloat162float(__float2bfloat16(acc));
    }
    __syncthreads();
  }

  if (MISTAKE == Bf16Mistake::writes_a && row == 0 && col == 0) {
    const_cast<__nv_bfloat16*>(A)[0] = __float2bfloat16(0.0f);
  }
  if (MISTAKE == Bf16Mistake::half_of_the_columns && threadIdx.x >= BN / 2) return;
  if (col >= N || (row >= M && MISTAKE != Bf16Mistake::no_guard_in_m)) return;
  __nv_bfloat16* gC = C + static_cast<size_t>(row) * N + col;
  float result = alpha * acc;
  if (MISTAKE == Bf16Mistake::rounds_twice) result = __bfloat162float(__float2bfloat16(result));
  if (beta != 0.0f || MISTAKE == Bf16Mistake::reads_c_always) {
    result += beta * __bfloat162float(*gC);
  }
  *gC = MISTAKE == Bf16Mistake::cuts_results_off ? cut_off(result) : __float2bfloat16(result);
}

template <Bf16Mistake MISTAKE>
void run(const Gemm<bfloat16>& gemm, Stream stream) {
  require_multiple("24 bf16_tile", 'N', gemm.N, 2, "the test says so");
  require_multiple("24 bf16_tile", 'K', gemm.K, 2, "rows of A are read in pairs");
  const auto cuda = [](const bfloat16* matrix) {
    return reinterpret_cast<const __nv_bfloat16*>(matrix);
  };
  launch(kernel<MISTAKE>,
         {.grid = dim3(ceil_div(gemm.N, BN), ceil_div(gemm.M, BM)),
          .block = dim3(BN, BM),
          .stream = stream},
         gemm.M, gemm.N, gemm.K, gemm.alpha, cuda(gemm.A), cuda(gemm.B), gemm.beta,
         reinterpret_cast<__nv_bfloat16*>(gemm.C));
}

}  // namespace

Bf16Run bf16_tile(Bf16Mistake mistake) {
  switch (mistake) {
    case Bf16Mistake::none:
      return run<Bf16Mistake::none>;
    case Bf16Mistake::cuts_results_off:
      return run<Bf16Mistake::cuts_results_off>;
    case Bf16Mistake::sums_in_bf16:
      return run<Bf16Mistake::sums_in_bf16>;
    case Bf16Mistake::rounds_twice:
      return run<Bf16Mistake::rounds_twice>;
    case Bf16Mistake::no_guard_in_m:
      return run<Bf16Mistake::no_guard_in_m>;
    case Bf16Mistake::reads_c_always:
      return run<Bf16Mistake::reads_c_always>;
    case Bf16Mistake::writes_a:
      return run<Bf16Mistake::writes_a>;
    case Bf16Mistake::half_of_the_columns:
      return run<Bf16Mistake::half_of_the_columns>;
  }
  return nullptr;
}

}  // namespace ladder
