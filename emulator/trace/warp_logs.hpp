// SPDX-License-Identifier: MIT
/// \file  emulator/trace/warp_logs.hpp
/// \brief The logs of a block's warps, and who of their lanes writes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/trace/access_log.hpp"
#include "emulator/trace/array_index.hpp"
#include "emulator/trace/thread_words.hpp"

namespace ladder::emulator {

/// \brief Logs that warps get when they first write, and give back when they were looked at.
class WarpLogs {
 public:
  /// How many accesses of a thread are logged before they are looked at: at most WarpLog::kRows.
  void set_limit(unsigned rows) { limit_ = rows; }
  /// In global memory, that stores may go to.
  void set_arrays(const std::vector<TracedArray>& arrays, const ArrayIndex& index) {
    arrays_ = &arrays;
    index_ = &index;
    last_bytes_ = 0;
  }
  void start_block() {
    rows_.fill(0);
    has_marks_.fill(false);
    checked_.fill(0);
    has_checked_.fill(false);
    words_.start_block();
  }
  void end_block();

  void enter(unsigned thread) noexcept;  ///< access_cursor is this thread's from now on
  void leave() noexcept;                 ///< and now it is not
  /// Has a thread entered and not left?
  bool is_inside() const { return inside_; }
  unsigned running() const { return running_; }  ///< who entered last
  /// Counts the rows of the thread that is inside.
  void count_rows() {
    if (!inside_) return;
    leave();
    enter(running_);
  }

  /// Fills the running lane's next row; may wait for room, so that other threads run.
  void append(std::uintptr_t address, AccessCode code);

  /// \brief The running thread is about to compare what is there with what it expects, and to swap
  ///        it. If it last got at the same place by a plain load, that was a guess: what is out of
  ///        date costs another round and nothing else.
  void compares_and_swaps(std::uint64_t address, unsigned bytes);

  /// What threads have got and handed on.
  ThreadWords& words() { return words_; }
  const ThreadWords& words() const { return words_; }

  /// How many rows each lane of the warp has filled.
  const std::uint16_t* rows_of(unsigned warp) const { return &rows_[std::size_t{32} * warp]; }
  /// That a thread has filled.
  unsigned rows(unsigned thread) const { return rows_[thread]; }
  /// Of a warp with rows.
  const WarpLog& log_of(unsigned warp) const { return *logs_[warp]; }
  WarpLog::Marks marks_in(unsigned warp, unsigned row) const {
    return has_marks_[warp] ? logs_[warp]->marks[row] : WarpLog::Marks{};
  }
  /// The running thread's last access, if it was logged, is marked.
  void mark_last(std::uint64_t address, std::uint32_t WarpLog::Marks::*as);

  // -- Rows of lanes whose order was checked ahead of their requests
  // -------------------------------
  unsigned checked(unsigned thread) const { return checked_[thread]; }
  void set_checked(unsigned thread, unsigned rows) {
    checked_[thread] = static_cast<std::uint16_t>(rows);
    has_checked_[thread / 32] = true;
  }
  /// The lanes of the warp whose access in a row is not.
  std::uint32_t unchecked_in(unsigned warp, unsigned row) const {
    return has_checked_[warp] ? unchecked_lanes(warp, row) : ~0u;
  }
  void empty(unsigned warp);

  /// Is a store to the four bytes from `begin` on, or the end of a copy, in the log of another warp
  /// than `except`?
  bool is_written_elsewhere(std::uint64_t begin, unsigned except) const;

 private:
  WarpLog& log_for(unsigned warp);
  void note_stores() noexcept;
  WarpLog::Marks& marks_at(unsigned warp, unsigned row);
  std::uint32_t unchecked_lanes(unsigned warp, unsigned row) const;
  bool holds(std::uint64_t address, unsigned bytes) noexcept;

  std::array<WarpLog*, 32> logs_ = {};
  std::vector<std::unique_ptr<WarpLog>> all_;
  std::vector<WarpLog*> free_;
  std::array<std::uint16_t, 1024> rows_ = {};
  std::array<bool, 32> has_marks_ = {};
  std::array<std::uint16_t, 1024> checked_ = {};  ///< by thread: rows
  std::array<bool, 32> has_checked_ = {};
  unsigned limit_ = WarpLog::kRows;
  const std::vector<TracedArray>* arrays_ = nullptr;
  const ArrayIndex* index_ = nullptr;
  std::uint64_t last_begin_ = 0;  ///< of the array that held the last store
  std::size_t last_bytes_ = 0;
  std::array<std::byte*, WarpLog::kRows> stores_ = {};  ///< of the running thread; see enter()
  ThreadWords words_;
  unsigned running_ = 0;
  bool inside_ = false;  ///< the cursor belongs to running_
};

}  // namespace ladder::emulator
