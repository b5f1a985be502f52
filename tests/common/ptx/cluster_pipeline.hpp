// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/cluster_pipeline.hpp
/// \brief A small product of BF16 matrices with all that pairs of blocks need: multicast, wgmma,
///        stmatrix, stores of boxes. It is right, or has a mistake. Free of CUDA's types.
#pragma once

#include "common/bfloat16.hpp"

namespace ladder::pipeline_probes {

/// What a version of the kernel does wrong.
enum class PipelineFault {
  kNone,
  kBarriersUnfenced,       ///< no fence_mbarrier_init()
  kBarriersUnknown,        ///< no cluster_sync() after it
  kMulticastToItself,      ///< the other block waits for its half of B
  kTooFewBytes,            ///< only A is announced
  kTooManyBytes,           ///< a box more than comes
  kFullNotAwaited,         ///< by the consumers
  kReleasedForItself,      ///< the other block is not told that a stage is empty
  kReleasedBeforeTheWait,  ///< while the product still reads it
  kStoresNotFenced,        ///< stmatrix, and no fence_proxy_async()
  kStoredByOneWarp,        ///< no barrier between stmatrix and the store of the box
  kResultsNotAwaited,      ///< overwritten while a store may read them
  kLeavesWithStores,       ///< no wait at the end
  kLeavesBeforeTheOther,   ///< no cluster_sync() at the end
};

/// C = A B.
struct PipelineProblem {
  int M, N, K;        ///< N and K multiples of 8
  const bfloat16* A;  ///< (M, K)
  const bfloat16* B;  ///< (K, N)
  bfloat16* C;        ///< (M, N)
  int clusters;       ///< of two blocks, which share the tiles
};
void multiply(const PipelineProblem& problem, PipelineFault fault);

}  // namespace ladder::pipeline_probes
