// SPDX-License-Identifier: MIT
// Kernels that include CUDA's headers by their own names, as most code does.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include "common/launch.cuh"
#include "tests/emulator/probes.hpp"

namespace ladder::probe_kernels {

namespace cg = cooperative_groups;

/// out[g] = sum of the 16 numbers from 16*g on; out[8 + w] = lanes of warp w with a positive one.
__global__ void sums_by_groups(const float* in, float* out) {
  __shared__ float line[128];
  __shared__ float sums[8];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto half = cg::tiled_partition<16>(warp);
  const unsigned t = block.thread_rank();
  __pipeline_memcpy_async(&line[t], &in[t], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  block.sync();
  const float sum = cg::reduce(half, line[127 - t], cg::plus<float>());
  const unsigned positive = warp.ballot(line[t] > 0.0f);
  if (half.thread_rank() == 0) sums[half.meta_group_rank()] = sum;
  cg::sync(block);
  if (t < 8) out[t] = sums[7 - t];
  if (warp.thread_rank() == 0) {
    out[8 + warp.meta_group_rank()] = static_cast<float>(__popc(positive));
  }
}

}  // namespace ladder::probe_kernels

namespace ladder::probes {

void sums_by_groups(const float* in, float* out) {
  launch(probe_kernels::sums_by_groups, {.grid = dim3(1), .block = dim3(16, 8)}, in, out);
}

}  // namespace ladder::probes
