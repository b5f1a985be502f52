// SPDX-License-Identifier: MIT
/// \file  bench/labs/questions/counted.cpp
/// \brief What the labs' kernels ask of memory: counted on the emulator, and by hand.
#include "bench/labs/questions/counted.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "bench/labs/analysis/warp_requests.hpp"
#include "bench/labs/questions/kernels/traced_kernels.hpp"
#include "bench/labs/questions/traced_run.hpp"
#include "common/device_card.hpp"
#include "ladder/program/cache_replay.hpp"
#include "ladder/program/rung_trace.hpp"

namespace ladder::labs {
namespace {

constexpr std::size_t kRegionBytes = std::size_t{1} << 24;  // random places seldom meet
constexpr unsigned kMostWarps = 64;

using LaneBytes = std::array<std::uint64_t, kWarpLanes>;

/// Where the lanes of a warp begin to read.
LaneBytes places_of_warp(const AccessPattern& pattern, unsigned places, unsigned warp) {
  LaneBytes bytes{};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    bytes[lane] = byte_of(pattern, places, warp * kWarpLanes + lane);
  return bytes;
}

void add_model(CountedReads& result, const AccessPattern& pattern, const LaneBytes& places) {
  for (int load = 0; load < pattern.loads; ++load) {
    LaneBytes bytes = places;
    for (std::uint64_t& byte : bytes)
      byte += static_cast<unsigned>(load) * pattern.bytes;
    const TouchedMemory touched = touched_memory(bytes, pattern.bytes);
    result.model_sectors += touched.sectors;
    result.model_lines += touched.lines;
  }
  const TouchedMemory together = touched_memory(places, pattern.place_bytes());
  result.distinct_sectors += together.sectors;
  result.distinct_lines += together.lines;
}

std::uint64_t l2_sectors_of(const emulator::KernelTrace& trace) {
  static const DeviceCard card = load_card("classroom");
  constexpr std::uint64_t kBudget = 1'000'000;
  return replay_caches({.kernel = trace,
                        .card = card,
                        .array_first_lines = {0, kRegionBytes / emulator::kLineBytes}},
                       kBudget)
      ->l2_read_sectors;
}

}  // namespace

CountedReads count_reads(const AccessPattern& pattern) {
  static const AlignedArray<char> region(kRegionBytes);
  alignas(256) unsigned sink = 0;
  const unsigned places = places_in(pattern, kRegionBytes);
  const unsigned warps = std::min(kMostWarps, places / kWarpLanes);
  CountedReads result;
  result.warps = warps;
  const emulator::KernelTrace trace = traced_run(
      {{.name = "region", .data = region.data(), .bytes = kRegionBytes},
       {.name = "sink", .data = &sink, .bytes = sizeof sink}},
      [&] { traced::read_places(pattern, places, static_cast<int>(warps), region.data(), &sink); });
  result.counts = total(trace, emulator::Operation::kGlobalLoad);
  result.l2_sectors = l2_sectors_of(trace);
  for (unsigned warp = 0; warp < warps; ++warp)
    add_model(result, pattern, places_of_warp(pattern, places, warp));
  return result;
}

emulator::AccessCounts count_shared(const SharedAccess& access) {
  alignas(256) unsigned sink = 0;
  const emulator::KernelTrace trace =
      traced_run({{.name = "sink", .data = &sink, .bytes = sizeof sink}},
                 [&] { traced::access_shared(access, &sink); });
  const auto wanted =
      access.stores ? emulator::Operation::kSharedStore : emulator::Operation::kSharedLoad;
  emulator::AccessCounts counts = total(trace, wanted);
  // Each slot saw the same request.
  for (std::uint64_t* const count : {&counts.requests, &counts.lanes, &counts.bytes,
                                     &counts.wavefronts, &counts.ideal_wavefronts})
    *count /= kSharedSlots;
  return counts;
}

std::uint64_t shared_requests_of_a_shuffle() {
  alignas(256) std::array<unsigned, kWarpLanes> out{};
  const emulator::KernelTrace trace =
      traced_run({{.name = "out", .data = out.data(), .bytes = sizeof out}},
                 [&] { traced::reverse_by_shuffle(out.data()); });
  if (out.front() != kWarpLanes - 1) throw std::logic_error("a shuffle brought another number");
  return total(trace, emulator::Operation::kSharedLoad).requests +
         total(trace, emulator::Operation::kSharedStore).requests;
}

}  // namespace ladder::labs
