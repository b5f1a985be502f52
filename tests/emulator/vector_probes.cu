// SPDX-License-Identifier: MIT
#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

__global__ void copy_float4(int count, const float* in, float* out) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  float4 v = *reinterpret_cast<const float4*>(in + i);
  v.x += 1.0f;
  v.w = fmaf(v.y, v.z, v.w);
  *reinterpret_cast<float4*>(out + i) = make_float4(v.x, v.y, v.z, v.w);
}

__global__ void scale_halves(int count, const float* in, float* out) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const __half2 h = __floats2half2_rn(in[i], in[i + 1]);
  const __nv_bfloat162 b = __floats2bfloat162_rn(in[i], in[i + 1]);
  const __half2 h2 = __hmul2(h, __float2half2_rn(2.0f));
  out[i] = __low2float(h2) + __low2float(b);
  out[i + 1] = __half2float(__high2half(h2)) + __bfloat162float(__high2bfloat16(b));
}

__global__ void reverse_in_shared(const float* in, float* out) {
  __shared__ float4 quads[8];
  __shared__ __half2 pairs[16];
  __shared__ __nv_bfloat16 singles[32];
  const int i = threadIdx.x;
  if (i < 8) quads[7 - i] = reinterpret_cast<const float4*>(in)[i];
  if (i < 16) pairs[15 - i] = __floats2half2_rn(in[2 * i + 1], in[2 * i]);
  singles[31 - i] = __float2bfloat16(in[i]);
  __syncthreads();
  const float4 quad = quads[i / 4];
  const float lanes[4] = {quad.w, quad.z, quad.y, quad.x};
  out[i] = lanes[i % 4];
  out[32 + i] = i % 2 == 0 ? __low2float(pairs[i / 2]) : __high2float(pairs[i / 2]);
  out[64 + i] = __bfloat162float(singles[i]);
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

void copy_float4(int count, const float* in, float* out) {
  launch(probe_kernels::copy_float4, {.grid = dim3(ceil_div(count, 128)), .block = dim3(32)}, count,
         in, out);
}

void scale_halves(int count, const float* in, float* out) {
  launch(probe_kernels::scale_halves, {.grid = dim3(ceil_div(count, 64)), .block = dim3(32)}, count,
         in, out);
}

void reverse_in_shared(const float* in, float* out) {
  launch(probe_kernels::reverse_in_shared, {.grid = dim3(1), .block = dim3(32)}, in, out);
}

}  // namespace ladder::probes
