// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/block_copies.cpp
/// \brief BlockRunner's copies into shared memory that a thread starts and does not wait for:
///        cp.async and the tensor memory accelerator.
#include <algorithm>
#include <cstring>
#include <utility>

#include "common/emulator/run/block_runner.hpp"
#include "common/emulator/run/settings.hpp"

namespace ladder::emulator {
namespace {

constexpr std::uintptr_t kBoxAlignment = 128;

bool is_aligned(const void* address, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

/// Writes what is in a destination until its copy arrives: NaN.
void spoil(void* shared, std::size_t bytes) {
  std::memset(shared, 0xFF, bytes);
}

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

/// Ends the block unless the copy's destination lies in the block's shared memory.
void BlockRunner::require_shared(const char* what, const void* shared, std::size_t bytes,
                                 std::source_location where) {
  const auto* const begin = static_cast<const std::byte*>(shared);
  if (shared_.holds(begin, bytes, plan_->dynamic_shared_bytes)) return;
  fail_at(KernelErrorKind::kInvalidAddress,
          std::string(what) + " does not lie in the shared memory of this block,", running_->number,
          where);
}

void BlockRunner::require_alignment(const char* what, const void* address, unsigned bytes,
                                    std::source_location where) {
  if (is_aligned(address, bytes)) return;
  fail_at(KernelErrorKind::kMisalignedAddress,
          std::string("misaligned: ") + what + " must be an address that is a multiple of " +
              std::to_string(bytes) + ",",
          running_->number, where);
}

// -- cp.async ------------------------------------------------------------------------------------

void BlockRunner::start_copy(void* shared, const void* global, unsigned bytes,
                             unsigned source_bytes, std::source_location where) {
  require_alignment("the destination of cp.async", shared, bytes, where);
  require_shared("the destination of cp.async", shared, bytes, where);
  if (source_bytes > 0) require_alignment("the source of cp.async", global, bytes, where);
  if (tracer_ != nullptr) {
    tracer_->copy_started(running_->number, shared, global, bytes, source_bytes, where);
  }
  async_.used = true;
  CopyQueue::Copy& copy = running_->copies.copies.emplace_back();  // of zeros
  copy.shared = shared;
  copy.bytes = bytes;
  if (source_bytes > 0) std::memcpy(copy.data.data(), global, source_bytes);
  if (arrival_ == CopyArrival::kEarly) {
    std::memcpy(shared, copy.data.data(), bytes);
  } else {
    spoil(shared, bytes);
  }
}

void BlockRunner::commit_copies() {
  async_.used = true;
  CopyQueue& queue = running_->copies;
  queue.group_ends.push_back(queue.copies.size());
}

void BlockRunner::wait_for_copies(unsigned newest) {
  CopyQueue& queue = running_->copies;
  if (queue.group_ends.size() <= newest) return;
  const std::size_t groups = queue.group_ends.size() - newest;
  const std::size_t count = queue.group_ends[groups - 1];
  for (std::size_t i = 0; i < count; ++i) {
    const CopyQueue::Copy& copy = queue.copies[i];
    if (arrival_ == CopyArrival::kLate) std::memcpy(copy.shared, copy.data.data(), copy.bytes);
    if (tracer_ != nullptr) tracer_->copies_landed(running_->number, copy.shared, copy.bytes);
  }
  const auto first = [](auto& list, std::size_t n) {
    return list.begin() + static_cast<std::ptrdiff_t>(n);
  };
  queue.copies.erase(queue.copies.begin(), first(queue.copies, count));
  queue.group_ends.erase(queue.group_ends.begin(), first(queue.group_ends, groups));
  for (std::size_t& end : queue.group_ends)
    end -= count;
}

// -- Boxes ---------------------------------------------------------------------------------------

void BlockRunner::start_box_copy(void* shared, const ptx::TensorMap& map, int row, int column,
                                 void* barrier, std::source_location where) {
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(map.box_rows) *
                            static_cast<std::size_t>(map.box_columns);
  require_alignment("the destination of tma_load", shared, kBoxAlignment, where);
  require_shared("the destination of tma_load", shared, bytes, where);
  mbarrier_at(barrier, where);
  if (tracer_ != nullptr) {
    tracer_->box_started(running_->number, shared, map, row, column, barrier, where);
  }
  PendingBox box = {shared, barrier, {}, running_->number, where};
  if (!async_.spare.empty()) {
    box.data = std::move(async_.spare.back());
    async_.spare.pop_back();
  }
  box.data.resize(bytes);
  read_box(map, row, column, box.data.data());
  idle_turns_ = 0;
  if (arrival_ == CopyArrival::kEarly) {
    std::memcpy(shared, box.data.data(), bytes);
    land(std::move(box));
  } else {
    spoil(shared, bytes);
    async_.boxes.push_back(std::move(box));
  }
}

/// The bytes are where they belong: tells the tracer and the barrier.
void BlockRunner::land(PendingBox box) {
  MbarrierState& barrier = mbarrier_of_copy(box);
  const std::size_t bytes = box.data.size();
  if (tracer_ != nullptr) {
    if (arrival_ == CopyArrival::kEarly) {
      async_.arrived_early.push_back(box);
    } else {
      tracer_->box_landed(box.shared, static_cast<unsigned>(bytes), box.barrier);
    }
  }
  barrier.missing_bytes -= static_cast<std::int64_t>(bytes);
  async_.spare.push_back(std::move(box.data));
  complete_phase_if_due(barrier);
}

/// Nobody can go on before a copy arrives, so that the oldest does. False if none is on its way.
bool BlockRunner::land_oldest_box() {
  if (async_.boxes.empty()) return false;
  PendingBox box = std::move(async_.boxes.front());
  async_.boxes.pop_front();
  std::memcpy(box.shared, box.data.data(), box.data.size());
  land(std::move(box));
  return true;
}

/// All threads have left: memory that a copy still writes to belongs to the next block.
void BlockRunner::check_copies_at_end() {
  if (async_.boxes.empty()) return;
  const PendingBox& box = async_.boxes.front();
  fail_at(KernelErrorKind::kCopyUnfinished,
          "the block has ended while a tma_load still writes into its shared memory: nobody waited "
          "for the one that was started",
          box.thread, box.where);
}

}  // namespace ladder::emulator
