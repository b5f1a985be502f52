// SPDX-License-Identifier: MIT
#include "emulator/trace/shared_counts.hpp"

#include <bit>

#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

void SharedCounts::count(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes,
                         const SharedShape& shape) {
  const auto active = static_cast<unsigned>(std::popcount(lanes));
  const AccessCounts counts = {.requests = 1,
                               .lanes = active,
                               .bytes = std::uint64_t{active} * bytes_of(site.code),
                               .wavefronts = shape.wavefronts,
                               .ideal_wavefronts = shape.ideal_wavefronts};
  count_for_array_at(site, address[std::countr_zero(lanes)] - state_.shared_begin);
  AccessCounts& all = site.counts.shared;
  all.requests += 1;
  all.lanes += counts.lanes;
  all.bytes += counts.bytes;
  all.wavefronts += counts.wavefronts;
  all.ideal_wavefronts += counts.ideal_wavefronts;
  site.counts.see(state_.warp_of_grid(), true, address, lanes, state_.shared_begin, counts);
  recorded_.add(site.code, true, lanes, address, state_.shared_begin, counts);
}

void SharedCounts::count_for_array_at(RequestSite& site, std::uint64_t offset) const {
  const bool of_shared = site.counts.array >= kFirstSharedArray && site.counts.array != kNoArray;
  if (of_shared && offset - site.array_begin < site.array_bytes) return;
  std::size_t which = kNoArray;
  for (std::size_t i = 0; i < state_.shared_arrays.size(); ++i) {
    const SharedArray& array = state_.shared_arrays[i];
    if (offset - array.offset >= array.bytes) continue;
    which = kFirstSharedArray + i;
    site.array_begin = array.offset;
    site.array_bytes = array.bytes;
  }
  site.count_for(which);
}

std::uint32_t SharedCounts::set_copy_source(const std::uint64_t* address, std::uint32_t lanes) {
  std::uint32_t reading = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    copy_source_[lane] = address[lane];
    reading |= (address[lane] != 0 ? 1u : 0u) << lane;
  });
  recorded_.expect_copy_source();
  return reading;
}

/// What a copy costs depends on both of its sides: its lanes' sources are those of the request
/// before.
void SharedCounts::count_copy(RequestSite& site, const std::uint64_t* address,
                              std::uint32_t lanes) {
  const unsigned bytes = bytes_of(site.code);
  WarpAddresses source = {copy_source_.data(), 0, bytes};
  for_each_lane(
      lanes, [&](unsigned lane) { source.lanes |= (copy_source_[lane] != 0 ? 1u : 0u) << lane; });
  const CopyShape shape = shape_of_copy(site, source, {address, lanes, bytes});
  const AccessCounts read = {.sectors = shape.source.sectors,
                             .distinct_sectors = shape.source.distinct_sectors,
                             .ideal_sectors = shape.source.ideal_sectors,
                             .lines = shape.source.tags};
  count_for_array_at(site, address[std::countr_zero(lanes)] - state_.shared_begin);
  if (source.lanes == 0) site.counts.shared.zeros += 1;
  site.counts.shared += read;
  recorded_.set_copy_source_counts(read);
  count(site, address, lanes, shape.target);
}

CopyShape SharedCounts::shape_of_copy(RequestSite& site, const WarpAddresses& source,
                                      const WarpAddresses& target) {
  const RequestSite& source_site =
      sites_.at((site.code & ~kHowBits) | pack_access(0, AccessType::kCopySource, source.bytes));
  if (source.lanes == 0 || !source_site.knows(source.address, source.lanes)) {
    return copy_shape(source, target);
  }
  const std::uint64_t phases =
      source.address[std::countr_zero(source.lanes)] % kLineBytes * kLineBytes +
      target.address[std::countr_zero(target.lanes)] % kLineBytes;
  constexpr std::size_t kMostKept = 256;
  if (site.copies.size() >= kMostKept) site.copies.clear();
  const auto [known, is_new] = site.copies.try_emplace(
      std::uint64_t{source_site.pattern} * kLineBytes * kLineBytes + phases);
  if (is_new) known->second = copy_shape(source, target);
  return known->second;
}

}  // namespace ladder::emulator
