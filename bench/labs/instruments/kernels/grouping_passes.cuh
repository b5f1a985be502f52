// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/grouping_passes.cuh
/// \brief The launches that each way of grouping takes, on either machine.
#pragma once

#include <algorithm>

#include "bench/labs/instruments/kernels/hash_grouping.cuh"
#include "common/launch.cuh"

namespace ladder::labs {

/// What a grouping works on.
template <class Word>
struct GroupingArrays {
  BucketOf<Word>* table;  ///< (buckets)
  Word* tuples;           ///< (tuples)  on the GPU, or zero-copy on the host
  Word* staged;           ///< (tuples)  windows, zero-copy: gets the tuples; or null
  Word* buffer;           ///< (chunk)  spill, windows
  TableWord* counters;    ///< (kGroupingCounters)
};

/// Counts, beginnings (one more) and next places of all windows.
constexpr std::uint64_t kGroupingCounters = 3 * std::uint64_t{kMostParts} + 1;

/// Passes over the tuples, with a buffer for those of later passes or without.
template <class Word>
void group_by_passes(const Grouping& grouping, const GroupingArrays<Word>& arrays,
                     const LaunchShape& shape) {
  const bool spills = grouping.way == GroupingWay::spill && grouping.parts > 1;
  if (spills)
    launch(kernels::clear_words<TableWord>,
           {.grid = dim3(1), .block = dim3(32), .stream = shape.stream}, arrays.counters,
           std::uint64_t{1});
  for (int part = 0; part < grouping.parts; ++part) {
    const bool first = part == 0;
    launch(kernels::group_pass<Word>, shape, arrays.table, grouping.buckets(),
           kernels::GroupingPass<Word>{
               .tuples = spills && !first ? arrays.buffer : arrays.tuples,
               .count = grouping.tuples,
               .counted = spills && !first ? arrays.counters : nullptr,
               .parts = grouping.parts,
               .part = part,
               .spilled = spills && first ? arrays.buffer : nullptr,
               .spills = arrays.counters,
           });
  }
}

/// Sorts the tuples by window, and gives the windows to the blocks.
template <class Word>
void group_by_windows(const Grouping& grouping, const GroupingArrays<Word>& arrays,
                      const LaunchShape& shape) {
  LaunchShape one_block = shape;
  one_block.grid = dim3(1);
  TableWord* const counts = arrays.counters;
  TableWord* const begins = counts + kMostParts;
  TableWord* const next = begins + kMostParts + 1;
  launch(kernels::clear_words<TableWord>, one_block, counts, std::uint64_t{kMostParts});
  launch(kernels::count_windows<Word>, shape, arrays.tuples, grouping.tuples, grouping.parts,
         counts, arrays.staged);
  launch(kernels::begin_windows, one_block, counts, grouping.parts, begins, next);
  launch(kernels::sort_into_windows<Word>, shape,
         arrays.staged == nullptr ? arrays.tuples : arrays.staged, grouping.tuples, grouping.parts,
         next, arrays.buffer);
  launch(kernels::group_windows<Word>, shape, arrays.table, grouping.buckets(), arrays.buffer,
         begins, grouping.parts);
}

/// \brief  Blocks of a launch with so many threads, as small as they have to be for all `blocks` of
///         them to have some.
inline LaunchShape with_threads(LaunchShape shape, int threads) {
  constexpr int kWarp = 32;
  const int blocks = static_cast<int>(shape.grid.x);
  const int warps = (threads + kWarp - 1) / kWarp;
  const int warps_of_block =
      std::min((warps + blocks - 1) / blocks, kernels::kGroupingThreads / kWarp);
  shape.block = dim3(static_cast<unsigned>(warps_of_block * kWarp));
  shape.grid = dim3(static_cast<unsigned>((warps + warps_of_block - 1) / warps_of_block));
  return shape;
}

/// \brief  Adds all tuples to the table, one chunk after the other.
/// \param  shape  blocks of kernels::kGroupingThreads that all run together
template <class Word>
void group_once(const Grouping& grouping, const GroupingArrays<Word>& arrays,
                const LaunchShape& shape) {
  for (std::uint64_t begin = 0; begin < grouping.tuples; begin += grouping.chunk()) {
    Grouping chunk = grouping;
    chunk.tuples = std::min(grouping.chunk(), grouping.tuples - begin);
    GroupingArrays<Word> part = arrays;
    part.tuples += begin;
    if (part.staged != nullptr) part.staged += begin;
    if (grouping.way == GroupingWay::windows)
      group_by_windows(chunk, part, shape);
    else
      group_by_passes(chunk, part,
                      grouping.threads == 0 ? shape : with_threads(shape, grouping.threads));
  }
}

}  // namespace ladder::labs
