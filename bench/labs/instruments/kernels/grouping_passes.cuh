// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/kernels/grouping_passes.cuh
/// \brief The launches that each way of grouping takes, on either machine.
#pragma once

#include "bench/labs/instruments/kernels/hash_grouping.cuh"
#include "common/launch.cuh"

namespace ladder::labs {

/// What a grouping works on.
struct GroupingArrays {
  Bucket* table;        ///< (buckets)
  TableWord* tuples;    ///< (tuples)  on the GPU, or zero-copy on the host
  TableWord* staged;    ///< (tuples)  windows, zero-copy: gets the tuples; or null
  TableWord* buffer;    ///< (tuples)  spill, windows
  TableWord* counters;  ///< (kGroupingCounters)
};

/// Counts, beginnings (one more) and next places of all windows.
constexpr std::uint64_t kGroupingCounters = 3 * std::uint64_t{kMostParts} + 1;

/// Passes over the tuples, with a buffer for those of later passes or without.
inline void group_by_passes(const Grouping& grouping, const GroupingArrays& arrays,
                            const LaunchShape& shape) {
  const bool spills = grouping.way == GroupingWay::spill && grouping.parts > 1;
  if (spills)
    launch(kernels::clear_words, {.grid = dim3(1), .block = dim3(32), .stream = shape.stream},
           arrays.counters, std::uint64_t{1});
  for (int part = 0; part < grouping.parts; ++part) {
    const bool first = part == 0;
    launch(kernels::group_pass, shape, arrays.table, grouping.buckets(),
           kernels::GroupingPass{
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
inline void group_by_windows(const Grouping& grouping, const GroupingArrays& arrays,
                             const LaunchShape& shape) {
  LaunchShape one_block = shape;
  one_block.grid = dim3(1);
  TableWord* const counts = arrays.counters;
  TableWord* const begins = counts + kMostParts;
  TableWord* const next = begins + kMostParts + 1;
  launch(kernels::clear_words, one_block, counts, std::uint64_t{kMostParts});
  launch(kernels::count_windows, shape, arrays.tuples, grouping.tuples, grouping.parts, counts,
         arrays.staged);
  launch(kernels::begin_windows, one_block, counts, grouping.parts, begins, next);
  launch(kernels::sort_into_windows, shape,
         arrays.staged == nullptr ? arrays.tuples : arrays.staged, grouping.tuples, grouping.parts,
         next, arrays.buffer);
  launch(kernels::group_windows, shape, arrays.table, grouping.buckets(), arrays.buffer, begins,
         grouping.parts);
}

/// \brief  Adds all tuples to the table.
/// \param  shape  blocks of kernels::kGroupingThreads that all run together
inline void group_once(const Grouping& grouping, const GroupingArrays& arrays,
                       const LaunchShape& shape) {
  if (grouping.way == GroupingWay::windows)
    group_by_windows(grouping, arrays, shape);
  else
    group_by_passes(grouping, arrays, shape);
}

}  // namespace ladder::labs
