// SPDX-License-Identifier: MIT
#include "emulator/run/block/box_copies.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/block/box_place.hpp"

namespace ladder::emulator {
namespace {

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
  start_multicast(shared, map, row, column, barrier, 1u << cluster_.rank(), where);
}

void BoxCopies::start_multicast(void* shared, const ptx::TensorMap& map, int row, int column,
                                void* barrier, unsigned blocks, std::source_location where) {
  const auto bytes = static_cast<std::size_t>(map.box_bytes());
  shared_.require_alignment("tma_load-destination", shared, kBoxAlignment, where);
  shared_.require_inside("tma_load-destination", shared, bytes, where);
  require_box_place(scheduler_, map, row, column, false, where);
  require_targets(barrier, blocks, where);
  const Actor actor = cluster_.block(cluster_.rank()).actor(where);
  BlockObserver* const observer = scheduler_.observer();
  if (observer != nullptr) observer->box_requested(actor.thread, map, row, column, where);
  std::vector<std::byte> data = take_memory();
  data.resize(bytes);
  read_box(map, row, column, data.data());
  scheduler_.note_change();
  for (unsigned rank = 0; rank < cluster_.size(); ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    BlockRunner& target = cluster_.block(rank);
    BoxCopies& there = target.boxes();
    Box box = {cluster_.counterpart(shared, rank), cluster_.counterpart(barrier, rank),
               there.take_memory(), map.swizzle, actor};
    if (observer != nullptr) {
      observer->box_started(actor.thread, *target.observer(), box.shared, map, row, column,
                            box.barrier, where);
    }
    box.data.assign(data.begin(), data.end());
    there.expect(std::move(box));
    if (rank != cluster_.rank()) target.note_visit();
  }
  spare_.push_back(std::move(data));
}

/// Ends the block unless each of these can receive a box.
void BoxCopies::require_targets(void* barrier, unsigned blocks, std::source_location where) {
  const unsigned rank = cluster_.rank();
  const unsigned all = (1u << cluster_.size()) - 1;
  if (blocks == 0 || (blocks & ~all) != 0) {
    scheduler_.fail({FaultKind::kMulticastBlocks, {{"mask", blocks}, {"blocks", cluster_.size()}}},
                    where);
  }
  shared_.require_inside("mbarrier", barrier, 1, where);
  for (unsigned other = 0; other < cluster_.size(); ++other) {
    if ((blocks >> other & 1) == 0 || other == rank) continue;
    cluster_.require_running(other, true, where);
    cluster_.block(other).mbarriers().visit(cluster_.block(rank),
                                            cluster_.counterpart(barrier, other), true, where);
  }
  if ((blocks >> rank & 1) == 0) return;
  if (!mbarriers_.at(barrier, where).fenced) scheduler_.fail({FaultKind::kMbarrierUnfenced}, where);
}

/// A box is on its way to this block.
void BoxCopies::expect(Box box) {
  if (arrival_ == CopyArrival::kEarly) {
    write_box(box.shared, box.data, box.swizzle);
    land(std::move(box));
  } else {
    std::memset(box.shared, 0xFF, box.data.size());  // NaN until the box arrives
    boxes_.push_back(std::move(box));
  }
}

std::vector<std::byte> BoxCopies::take_memory() {
  if (spare_.empty()) return {};
  std::vector<std::byte> memory = std::move(spare_.back());
  spare_.pop_back();
  return memory;
}

/// The bytes are where they belong: tells the barrier.
void BoxCopies::land(Box box) {
  Mbarrier* const barrier = mbarriers_.find(box.barrier);
  if (barrier == nullptr) scheduler_.fail({FaultKind::kMbarrierOverwritten}, box.actor);
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
  scheduler_.fail({FaultKind::kCopyUnfinished}, boxes_.front().actor);
}

}  // namespace ladder::emulator
