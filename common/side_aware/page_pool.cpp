// SPDX-License-Identifier: MIT
/// \file  common/side_aware/page_pool.cpp
#include "common/side_aware/page_pool.hpp"

#include <algorithm>
#include <string>

#include "common/side_aware/error.hpp"
#include "common/side_aware/mapped_pages.hpp"

namespace ladder::side_aware {
namespace {

/// Pages of one batch: probing has a cost for each batch, and sides even out in large ones.
constexpr std::size_t kLeastBatch = 16;
constexpr std::size_t kMostBatch = 4096;
/// How often the pool asks for more of a side that it lacks. Each time it gets about half of what
/// it lacks, and a quarter more for bad luck.
constexpr int kRounds = 4;

}  // namespace

PagePool::~PagePool() {
  shrink(0);
}

std::vector<Page> PagePool::take(const std::vector<int>& sides) {
  const auto wanted_of = [&](int side) {
    return static_cast<std::size_t>(std::ranges::count(sides, side));
  };
  const auto lacking = [&](int side) {
    return wanted_of(side) - std::min(wanted_of(side), free_pages(side));
  };
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t lack = std::max(lacking(0), lacking(1));
    if (lack == 0) break;
    const std::size_t wanted = std::max(kLeastBatch, 2 * lack + lack / 4);
    if (grow(wanted) < wanted) break;
  }
  if (free_pages() < sides.size()) {
    throw OutOfMemory("Side-aware memory needs " + std::to_string(sides.size()) +
                      " pages of 2 MiB, and the GPU has " + std::to_string(free_pages()) +
                      " left. Free something, or ask for less");
  }
  std::vector<Page> taken;
  taken.reserve(sides.size());
  for (const int wanted : sides) {
    const int side = free_pages(wanted) > 0 ? wanted : 1 - wanted;
    taken.push_back({free_of_side_[index(side)].back(), side});
    free_of_side_[index(side)].pop_back();
  }
  return taken;
}

std::size_t PagePool::grow(std::size_t pages) {
  std::vector<PageHandle> handles;
  try {
    while (handles.size() < std::min(pages, kMostBatch))
      handles.push_back(driver_.create_page());
  } catch (const OutOfMemory&) {
    // What was created so far is used; the caller sees that it is less.
  }
  if (handles.empty()) return 0;
  try {
    const std::vector<int> sides = sides_of(handles);
    for (std::size_t i = 0; i < handles.size(); ++i)
      put({handles[i], sides[i]});
  } catch (...) {
    for (const PageHandle page : handles)
      driver_.destroy_page(page);
    throw;
  }
  created_ += handles.size();
  return handles.size();
}

std::vector<int> PagePool::sides_of(const std::vector<PageHandle>& pages) const {
  MappedPages mapped(driver_);
  mapped.reserve(pages.size() * kPageBytes);
  for (const PageHandle page : pages)
    mapped.map(page);
  mapped.allow_access();
  return driver_.sides_of_pages(mapped.first(), pages.size());
}

void PagePool::shrink(std::size_t pages) {
  while (free_pages() > pages) {
    auto& larger = free_of_side_[free_pages(1) > free_pages(0) ? 1 : 0];
    driver_.destroy_page(larger.back());
    larger.pop_back();
    ++destroyed_;
  }
}

}  // namespace ladder::side_aware
