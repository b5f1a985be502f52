// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_hash_grouping.cu
/// \brief Hash grouping on a GPU.
#include "bench/labs/instruments/gpu_hash_grouping.cuh"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bench/labs/instruments/kernels/grouping_passes.cuh"

namespace ladder::labs {
namespace {

/// Parts of the table that are filled one after the other: each within what a TLB covers.
constexpr std::uint64_t kFilledBytes = std::uint64_t{16} << 30;

}  // namespace

char* PinnedTuples::of_bytes(std::uint64_t bytes) {
  if (bytes <= bytes_) return memory_;
  release();
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, bytes, cudaHostAllocMapped) != cudaSuccess) {
    cudaGetLastError();
    throw LabError("The host cannot pin " + std::to_string(bytes >> 20) +
                   " MiB of its memory for tuples. Free some, or raise `ulimit -l`");
  }
  memory_ = static_cast<char*>(memory);
  bytes_ = bytes;
  return memory_;
}

void PinnedTuples::release() noexcept {
  if (memory_ != nullptr) cudaFreeHost(memory_);
  memory_ = nullptr;
  bytes_ = 0;
}

LaunchShape GpuHashGrouping::all_sms() const {
  constexpr unsigned kBlocksPerSm = 2;
  return {.grid = dim3(static_cast<unsigned>(sms_) * kBlocksPerSm),
          .block = dim3(kernels::kGroupingThreads),
          .stream = stopwatch_.stream()};
}

template <class Word>
GroupingArrays<Word> GpuHashGrouping::arrays_of(const Grouping& grouping) {
  const std::uint64_t tuple_bytes = grouping.tuples * sizeof(Word);
  const std::uint64_t buffer_bytes = (grouping.chunk() * sizeof(Word) + 7) / 8 * 8;
  const std::uint64_t whole_tuples = (tuple_bytes + 7) / 8 * 8;
  char* const first = region_.of_bytes(grouping.table_bytes + whole_tuples + buffer_bytes +
                                       kGroupingCounters * sizeof(TableWord));
  char* const tuples = first + grouping.table_bytes;
  char* const buffer = tuples + whole_tuples;
  return {.table = reinterpret_cast<BucketOf<Word>*>(first),
          .tuples = reinterpret_cast<Word*>(tuples),
          .staged = nullptr,
          .buffer = reinterpret_cast<Word*>(buffer),
          .counters = reinterpret_cast<TableWord*>(buffer + buffer_bytes)};
}

template <class Word>
void GpuHashGrouping::prepare(const Grouping& grouping) {
  const Held wanted = {grouping.table_bytes, grouping.tuples, grouping.seed, grouping.keys};
  if (held_ == wanted) return;
  held_ = {};
  const GroupingArrays<Word> arrays = arrays_of<Word>(grouping);
  Word* const tuples = arrays.tuples;
  launch(kernels::clear_words<Word>, all_sms(), reinterpret_cast<Word*>(arrays.table),
         grouping.table_bytes / sizeof(Word));
  const auto parts = static_cast<int>((grouping.table_bytes + kFilledBytes - 1) / kFilledBytes);
  for (int part = 0; part < parts; ++part)
    launch(kernels::insert_groups<Word>, all_sms(), arrays.table, grouping.buckets(), parts, part);
  launch(kernels::fill_tuples<Word>, all_sms(), tuples, grouping.tuples, grouping.groups(),
         grouping.seed);
  const GpuArray<TableSums> sums(1);
  launch(kernels::sum_tuples<Word>, all_sms(), tuples, grouping.tuples, sums.data());
  check(cudaStreamSynchronize(stopwatch_.stream()));
  once_ = sums.values()[0];
  expected_ = {.groups = grouping.groups()};
  pinned_filled_ = false;
  held_ = wanted;
}

template <class Word>
TableSums GpuHashGrouping::sums_of_table(const Grouping& grouping) {
  const GpuArray<TableSums> sums(1);
  launch(kernels::sum_table<Word>, all_sms(), arrays_of<Word>(grouping).table, grouping.buckets(),
         sums.data());
  check(cudaStreamSynchronize(stopwatch_.stream()));
  return sums.values()[0];
}

template <class Word>
void GpuHashGrouping::require_exact(const Grouping& grouping) {
  const TableSums sums = sums_of_table<Word>(grouping);
  if (sums.groups == expected_.groups && sums.tuples == expected_.tuples &&
      sums.check == expected_.check)
    return;
  held_ = {};
  throw std::logic_error("grouping into a table of " + std::to_string(grouping.table_bytes >> 20) +
                         " MiB is wrong: it has " + std::to_string(sums.groups) + " groups of " +
                         std::to_string(expected_.groups) + ", counts " +
                         std::to_string(sums.tuples) + " tuples of " +
                         std::to_string(expected_.tuples) + ", and the checksum " +
                         (sums.check == expected_.check ? "agrees" : "differs"));
}

template <class Word>
std::vector<double> GpuHashGrouping::rates_of(const Grouping& grouping, int repeats) {
  GroupingArrays<Word> arrays = arrays_of<Word>(grouping);
  prepare<Word>(grouping);
  if (grouping.zero_copy) {
    const std::uint64_t bytes = grouping.tuples * sizeof(Word);
    auto* const pinned = reinterpret_cast<Word*>(pinned_.of_bytes(bytes));
    Word* const on_gpu = arrays.tuples;
    if (!pinned_filled_) check(cudaMemcpy(pinned, on_gpu, bytes, cudaMemcpyDeviceToHost));
    pinned_filled_ = true;
    arrays.tuples = pinned;
    arrays.staged = on_gpu;
  }
  std::vector<double> rates;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    const double ms = stopwatch_.time_ms([&] { group_once(grouping, arrays, all_sms()); });
    expected_.tuples += once_.tuples;
    expected_.check += once_.check;
    if (repeat >= 0)  // the first one warms up
      rates.push_back(static_cast<double>(grouping.tuples) / (ms * 1e-3));
  }
  require_exact<Word>(grouping);
  return rates;
}

template <class Word>
std::vector<Bucket> GpuHashGrouping::buckets_of(const Grouping& grouping,
                                                std::span<const TableWord> keys) {
  held_ = {};
  GroupingArrays<Word> arrays = arrays_of<Word>(grouping);
  Word* const on_gpu = arrays.tuples;
  const std::vector<Word> words(keys.begin(), keys.end());
  const std::uint64_t bytes = words.size() * sizeof(Word);
  check(cudaMemset(arrays.table, 0, grouping.table_bytes));
  check(cudaMemcpy(on_gpu, words.data(), bytes, cudaMemcpyHostToDevice));
  if (grouping.zero_copy) {
    pinned_filled_ = false;
    auto* const pinned = reinterpret_cast<Word*>(pinned_.of_bytes(bytes));
    std::ranges::copy(words, pinned);
    check(cudaMemset(on_gpu, 0, bytes));
    arrays.tuples = pinned;
    arrays.staged = on_gpu;
  }
  check(cudaDeviceSynchronize());
  group_once(grouping, arrays, all_sms());
  check(cudaStreamSynchronize(stopwatch_.stream()));
  std::vector<BucketOf<Word>> table(grouping.buckets());
  check(cudaMemcpy(table.data(), arrays.table, grouping.table_bytes, cudaMemcpyDeviceToHost));
  std::vector<Bucket> buckets;
  buckets.reserve(table.size());
  for (const BucketOf<Word>& bucket : table)
    buckets.push_back({.key = bucket.key, .count = bucket.count});
  return buckets;
}

std::vector<double> GpuHashGrouping::tuples_per_second(const Grouping& grouping, int repeats) {
  return grouping.keys == KeySize::narrow ? rates_of<NarrowWord>(grouping, repeats)
                                          : rates_of<TableWord>(grouping, repeats);
}

std::optional<std::vector<Bucket>> GpuHashGrouping::grouped(const Grouping& grouping,
                                                            std::span<const TableWord> keys) {
  return grouping.keys == KeySize::narrow ? buckets_of<NarrowWord>(grouping, keys)
                                          : buckets_of<TableWord>(grouping, keys);
}

}  // namespace ladder::labs
