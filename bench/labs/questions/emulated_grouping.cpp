// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/emulated_grouping.cpp
/// \brief L14's kernels on the emulator.
#include "bench/labs/questions/emulated_grouping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "bench/labs/questions/kernels/traced_kernels.hpp"
#include "bench/labs/questions/traced_run.hpp"

namespace ladder::labs {

std::vector<Bucket> grouped_on_emulator(const Grouping& grouping, std::span<const TableWord> keys) {
  constexpr int kBlocks = 3;
  const AlignedArray<Bucket> table(grouping.buckets());
  const AlignedArray<TableWord> tuples(keys.size());
  const AlignedArray<TableWord> staged(keys.size());
  const AlignedArray<TableWord> buffer(keys.size());
  const AlignedArray<TableWord> counters(traced::grouping_counters());
  std::ranges::copy(keys, tuples.data());
  traced_run({{.name = "table", .data = table.data(), .bytes = table.bytes()},
              {.name = "tuples", .data = tuples.data(), .bytes = tuples.bytes()},
              {.name = "staged", .data = staged.data(), .bytes = staged.bytes()},
              {.name = "buffer", .data = buffer.data(), .bytes = buffer.bytes()},
              {.name = "counters", .data = counters.data(), .bytes = counters.bytes()}},
             [&] {
               traced::group(grouping,
                             {.table = table.values(),
                              .tuples = tuples.values(),
                              .staged = staged.values(),
                              .buffer = buffer.values(),
                              .counters = counters.values()},
                             kBlocks);
             });
  return {table.values().begin(), table.values().end()};
}

void require_counts(std::span<const Bucket> table, std::span<const TableWord> keys) {
  std::unordered_map<TableWord, TableWord> counts;
  for (const TableWord key : keys)
    ++counts[key];
  for (const Bucket& bucket : table) {
    if (bucket.key == kNoKey && bucket.count == 0) continue;
    const auto group = counts.find(bucket.key);
    if (group == counts.end())
      throw std::logic_error(fmt::format(
          "grouping is wrong: key {} is in the table twice, or was never a tuple's", bucket.key));
    if (group->second != bucket.count)
      throw std::logic_error(fmt::format("grouping is wrong: key {} is counted {} times, not {}",
                                         bucket.key, bucket.count, group->second));
    counts.erase(group);
  }
  if (!counts.empty())
    throw std::logic_error(
        fmt::format("grouping is wrong: {} groups are not in the table", counts.size()));
}

}  // namespace ladder::labs
