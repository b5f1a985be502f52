// SPDX-License-Identifier: MIT
#include "emulator/run/block/box_copies.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ladder::emulator {
namespace {

constexpr unsigned kBoxAlignment = 128;

/// The box at (row, column), row by row; zeros where the matrix has ended.
void read_box(const ptx::TensorMap& map, int row, int column, std::byte* out) {
  const std::size_t row_bytes = sizeof(float) * static_cast<std::size_t>(map.box_columns);
  const auto clamp = [&](std::int64_t at) {
    return std::min(std::max<std::int64_t>(at, 0), std::int64_t{map.columns});
  };
  const std::int64_t begin = clamp(column);
  const std::int64_t end = clamp(std::int64_t{column} + map.box_columns);
  for (int i = 0; i < map.box_rows; ++i, out += row_bytes) {
    const std::int64_t from = std::int64_t{row} + i;
    const bool inside = from >= 0 && from < map.rows && begin < end;
    const std::size_t bytes = inside ? sizeof(float) * static_cast<std::size_t>(end - begin) : 0;
    if (bytes != row_bytes) std::memset(out, 0, row_bytes);
    if (bytes == 0) continue;
    std::memcpy(out + sizeof(float) * static_cast<std::size_t>(begin - column),
                map.matrix + from * map.columns + begin, bytes);
  }
}

}  // namespace

void BoxCopies::start(void* shared, const ptx::TensorMap& map, int row, int column, void* barrier,
                      std::source_location where) {
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(map.box_rows) *
                            static_cast<std::size_t>(map.box_columns);
  shared_.require_alignment("tma_load-destination", shared, kBoxAlignment, where);
  shared_.require_inside("tma_load-destination", shared, bytes, where);
  if (!mbarriers_.at(barrier, where).fenced) scheduler_.fail({FaultKind::kMbarrierUnfenced}, where);
  const unsigned thread = scheduler_.running().number;
  if (scheduler_.observer() != nullptr) {
    scheduler_.observer()->box_started(thread, shared, map, row, column, barrier, where);
  }
  Box box = {shared, barrier, {}, thread, where};
  if (!spare_.empty()) {
    box.data = std::move(spare_.back());
    spare_.pop_back();
  }
  box.data.resize(bytes);
  read_box(map, row, column, box.data.data());
  scheduler_.note_change();
  if (arrival_ == CopyArrival::kEarly) {
    std::memcpy(shared, box.data.data(), bytes);
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
  std::memcpy(box.shared, box.data.data(), box.data.size());
  land(std::move(box));
  return true;
}

void BoxCopies::check_at_end() {
  if (boxes_.empty()) return;
  const Box& box = boxes_.front();
  scheduler_.fail({FaultKind::kCopyUnfinished}, box.thread, box.where);
}

}  // namespace ladder::emulator
