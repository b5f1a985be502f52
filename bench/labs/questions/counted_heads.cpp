// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/counted_heads.cpp
/// \brief What attention heads read from DRAM, traced on the emulator and replayed on a card.
#include "bench/labs/questions/counted_heads.hpp"

#include "bench/labs/questions/kernels/traced_kernels.hpp"
#include "bench/labs/questions/traced_run.hpp"
#include "emulator/trace/trace.hpp"
#include "ladder/program/cache_replay.hpp"
#include "ladder/program/rung_trace.hpp"

namespace ladder::labs {

HeadTraffic count_heads(const AttentionHeads& heads, int blocks, const DeviceCard& card) {
  constexpr int kVectorBytes = 16;
  const AlignedArray<char> data(static_cast<std::size_t>(heads.heads()) *
                                static_cast<std::size_t>(heads.vectors_per_head) * kVectorBytes);
  const AlignedArray<unsigned> sink(1);
  const emulator::KernelTrace trace =
      traced_run({{.name = "data", .data = data.data(), .bytes = data.bytes()},
                  {.name = "sink", .data = sink.data(), .bytes = sink.bytes()}},
                 [&] { traced::read_heads(heads, blocks, data.data(), sink.data()); });
  constexpr std::uint64_t kBudget = 100'000'000;
  const auto traffic =
      replay_caches({.kernel = trace,
                     .card = card,
                     .blocks_per_sm = blocks_per_sm(
                         card, {.threads_per_block = static_cast<int>(trace.threads_per_block)}),
                     .array_first_lines = {0, data.bytes() / emulator::kLineBytes}},
                    kBudget);
  return {
      .requested_bytes = static_cast<double>(total(trace, emulator::Operation::kGlobalLoad).bytes),
      .dram_bytes = static_cast<double>(traffic->dram_read_bytes)};
}

}  // namespace ladder::labs
