// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/global_requests.cpp
/// \brief BlockTracer's requests to global memory: their sectors, lines and arrays.
#include <bit>

#include "common/emulator/trace/block_tracer.hpp"
#include "common/emulator/words/warp_functions.hpp"

namespace ladder::emulator {

const BlockTracer::Site::Phase& BlockTracer::phase_of(Site& site, const std::uint64_t* address) {
  const std::uint64_t base = address[std::countr_zero(site.lanes)];
  Site::Phase& phase = site.phases[base % kLineBytes];
  if (phase.sectors == 0) {
    const WarpAddresses request = {address, site.lanes, bytes_of(site.code)};
    const GlobalShape shape = type_of(site.code) == AccessType::kAtomic
                                  ? global_atomic_shape(request)
                                  : global_shape(request);
    phase = {.pattern = wishes_->patterns->number_of(shape.lines),
             .sectors = static_cast<std::uint16_t>(shape.sectors),
             .distinct_sectors = static_cast<std::uint16_t>(shape.distinct_sectors),
             .ideal_sectors = static_cast<std::uint16_t>(shape.ideal_sectors),
             .lines = static_cast<std::uint16_t>(shape.tags)};
  }
  return phase;
}

std::size_t BlockTracer::array_with(std::uint64_t begin, std::uint64_t end) const {
  for (std::size_t i = 0; i < wishes_->arrays.size(); ++i) {
    const auto first = reinterpret_cast<std::uint64_t>(wishes_->arrays[i].data);
    if (begin >= first && end <= first + wishes_->arrays[i].bytes) return i;
  }
  return kMaxArrays;
}

void BlockTracer::global_request(Site& site, const std::uint64_t* address, std::uint32_t lanes) {
  const std::uint64_t base = address[std::countr_zero(lanes)];
  const std::uint64_t begin = base + static_cast<std::uint64_t>(site.lowest);
  const std::uint64_t end = base + static_cast<std::uint64_t>(site.highest);
  const auto inside = [&](std::size_t array) {
    if (array == kMaxArrays) return false;
    const auto first = reinterpret_cast<std::uint64_t>(wishes_->arrays[array].data);
    return begin >= first && end <= first + wishes_->arrays[array].bytes;
  };
  if (!inside(site.array)) {
    site.array = array_with(begin, end);
    if (site.array == kMaxArrays) [[unlikely]] {
      if (is_launch_code(site.code) || is_private(address[std::countr_zero(lanes)])) return;
      report_global(site, address, lanes);
    }
  }

  const Site::Phase& phase = phase_of(site, address);
  const auto active = static_cast<unsigned>(std::popcount(lanes));
  const AccessType type = type_of(site.code);
  AccessCounts counts = {.requests = 1,
                         .lanes = active,
                         .bytes = std::uint64_t{active} * bytes_of(site.code),
                         .sectors = phase.sectors,
                         .distinct_sectors = phase.distinct_sectors,
                         .ideal_sectors = phase.ideal_sectors,
                         .lines = phase.lines};
  if (type == AccessType::kCopySource) counts = {};  // see count_copy()
  site.counts.global += counts;
  if (site.array != kMaxArrays) {
    const auto first = reinterpret_cast<std::uint64_t>(wishes_->arrays[site.array].data);
    const bool past_l1 = type == AccessType::kCopySource && bytes_of(site.code) == 16;
    stream_.accesses.push_back(
        {.line = static_cast<std::int64_t>(begin / kLineBytes - first / kLineBytes),
         .pattern = phase.pattern,
         .array = static_cast<std::uint16_t>(site.array),
         .store = static_cast<std::uint16_t>(
             past_l1                                                        ? 2
             : type == AccessType::kLoad || type == AccessType::kCopySource ? 0
                                                                            : 1)});
  }
  if (block_ == wishes_->ordered_block && type == AccessType::kLoad) {
    order_.global_load(warp_);
  }
  if (is_recorded()) {
    RawRequest raw = {.code = site.code, .shared = false, .lanes = lanes, .counts = counts};
    for_each_lane(lanes, [&](unsigned lane) { raw.address[lane] = address[lane]; });
    recorded_.push_back(raw);
    if (type == AccessType::kCopySource) recorded_source_ = recorded_.size() - 1;
  }
}

bool BlockTracer::is_recorded() const {
  return wishes_->warp && wishes_->warp->first == block_ && wishes_->warp->second == warp_ &&
         recorded_.size() < kMaxRecordedRequests;
}

void BlockTracer::report_global(Site& site, const std::uint64_t* address, std::uint32_t lanes) {
  for_each_lane(lanes, [&](unsigned lane) {
    if (array_with(address[lane], address[lane] + bytes_of(site.code)) != kMaxArrays) return;
    report({.kind = HazardKind::kGlobalOutOfBounds,
            .code = site.code,
            .thread = static_cast<std::uint16_t>(32 * warp_ + lane),
            .address = address[lane]});
  });
}

}  // namespace ladder::emulator
