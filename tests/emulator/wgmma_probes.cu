// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "common/ptx/fence.cuh"
#include "common/ptx/wgmma.cuh"
#include "tests/emulator/wgmma_probes.hpp"

namespace ladder::probe_kernels {

using namespace ladder::ptx;
using Bits = unsigned short;

constexpr int kColumns = 64;
constexpr int kDepth = 16;
constexpr int kFactorBytes = 16384;

/// The shared memory of a block: two factors, byte by byte as the host has laid them out.
struct Factors {
  alignas(1024) unsigned char a[kFactorBytes];
  alignas(1024) unsigned char b[kFactorBytes];
};

__device__ void load(Factors& factors, const unsigned char* a, const unsigned char* b) {
  for (int i = threadIdx.x; i < kFactorBytes; i += blockDim.x) {
    factors.a[i] = a[i];
    factors.b[i] = b[i];
  }
  fence_proxy_async();
  __syncthreads();
}

template <class Element, bool a_along_rows, bool b_along_columns>
__global__ void multiply(const unsigned char* a, const unsigned char* b, ptx::Swizzle swizzle,
                         unsigned leading_bytes, unsigned stride_bytes, int steps, unsigned step_a,
                         unsigned step_b, float* out) {
  __shared__ Factors factors;
  load(factors, a, b);
  float sums[kColumns / 2];
  for (int i = 0; i < kColumns / 2; ++i)
    sums[i] = 1;
  const auto from_a = matrix_descriptor(factors.a, leading_bytes, stride_bytes, swizzle);
  const auto from_b = matrix_descriptor(factors.b, leading_bytes, stride_bytes, swizzle);
  wgmma_fence();
  for (int i = 0; i < steps; ++i) {
    wgmma<kColumns, a_along_rows, b_along_columns, Element>(sums, from_a + (i * step_a >> 4),
                                                            from_b + (i * step_b >> 4), i > 0);
  }
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < kColumns / 2; ++i)
    out[kColumns / 2 * threadIdx.x + i] = sums[i];
}

/// Two groups of one product: what a lane has of the first while the second may be computed.
__global__ void watch_groups(const unsigned char* a, const unsigned char* b, float* out) {
  __shared__ Factors factors;
  load(factors, a, b);
  float first[kColumns / 2] = {}, second[kColumns / 2] = {};
  const auto from_a = matrix_descriptor(factors.a, 0, 1024, Swizzle::rows_of_128);
  const auto from_b = matrix_descriptor(factors.b, 0, 1024, Swizzle::rows_of_128);
  wgmma_fence();
  wgmma<kColumns>(first, from_a, from_b, true);
  wgmma_commit();
  wgmma<kColumns>(second, from_a, from_b, true);
  wgmma_commit();
  const float early = first[0];
  wgmma_wait<1>();
  const float one = first[0], other = second[0];
  wgmma_wait<0>();
  if (threadIdx.x == 0) {
    out[0] = early;
    out[1] = one;
    out[2] = other;
    out[3] = second[0];
  }
}

/// Overwrites a factor before it waits.
__global__ void overwrite_too_early(const unsigned char* a, const unsigned char* b, float* out) {
  __shared__ Factors factors;
  load(factors, a, b);
  float sums[kColumns / 2] = {};
  const auto from_a = matrix_descriptor(factors.a, 0, 1024, Swizzle::rows_of_128);
  const auto from_b = matrix_descriptor(factors.b, 0, 1024, Swizzle::rows_of_128);
  wgmma_fence();
  wgmma<kColumns>(sums, from_a, from_b, false);
  wgmma_commit();
  __syncthreads();
  for (int i = threadIdx.x; i < kFactorBytes; i += blockDim.x)
    factors.a[i] = 0;
  __syncthreads();
  wgmma_wait<0>();
  if (threadIdx.x == 0) out[0] = sums[0];
}

__global__ void misuse_wgmma(probes::WgmmaMisuse misuse, float* out) {
  __shared__ Factors factors;
  using enum probes::WgmmaMisuse;
  float sums[kColumns / 2] = {};
  const bool is_outside = misuse == kFactorOutside;
  const auto from =
      matrix_descriptor(factors.a, 0, is_outside ? 245760 : 1024, Swizzle::rows_of_128);
  if (misuse != kNoFence) wgmma_fence();
  if (misuse == kThreeWarps && threadIdx.x / 32 == 2) return;
  if (misuse == kHalfAWarp && threadIdx.x % 32 >= 16) return;
  const unsigned moved = misuse == kDifferentFactors ? threadIdx.x % 2 : 0;
  wgmma<kColumns>(sums, from + moved, from, false);  // by no warpgroup, or not fenced
  wgmma_commit();
  if (misuse == kNoWait) return;
  wgmma_wait<0>();
  if (misuse == kNoSecondFence) {
    sums[0] += 1;
    wgmma<kColumns>(sums, from, from, true);  // without a second fence
    wgmma_commit();
    wgmma_wait<0>();
  }
  out[threadIdx.x] = sums[0];
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

namespace kernels = ladder::probe_kernels;

namespace {

const LaunchShape kWarpgroup = {.grid = dim3(1), .block = dim3(128)};

}  // namespace

namespace {

template <class Element>
void multiply_of(const WgmmaFactors& factors, float* out) {
  const auto run = [&](auto kernel) {
    launch(kernel, kWarpgroup, factors.a, factors.b, factors.swizzle, factors.leading_bytes,
           factors.stride_bytes, factors.steps, factors.step_a, factors.step_b, out);
  };
  if (factors.a_along_rows) {
    factors.b_along_columns ? run(kernels::multiply<Element, true, true>)
                            : run(kernels::multiply<Element, true, false>);
  } else {
    factors.b_along_columns ? run(kernels::multiply<Element, false, true>)
                            : run(kernels::multiply<Element, false, false>);
  }
}

}  // namespace

void multiply(const WgmmaFactors& factors, float* out) {
  factors.halves ? multiply_of<__half>(factors, out) : multiply_of<__nv_bfloat16>(factors, out);
}

void watch_wgmma_groups(const unsigned char* a, const unsigned char* b, float* out) {
  launch(kernels::watch_groups, kWarpgroup, a, b, out);
}

void overwrite_factor_too_early(const unsigned char* a, const unsigned char* b, float* out) {
  launch(kernels::overwrite_too_early, kWarpgroup, a, b, out);
}

void misuse_wgmma(WgmmaMisuse misuse, unsigned threads) {
  static float out[256];
  launch(kernels::misuse_wgmma, {.grid = dim3(1), .block = dim3(threads)}, misuse, out);
}

}  // namespace ladder::probes
