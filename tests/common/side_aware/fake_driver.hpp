// SPDX-License-Identifier: MIT
/// \file  tests/common/side_aware/fake_driver.hpp
/// \brief A memory driver without a GPU. It refuses what CUDA's driver would refuse, and counts
///        what was not given back.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/side_aware/error.hpp"
#include "common/side_aware/memory_driver.hpp"

namespace ladder::side_aware {

/// A stream that is never used, only compared.
inline Stream fake_stream(std::uintptr_t number) {
  return reinterpret_cast<Stream>(number * 0x1000);  // NOLINT(performance-no-int-to-ptr)
}

class FakeDriver final : public MemoryDriver {
 public:
  /// \param  pages   that the GPU has
  /// \param  period  every so many pages, one begins on side 1; 2: they take turns
  explicit FakeDriver(std::size_t pages = 1000, std::size_t period = 2)
      : pages_(pages), period_(period) {}

  Address reserve(std::uint64_t bytes) override {
    fail_if_told();
    require(bytes > 0 && bytes % kPageBytes == 0, "reserve: whole pages");
    const Address first = next_address_;
    next_address_ += bytes + kPageBytes;  // a gap, so that nothing borders on anything
    reserved_[first] = bytes;
    return first;
  }
  void release(Address first, std::uint64_t bytes) override {
    require(reserved_.contains(first) && reserved_[first] == bytes, "release: what was reserved");
    const auto mapped = mapped_.lower_bound(first);
    require(mapped == mapped_.end() || mapped->first >= first + bytes, "release: still mapped");
    reserved_.erase(first);
  }

  PageHandle create_page() override {
    if (alive_.size() >= pages_) throw OutOfMemory("the fake GPU is full");
    alive_.insert(next_page_);
    return next_page_++;
  }
  void destroy_page(PageHandle page) override {
    for (const auto& [address, other] : mapped_)
      require(other != page, "destroy_page: still mapped");
    require(alive_.erase(page) == 1, "destroy_page: not alive");
  }

  void map(Address at, PageHandle page) override {
    fail_if_told();
    require(alive_.contains(page), "map: the page is not alive");
    require(inside_a_reservation(at), "map: nothing is reserved there");
    require(mapped_.emplace(at, page).second, "map: something is mapped there");
    for (const auto& [address, other] : mapped_)
      require(address == at || other != page, "map: the page is mapped elsewhere");
  }
  void unmap(Address first, std::uint64_t bytes) override {
    for (Address at = first; at < first + bytes; at += kPageBytes) {
      require(mapped_.erase(at) == 1, "unmap: nothing is mapped there");
      accessible_.erase(at);
    }
  }
  void allow_access(Address first, std::uint64_t bytes) override {
    fail_if_told();
    for (Address at = first; at < first + bytes; at += kPageBytes) {
      require(mapped_.contains(at), "allow_access: nothing is mapped there");
      accessible_.insert(at);
    }
  }

  std::vector<int> sides_of_pages(Address first, std::size_t pages) override {
    fail_if_told();
    std::vector<int> sides;
    for (std::size_t page = 0; page < pages; ++page) {
      const Address at = first + page * kPageBytes;
      require(accessible_.contains(at), "sides_of_pages: not accessible");
      sides.push_back(side_of_page(mapped_.at(at)));
    }
    return sides;
  }

  EventHandle record(Stream stream) override {
    events[next_event_] = {stream, false};
    return next_event_++;
  }
  bool has_passed(EventHandle event) override { return events.at(event).second; }
  void wait(EventHandle event) override {
    events.at(event).second = true;
    waited.push_back(event);
  }
  void make_wait(Stream stream, EventHandle event) override {
    require(events.contains(event), "make_wait: no such event");
    stream_waits.emplace_back(stream, event);
  }
  void destroy_event(EventHandle event) override {
    require(events.erase(event) == 1, "destroy_event: no such event");
  }

  int side_of_page(PageHandle page) const { return page % period_ == period_ - 1 ? 1 : 0; }
  /// Side of the page that is mapped at an address, which must be accessible.
  int side_at(Address address) const {
    const Address page = address / kPageBytes * kPageBytes;
    require(accessible_.contains(page), "side_at: not accessible");
    return side_of_page(mapped_.at(page));
  }
  /// Nothing is left that somebody should have given back.
  bool clean() const {
    return reserved_.empty() && alive_.empty() && mapped_.empty() && events.empty();
  }
  std::size_t pages_alive() const { return alive_.size(); }

  std::map<EventHandle, std::pair<Stream, bool>> events;  ///< and whether it has passed
  std::vector<EventHandle> waited;
  std::vector<std::pair<Stream, EventHandle>> stream_waits;
  int calls_until_failure = -1;  ///< of calls that may fail; below 0: none does

 private:
  static void require(bool good, const std::string& what) {
    if (!good) throw std::logic_error("misuse of the driver: " + what);
  }
  void fail_if_told() {
    if (calls_until_failure-- == 0) throw SideAwareError("the fake driver was told to fail");
  }
  bool inside_a_reservation(Address at) const {
    auto next = reserved_.upper_bound(at);
    if (next == reserved_.begin()) return false;
    const auto& [first, bytes] = *std::prev(next);
    return at + kPageBytes <= first + bytes;
  }

  std::size_t pages_;
  std::size_t period_;
  Address next_address_ = 7 * kPageBytes;
  PageHandle next_page_ = 0;
  EventHandle next_event_ = 1;
  std::map<Address, std::uint64_t> reserved_;
  std::set<PageHandle> alive_;
  std::map<Address, PageHandle> mapped_;
  std::set<Address> accessible_;
};

}  // namespace ladder::side_aware
