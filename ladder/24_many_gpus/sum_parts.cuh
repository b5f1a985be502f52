// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/sum_parts.cuh
/// \brief Adds up what the ranks have sent: the last step of the product in pieces.
///
/// Traffic  DRAM  (ranks + 1) times the bytes of C.
#pragma once

#include "common/device.cuh"

namespace ladder::many_gpus {

__device__ __forceinline__ float in_fp32(float value) {
  return value;
}
__device__ __forceinline__ float in_fp32(__nv_bfloat16 value) {
  return __bfloat162float(value);
}
__device__ __forceinline__ void round_to(float& to, float value) {
  to = value;
}
__device__ __forceinline__ void round_to(__nv_bfloat16& to, float value) {
  to = __float2bfloat16(value);
}

/// \brief  C = alpha * (parts[own] + all others in the order of ranks) + beta*C.
/// \tparam T      element type of all matrices; sums are FP32
/// \param  parts  (ranks, count)
/// \param  C      (count)  not read when beta == 0
template <class T>
__global__ void sum_parts(const T* parts, int ranks, int own, size_t count, float alpha, float beta,
                          T* C) {
  const size_t all = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += all) {
    float sum = in_fp32(parts[own * count + i]);
    for (int q = 0; q < ranks; ++q) {
      if (q != own) sum += in_fp32(parts[q * count + i]);
    }
    const float old = beta == 0.0f ? 0.0f : in_fp32(C[i]);
    round_to(C[i], alpha * sum + beta * old);
  }
}

}  // namespace ladder::many_gpus
