// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/async_events.cpp
/// \brief What BlockTracer makes of asynchronous copies, and of barriers for some of the warps.
///
/// Copies of threads go through the log: a warp's are one request. What orders accesses is noted at
/// once, with the row of the log at which the lane stood.
#include <algorithm>

#include "common/emulator/run/block_runner.hpp"
#include "common/emulator/trace/block_tracer.hpp"
#include "common/emulator/trace/code_places.hpp"

namespace ladder::emulator {

// -- What orders accesses -------------------------------------------------------------------------

void BlockTracer::start_clocks() {
  if (clocks_.is_active()) return;
  clocks_.activate();
  shadow_.use_clocks();
}

void BlockTracer::released(unsigned thread, const void* object) {
  start_clocks();
  flush_if_in_step(thread / 32);
  const Epoch before = clocks_.epoch_of(thread);
  clocks_.release(thread, object);
  note_epoch(thread, before);
}

void BlockTracer::arrived(unsigned thread, const void* object) {
  start_clocks();
  flush_if_in_step(thread / 32);
  const Epoch before = clocks_.epoch_of(thread);
  clocks_.arrive(thread, object);
  note_epoch(thread, before);
}

void BlockTracer::completed(const void* object) {
  start_clocks();
  clocks_.complete(object);
  // Who waits for boxes goes on tile by tile, as others do from barrier to barrier.
  const std::size_t ended = stream_.slice_ends.empty() ? 0 : stream_.slice_ends.back();
  if (clocks_.is_copy_barrier(object) && stream_.accesses.size() > ended) end_slice();
}

void BlockTracer::acquired(unsigned thread, const void* object) {
  start_clocks();
  flush_if_in_step(thread / 32);
  const Epoch before = clocks_.epoch_of(thread);
  clocks_.acquire(thread, object);
  note_epoch(thread, before);
}

void BlockTracer::fenced_for_copies(unsigned thread) {
  start_clocks();
  flush_if_in_step(thread / 32);
  const Epoch before = clocks_.epoch_of(thread);
  clocks_.fence(thread);
  note_epoch(thread, before);
}

// -- cp.async ------------------------------------------------------------------------------------

AccessCode BlockTracer::code_of(std::source_location where, AccessType type, unsigned bytes) {
  const char* const file = where.file_name();
  Call& call =
      calls_[(where.line() + 8 * where.column() + static_cast<unsigned>(type)) % calls_.size()];
  const AccessCode how = pack_access(0, type, bytes);
  if (call.file != file || call.line != where.line() || call.column != where.column() ||
      (call.code & kHowBits) != how) {
    call = {file, where.line(), where.column(), code_of_call(where, type, bytes)};
  }
  return call.code;
}

/// Fills the running lane's next row.
void BlockTracer::log(std::uintptr_t address, AccessCode code) {
  if (access_cursor.next == access_cursor.end) {
    BlockRunner::of_this_cpu_thread()->scheduler().wait_to_be_looked_at();
  }
  std::byte* const next = access_cursor.next;
  *reinterpret_cast<std::uint64_t*>(next) = address;
  *reinterpret_cast<AccessCode*>(next + access_cursor.to_code) = code;
  access_cursor.next = next + sizeof(WarpLog::Row);
}

void BlockTracer::copy_started(unsigned thread, void* shared, const void* global, unsigned bytes,
                               unsigned source_bytes, std::source_location where) {
  start_clocks();
  // All lanes fill a row for the source: those that read nothing have no address.
  const auto source = source_bytes == 0 ? 0 : reinterpret_cast<std::uintptr_t>(global);
  const AccessCode code = code_of(where, AccessType::kCopySource, bytes);
  if (source != 0 && source - global_begin_ >= global_bytes_) {
    report({.kind = HazardKind::kGlobalOutOfBounds,
            .code = code,
            .thread = static_cast<std::uint16_t>(thread),
            .address = source});
  }
  log(source, code);
  log(reinterpret_cast<std::uintptr_t>(shared), code_of(where, AccessType::kCopyTarget, bytes));
}

void BlockTracer::copy_landed(void* shared, unsigned bytes) {
  log(reinterpret_cast<std::uintptr_t>(shared), pack_access(0, AccessType::kCopyLanded, bytes));
}

// -- The tensor memory accelerator ---------------------------------------------------------------

void BlockTracer::box_started(unsigned thread, void* shared, const ptx::TensorMap& map, int row,
                              int column, const void* barrier, std::source_location where) {
  start_clocks();
  flush_if_in_step(thread / 32);
  const AccessCode code = code_of(where, AccessType::kBox, 16);
  const Epoch before = clocks_.epoch_of(thread);
  const BoxCopy box = {.copy_barrier = clocks_.copy_barrier(barrier),
                       .code = code,
                       .epoch = before,
                       .thread = static_cast<std::uint16_t>(thread)};
  clocks_.advance(thread);
  note_epoch(thread, before);
  count_box(code, thread, map, row, column);
  const auto bytes =
      static_cast<unsigned>(map.box_rows) * static_cast<unsigned>(map.box_columns) * 4;
  boxes_.push_back({shared, barrier, shadow_.start_box(box)});
  fill_by_box(box, shared, bytes);
}

/// Tells the shadow, word by word.
void BlockTracer::fill_by_box(const BoxCopy& box, const void* shared, unsigned bytes) {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(shared) - shared_begin_;
  const std::size_t end = std::min(offset + bytes, shared_bytes_);
  for (std::size_t at = offset; at < end; at += 4) {
    const auto word = static_cast<std::uint32_t>(at / 4);
    const Conflict conflict = shadow_.fill(word, boxes_.back().number);
    if (conflict.kind == Conflict::Kind::kNone) [[likely]]
      continue;
    report_conflict({.word = word,
                     .bytes = 15,
                     .several = false,
                     .thread = box.thread,
                     .sync = 0,
                     .code = box.code},
                    conflict);
  }
  if (block_ == wishes_->ordered_block) {
    see_order_as(box.thread / 32u, box.epoch);
    order_.box_started(offset, end);
  }
}

/// Row by row the box's bytes within the matrix are asked of L2; L1 keeps none of them. What is
/// counted is what arrives: all of the box, and a sector twice if it goes to two lines.
void BlockTracer::count_box(AccessCode code, unsigned thread, const ptx::TensorMap& map, int row,
                            int column) {
  const int first_row = std::max(row, 0);
  const int end_row = std::min(row + map.box_rows, map.rows);
  const int first_column = std::max(column, 0);
  const int end_column = std::min(column + map.box_columns, map.columns);
  Site& site = site_of(code);
  AccessCounts counts = {.requests = 1, .lanes = 1};
  const auto row_bytes = static_cast<std::int64_t>(map.box_columns) * 4;
  for (std::int64_t r = 0; r < map.box_rows; ++r) {
    const auto from =
        reinterpret_cast<std::int64_t>(map.matrix) + 4 * ((row + r) * map.columns + column);
    for (std::int64_t done = 0; done < row_bytes;) {
      constexpr std::int64_t kLine = kLineBytes;
      constexpr std::int64_t kSector = kSectorBytes;
      const std::int64_t part = std::min(row_bytes - done, kLine - (r * row_bytes + done) % kLine);
      counts.sectors += static_cast<std::uint64_t>((from + done + part - 1) / kSector -
                                                   (from + done) / kSector + 1);
      done += part;
    }
  }
  for (int r = first_row; r < end_row && first_column < end_column; ++r) {
    const float* const start = map.matrix + std::size_t(r) * std::size_t(map.columns);
    const auto begin = reinterpret_cast<std::uint64_t>(start + first_column);
    const auto end = reinterpret_cast<std::uint64_t>(start + end_column);
    const std::size_t array = array_with(begin, end);
    if (array == kMaxArrays) {
      report({.kind = HazardKind::kGlobalOutOfBounds,
              .code = code,
              .thread = static_cast<std::uint16_t>(thread),
              .address = begin});
      continue;
    }
    const LinePattern lines = lines_of(begin, end);
    const auto first = reinterpret_cast<std::uint64_t>(wishes_->arrays[array].data);
    stream_.accesses.push_back(
        {.line = static_cast<std::int64_t>(begin / kLineBytes - first / kLineBytes),
         .pattern = wishes_->patterns->number_of(lines),
         .array = static_cast<std::uint16_t>(array),
         .store = 2});
    counts.bytes += end - begin;
    counts.lines += lines.size();
    counts.distinct_sectors += (end - 1) / kSectorBytes - begin / kSectorBytes + 1;
  }
  counts.ideal_sectors = (counts.bytes + kSectorBytes - 1) / kSectorBytes;
  site.counts.global += counts;
}

void BlockTracer::box_landed(void* shared, unsigned bytes, const void* barrier) {
  const auto started = std::ranges::find_if(boxes_, [&](const StartedBox& box) {
    return box.shared == shared && box.barrier == barrier;
  });
  if (started == boxes_.end()) return;
  shadow_.land_box(started->number, clocks_.landed(barrier));
  boxes_.erase(started);
  if (block_ == wishes_->ordered_block) {
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(shared) - shared_begin_;
    order_.box_landed(offset, offset + bytes);
  }
}

/// The order of events counts what a warp has waited for until an epoch.
void BlockTracer::see_order_as(unsigned warp, Epoch at) {
  if (block_ != wishes_->ordered_block || !clocks_.is_active()) return;
  order_.see_phases(static_cast<int>(clocks_.phases_known(warp, at)));
}

}  // namespace ladder::emulator
