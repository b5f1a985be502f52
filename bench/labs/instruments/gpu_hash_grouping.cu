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

TableWord* PinnedTuples::of_tuples(std::uint64_t tuples) {
  if (tuples <= count_) return tuples_;
  release();
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, tuples * sizeof(TableWord), cudaHostAllocMapped) != cudaSuccess) {
    cudaGetLastError();
    throw LabError("The host cannot pin " + std::to_string(tuples * sizeof(TableWord) >> 20) +
                   " MiB of its memory for tuples. Free some, or raise `ulimit -l`");
  }
  tuples_ = static_cast<TableWord*>(memory);
  count_ = tuples;
  return tuples_;
}

void PinnedTuples::release() noexcept {
  if (tuples_ != nullptr) cudaFreeHost(tuples_);
  tuples_ = nullptr;
  count_ = 0;
}

LaunchShape GpuHashGrouping::all_sms() const {
  constexpr unsigned kBlocksPerSm = 2;
  return {.grid = dim3(static_cast<unsigned>(sms_) * kBlocksPerSm),
          .block = dim3(kernels::kGroupingThreads),
          .stream = stopwatch_.stream()};
}

GroupingArrays GpuHashGrouping::arrays_of(const Grouping& grouping) {
  const std::uint64_t tuple_bytes = grouping.tuples * sizeof(TableWord);
  char* const first = region_.of_bytes(grouping.table_bytes + 2 * tuple_bytes +
                                       kGroupingCounters * sizeof(TableWord));
  auto* const tuples = reinterpret_cast<TableWord*>(first + grouping.table_bytes);
  TableWord* const buffer = tuples + grouping.tuples;
  return {.table = reinterpret_cast<Bucket*>(first),
          .tuples = tuples,
          .staged = nullptr,
          .buffer = buffer,
          .counters = buffer + grouping.tuples};
}

void GpuHashGrouping::prepare(const Grouping& grouping) {
  const Held wanted = {grouping.table_bytes, grouping.tuples, grouping.seed};
  if (held_ == wanted) return;
  held_ = {};
  const GroupingArrays arrays = arrays_of(grouping);
  TableWord* const tuples = arrays.tuples;
  launch(kernels::clear_words, all_sms(), reinterpret_cast<TableWord*>(arrays.table),
         grouping.table_bytes / sizeof(TableWord));
  const auto parts = static_cast<int>((grouping.table_bytes + kFilledBytes - 1) / kFilledBytes);
  for (int part = 0; part < parts; ++part)
    launch(kernels::insert_groups, all_sms(), arrays.table, grouping.buckets(), parts, part);
  launch(kernels::fill_tuples, all_sms(), tuples, grouping.tuples, grouping.groups(),
         grouping.seed);
  const GpuArray<TableSums> sums(1);
  launch(kernels::sum_tuples, all_sms(), tuples, grouping.tuples, sums.data());
  check(cudaStreamSynchronize(stopwatch_.stream()));
  once_ = sums.values()[0];
  expected_ = {.groups = grouping.groups()};
  pinned_filled_ = false;
  held_ = wanted;
}

TableSums GpuHashGrouping::sums_of_table(const Grouping& grouping) {
  const GpuArray<TableSums> sums(1);
  launch(kernels::sum_table, all_sms(), arrays_of(grouping).table, grouping.buckets(), sums.data());
  check(cudaStreamSynchronize(stopwatch_.stream()));
  return sums.values()[0];
}

void GpuHashGrouping::require_exact(const Grouping& grouping) {
  const TableSums sums = sums_of_table(grouping);
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

std::vector<double> GpuHashGrouping::tuples_per_second(const Grouping& grouping, int repeats) {
  GroupingArrays arrays = arrays_of(grouping);
  prepare(grouping);
  if (grouping.zero_copy) {
    TableWord* const pinned = pinned_.of_tuples(grouping.tuples);
    TableWord* const on_gpu = arrays.tuples;
    if (!pinned_filled_)
      check(
          cudaMemcpy(pinned, on_gpu, grouping.tuples * sizeof(TableWord), cudaMemcpyDeviceToHost));
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
  require_exact(grouping);
  return rates;
}

std::optional<std::vector<Bucket>> GpuHashGrouping::grouped(const Grouping& grouping,
                                                            std::span<const TableWord> keys) {
  held_ = {};
  GroupingArrays arrays = arrays_of(grouping);
  TableWord* const on_gpu = arrays.tuples;
  check(cudaMemset(arrays.table, 0, grouping.table_bytes));
  check(cudaMemcpy(on_gpu, keys.data(), keys.size_bytes(), cudaMemcpyHostToDevice));
  if (grouping.zero_copy) {
    pinned_filled_ = false;
    TableWord* const pinned = pinned_.of_tuples(grouping.tuples);
    std::copy(keys.begin(), keys.end(), pinned);
    check(cudaMemset(on_gpu, 0, keys.size_bytes()));
    arrays.tuples = pinned;
    arrays.staged = on_gpu;
  }
  check(cudaDeviceSynchronize());
  group_once(grouping, arrays, all_sms());
  check(cudaStreamSynchronize(stopwatch_.stream()));
  std::vector<Bucket> buckets(grouping.buckets());
  check(cudaMemcpy(buckets.data(), arrays.table, grouping.table_bytes, cudaMemcpyDeviceToHost));
  return buckets;
}

}  // namespace ladder::labs
