// SPDX-License-Identifier: MIT
/// \file  emulator/trace/access_log.hpp
/// \brief Where the hooks of traced kernels write down what each thread accesses.
///
/// A log belongs to one warp and has a column per lane and a row per access. Lanes of one warp do
/// the same most of the time, so that a row usually is one warp instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/trace/trace.hpp"

namespace ladder::emulator {

/// \brief What was accessed from where: the offset of the machine instruction in its library, and
///        in the lowest six bits an AccessType and log2(bytes). A call of a function that copies
///        has a number in place of an offset; see code_of_call().
using AccessCode = std::uint32_t;

enum class AccessType : std::uint8_t {
  kLoad,
  kStore,
  kAtomic,
  kCopySource,  ///< what an asynchronous copy reads in global memory
  kCopyTarget,  ///< what it will write in shared memory; the copy starts
  kCopyLanded,  ///< and now has written
  kBox,         ///< a copy by the tensor memory accelerator
  kAtomicStore,
};

inline constexpr AccessCode kHowBits = 63;  ///< of a code: type and bytes

constexpr AccessCode pack_access(std::uintptr_t offset, AccessType type, unsigned bytes) {
  const auto log2_bytes = static_cast<unsigned>(__builtin_ctz(bytes));
  return static_cast<AccessCode>(offset << 6) | static_cast<unsigned>(type) << 3 | log2_bytes;
}
/// A product on the tensor cores: a box in name, of more bytes than any access.
constexpr unsigned kBytesOfProduct = 32;
constexpr bool is_product(AccessCode code) {
  return (code & kHowBits) == pack_access(0, AccessType::kBox, kBytesOfProduct);
}
/// A box that goes from shared to global memory: likewise.
constexpr unsigned kBytesOfBoxStore = 64;
constexpr bool is_box_store(AccessCode code) {
  return (code & kHowBits) == pack_access(0, AccessType::kBox, kBytesOfBoxStore);
}
constexpr std::uintptr_t offset_of(AccessCode code) {
  return code >> 6;
}
constexpr AccessType type_of(AccessCode code) {
  return static_cast<AccessType>(code >> 3 & 7);
}
constexpr bool is_atomic(AccessCode code) {
  return type_of(code) == AccessType::kAtomic || type_of(code) == AccessType::kAtomicStore;
}
constexpr unsigned bytes_of(AccessCode code) {
  return 1u << (code & 7);
}

/// One warp's accesses since they were last looked at.
struct WarpLog {
  static constexpr unsigned kRows = 256;  ///< a lane with a full column waits for the others

  struct Row {
    std::uint64_t address[32];
    AccessCode code[32];
  };
  alignas(64) Row row[kRows];

  /// Of stores: what was there when the thread next waited, or a hash of it. Lies
  /// as far from a row's codes in every row.
  struct StoredRow {
    std::uint32_t value[32];
    std::byte unused[sizeof(Row) - 32 * sizeof(std::uint32_t)];
  };
  StoredRow stored[kRows];

  /// Of a row: what is known of some lanes' accesses.
  struct Marks {
    std::uint32_t guesses;    ///< loads that are guesses; see WarpLogs::compares_and_swaps()
    std::uint32_t volatiles;  ///< of volatile variables
    std::uint32_t of_block;   ///< atomics that only the block sees as one
  };
  Marks marks[kRows];  ///< see WarpLogs::marks_in()
};

class BlockTracer;

/// \brief Where the running thread writes its next access, and what is worth writing down. All zero
///        on CPU threads that trace nothing.
struct AccessCursor {
  std::byte* next = nullptr;        ///< in the log: the running lane's address in the next row
  std::byte* end = nullptr;         ///< behind the last row
  std::byte* first = nullptr;       ///< its address in the first row
  std::ptrdiff_t to_code = 0;       ///< from an address to its code
  std::uintptr_t code_begin = 0;    ///< of the kernel's library
  std::uintptr_t shared_begin = 0;  ///< shared memory with whatever surrounds it
  std::size_t shared_bytes = 0;
  std::uintptr_t global_begin = 0;  ///< from the first to the last known array
  std::size_t global_bytes = 0;
  std::byte** stores = nullptr;   ///< behind the rows of stores whose values are to be noted
  BlockTracer* tracer = nullptr;  ///< whose thread runs

  bool is_active() const { return next != nullptr; }
};

/// The cursor of this CPU thread.
extern constinit thread_local AccessCursor access_cursor;

/// The running lane's column is full: waits until there is room, then writes the access down.
[[gnu::cold]] void log_when_there_is_room(std::uintptr_t address, AccessType type, unsigned bytes,
                                          std::uintptr_t instruction);

/// The running lane accesses what is neither shared memory nor near a known array.
[[gnu::cold]] void access_elsewhere(std::uintptr_t address, AccessType type, unsigned bytes,
                                    std::uintptr_t instruction);

/// An index beyond its array's type, as g++'s bounds check found it.
void index_out_of_bounds(const char* file, unsigned line, unsigned column, const char* array_type,
                         std::int64_t index);

/// Fills the running lane's next row, which is there.
inline void log_row(std::uintptr_t address, AccessType type, unsigned bytes,
                    std::uintptr_t instruction) {
  AccessCursor& cursor = access_cursor;
  std::byte* const next = cursor.next;
  *reinterpret_cast<std::uint64_t*>(next) = address;
  *reinterpret_cast<AccessCode*>(next + cursor.to_code) =
      pack_access(instruction - cursor.code_begin, type, bytes);
  cursor.next = next + sizeof(WarpLog::Row);
  if (type == AccessType::kStore) *cursor.stores++ = next;
}

/// Writes down one access of the running thread.
inline void log_access(const volatile void* target, AccessType type, unsigned bytes,
                       const void* return_address) {
  AccessCursor& cursor = access_cursor;
  const auto address = reinterpret_cast<std::uintptr_t>(target);
  const std::uintptr_t instruction = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  if (address - cursor.shared_begin >= cursor.shared_bytes &&
      address - cursor.global_begin >= cursor.global_bytes) [[unlikely]] {
    access_elsewhere(address, type, bytes, instruction);
    return;
  }
  if (cursor.next == cursor.end) [[unlikely]] {
    log_when_there_is_room(address, type, bytes, instruction);
    return;
  }
  log_row(address, type, bytes, instruction);
}

}  // namespace ladder::emulator
