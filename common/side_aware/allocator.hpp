// SPDX-License-Identifier: MIT
/// \file  common/side_aware/allocator.hpp
/// \brief Allocates memory whose addresses tell on which side of L2 it is at home.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "common/side_aware/page_pool.hpp"

namespace ladder::side_aware {

/// How much freed memory is kept for the next malloc_async().
struct CacheLimits {
  std::uint64_t most_bytes = std::uint64_t{16} << 30;  ///< beyond this, blocks are given back
  std::uint64_t kept_bytes = std::uint64_t{2} << 30;   ///< until no more than this is kept
};

/// What the allocator holds.
struct AllocatorState {
  std::size_t blocks_in_use = 0;
  std::size_t blocks_cached = 0;
  std::uint64_t bytes_in_use = 0;  ///< by whole pages
  std::uint64_t bytes_cached = 0;
  std::size_t pages_of_driver = 0;  ///< those that wait in the pools included
  std::size_t pages_off_rule = 0;   ///< of all blocks: they begin on the other side
  std::uint64_t reuses = 0;         ///< blocks that came from the cache
};

/// What a kernel has to know of the sides of a block.
struct SideRule {
  Address block = 0;        ///< first byte of the block, a multiple of 4 MiB
  std::uint64_t bytes = 0;  ///< of the block
  /// (pages)  true where a page begins on the other side than its address says; empty: none does
  std::vector<bool> off_rule = {};
};

/// \brief  The side of an address of a block is the parity of its bits within a page that choose
///         the side, and of bit 21: the first page of a block begins on side 0, the next one on
///         side 1, and so on. So both sides of memory are used up evenly, and a kernel needs no
///         table. Where the driver has no page of that side left, another one takes its place and
///         is marked. All functions may be called by several threads.
class Allocator {
 public:
  explicit Allocator(MemoryDriver& driver, const CacheLimits& limits = {});
  /// Waits for the work on freed blocks, and gives all memory back, that in use included.
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// \brief  Memory for work that the stream gets from now on. Freed blocks of the same size are
  ///         used again: those of the same stream at once, those of another stream after its work.
  /// \return a multiple of 4 MiB
  /// \throws SideAwareError  0 bytes
  /// \throws OutOfMemory  even after all freed blocks were given back
  Address malloc_async(std::uint64_t bytes, Stream stream);
  /// \brief  The block may be used again after the work that the stream has got so far.
  /// \throws SideAwareError  no block in use begins there
  void free_async(Address block, Stream stream);

  /// The block in use that holds an address; nothing: it is not from here.
  std::optional<SideRule> rule_of(Address address) const;
  AllocatorState state() const;

 private:
  struct Block {
    std::uint64_t reserved_bytes;  ///< one page more than the block has
    Address reserved;
    std::vector<Page> pages;  // (pages)
    std::vector<bool> off_rule;
  };
  struct Freed {
    Address address;
    Stream stream;
    EventHandle event;
  };
  using FreedBlocks = std::multimap<std::size_t, Freed>;  ///< by pages

  std::optional<Address> reuse(std::size_t pages, Stream stream);
  Address make_block(std::size_t pages);
  void destroy_block(Address address);
  void drop_freed(FreedBlocks::iterator freed);
  void trim(std::uint64_t kept_bytes);

  MemoryDriver& driver_;
  CacheLimits limits_;
  mutable std::mutex mutex_;
  PagePool pool_;
  std::map<Address, Block> blocks_;  ///< all, freed ones included
  FreedBlocks freed_;
  std::map<Address, std::size_t> in_use_;  ///< pages of each
  std::uint64_t cached_bytes_ = 0;
  std::uint64_t reuses_ = 0;
};

}  // namespace ladder::side_aware
