// SPDX-License-Identifier: MIT
/// \file  common/side_aware/kernels/elementwise.cuh
/// \brief An elementwise kernel whose blocks work on what is near to their SM. The run-time
///        compiler puts an operation into it; see common/side_aware/operations for examples.
#pragma once

#include "common/device.cuh"
#include "common/ptx/sm_id.cuh"
#include "common/side_aware/kernels/arguments.hpp"
#include "common/side_aware/kernels/element.cuh"
#include "common/side_aware/kernels/work_split.hpp"

namespace ladder::side_aware {

/// A share of one side's work: every slots-th batch, from `index` on.
struct Slot {
  unsigned side;
  unsigned index;
};

/// \brief  A block takes a slot of its SM's side, or of the other side if its own has none left.
///         There are as many slots as blocks. So each slot is taken once, wherever blocks run:
///         a block that runs elsewhere than expected costs a longer way, and no result.
__device__ inline Slot claim_slot(const ElementwiseArguments& arguments) {
  __shared__ Slot claimed;
  if (threadIdx.x == 0) {
    const unsigned sm = ptx::sm_id();
    unsigned side = sm < arguments.sm_count ? arguments.side_of_sm[sm] : 0u;
    unsigned index = atomicAdd(&arguments.claims[side], 1u);
    if (index >= arguments.slots[side]) {
      side ^= 1u;
      index = atomicAdd(&arguments.claims[side], 1u);
    }
    claimed = {side, index};
  }
  __syncthreads();
  return claimed;
}

/// \brief  The last block to leave makes the claims ready for the next launch.
/// \return whether this block is that one
__device__ inline bool leave(const ElementwiseArguments& arguments) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(&arguments.claims[2], gridDim.x - 1) == gridDim.x - 1;
    if (last) {
      arguments.claims[0] = 0;
      arguments.claims[1] = 0;
    }
    __threadfence();
  }
  __syncthreads();
  return last;
}

/// Adds up the sums of all threads of the block, in a fixed order.
/// \return for thread 0: the sum
template <class Operation>
__device__ typename Operation::Sum sum_of_block(typename Operation::Sum own) {
  constexpr unsigned kLanes = 32;
  constexpr unsigned kAll = 0xFFFFFFFFu;
  __shared__ typename Operation::Sum of_warp[kThreads / kLanes];  // (warps)
  for (unsigned delta = kLanes / 2; delta > 0; delta /= 2)
    own = Operation::combine(own, __shfl_down_sync(kAll, own, delta));
  if (threadIdx.x % kLanes == 0) of_warp[threadIdx.x / kLanes] = own;
  __syncthreads();
  for (unsigned warp = 1; threadIdx.x == 0 && warp < kThreads / kLanes; ++warp)
    own = Operation::combine(own, of_warp[warp]);
  __syncthreads();
  return own;
}

/// \brief  Each slot's sum to its place; the last block adds them up in the order of slots. So the
///         result is the same in each run.
template <class Operation>
__device__ void finish(const ElementwiseArguments& arguments, const Slot& slot,
                       typename Operation::Sum own) {
  if constexpr (is_none<typename Operation::Sum>) {
    leave(arguments);
  } else {
    using Sum = typename Operation::Sum;
    auto* const partial = static_cast<volatile Sum*>(arguments.partial_sums);
    own = sum_of_block<Operation>(own);
    if (threadIdx.x == 0) partial[slot.side * arguments.slots[0] + slot.index] = own;
    if (!leave(arguments)) return;
    Sum all = Operation::start();
    for (unsigned i = threadIdx.x; i < arguments.slots[0] + arguments.slots[1]; i += kThreads)
      all = Operation::combine(all, partial[i]);
    all = sum_of_block<Operation>(all);
    if (threadIdx.x == 0) *static_cast<Sum*>(arguments.sum) = all;
  }
}

/// \brief  A batch that lies in the array as a whole: all loads, then the work, then all stores.
/// \param  vector  (pairs)  those of this thread, from the start of the array
template <class Operation, class Index>
__device__ __forceinline__ void whole_batch(const ElementwiseArguments& arguments,
                                            const Index (&vector)[Operation::pairs_in_batch],
                                            ThreadSum<Operation>& sum) {
  constexpr int kPairs = Operation::pairs_in_batch;
  Loaded<Operation> loaded[kPairs];
  bool skipped[kPairs];
#pragma unroll
  for (int i = 0; i < kPairs; ++i)
    skipped[i] = loaded[i].load(arguments, vector[i]);
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    if (!skipped[i]) loaded[i].apply(arguments, vector[i], sum);
  }
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    if (!skipped[i]) loaded[i].store(arguments, vector[i]);
  }
}

/// A batch that begins before the array or ends behind it: each vector by itself.
template <class Operation, class Index>
__device__ void cut_batch(const ElementwiseArguments& arguments, Index first, unsigned lead,
                          unsigned start, unsigned flip, ThreadSum<Operation>& sum) {
#pragma unroll 1
  for (int i = 0; i < Operation::pairs_in_batch; ++i) {
    const Index pair = first + static_cast<Index>(i) * kPairVectors;
    const auto bits = (static_cast<unsigned>(pair) + start) & arguments.mask;
    const Index place = pair + half_of(static_cast<unsigned>(__popc(bits)), flip) * kGranuleVectors;
    if (place < lead) continue;
    const Index vector = place - lead;
    if (vector < arguments.vectors) {
      Loaded<Operation> loaded;
      if (loaded.load(arguments, vector)) continue;
      loaded.apply(arguments, vector, sum);
      loaded.store(arguments, vector);
    } else if (vector == arguments.vectors) {
      last_elements(arguments, vector, sum);
    }
  }
}

/// \brief  The short way: the leading array begins a page of 2 MiB and has less than 2^32 vectors.
///         Of 16 bytes, finding the side costs LOP3, POPC, LOP3 and IMAD.
template <class Operation>
__device__ void elementwise_aligned(const ElementwiseArguments& arguments) {
  constexpr unsigned kPairs = Operation::pairs_in_batch;
  const Slot slot = claim_slot(arguments);
  const unsigned start_half =
      static_cast<unsigned>(__popc(arguments.start_vector & arguments.mask)) & 1u;
  const unsigned flip = arguments.flip ^ slot.side ^ start_half;
  const unsigned mask = arguments.mask;
  const auto vectors = static_cast<unsigned>(arguments.vectors);
  const unsigned whole = vectors / batch_vectors(kPairs);
  const BatchRange<unsigned> range = {whole, Operation::reverse_order};
  const unsigned slots = arguments.slots[slot.side];
  ThreadSum<Operation> sum;

  unsigned first = range.batch(slot.index) * batch_vectors(kPairs) + threadIdx.x;
  const unsigned forward = slots * batch_vectors(kPairs);
  const unsigned step = Operation::reverse_order ? 0u - forward : forward;
#pragma unroll 1
  for (unsigned i = slot.index; i < whole; i += slots, first += step) {
    unsigned vector[kPairs];
#pragma unroll
    for (unsigned k = 0; k < kPairs; ++k) {
      const unsigned pair = first + k * kPairVectors;
      const auto ones = static_cast<unsigned>(__popc(pair & mask));
      vector[k] = pair + half_of(ones, flip) * kGranuleVectors;
    }
    whole_batch<Operation>(arguments, vector, sum);
  }
  if (whole % slots == slot.index) {
    const unsigned rest = whole * batch_vectors(kPairs) + threadIdx.x;
    cut_batch<Operation, unsigned>(arguments, rest, 0, 0, flip, sum);
  }
  finish<Operation>(arguments, slot, sum.value);
}

/// \brief  The way for all other arrays: any address that is a multiple of 16, any size, and pages
///         whose side is another than their address says.
template <class Operation>
__device__ void elementwise_anywhere(const ElementwiseArguments& arguments) {
  using Index = unsigned long long;
  constexpr unsigned kPairs = Operation::pairs_in_batch;
  const Slot slot = claim_slot(arguments);
  const auto lead = static_cast<unsigned>(arguments.lead_vectors);
  const unsigned start = arguments.start_vector;
  const unsigned in_page = start & ((1u << kPageVectorBits) - 1);
  // One more than the whole vectors, for the elements of the last one.
  const Index batches = batches_of<Index>(lead + arguments.vectors + 1, kPairs);
  const BatchRange<Index> range = {batches, Operation::reverse_order};
  const unsigned slots = arguments.slots[slot.side];
  ThreadSum<Operation> sum;

#pragma unroll 1
  for (Index i = slot.index; i < batches; i += slots) {
    const Index begin = range.batch(i) * batch_vectors(kPairs);
    unsigned flip = arguments.flip ^ slot.side;
    if (arguments.page_flags != nullptr) {
      const auto page = static_cast<unsigned>((begin + in_page) >> kPageVectorBits);
      flip ^= arguments.page_flags[page / 32] >> page % 32 & 1u;
    }
    const Index first = begin + threadIdx.x;
    if (begin < lead || begin + batch_vectors(kPairs) > lead + arguments.vectors) {
      cut_batch<Operation, Index>(arguments, first, lead, start, flip, sum);
      continue;
    }
    Index vector[kPairs];
#pragma unroll
    for (unsigned k = 0; k < kPairs; ++k) {
      const Index pair = first + k * kPairVectors;
      const unsigned bits = (static_cast<unsigned>(pair) + start) & arguments.mask;
      const auto ones = static_cast<unsigned>(__popc(bits));
      vector[k] = pair + half_of(ones, flip) * kGranuleVectors - lead;
    }
    whole_batch<Operation>(arguments, vector, sum);
  }
  finish<Operation>(arguments, slot, sum.value);
}

}  // namespace ladder::side_aware
