// SPDX-License-Identifier: MIT
/// \file  common/side_aware/page_pool.hpp
/// \brief Physical pages that are not in use, sorted by the side of L2 that they begin on.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "common/side_aware/memory_driver.hpp"

namespace ladder::side_aware {

/// A physical page and its side: that of its first granule.
struct Page {
  PageHandle handle;
  int side;
};

class PagePool {
 public:
  explicit PagePool(MemoryDriver& driver) : driver_(driver) {}
  /// Destroys the pages that it holds.
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// \brief  One page for each entry of `sides`, of that side where possible. Creates pages as
  ///         needed; the driver deals out sides like coins, so some are left over for later.
  /// \throws OutOfMemory  fewer pages are left, of both sides together; takes none then
  std::vector<Page> take(const std::vector<int>& sides);
  void put(const Page& page) { free_of_side_[index(page.side)].push_back(page.handle); }
  /// Gives pages back to the driver until no more than so many are held.
  void shrink(std::size_t pages);

  std::size_t free_pages() const { return free_of_side_[0].size() + free_of_side_[1].size(); }
  std::size_t free_pages(int side) const { return free_of_side_[index(side)].size(); }
  /// Pages that the driver has given out and not got back: those in use included.
  std::size_t pages_of_driver() const { return created_ - destroyed_; }

 private:
  static std::size_t index(int side) { return static_cast<std::size_t>(side); }
  /// Creates pages and finds out their sides.
  /// \return how many: fewer where memory ends
  std::size_t grow(std::size_t pages);
  /// Maps pages for a moment and asks on which side each begins.
  std::vector<int> sides_of(const std::vector<PageHandle>& pages) const;

  MemoryDriver& driver_;
  std::array<std::vector<PageHandle>, 2> free_of_side_;
  std::size_t created_ = 0;
  std::size_t destroyed_ = 0;
};

}  // namespace ladder::side_aware
