// SPDX-License-Identifier: MIT
#include "emulator/trace/grid_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ladder::emulator {
namespace {

constexpr std::size_t kMostKept = 16;      ///< releases of a flag by one block
constexpr std::size_t kMostLinks = 4096;   ///< flags that one thread has acquired
constexpr std::size_t kMostVisits = 4096;  ///< of flags, to tell whether an access is known

/// The newer of both links to one flag, or the new one.
void add_link(Acquired& acquired, const Acquired::Link& link) {
  for (Acquired::Link& known : acquired.links) {
    if (known.flag != link.flag) continue;
    known.releases = std::max(known.releases, link.releases);
    return;
  }
  acquired.links.push_back(link);
  if (acquired.links.size() <= kMostLinks) return;
  acquired.links.clear();
  acquired.everything = true;
}

}  // namespace

// -- Releases ------------------------------------------------------------------------------------

bool Release::covers(const OrderedAccess& access) const {
  if (access.epoch < fence.block) return true;
  const bool same_warp = access.thread / 32 == thread / 32;
  if (same_warp && access.epoch < fence.warp) return true;
  if (access.thread == thread && access.epoch < fence.thread) return true;
  return (met_in_block != nullptr && met_in_block->cover(access.thread, access.epoch)) ||
         (met_in_warp != nullptr && met_in_warp->cover(access.thread, access.epoch));
}

bool Release::tells_the_same(const Release& other) const {
  return thread == other.thread && scope == other.scope && fence.thread == other.fence.thread &&
         fence.warp == other.fence.warp && fence.block == other.fence.block &&
         fence.acquired == other.fence.acquired && met_in_block == other.met_in_block &&
         met_in_warp == other.met_in_warp;
}

void FlagReleases::add(std::uint32_t block, Release release) {
  OfBlock& of_block = blocks_[block];
  std::vector<Release>& kept = of_block.kept;
  const auto last = std::find_if(kept.rbegin(), kept.rend(), [&](const Release& other) {
    return other.thread == release.thread;
  });
  if (last != kept.rend() && last->tells_the_same(release)) return;
  release.number = ++count_;
  const auto pass_on = [&](const AcquiredFlags& acquired) {
    if (acquired == nullptr) return;
    const bool again =
        !passed_.empty() && passed_.back().number == count_ && passed_.back().acquired == acquired;
    if (!again) passed_.push_back({count_, block, release.scope, acquired});
  };
  pass_on(release.fence.acquired);
  if (release.met_in_block != nullptr) pass_on(release.met_in_block->acquired);
  if (release.met_in_warp != nullptr) pass_on(release.met_in_warp->acquired);
  kept.push_back(std::move(release));
  if (kept.size() <= kMostKept) return;
  const Release& oldest = kept.front();
  Epoch told = std::max({oldest.fence.thread, oldest.fence.warp, oldest.fence.block});
  for (const FencesMet* const met : {oldest.met_in_block.get(), oldest.met_in_warp.get()}) {
    if (met == nullptr) continue;
    told = std::max({told, met->block, met->each});
    for (const Epoch epoch : met->threads)
      told = std::max(told, epoch);
  }
  of_block.forgotten_block = std::max(of_block.forgotten_block, told);
  if (oldest.scope == Scope::kDevice)
    of_block.forgotten_device = std::max(of_block.forgotten_device, told);
  kept.erase(kept.begin());
}

Epoch FlagReleases::tell(const OrderedAccess& access, std::uint32_t count,
                         std::uint32_t asking) const {
  const auto found = blocks_.find(access.block);
  if (found == blocks_.end()) return 0;
  const OfBlock& of_block = found->second;
  const bool same_block = access.block == asking;
  if (access.epoch < of_block.forgotten_device) return of_block.forgotten_device;
  if (same_block && access.epoch < of_block.forgotten_block) return of_block.forgotten_block;
  for (auto release = of_block.kept.rbegin(); release != of_block.kept.rend(); ++release) {
    if (release->number > count || (release->scope == Scope::kBlock && !same_block)) continue;
    // The atomic that released the flag is one of those that came before.
    const bool is_release = access.flag == address_ && access.thread == release->thread;
    if (release->covers(access) || is_release) return std::max(release->covers_below(), Epoch{1});
  }
  return 0;
}

// -- The grid ------------------------------------------------------------------------------------

void GridOrder::start_grid() {
  const std::lock_guard lock(mutex_);
  flags_.clear();
  has_releases_ = false;
}

void GridOrder::release(std::uint64_t flag, std::uint32_t block, const Release& release) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<FlagReleases>& releases = flags_[flag];
  if (releases == nullptr) releases = std::make_shared<FlagReleases>(flag);
  releases->add(block, release);
  has_releases_ = true;
}

AcquiredFlags GridOrder::acquire(const AcquiredFlags& before, std::uint64_t flag) const {
  const std::lock_guard lock(mutex_);
  const auto found = flags_.find(flag);
  if (found == flags_.end()) return nullptr;
  const Acquired::Link link = {found->second, found->second->count()};
  if (before != nullptr) {
    if (before->everything) return nullptr;
    const auto known = std::ranges::find(before->links, link.flag, &Acquired::Link::flag);
    if (known != before->links.end() && known->releases == link.releases) return nullptr;
  }
  auto now = before == nullptr ? std::make_shared<Acquired>() : std::make_shared<Acquired>(*before);
  add_link(*now, link);
  return now;
}

AcquiredFlags GridOrder::join(const AcquiredFlags& one, const AcquiredFlags& other) {
  if (one == nullptr || one == other) return other;
  if (other == nullptr) return one;
  if (one->everything) return one;
  if (other->everything) return other;
  auto both = std::make_shared<Acquired>(*one);
  for (const Acquired::Link& link : other->links) {
    if (!both->everything) add_link(*both, link);
  }
  return both;
}

Epoch GridOrder::knows(const Acquired& acquired, std::uint32_t asking,
                       const OrderedAccess& access) const {
  const std::lock_guard lock(mutex_);
  struct Asked {
    const Acquired* acquired;
    std::uint32_t block;
  };
  std::vector<Asked> to_ask = {{&acquired, asking}};
  std::map<std::pair<const FlagReleases*, std::uint32_t>, std::uint32_t> visited;
  std::size_t visits = 0;
  while (!to_ask.empty()) {
    const Asked asked = to_ask.back();
    to_ask.pop_back();
    if (asked.acquired->everything) return ~Epoch{0};
    for (const Acquired::Link& link : asked.acquired->links) {
      const Epoch below = link.flag->tell(access, link.releases, asked.block);
      if (below != 0) return below;
      if (++visits > kMostVisits) return 1;  // nobody can tell: no accusation
    }
    for (const Acquired::Link& link : asked.acquired->links) {
      std::uint32_t& seen = visited[{link.flag.get(), asked.block}];
      if (seen >= link.releases) continue;
      seen = link.releases;
      link.flag->for_each_acquired(link.releases, asked.block,
                                   [&](const Acquired& passed, std::uint32_t block) {
                                     if (++visits <= kMostVisits)
                                       to_ask.push_back({&passed, block});
                                   });
    }
  }
  return visits > kMostVisits ? 1 : 0;
}

}  // namespace ladder::emulator
