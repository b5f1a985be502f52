// SPDX-License-Identifier: MIT
#include "emulator/run/block/box_copies.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace ladder::emulator {
namespace {

constexpr unsigned kBoxAlignment = 128;

/// The box at (row, column), row by row; zeros where the matrix has ended.
void read_box(const ptx::TensorMap& map, int row, int column, std::byte* out) {
  const auto row_bytes = static_cast<std::size_t>(map.box_row_bytes());
  const auto clamp = [&](std::int64_t at) {
    return std::min(std::max<std::int64_t>(at, 0), std::int64_t{map.columns});
  };
  const std::int64_t begin = clamp(column);
  const std::int64_t end = clamp(std::int64_t{column} + map.box_columns);
  for (int i = 0; i < map.box_rows; ++i, out += row_bytes) {
    const std::int64_t from = std::int64_t{row} + i;
    const bool inside = from >= 0 && from < map.rows && begin < end;
    const std::size_t bytes =
        inside ? static_cast<std::size_t>((end - begin) * map.element_bytes) : 0;
    if (bytes != row_bytes) std::memset(out, 0, row_bytes);
    if (bytes == 0) continue;
    std::memcpy(out + (begin - column) * map.element_bytes, map.matrix + map.offset(from, begin),
                bytes);
  }
}

/// Writes a box where its swizzle wants it.
void write_box(void* shared, std::span<const std::byte> data, SwizzleNumber swizzle) {
  if (swizzle == 0) {
    std::memcpy(shared, data.data(), data.size());
    return;
  }
  constexpr std::size_t kPiece = 16;
  const auto begin = reinterpret_cast<std::uintptr_t>(shared);
  for (std::size_t at = 0; at < data.size(); at += kPiece) {
    void* const to = reinterpret_cast<void*>(swizzled(begin + at, swizzle));
    std::memcpy(to, &data[at], kPiece);
  }
}

}  // namespace

void BoxCopies::start(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                      std::source_location where) {
  const auto bytes = static_cast<std::size_t>(map.box_bytes());
  shared_.require_alignment("tma_load-destination", shared, kBoxAlignment, where);
  shared_.require_inside("tma_load-destination", shared, bytes, where);
  if (!mbarriers_.at(barrier, where).fenced) scheduler_.fail({FaultKind::kMbarrierUnfenced}, where);
  const unsigned thread = scheduler_.running().number;
  if (scheduler_.observer() != nullptr) {
    scheduler_.observer()->box_started(thread, shared, map, row, column, barrier, where);
  }
  Box box = {shared, barrier, {}, map.swizzle, thread, where};
  if (!spare_.empty()) {
    box.data = std::move(spare_.back());
    spare_.pop_back();
  }
  box.data.resize(bytes);
  read_box(map, row, column, box.data.data());
  scheduler_.note_change();
  if (arrival_ == CopyArrival::kEarly) {
    write_box(shared, box.data, box.swizzle);
    land(std::move(box));
  } else {
    std::memset(shared, 0xFF, bytes);  // NaN until the box arrives
    boxes_.push_back(std::move(box));
  }
}

/// The bytes are where they belong: tells the barrier.
void BoxCopies::land(Box box) {
  Mbarrier* const barrier = mbarriers_.find(box.barrier);
  if (barrier == nullptr) {
    scheduler_.fail({FaultKind::kMbarrierOverwritten}, box.thread, box.where);
  }
  const auto bytes = static_cast<unsigned>(box.data.size());
  spare_.push_back(std::move(box.data));
  mbarriers_.receive(*barrier, box.shared, bytes);
}

bool BoxCopies::land_oldest() {
  if (boxes_.empty()) return false;
  Box box = std::move(boxes_.front());
  boxes_.pop_front();
  write_box(box.shared, box.data, box.swizzle);
  land(std::move(box));
  return true;
}

void BoxCopies::check_at_end() {
  if (boxes_.empty()) return;
  const Box& box = boxes_.front();
  scheduler_.fail({FaultKind::kCopyUnfinished}, box.thread, box.where);
}

}  // namespace ladder::emulator
