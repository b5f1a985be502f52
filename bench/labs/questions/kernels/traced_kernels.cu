// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/kernels/traced_kernels.cu
/// \brief Starts the labs' kernels on the emulator.
#include "bench/labs/questions/kernels/traced_kernels.hpp"

#include "bench/labs/instruments/kernels/grouping_passes.cuh"
#include "bench/labs/instruments/kernels/lcg_reads.cuh"
#include "bench/labs/questions/kernels/global_reads.cuh"
#include "bench/labs/questions/kernels/lane_exchange.cuh"
#include "bench/labs/questions/kernels/read_heads.cuh"
#include "bench/labs/questions/kernels/shared_accesses.cuh"
#include "bench/labs/questions/kernels/tiled_product.cuh"
#include "common/launch.cuh"

namespace ladder::labs::traced {
namespace {

constexpr unsigned kNever = 0x5EEDFACEu;

template <class Word>
void group_words(const Grouping& grouping, const GroupingMemory<Word>& memory, int blocks) {
  group_once<Word>(
      grouping,
      {.table = memory.table.data(),
       .tuples = memory.tuples.data(),
       .staged = grouping.zero_copy ? memory.staged.data() : nullptr,
       .buffer = memory.buffer.data(),
       .counters = memory.counters.data()},
      {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kernels::kGroupingThreads)});
}

}  // namespace

void read_places(const AccessPattern& pattern, unsigned places, int reads, const char* region,
                 unsigned* sink) {
  const kernels::ReadPlan plan = {.pattern = pattern,
                                  .places = places,
                                  .lanes = kWarpLanes * static_cast<unsigned>(reads),
                                  .advance = kWarpLanes,
                                  .reads = reads,
                                  .block_bytes = 0};
  launch(kernels::read_kernel(pattern), {.grid = dim3(1), .block = dim3(kWarpLanes)}, region, plan,
         kNever, sink);
}

void access_shared(const SharedAccess& access, unsigned* sink) {
  const LaunchShape shape = {
      .grid = dim3(1), .block = dim3(kWarpLanes), .dynamic_shared_bytes = kernels::kSlotsBytes};
  kernels::with_element(access, [&]<class T>(T) {
    const auto kernel =
        access.stores ? kernels::access_shared<T, true> : kernels::access_shared<T, false>;
    launch(kernel, shape, access, kNever, sink);
  });
}

void reverse_by_shuffle(unsigned* out) {
  launch(kernels::reverse_by_shuffle, {.grid = dim3(1), .block = dim3(kWarpLanes)}, out);
}

void multiply(const TiledProduct& product) {
  launch(kernels::tiled_product<kProductTile>,
         {.grid = dim3(static_cast<unsigned>(product.blocks())),
          .block = dim3(kProductTile * kProductTile)},
         product);
}

void read_heads(const AttentionHeads& heads, int blocks, const char* data, unsigned* sink) {
  launch(kernels::read_heads, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(256)},
         heads, reinterpret_cast<const uint4*>(data), kNever, sink);
}

std::size_t grouping_counters() {
  return kGroupingCounters;
}

void group(const Grouping& grouping, const GroupingMemory<TableWord>& memory, int blocks) {
  group_words(grouping, memory, blocks);
}

void group(const Grouping& grouping, const GroupingMemory<NarrowWord>& memory, int blocks) {
  group_words(grouping, memory, blocks);
}

void lcg_reads(const RandomReads& reads, std::span<const unsigned> words,
               std::span<unsigned long long, 1> sum) {
  constexpr std::uint64_t kBlock = 64;
  const std::uint64_t threads = reads.reads / kLcgReads;
  for (int scope = 0; scope < reads.scopes; ++scope)
    launch(kernels::lcg_reads,
           {.grid = dim3(static_cast<unsigned>((threads + kBlock - 1) / kBlock)),
            .block = dim3(static_cast<unsigned>(kBlock))},
           words.data(), std::uint64_t{words.size()}, threads, reads.seed,
           part_of({0, words.size()}, reads.scopes, scope), sum.data());
}

}  // namespace ladder::labs::traced
