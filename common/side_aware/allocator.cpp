// SPDX-License-Identifier: MIT
/// \file  common/side_aware/allocator.cpp
#include "common/side_aware/allocator.hpp"

#include <algorithm>
#include <sstream>

#include "common/side_aware/error.hpp"
#include "common/side_aware/mapped_pages.hpp"

namespace ladder::side_aware {
namespace {

/// The first page of a block begins on side 0: bit 21 of its address is 0.
constexpr std::uint64_t kBlockAlignment = 2 * kPageBytes;

int side_by_rule(Address page) {
  return static_cast<int>(page / kPageBytes % 2);
}

std::string hexadecimal(Address address) {
  std::ostringstream text;
  text << "0x" << std::hex << address;
  return text.str();
}

}  // namespace

Allocator::Allocator(MemoryDriver& driver, const CacheLimits& limits)
    : driver_(driver), limits_(limits), pool_(driver) {}

Allocator::~Allocator() {
  while (!freed_.empty())
    drop_freed(freed_.begin());
  while (!blocks_.empty())
    destroy_block(blocks_.begin()->first);
}

Address Allocator::malloc_async(std::uint64_t bytes, Stream stream) {
  if (bytes == 0)
    throw SideAwareError("Side-aware memory of 0 bytes has no address. Ask for at least one byte");
  const auto pages = static_cast<std::size_t>((bytes + kPageBytes - 1) / kPageBytes);
  const std::scoped_lock lock(mutex_);
  std::optional<Address> address = reuse(pages, stream);
  if (!address) {
    try {
      address = make_block(pages);
    } catch (const OutOfMemory&) {
      if (freed_.empty()) throw;
      trim(0);
      address = make_block(pages);
    }
  }
  in_use_.emplace(*address, pages);
  return *address;
}

void Allocator::free_async(Address block, Stream stream) {
  const std::scoped_lock lock(mutex_);
  const auto found = in_use_.find(block);
  if (found == in_use_.end()) {
    throw SideAwareError("No block of side-aware memory in use begins at " + hexadecimal(block) +
                         ". Was it freed before, or allocated by something else?");
  }
  const EventHandle event = driver_.record(stream);
  freed_.emplace(found->second, Freed{block, stream, event});
  cached_bytes_ += found->second * kPageBytes;
  in_use_.erase(found);
  if (cached_bytes_ > limits_.most_bytes) trim(limits_.kept_bytes);
}

void Allocator::trim(std::uint64_t kept_bytes) {
  while (!freed_.empty() && cached_bytes_ > kept_bytes)
    drop_freed(std::prev(freed_.end()));  // the largest first: fewest calls
  pool_.shrink(static_cast<std::size_t>((kept_bytes - cached_bytes_) / kPageBytes));
}

std::optional<SideRule> Allocator::rule_of(Address address) const {
  const std::scoped_lock lock(mutex_);
  auto next = in_use_.upper_bound(address);
  if (next == in_use_.begin()) return {};
  const auto [first, pages] = *std::prev(next);
  if (address >= first + pages * kPageBytes) return {};
  return SideRule{
      .block = first, .bytes = pages * kPageBytes, .off_rule = blocks_.at(first).off_rule};
}

AllocatorState Allocator::state() const {
  const std::scoped_lock lock(mutex_);
  AllocatorState state = {.blocks_in_use = in_use_.size(),
                          .blocks_cached = freed_.size(),
                          .bytes_cached = cached_bytes_,
                          .pages_of_driver = pool_.pages_of_driver(),
                          .reuses = reuses_};
  for (const auto& [address, pages] : in_use_)
    state.bytes_in_use += pages * kPageBytes;
  for (const auto& [address, block] : blocks_)
    state.pages_off_rule += static_cast<std::size_t>(std::ranges::count(block.off_rule, true));
  return state;
}

/// A freed block of this stream; else one whose work is done; else any, and the stream waits.
std::optional<Address> Allocator::reuse(std::size_t pages, Stream stream) {
  const auto [first, last] = freed_.equal_range(pages);
  if (first == last) return {};
  auto chosen =
      std::find_if(first, last, [&](const auto& entry) { return entry.second.stream == stream; });
  if (chosen == last) {
    chosen = std::find_if(
        first, last, [&](const auto& entry) { return driver_.has_passed(entry.second.event); });
  }
  if (chosen == last) {
    chosen = first;
    driver_.make_wait(stream, chosen->second.event);
  }
  const Freed freed = chosen->second;
  driver_.destroy_event(freed.event);
  freed_.erase(chosen);
  cached_bytes_ -= pages * kPageBytes;
  ++reuses_;
  return freed.address;
}

Address Allocator::make_block(std::size_t pages) {
  std::vector<int> sides(pages);
  for (std::size_t i = 0; i < pages; ++i)
    sides[i] = static_cast<int>(i % 2);
  const std::uint64_t bytes = pages * kPageBytes;
  const std::uint64_t reserved_bytes = bytes + kPageBytes;
  std::vector<Page> taken = pool_.take(sides);
  std::vector<bool> off_rule(pages);
  MappedPages mapped(driver_);
  try {
    mapped.reserve(reserved_bytes);
    mapped.begin_at((mapped.reserved() + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment);
    for (std::size_t i = 0; i < pages; ++i) {
      const Address at = mapped.map(taken[i].handle);
      off_rule[i] = taken[i].side != side_by_rule(at);
    }
    mapped.allow_access();
  } catch (...) {
    for (const Page& page : taken)
      pool_.put(page);
    throw;
  }
  const Address address = mapped.first();
  if (std::ranges::count(off_rule, true) == 0) off_rule.clear();
  blocks_.emplace(address, Block{.reserved_bytes = reserved_bytes,
                                 .reserved = mapped.reserved(),
                                 .pages = std::move(taken),
                                 .off_rule = std::move(off_rule)});
  mapped.keep();
  return address;
}

void Allocator::destroy_block(Address address) {
  const auto found = blocks_.find(address);
  const Block& block = found->second;
  driver_.unmap(address, block.pages.size() * kPageBytes);
  driver_.release(block.reserved, block.reserved_bytes);
  for (const Page& page : block.pages)
    pool_.put(page);
  blocks_.erase(found);
}

void Allocator::drop_freed(FreedBlocks::iterator freed) {
  driver_.wait(freed->second.event);
  driver_.destroy_event(freed->second.event);
  destroy_block(freed->second.address);
  cached_bytes_ -= freed->first * kPageBytes;
  freed_.erase(freed);
}

}  // namespace ladder::side_aware
