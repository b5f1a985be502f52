// SPDX-License-Identifier: MIT
/// \file  emulator/run/debug_info/shared_object.hpp
/// \brief Where a loaded library keeps its machine code and the calling thread's thread_locals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ladder::emulator {

/// The executable address ranges of one loaded library.
class CodeRanges {
 public:
  CodeRanges() = default;

  /// Ranges of the library that holds `address`; none if no library does.
  explicit CodeRanges(const void* address);

  bool contains(std::uintptr_t address) const noexcept {
    for (const Range& range : ranges_) {
      if (address >= range.begin && address < range.end) return true;
    }
    return false;
  }

  /// Whether the address is in the library: in its code, its constants or its variables.
  bool library_contains(std::uintptr_t address) const noexcept {
    return address >= library_.begin && address < library_.end;
  }

  /// Address below all of them; 0 if there are none.
  std::uintptr_t begin() const noexcept { return ranges_.empty() ? 0 : ranges_.front().begin; }

 private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  std::vector<Range> ranges_;
  Range library_ = {};
};

/// \brief  The calling thread's thread-local segment that contains `address`.
/// \return empty if none does
std::span<std::byte> thread_local_segment(const void* address);

}  // namespace ladder::emulator
