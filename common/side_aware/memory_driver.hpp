// SPDX-License-Identifier: MIT
/// \file  common/side_aware/memory_driver.hpp
/// \brief What the allocator needs of a GPU's driver: physical pages, addresses to map them to, and
///        streams. Tests and simulated memory systems have drivers of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

struct CUstream_st;

namespace ladder::side_aware {

using Stream = CUstream_st*;
using Address = std::uint64_t;
/// A physical page of 2 MiB, as the driver names it.
using PageHandle = std::uint64_t;
/// A place in a stream's work, as the driver names it.
using EventHandle = std::uint64_t;

inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << 21;

class MemoryDriver {
 public:
  virtual ~MemoryDriver() = default;

  /// \brief  Addresses that nothing is mapped to yet.
  /// \return a multiple of kPageBytes
  virtual Address reserve(std::uint64_t bytes) = 0;
  /// Gives back exactly what one reserve() returned. Nothing may be mapped there anymore.
  virtual void release(Address first, std::uint64_t bytes) = 0;

  /// \throws OutOfMemory  none is left
  virtual PageHandle create_page() = 0;
  virtual void destroy_page(PageHandle page) = 0;

  virtual void map(Address at, PageHandle page) = 0;
  virtual void unmap(Address first, std::uint64_t bytes) = 0;
  /// Lets the GPU read and write what is mapped here.
  virtual void allow_access(Address first, std::uint64_t bytes) = 0;

  /// \brief  On which side of L2 the first granule of each page is at home.
  /// \param  first  of pages that are mapped one after the other, accessible, and not in use
  /// \return (pages)  0 or 1
  virtual std::vector<int> sides_of_pages(Address first, std::size_t pages) = 0;

  /// Marks the end of what the stream has been given so far.
  virtual EventHandle record(Stream stream) = 0;
  virtual bool has_passed(EventHandle event) = 0;
  virtual void wait(EventHandle event) = 0;
  /// The stream starts nothing new before the event has passed.
  virtual void make_wait(Stream stream, EventHandle event) = 0;
  virtual void destroy_event(EventHandle event) = 0;
};

}  // namespace ladder::side_aware
