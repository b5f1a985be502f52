// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/hash_grouping.cuh
/// \brief All SMs count equal keys in one hash table.
#pragma once

#include "bench/labs/instruments/hash_grouping.hpp"
#include "common/device.cuh"

namespace ladder::labs::kernels {

constexpr int kGroupingThreads = 1024;
/// Tuples that a block sorts at a time.
constexpr std::uint64_t kSortedTuples = std::uint64_t{kGroupingThreads} * 32;

/// Number of this thread in the grid, and how many there are.
struct GridPlace {
  std::uint64_t thread;
  std::uint64_t threads;
};

__device__ __forceinline__ GridPlace grid_place() {
  return {std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
          std::uint64_t{gridDim.x} * blockDim.x};
}

/// Adds 1 to the group of a key, at the first bucket from its home on that has the key or is empty.
template <class Word>
__device__ __forceinline__ void add_tuple(BucketOf<Word>* table, std::uint64_t buckets, Word key,
                                          Word tuples) {
  std::uint64_t place = part_of_hash(murmur_mix(key), buckets);
  for (std::uint64_t probe = 0; probe < buckets; ++probe) {
    Word held = __ldcg(&table[place].key);
    if (held == kNoKey) {
      held = atomicCAS(&table[place].key, Word{kNoKey}, key);
      if (held == kNoKey) held = key;
    }
    if (held == key) {
      if (tuples != 0) atomicAdd(&table[place].count, tuples);
      return;
    }
    place = place + 1 == buckets ? 0 : place + 1;
  }
}

/// Sets some words to 0.
template <class Word>
__global__ void clear_words(Word* words, std::uint64_t count) {
  const GridPlace grid = grid_place();
  for (std::uint64_t i = grid.thread; i < count; i += grid.threads)
    words[i] = 0;
}

/// Puts the groups of one part of the table where they belong, with a count of 0.
template <class Word>
__global__ void __launch_bounds__(kGroupingThreads)
    insert_groups(BucketOf<Word>* table, std::uint64_t buckets, int parts, int part) {
  const GridPlace grid = grid_place();
  for (std::uint64_t group = grid.thread; group < buckets / kBucketsPerGroup;
       group += grid.threads) {
    const Word key = static_cast<Word>(key_of(group));
    if (part_of_hash(murmur_mix(key), static_cast<std::uint64_t>(parts)) ==
        static_cast<std::uint64_t>(part))
      add_tuple(table, buckets, key, Word{0});
  }
}

/// Makes the tuples.
/// \param tuples (count)
template <class Word>
__global__ void fill_tuples(Word* tuples, std::uint64_t count, std::uint64_t groups,
                            std::uint64_t seed) {
  const GridPlace grid = grid_place();
  for (std::uint64_t i = grid.thread; i < count; i += grid.threads)
    tuples[i] = static_cast<Word>(tuple_key(groups, seed, i));
}

/// What one pass over tuples takes, and what it leaves.
template <class Word>
struct GroupingPass {
  const Word* tuples;  ///< (count)
  std::uint64_t count;
  const TableWord* counted;  ///< (1)  how many there are, if the host does not know; or null
  int parts;                 ///< of the table
  int part;                  ///< that this pass works on
  Word* spilled;             ///< (count)  gets the tuples of other parts; null: they are skipped
  TableWord* spills;         ///< (1)  how many
};

/// Writes a warp's tuples that are not for this pass one behind the other.
template <class Word>
__device__ __forceinline__ void spill_tuple(const GroupingPass<Word>& pass, Word key, bool spills) {
  const unsigned warp = __ballot_sync(0xffffffffu, spills);
  if (warp == 0) return;
  const unsigned lane = threadIdx.x % 32;
  TableWord first = 0;
  if (lane == 0) first = atomicAdd(pass.spills, static_cast<TableWord>(__popc(warp)));
  first = __shfl_sync(0xffffffffu, first, 0);
  if (spills) pass.spilled[first + __popc(warp & ((1u << lane) - 1))] = key;
}

/// One pass: groups the tuples of one part of the table.
template <class Word>
__global__ void __launch_bounds__(kGroupingThreads)
    group_pass(BucketOf<Word>* table, std::uint64_t buckets, GroupingPass<Word> pass) {
  const GridPlace grid = grid_place();
  const std::uint64_t count = pass.counted == nullptr ? pass.count : *pass.counted;
  // Whole warps stay in the loop together: they spill together.
  const std::uint64_t warp_thread = grid.thread / 32 * 32;
  for (std::uint64_t first = warp_thread; first < count; first += grid.threads) {
    const std::uint64_t i = first + threadIdx.x % 32;
    const Word key = i < count ? pass.tuples[i] : Word{kNoKey};
    const bool own = part_of_hash(murmur_mix(key), static_cast<std::uint64_t>(pass.parts)) ==
                     static_cast<std::uint64_t>(pass.part);
    if (pass.spilled != nullptr) spill_tuple(pass, key, key != kNoKey && !own);
    if (key != kNoKey && own) add_tuple(table, buckets, key, Word{1});
  }
}

/// \brief  How many tuples each window has.
/// \param  counts  (windows)  0 before
/// \param  staged  (count)  gets the tuples on the way; null: they stay where they are
template <class Word>
__global__ void __launch_bounds__(kGroupingThreads)
    count_windows(const Word* tuples, std::uint64_t count, int windows, TableWord* counts,
                  Word* staged) {
  __shared__ unsigned counted[kMostParts];  // (windows)
  const int thread = static_cast<int>(threadIdx.x);
  for (int window = thread; window < windows; window += kGroupingThreads)
    counted[window] = 0;
  __syncthreads();
  const GridPlace grid = grid_place();
  for (std::uint64_t i = grid.thread; i < count; i += grid.threads) {
    const Word key = tuples[i];
    if (staged != nullptr) staged[i] = key;
    atomicAdd(&counted[part_of_hash(murmur_mix(key), static_cast<std::uint64_t>(windows))], 1u);
  }
  __syncthreads();
  for (int window = thread; window < windows; window += kGroupingThreads)
    atomicAdd(&counts[window], static_cast<TableWord>(counted[window]));
}

/// \brief  Where each window's tuples begin. One block.
/// \param  begins  (windows + 1)
/// \param  next    (windows)  a copy, which moves while tuples are sorted
__global__ void __launch_bounds__(kGroupingThreads)
    begin_windows(const TableWord* counts, int windows, TableWord* begins, TableWord* next) {
  __shared__ TableWord first[kMostParts + 1];  // (windows + 1)
  const int thread = static_cast<int>(threadIdx.x);
  for (int window = thread; window < windows; window += kGroupingThreads)
    first[window + 1] = counts[window];
  __syncthreads();
  if (thread == 0) {
    first[0] = 0;
    for (int window = 0; window < windows; ++window)
      first[window + 1] += first[window];
  }
  __syncthreads();
  for (int window = thread; window <= windows; window += kGroupingThreads) {
    begins[window] = first[window];
    if (window < windows) next[window] = first[window];
  }
}

/// \brief  Writes the tuples of each window one behind the other.
/// \param  next    (windows)  where the next tuple of a window goes
/// \param  sorted  (count)
template <class Word>
__global__ void __launch_bounds__(kGroupingThreads)
    sort_into_windows(const Word* tuples, std::uint64_t count, int windows, TableWord* next,
                      Word* sorted) {
  __shared__ unsigned counted[kMostParts];  // (windows)
  __shared__ TableWord first[kMostParts];   // (windows)
  const int thread = static_cast<int>(threadIdx.x);
  const auto parts = static_cast<std::uint64_t>(windows);
  for (std::uint64_t begin = blockIdx.x * kSortedTuples; begin < count;
       begin += gridDim.x * kSortedTuples) {
    const std::uint64_t end = min(begin + kSortedTuples, count);
    for (int window = thread; window < windows; window += kGroupingThreads)
      counted[window] = 0;
    __syncthreads();
    for (std::uint64_t i = begin + threadIdx.x; i < end; i += kGroupingThreads)
      atomicAdd(&counted[part_of_hash(murmur_mix(tuples[i]), parts)], 1u);
    __syncthreads();
    for (int window = thread; window < windows; window += kGroupingThreads) {
      first[window] = atomicAdd(&next[window], static_cast<TableWord>(counted[window]));
      counted[window] = 0;
    }
    __syncthreads();
    for (std::uint64_t i = begin + threadIdx.x; i < end; i += kGroupingThreads) {
      const Word key = tuples[i];
      const std::uint64_t window = part_of_hash(murmur_mix(key), parts);
      sorted[first[window] + atomicAdd(&counted[window], 1u)] = key;
    }
    __syncthreads();
  }
}

/// Groups sorted tuples: a block works on one window after the other.
/// \param begins (windows + 1)
template <class Word>
__global__ void __launch_bounds__(kGroupingThreads)
    group_windows(BucketOf<Word>* table, std::uint64_t buckets, const Word* sorted,
                  const TableWord* begins, int windows) {
  for (int window = static_cast<int>(blockIdx.x); window < windows;
       window += static_cast<int>(gridDim.x)) {
    const std::uint64_t end = begins[window + 1];
    for (std::uint64_t i = begins[window] + threadIdx.x; i < end; i += kGroupingThreads)
      add_tuple(table, buckets, sorted[i], Word{1});
  }
}

/// Adds a warp's sums to those of all.
__device__ __forceinline__ void add_sums(TableSums mine, TableSums* sums) {
  for (int offset = 16; offset > 0; offset /= 2) {
    mine.groups += __shfl_down_sync(0xffffffffu, mine.groups, offset);
    mine.tuples += __shfl_down_sync(0xffffffffu, mine.tuples, offset);
    mine.check += __shfl_down_sync(0xffffffffu, mine.check, offset);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&sums->groups, mine.groups);
  atomicAdd(&sums->tuples, mine.tuples);
  atomicAdd(&sums->check, mine.check);
}

/// What the table says that it counted.
template <class Word>
__global__ void sum_table(const BucketOf<Word>* table, std::uint64_t buckets, TableSums* sums) {
  TableSums mine;
  const GridPlace grid = grid_place();
  for (std::uint64_t i = grid.thread; i < buckets; i += grid.threads) {
    const BucketOf<Word> bucket = table[i];
    mine.groups += bucket.key == kNoKey ? 0 : 1;
    mine.tuples += bucket.count;
    mine.check += TableWord{bucket.count} * key_check(bucket.key);
  }
  add_sums(mine, sums);
}

/// What there was to count.
template <class Word>
__global__ void sum_tuples(const Word* tuples, std::uint64_t count, TableSums* sums) {
  TableSums mine;
  const GridPlace grid = grid_place();
  for (std::uint64_t i = grid.thread; i < count; i += grid.threads) {
    mine.tuples += 1;
    mine.check += key_check(tuples[i]);
  }
  add_sums(mine, sums);
}

}  // namespace ladder::labs::kernels
