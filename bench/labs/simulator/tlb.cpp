// SPDX-License-Identifier: MIT
/// \file  bench/labs/simulator/tlb.cpp
#include "bench/labs/simulator/tlb.hpp"

#include <algorithm>
#include <utility>

namespace ladder::labs {

int TlbLevelShape::groups() const {
  return group_of_sm.empty() ? 1 : std::ranges::max(group_of_sm) + 1;
}

void AssociativeTlb::unlink(std::size_t page) {
  const Links links = links_[page];
  (links.newer == kNone ? newest_ : links_[links.newer].older) = links.older;
  (links.older == kNone ? oldest_ : links_[links.older].newer) = links.newer;
}

bool AssociativeTlb::access(std::size_t page) {
  if (page == newest_) return true;
  if (page >= links_.size()) links_.resize(page + page / 2 + 1);
  const bool hit = links_[page].held;
  if (hit) {
    unlink(page);
  } else if (held_ == entries_) {
    const std::size_t victim = oldest_;
    unlink(victim);
    links_[victim] = {};
  } else {
    ++held_;
  }
  links_[page] = {.newer = kNone, .older = newest_, .held = true};
  (newest_ == kNone ? oldest_ : links_[newest_].newer) = page;
  newest_ = page;
  return hit;
}

void AssociativeTlb::clear() {
  std::ranges::fill(links_, Links{});
  held_ = 0;
  newest_ = oldest_ = kNone;
}

TlbLevels::TlbLevels(std::vector<TlbLevelShape> levels, std::uint64_t seed)
    : levels_(std::move(levels)), cycles_{0} {
  for (const TlbLevelShape& level : levels_) {
    cycles_.push_back(cycles_.back() + level.miss_cycles);
    std::vector<Tlb>& tlbs = tlbs_.emplace_back();
    for (int group = 0; group < level.groups(); ++group) {
      Tlb& tlb = tlbs.emplace_back();
      if (level.ways == 0) {
        tlb.associative = std::make_unique<AssociativeTlb>(level.entries);
      } else {
        const std::uint64_t page = level.entry_bytes();
        tlb.sets = std::make_unique<SectoredCache>(CacheShape{.bytes = level.entries * page,
                                                              .ways = level.ways,
                                                              .line_bytes = page,
                                                              .sector_bytes = page,
                                                              .index = level.index},
                                                   seed);
      }
    }
  }
}

std::size_t TlbLevels::access(int sm, std::uint64_t address) {
  std::size_t missed = 0;
  for (; missed < levels_.size(); ++missed) {
    const TlbLevelShape& level = levels_[missed];
    const int group =
        level.group_of_sm.empty() ? 0 : level.group_of_sm[static_cast<std::size_t>(sm)];
    const Tlb& tlb = tlbs_[missed][static_cast<std::size_t>(group)];
    const std::uint64_t page = address / level.entry_bytes();
    if (tlb.associative ? tlb.associative->access(page) : tlb.sets->access(page, 0)) break;
  }
  return missed;
}

void TlbLevels::clear() {
  for (std::vector<Tlb>& tlbs : tlbs_) {
    for (Tlb& tlb : tlbs) {
      if (tlb.associative) tlb.associative->clear();
      if (tlb.sets) tlb.sets->clear();
    }
  }
}

}  // namespace ladder::labs
