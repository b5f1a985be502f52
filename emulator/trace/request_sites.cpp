// SPDX-License-Identifier: MIT
#include "emulator/trace/request_sites.hpp"

#include <algorithm>

namespace ladder::emulator {

void RequestSites::start_grid() {
  sites_.clear();
  recent_.fill(nullptr);
}

RequestSite& RequestSites::find(AccessCode code) {
  std::unique_ptr<RequestSite>& site = sites_[code];
  if (site == nullptr) {
    site = std::make_unique<RequestSite>();
    site->code = code;
  }
  recent_[(code ^ code >> 10) % recent_.size()] = site.get();
  return *site;
}

/// Many sites ask for a few patterns in turns, say each warp for its own.
void RequestSites::change_pattern(RequestSite& site, const std::uint64_t* address,
                                  std::uint32_t lanes) {
  constexpr std::size_t kMostKept = 8;
  RequestPattern& now = site;
  const auto known = std::ranges::find_if(
      site.earlier, [&](const RequestPattern& other) { return other.knows(address, lanes); });
  if (known != site.earlier.end()) {
    std::swap(now, *known);
    return;
  }
  if (site.earlier.size() == kMostKept) {
    std::swap(now, site.earlier[patterns_ % kMostKept]);
  } else if (site.lanes != 0) {
    site.earlier.push_back(now);
  }
  learn(site, address, lanes);
}

void RequestSites::learn(RequestSite& site, const std::uint64_t* address, std::uint32_t lanes) {
  const std::uint64_t base = address[std::countr_zero(lanes)];
  const unsigned bytes = bytes_of(site.code);
  site.lanes = lanes;
  site.pattern = ++patterns_;
  site.lowest = 0;
  site.highest = 0;
  site.skew = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const bool active = (lanes >> lane & 1) != 0;
    site.delta[lane] = active ? address[lane] - base : 0;
    site.active[lane] = active ? ~std::uint64_t{0} : 0;
    const auto delta = static_cast<std::int64_t>(site.delta[lane]);
    site.lowest = std::min(site.lowest, delta);
    site.highest = std::max(site.highest, delta);
    site.skew |= site.delta[lane] & (bytes - 1);
  }
  site.highest += bytes;
  site.phases = {};
  site.words.clear();
  site.wide_shapes = {};
  site.copies.clear();
}

std::vector<std::pair<AccessCode, SiteCounts>> RequestSites::take_counts() {
  std::vector<std::pair<AccessCode, SiteCounts>> counts;
  for (const auto& [code, site] : sites_) {
    const std::size_t array = site->counts.array;
    counts.emplace_back(code, std::exchange(site->counts, SiteCounts{.array = array}));
    for (const auto& [which, other] : std::exchange(site->others, {}))
      counts.emplace_back(code, other);
  }
  std::ranges::sort(counts, {},
                    [](const auto& entry) { return std::pair(entry.first, entry.second.array); });
  return counts;
}

void RequestSite::turn_to(std::size_t which) {
  if (counts.global != AccessCounts() || counts.shared != AccessCounts())
    others[counts.array] = counts;
  const auto known = others.find(which);
  counts = known == others.end() ? SiteCounts{.array = which} : known->second;
  if (known != others.end()) others.erase(known);
}

void SiteCounts::see(std::uint64_t when, bool in_shared, const std::uint64_t* address,
                     std::uint32_t lanes, std::uint64_t base, const AccessCounts& counts) {
  const std::uint64_t excess = counts.sectors - std::min(counts.ideal_sectors, counts.sectors) +
                               counts.wavefronts -
                               std::min(counts.ideal_wavefronts, counts.wavefronts);
  if (excess < example.excess || (excess == example.excess && when >= example.when)) return;
  example = {.excess = excess, .when = when, .shared = in_shared, .lanes = lanes, .counts = counts};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) != 0) example.address[lane] = address[lane] - base;
  }
}

}  // namespace ladder::emulator
