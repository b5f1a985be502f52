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

namespace {

template <class Word>
std::vector<Bucket> grouped_words(const Grouping& grouping, std::span<const TableWord> keys) {
  constexpr int kBlocks = 3;
  const AlignedArray<BucketOf<Word>> table(grouping.buckets());
  const AlignedArray<Word> tuples(keys.size());
  const AlignedArray<Word> staged(keys.size());
  const AlignedArray<Word> buffer(grouping.chunk());
  const AlignedArray<TableWord> counters(traced::grouping_counters());
  std::ranges::transform(keys, tuples.data(), [](TableWord key) { return static_cast<Word>(key); });
  traced_run({{.name = "table", .data = table.data(), .bytes = table.bytes()},
              {.name = "tuples", .data = tuples.data(), .bytes = tuples.bytes()},
              {.name = "staged", .data = staged.data(), .bytes = staged.bytes()},
              {.name = "buffer", .data = buffer.data(), .bytes = buffer.bytes()},
              {.name = "counters", .data = counters.data(), .bytes = counters.bytes()}},
             [&] {
               traced::group(grouping,
                             traced::GroupingMemory<Word>{.table = table.values(),
                                                          .tuples = tuples.values(),
                                                          .staged = staged.values(),
                                                          .buffer = buffer.values(),
                                                          .counters = counters.values()},
                             kBlocks);
             });
  std::vector<Bucket> buckets;
  buckets.reserve(table.values().size());
  for (const BucketOf<Word>& bucket : table.values())
    buckets.push_back({.key = bucket.key, .count = bucket.count});
  return buckets;
}

}  // namespace

std::vector<Bucket> grouped_on_emulator(const Grouping& grouping, std::span<const TableWord> keys) {
  return grouping.keys == KeySize::narrow ? grouped_words<NarrowWord>(grouping, keys)
                                          : grouped_words<TableWord>(grouping, keys);
}

std::uint64_t lcg_sum_on_emulator(const RandomReads& reads) {
  const AlignedArray<unsigned> words(reads.region_bytes / sizeof(unsigned));
  const AlignedArray<unsigned long long> sum(1);
  for (std::size_t i = 0; i < words.values().size(); ++i)
    words.values()[i] = static_cast<unsigned>(word_value(i));
  traced_run({{.name = "words", .data = words.data(), .bytes = words.bytes()},
              {.name = "sum", .data = sum.data(), .bytes = sum.bytes()}},
             [&] { traced::lcg_reads(reads, words.values(), sum.values().first<1>()); });
  return sum.values()[0];
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
