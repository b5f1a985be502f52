// SPDX-License-Identifier: MIT
#include "emulator/trace/warp_logs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/trace/tracer_state.hpp"

namespace ladder::emulator {
namespace {

std::uint32_t hash_of(const std::byte* data, unsigned bytes) {
  std::uint32_t value = 0;
  for (unsigned at = 0; at < bytes; at += 4) {
    std::uint32_t part = 0;
    std::memcpy(&part, data + at, std::min(bytes, 4u));
    value = value * 0x9E3779B1u + part;
  }
  return value;
}

}  // namespace

constinit thread_local AccessCursor access_cursor;

WarpLog& WarpLogs::log_for(unsigned warp) {
  if (logs_[warp] != nullptr) return *logs_[warp];
  if (free_.empty()) {
    all_.push_back(std::make_unique_for_overwrite<WarpLog>());
    free_.push_back(all_.back().get());
  }
  logs_[warp] = free_.back();
  free_.pop_back();
  return *logs_[warp];
}

void WarpLogs::enter(unsigned thread) noexcept {
  WarpLog& log = log_for(thread / 32);
  const unsigned lane = thread % 32;
  auto* const first = reinterpret_cast<std::byte*>(&log.row[0].address[lane]);
  access_cursor.next = first + sizeof(WarpLog::Row) * rows_[thread];
  access_cursor.end = first + sizeof(WarpLog::Row) * limit_;
  access_cursor.first = first;
  access_cursor.to_code = reinterpret_cast<std::byte*>(&log.row[0].code[lane]) - first;
  access_cursor.stores = stores_.data();
  running_ = thread;
  inside_ = true;
}

/// Do all of these bytes lie in an array, or in the shared memory of the cluster?
bool WarpLogs::holds(std::uint64_t address, unsigned bytes) noexcept {
  const std::uint64_t offset = address - last_begin_;
  if (offset < last_bytes_ && last_bytes_ - offset >= bytes) return true;
  const std::size_t array = index_->with(address, address + bytes);
  if (array == kNoArray)
    return BlockRunner::of_this_cpu_thread()->cluster().shared_contains(address);
  last_begin_ = reinterpret_cast<std::uint64_t>((*arrays_)[array].data);
  last_bytes_ = (*arrays_)[array].bytes;
  return true;
}

/// The thread is about to wait: what it stored is there, and no other thread of the block has
/// stored since.
void WarpLogs::note_stores() noexcept {
  WarpLog& log = *logs_[running_ / 32];
  const std::ptrdiff_t to_code = access_cursor.to_code;
  const std::ptrdiff_t from_code_to_value = reinterpret_cast<std::byte*>(log.stored[0].value) -
                                            reinterpret_cast<std::byte*>(log.row[0].code);
  const std::uintptr_t shared = access_cursor.shared_begin + TracerState::kNearShared;
  const std::size_t bytes_of_shared = access_cursor.shared_bytes - 2 * TracerState::kNearShared;
  for (std::byte** store = stores_.data(); store != access_cursor.stores; ++store) {
    const std::uint64_t address = *reinterpret_cast<const std::uint64_t*>(*store);
    std::byte* const code = *store + to_code;
    const unsigned bytes = bytes_of(*reinterpret_cast<const AccessCode*>(code));
    std::uint32_t value = 0;
    // What lies beside shared memory and beside arrays may not even exist.
    if (address - shared < bytes_of_shared - (bytes - 1) || holds(address, bytes)) [[likely]] {
      value = bytes == 4 ? *reinterpret_cast<const std::uint32_t*>(address)
                         : hash_of(reinterpret_cast<const std::byte*>(address), bytes);
    }
    *reinterpret_cast<std::uint32_t*>(code + from_code_to_value) = value;
    words_.stores(running_, bytes);
  }
  access_cursor.stores = stores_.data();
}

void WarpLogs::leave() noexcept {
  if (!inside_) return;
  if (access_cursor.stores != stores_.data()) note_stores();
  const auto left =
      static_cast<std::size_t>(access_cursor.end - access_cursor.next) / sizeof(WarpLog::Row);
  rows_[running_] = static_cast<std::uint16_t>(limit_ - left);
  inside_ = false;
}

void WarpLogs::end_block() {
  inside_ = false;
  for (WarpLog*& log : logs_) {
    if (log != nullptr) free_.push_back(std::exchange(log, nullptr));
  }
}

void WarpLogs::append(std::uintptr_t address, AccessCode code) {
  if (access_cursor.next == access_cursor.end) {
    BlockRunner::of_this_cpu_thread()->scheduler().wait_to_be_looked_at();
  }
  std::byte* const next = access_cursor.next;
  *reinterpret_cast<std::uint64_t*>(next) = address;
  *reinterpret_cast<AccessCode*>(next + access_cursor.to_code) = code;
  access_cursor.next = next + sizeof(WarpLog::Row);
}

void WarpLogs::empty(unsigned warp) {
  std::fill_n(&rows_[std::size_t{32} * warp], 32, std::uint16_t{0});
  has_marks_[warp] = false;
  if (has_checked_[warp]) std::fill_n(&checked_[std::size_t{32} * warp], 32, std::uint16_t{0});
  has_checked_[warp] = false;
  free_.push_back(std::exchange(logs_[warp], nullptr));
}

WarpLog::Marks& WarpLogs::marks_at(unsigned warp, unsigned row) {
  WarpLog& log = *logs_[warp];
  if (!has_marks_[warp]) std::ranges::fill(log.marks, WarpLog::Marks());
  has_marks_[warp] = true;
  return log.marks[row];
}

void WarpLogs::mark_last(std::uint64_t address, std::uint32_t WarpLog::Marks::*as) {
  const unsigned warp = running_ / 32;
  const unsigned lane = running_ % 32;
  const auto left =
      static_cast<std::size_t>(access_cursor.end - access_cursor.next) / sizeof(WarpLog::Row);
  if (left == limit_) return;
  const auto row = static_cast<unsigned>(limit_ - left - 1);
  if (logs_[warp]->row[row].address[lane] != address) return;
  marks_at(warp, row).*as |= 1u << lane;
}

std::uint32_t WarpLogs::unchecked_lanes(unsigned warp, unsigned row) const {
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    lanes |= (checked_[32 * warp + lane] <= row ? 1u : 0u) << lane;
  return lanes;
}

void WarpLogs::compares_and_swaps(std::uint64_t address, unsigned bytes) {
  const unsigned warp = running_ / 32;
  const unsigned lane = running_ % 32;
  WarpLog& log = *logs_[warp];
  const auto left =
      static_cast<std::size_t>(access_cursor.end - access_cursor.next) / sizeof(WarpLog::Row);
  for (std::size_t row = limit_ - left; row-- > 0;) {
    const std::uint64_t begin = log.row[row].address[lane];
    const AccessCode code = log.row[row].code[lane];
    if (begin >= address + bytes || begin + bytes_of(code) <= address) continue;
    if (type_of(code) != AccessType::kLoad || begin != address || bytes_of(code) != bytes) return;
    marks_at(warp, static_cast<unsigned>(row)).guesses |= 1u << lane;
    return;
  }
}

bool WarpLogs::is_written_elsewhere(std::uint64_t begin, unsigned except) const {
  const auto covers = [&](const WarpLog::Row& row, unsigned lane) {
    const AccessType type = type_of(row.code[lane]);
    return type != AccessType::kLoad && type != AccessType::kCopySource &&
           type != AccessType::kCopyTarget && row.address[lane] < begin + 4 &&
           row.address[lane] + bytes_of(row.code[lane]) > begin;
  };
  for (unsigned warp = 0; warp < logs_.size(); ++warp) {
    if (logs_[warp] == nullptr || warp == except) continue;
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned row = 0; row < rows_[32 * warp + lane]; ++row) {
        if (covers(logs_[warp]->row[row], lane)) return true;
      }
    }
  }
  return false;
}

}  // namespace ladder::emulator
