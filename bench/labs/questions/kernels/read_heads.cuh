// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/read_heads.cuh
/// \brief Blocks that read the keys and values of attention heads, as a step of decoding does.
#pragma once

#include "bench/labs/questions/kernels/attention_heads.hpp"
#include "bench/labs/questions/kernels/bits.cuh"
#include "common/device.cuh"

namespace ladder::labs::kernels {

/// \brief  A block takes one query head after the other: number blockIdx.x, then gridDim.x further.
/// \param  never  the bits of everything that was read, which they never are
__global__ void read_heads(const AttentionHeads heads, const uint4* data, unsigned never,
                           unsigned* sink) {
  unsigned bits = 0;
  for (int query = blockIdx.x; query < heads.queries; query += gridDim.x) {
    const uint4* const own = data + query / heads.queries_per_head * heads.vectors_per_head;
    for (int i = threadIdx.x; i < heads.vectors_per_head; i += blockDim.x)
      bits ^= bits_of(own[i]);
    __syncthreads();
  }
  if (bits == never) *sink = bits;
}

}  // namespace ladder::labs::kernels
