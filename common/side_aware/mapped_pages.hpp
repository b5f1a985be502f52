// SPDX-License-Identifier: MIT
/// \file  common/side_aware/mapped_pages.hpp
/// \brief Addresses with pages, which are taken apart again unless somebody keeps them.
#pragma once

#include "common/side_aware/memory_driver.hpp"

namespace ladder::side_aware {

class MappedPages {
 public:
  explicit MappedPages(MemoryDriver& driver) : driver_(driver) {}
  /// Unmaps the pages and gives the addresses back, unless keep() was called.
  ~MappedPages() {
    if (kept_) return;
    if (next_ != first_) driver_.unmap(first_, next_ - first_);
    if (reserved_bytes_ != 0) driver_.release(reserved_, reserved_bytes_);
  }
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

  void reserve(std::uint64_t bytes) {
    reserved_ = driver_.reserve(bytes);
    reserved_bytes_ = bytes;
    begin_at(reserved_);
  }
  /// The first page goes here. Before the first map().
  void begin_at(Address first) { first_ = next_ = first; }
  /// Maps a page behind those before.
  /// \return where
  Address map(PageHandle page) {
    driver_.map(next_, page);
    next_ += kPageBytes;
    return next_ - kPageBytes;
  }
  void allow_access() { driver_.allow_access(first_, next_ - first_); }

  Address reserved() const { return reserved_; }
  Address first() const { return first_; }
  /// Leaves everything as it is.
  void keep() { kept_ = true; }

 private:
  MemoryDriver& driver_;
  Address reserved_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  Address first_ = 0;
  Address next_ = 0;
  bool kept_ = false;
};

}  // namespace ladder::side_aware
