// SPDX-License-Identifier: MIT
#include "emulator/run/block/thread_copies.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace ladder::emulator {
namespace {

/// memcpy() of the few bytes that a cp.async has, without a call.
void copy_few(void* to, const void* from, unsigned bytes) {
  if (bytes == 16) {
    std::memcpy(to, from, 16);
  } else if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace

void ThreadCopies::start_block() {
  if (!used_) return;
  used_ = false;
  for (Queue& queue : queues_) {  // the block before may have had more threads
    queue.copies.clear();
    queue.group_ends.clear();
  }
}

ThreadCopies::Queue& ThreadCopies::queue() {
  used_ = true;
  return queues_[scheduler_.running().number];
}

void ThreadCopies::start(void* shared, const void* global, unsigned bytes, unsigned source_bytes,
                         std::source_location where) {
  shared_.require_alignment("cp.async-destination", shared, bytes, where);
  shared_.require_inside("cp.async-destination", shared, bytes, where);
  if (source_bytes > 0) {
    shared_.require_alignment("cp.async-source", global, bytes, where);
  }
  if (BlockObserver* const observer = scheduler_.observer(); observer != nullptr) {
    observer->copy_started(scheduler_.running().number, shared, global, bytes, source_bytes, where);
  }
  Copy& copy = queue().copies.emplace_back();  // of zeros
  copy.shared = shared;
  copy.bytes = bytes;
  if (source_bytes > 0) copy_few(copy.data.data(), global, source_bytes);
  if (arrival_ == CopyArrival::kEarly) {
    copy_few(shared, copy.data.data(), bytes);
  } else {  // NaN until the copy arrives
    constexpr std::array<std::uint64_t, 2> kNan = {~std::uint64_t{0}, ~std::uint64_t{0}};
    copy_few(shared, kNan.data(), bytes);
  }
}

void ThreadCopies::commit() {
  Queue& mine = queue();
  mine.group_ends.push_back(mine.copies.size());
}

void ThreadCopies::wait(unsigned newest) {
  Queue& mine = queue();
  if (mine.group_ends.size() <= newest) return;
  const std::size_t groups = mine.group_ends.size() - newest;
  const std::size_t count = mine.group_ends[groups - 1];
  BlockObserver* const observer = scheduler_.observer();
  for (std::size_t i = 0; i < count; ++i) {
    const Copy& copy = mine.copies[i];
    if (arrival_ == CopyArrival::kLate) copy_few(copy.shared, copy.data.data(), copy.bytes);
    if (observer != nullptr) observer->copy_landed(copy.shared, copy.bytes);
  }
  const auto first = [](auto& list, std::size_t n) {
    return list.begin() + static_cast<std::ptrdiff_t>(n);
  };
  mine.copies.erase(mine.copies.begin(), first(mine.copies, count));
  mine.group_ends.erase(mine.group_ends.begin(), first(mine.group_ends, groups));
  for (std::size_t& end : mine.group_ends)
    end -= count;
}

}  // namespace ladder::emulator
