// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/ffma_loop.cu
/// \brief Loops of multiply-adds, compiled to a cubin: gpu_registers.cu puts others in their place.
///        What the loop itself costs is in both kernels, so their difference is 256 multiply-adds.

/// \param trips  through the loop
/// \param sums   one for each thread, so that the multiply-adds are not left out
/// \param times  when each warp began and ended, two for each
template <int kFfmas>
__device__ __forceinline__ void ffma_loop(int trips, float* sums, long long* times) {
  constexpr int kSums = 64;
  float sum[kSums];
#pragma unroll
  for (int i = 0; i < kSums; ++i)
    sum[i] = static_cast<float>(threadIdx.x + i);
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < kFfmas; ++i)
      sum[i % kSums] = fmaf(sum[i % kSums], sum[(i + 1) % kSums], sum[(i + 2) % kSums]);
  }
  const long long end = clock64();
  float all = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i)
    all += sum[i];
  sums[threadIdx.x] = all;
  if (threadIdx.x % 32 == 0) {
    times[threadIdx.x / 32 * 2] = begin;
    times[threadIdx.x / 32 * 2 + 1] = end;
  }
}

extern "C" __global__ void __launch_bounds__(512)
    ffma_256(int trips, float* sums, long long* times) {
  ffma_loop<256>(trips, sums, times);
}

extern "C" __global__ void __launch_bounds__(512)
    ffma_512(int trips, float* sums, long long* times) {
  ffma_loop<512>(trips, sums, times);
}
