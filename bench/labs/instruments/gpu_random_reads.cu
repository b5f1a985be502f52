// SPDX-License-Identifier: MIT
/// \file  bench/labs/instruments/gpu_random_reads.cu
/// \brief Random reads on a GPU.
#include "bench/labs/instruments/gpu_random_reads.cuh"

#include <algorithm>
#include <stdexcept>

#include "bench/labs/instruments/kernels/random_reads.cuh"
#include "common/launch.cuh"

namespace ladder::labs {

RandomReadsResult GpuRandomReads::random_reads(const RandomReads& reads, int repeats) {
  if (reads.draw == DrawnBy::lcg_of_thread) return lcg_reads(reads, repeats);
  if (reads.scope_bytes != 0)
    throw std::invalid_argument("scopes of a given size are read by generators of threads only");
  constexpr unsigned kBlocksPerSm = 2;
  const std::uint64_t region_words = reads.region_bytes / sizeof(std::uint64_t);
  auto* const words = reinterpret_cast<std::uint64_t*>(region_.of_bytes(reads.region_bytes));
  launch(kernels::fill_words<std::uint64_t>,
         {.grid = dim3(4096), .block = dim3(256), .stream = stopwatch_.stream()}, words,
         region_words);

  std::vector<int> group_of_sm = reads.group_of_sm;
  if (group_of_sm.empty()) group_of_sm.assign(static_cast<std::size_t>(sms_), 0);
  const int groups = *std::ranges::max_element(group_of_sm) + 1;
  const GpuArray<int> numbers(group_of_sm);
  GpuArray<unsigned long long> taken(static_cast<std::size_t>(groups));
  GpuArray<unsigned long long> sum(1);
  const kernels::ReadPlan plan = {.region_words = region_words,
                                  .group_reads = reads.reads / static_cast<std::uint64_t>(groups),
                                  .groups = groups,
                                  .scopes = reads.scopes,
                                  .group_of_sm = numbers.data(),
                                  .taken = taken.data(),
                                  .seed = reads.seed};
  const LaunchShape shape = {.grid = dim3(static_cast<unsigned>(sms_) * kBlocksPerSm),
                             .block = dim3(kernels::kReadThreads),
                             .stream = stopwatch_.stream()};
  RandomReadsResult result;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    sum.clear();
    double ms = 0.0;
    for (int scope = 0; scope < reads.scopes; ++scope) {
      taken.clear();
      ms += stopwatch_.time_ms(
          [&] { launch(kernels::random_reads, shape, words, plan, scope, sum.data()); });
    }
    if (repeat >= 0)  // the first one warms up
      result.reads_per_second.push_back(static_cast<double>(plan.group_reads) * groups /
                                        (ms * 1e-3));
    result.sum = sum.values()[0];
  }
  return result;
}

RandomReadsResult GpuRandomReads::lcg_reads(const RandomReads& reads, int repeats) {
  if (reads.reads % kLcgReads != 0 || !reads.group_of_sm.empty())
    throw std::invalid_argument("reads of an LCG come in 1024 for each thread, and without groups");
  const std::uint64_t count = reads.region_bytes / sizeof(unsigned);
  auto* const words = reinterpret_cast<unsigned*>(region_.of_bytes(reads.region_bytes));
  launch(kernels::fill_words<unsigned>,
         {.grid = dim3(4096), .block = dim3(256), .stream = stopwatch_.stream()}, words, count);
  const std::uint64_t threads = reads.reads / kLcgReads;
  constexpr std::uint64_t kBlock = 256;
  const LaunchShape shape = {.grid = dim3(static_cast<unsigned>((threads + kBlock - 1) / kBlock)),
                             .block = dim3(static_cast<unsigned>(kBlock)),
                             .stream = stopwatch_.stream()};
  GpuArray<unsigned long long> sum(1);
  RandomReadsResult result;
  for (int repeat = -1; repeat < repeats; ++repeat) {
    sum.clear();
    double ms = 0.0;
    for (int scope = 0; scope < reads.scopes; ++scope) {
      const WordRange wanted =
          reads.scope_bytes == 0
              ? part_of({0, count}, reads.scopes, scope)
              : part_of_size({0, count}, reads.scope_bytes / sizeof(unsigned), scope);
      ms += stopwatch_.time_ms([&] {
        launch(kernels::lcg_reads, shape, words, count, threads, reads.seed, wanted, sum.data());
      });
    }
    if (repeat >= 0)  // the first one warms up
      result.reads_per_second.push_back(static_cast<double>(reads.reads) / (ms * 1e-3));
    result.sum = sum.values()[0];
  }
  return result;
}

}  // namespace ladder::labs
