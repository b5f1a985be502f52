// SPDX-License-Identifier: MIT
/// \file  emulator/trace/hooks.cpp
/// \brief What g++ calls at each memory access of code compiled with -fsanitize=thread. The names
///        are those of the compiler's race detector, whose library is not linked.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/waits/last_poll.hpp"
#include "emulator/trace/access_log.hpp"
#include "emulator/trace/access_samples.hpp"
#include "emulator/trace/block_tracer.hpp"
#include "emulator/trace/trace.hpp"
#include "emulator/words/barrier_functions.hpp"
#include "emulator/words/byte_functions.hpp"

namespace ladder::emulator {
namespace {

/// Is the instruction in the copy of a float4 or the like?
bool is_of_vector(const void* caller) {
  static thread_local std::unordered_map<const void*, bool> known;
  const auto [found, is_new] = known.try_emplace(caller, false);
  if (is_new) found->second = is_of_cuda_word(reinterpret_cast<std::uintptr_t>(caller) - 1);
  return found->second;
}

/// A copy of a whole object, in pieces of at most 16 bytes: what a GPU would make of it. Its
/// alignment divides its size; the address alone would cut each lane's copy differently. A vector
/// at an address that is no multiple of its size comes here if the compiler knows that, and is one
/// misaligned access.
void log_range(const void* address, std::size_t bytes, AccessType type, const void* caller) {
  if (!access_cursor.is_active()) return;
  if (type == AccessType::kLoad) {
    access_cursor.tracer->copies_object(reinterpret_cast<std::uintptr_t>(caller) - 1);
  }
  const auto* piece = static_cast<const char*>(address);
  const std::size_t widest = std::min(std::size_t{16}, bytes & (~bytes + 1));
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(piece) % widest == 0;
  const bool whole = !is_aligned && is_of_vector(caller);
  while (bytes > 0) {
    std::size_t size = widest;
    while (!whole && (size > bytes || reinterpret_cast<std::uintptr_t>(piece) % size != 0))
      size /= 2;
    log_access(piece, type, static_cast<unsigned>(size), caller);
    piece += size;
    bytes -= size;
  }
  announce_range(address, static_cast<std::size_t>(piece - static_cast<const char*>(address)));
}

/// A loop that spins on a volatile variable ends only if other threads get their turn.
void log_volatile(const volatile void* address, AccessType type, unsigned bytes,
                  const void* caller) {
  if (!access_cursor.is_active()) return;
  const auto* const plain = const_cast<const void*>(address);
  if (type == AccessType::kStore) {
    // What the thread stores must be there when it next waits.
    step_aside();
    log_access(address, type, bytes, caller);
    access_cursor.tracer->accesses_volatile(address);
    access_cursor.tracer->stores_volatile(plain);
  } else {
    log_access(address, type, bytes, caller);
    last_poll.look(plain);
    access_cursor.tracer->accesses_volatile(address);
    step_aside();
    access_cursor.tracer->loads_volatile(plain, bytes,
                                         reinterpret_cast<std::uintptr_t>(caller) - 1);
    announce_range(address, bytes);  // others have run: the log may be empty
  }
}

void log_atomic(const volatile void* address, unsigned bytes, const void* caller,
                AccessType type = AccessType::kAtomic) {
  log_access(address, type, bytes, caller);
  if (!access_cursor.is_active()) return;
  last_poll.look(const_cast<const void*>(address));
  access_cursor.tracer->updates_flag(const_cast<const void*>(address), bytes,
                                     reinterpret_cast<std::uintptr_t>(caller) - 1);
}

/// The operation is over.
template <class T>
T after_atomic(const volatile void* address, T result) {
  if (access_cursor.is_active())
    access_cursor.tracer->has_updated_flag(const_cast<const void*>(address));
  return result;
}

/// \brief What this CPU thread has last loaded atomically. In front of a compare-and-swap at the
///        same place it is a guess and no access of its own: both together are one CUDA atomic.
class AtomicGuess {
 public:
  void log(const volatile void* address, unsigned bytes, std::uint64_t value, const void* caller) {
    log_access(address, AccessType::kLoad, bytes, caller);
    access_cursor.tracer->accesses_volatile(address);
    *this = AtomicGuess(address, value, is_logged(address));
  }

  /// The thread is about to compare and swap: its guess is no row of the log any more.
  void take_back(const volatile void* address) {
    if (is_logged_ && is_of(address)) access_cursor.next -= sizeof(WarpLog::Row);
    is_logged_ = false;
  }

  /// Was the swap in vain only because somebody else was faster? Then the thread tries again.
  bool was(const volatile void* address, std::uint64_t value) const {
    return address_ == address && value_ == value;
  }
  void is_now(const volatile void* address, std::uint64_t value) {
    *this = AtomicGuess(address, value, false);
  }

  constexpr AtomicGuess() = default;

 private:
  AtomicGuess(const volatile void* address, std::uint64_t value, bool is_logged)
      : address_(address), next_(access_cursor.next), value_(value), is_logged_(is_logged) {}

  static bool is_logged(const volatile void* address) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at - access_cursor.shared_begin < access_cursor.shared_bytes ||
           at - access_cursor.global_begin < access_cursor.global_bytes;
  }
  bool is_of(const volatile void* address) const {
    return address_ == address && next_ == access_cursor.next;
  }

  const volatile void* address_ = nullptr;
  const std::byte* next_ = nullptr;  ///< tells threads apart, and whether one did anything else
  std::uint64_t value_ = 0;
  bool is_logged_ = false;
};

constinit thread_local AtomicGuess last_guess;

/// atomicCAS(): what the thread has loaded before was a guess.
void log_compare_and_swap(const volatile void* address, unsigned bytes, const void* caller) {
  if (access_cursor.is_active()) {
    last_guess.take_back(address);
    access_cursor.tracer->compares_and_swaps(const_cast<const void*>(address), bytes);
  }
  log_atomic(address, bytes, caller);
}

}  // namespace

void log_when_there_is_room(std::uintptr_t address, AccessType type, unsigned bytes,
                            std::uintptr_t instruction) {
  BlockRunner::of_this_cpu_thread()->scheduler().wait_to_be_looked_at();
  log_row(address, type, bytes, instruction);
}

void access_elsewhere(std::uintptr_t address, AccessType type, unsigned bytes,
                      std::uintptr_t instruction) {
  if (!access_cursor.is_active()) return;
  // A local variable of the caller, as most are that come here?
  constexpr std::uintptr_t kNearFrame = 4096;
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (address - frame < kNearFrame) [[likely]]
    return;
  BlockRunner& runner = *BlockRunner::of_this_cpu_thread();
  const BlockThreads& threads = runner.threads();
  if (address < frame && threads.stacks().holds(threads.running().stack, address))
    runner.failures().fail_below_stack(instruction);
  if (type != AccessType::kLoad) access_cursor.tracer->stores_elsewhere(address, bytes);
  if (access_cursor.tracer->concerns_cluster(address)) {
    if (access_cursor.next == access_cursor.end) {
      log_when_there_is_room(address, type, bytes, instruction);
    } else {
      log_row(address, type, bytes, instruction);
    }
    return;
  }
  const AccessCode code = pack_access(instruction - access_cursor.code_begin, type, bytes);
  if (!access_cursor.tracer->report_elsewhere(address, code)) return;
  runner.failures().fail_access(instruction);
}

void index_out_of_bounds(const char* file, unsigned line, unsigned column, const char* array_type,
                         std::int64_t index) {
  if (!access_cursor.is_active()) return;
  access_cursor.tracer->report_index(
      {without_repository(file), line}, column,
      {FaultKind::kIndexOutOfBounds, {{"index", index}, {"array_type", array_type}}});
}

/// A thread uses an object whose address is no multiple of its type's alignment, whatever accesses
/// the compiler makes of that.
static void report_misaligned_object(const char* file, unsigned line, const char* type,
                                     unsigned alignment, std::uintptr_t address) {
  // In the emulator's own headers, such as a float4's, the user's line was reported before.
  if (!access_cursor.is_active() || address % alignment == 0 || is_ground(file)) return;
  const BlockThreads& threads = BlockRunner::of_this_cpu_thread()->threads();
  const bool is_local = threads.stacks().contains(address);
  // Local variables of less than 16 bytes may lie elsewhere on a GPU.
  constexpr unsigned kWidest = 16;
  if (is_local && alignment < kWidest) return;
  access_cursor.tracer->report_misaligned_object(
      {without_repository(file), line},
      {FaultKind::kMisaligned, {{"type", type}, {"multiple", alignment}}}, is_local ? 0 : address);
}

void gives_back(const void* address, std::size_t bytes, const void* call) {
  // What a lane stores there is no race if another one stores the same. This is nobody's value.
  constexpr std::uint32_t kNoValue = 0xF9EEDBAC;
  constexpr std::size_t kPiece = 16;
  constexpr std::ptrdiff_t kFromCode =
      offsetof(WarpLog, stored) - offsetof(WarpLog, row) - offsetof(WarpLog::Row, code);
  AccessCursor& cursor = access_cursor;
  if (!cursor.is_active()) return;
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    log_access(static_cast<const char*>(address) + at, AccessType::kStore, kPiece, call);
    std::byte* const row = *--cursor.stores;
    *reinterpret_cast<std::uint32_t*>(row + cursor.to_code + kFromCode) = kNoValue;
  }
}

// What no instruction of the traced code does: see traced_bytes.hpp.

void* copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  log_range(from, bytes, AccessType::kLoad, __builtin_return_address(0));
  log_range(to, bytes, AccessType::kStore, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}

void* fill_bytes(void* to, int value, std::size_t bytes) noexcept {
  log_range(to, bytes, AccessType::kStore, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}

int compare_bytes(const void* a, const void* b, std::size_t bytes) noexcept {
  for (const void* const side : {a, b})
    log_range(side, bytes, AccessType::kLoad, __builtin_return_address(0));
  return std::memcmp(a, b, bytes);
}

}  // namespace ladder::emulator

#define LADDER_CALLER __builtin_return_address(0)

#define LADDER_ACCESS_HOOKS(bytes)                                   \
  void __tsan_read##bytes(void* address) {                           \
    log_access(address, AccessType::kLoad, bytes, LADDER_CALLER);    \
  }                                                                  \
  void __tsan_write##bytes(void* address) {                          \
    log_access(address, AccessType::kStore, bytes, LADDER_CALLER);   \
  }                                                                  \
  void __tsan_unaligned_read##bytes(void* address) {                 \
    log_access(address, AccessType::kLoad, bytes, LADDER_CALLER);    \
  }                                                                  \
  void __tsan_unaligned_write##bytes(void* address) {                \
    log_access(address, AccessType::kStore, bytes, LADDER_CALLER);   \
  }                                                                  \
  void __tsan_volatile_read##bytes(void* address) {                  \
    log_volatile(address, AccessType::kLoad, bytes, LADDER_CALLER);  \
  }                                                                  \
  void __tsan_volatile_write##bytes(void* address) {                 \
    log_volatile(address, AccessType::kStore, bytes, LADDER_CALLER); \
  }                                                                  \
  void __tsan_unaligned_volatile_read##bytes(void* address) {        \
    log_volatile(address, AccessType::kLoad, bytes, LADDER_CALLER);  \
  }                                                                  \
  void __tsan_unaligned_volatile_write##bytes(void* address) {       \
    log_volatile(address, AccessType::kStore, bytes, LADDER_CALLER); \
  }

// The compare-and-exchange in a loop that makes one CUDA atomic is one access when it succeeds.
// A load that is no such guess has a stronger order.
#define LADDER_ATOMIC_HOOKS(bits, T)                                                               \
  T __tsan_atomic##bits##_load(const volatile T* address, int order) {                             \
    const T value = __atomic_load_n(address, __ATOMIC_SEQ_CST);                                    \
    if (access_cursor.is_active()) {                                                               \
      if (order != __ATOMIC_RELAXED)                                                               \
        access_cursor.tracer->loads_atomically(const_cast<const T*>(address));                     \
      last_poll.look(const_cast<const T*>(address));                                               \
      access_cursor.tracer->loads_flag(const_cast<const T*>(address));                             \
      last_guess.log(address, bits / 8, value, LADDER_CALLER);                                     \
    }                                                                                              \
    return value;                                                                                  \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* address, T value, int) {                            \
    log_atomic(address, bits / 8, LADDER_CALLER, AccessType::kAtomicStore);                        \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  T __tsan_atomic##bits##_exchange(volatile T* address, T value, int) {                            \
    log_atomic(address, bits / 8, LADDER_CALLER);                                                  \
    return after_atomic(address, __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST));           \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T value,     \
                                                    int, int) {                                    \
    log_compare_and_swap(address, bits / 8, LADDER_CALLER);                                        \
    return after_atomic(address, __atomic_compare_exchange_n(address, expected, value, false,      \
                                                             __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T value, int,  \
                                                  int) {                                           \
    if (access_cursor.is_active()) {                                                               \
      last_guess.take_back(address);                                                               \
      access_cursor.tracer->may_update_flag(const_cast<const T*>(address));                        \
    }                                                                                              \
    const bool guessed = last_guess.was(address, *expected);                                       \
    const bool done = __atomic_compare_exchange_n(address, expected, value, false,                 \
                                                  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
    if (done || !guessed) log_atomic(address, bits / 8, LADDER_CALLER);                            \
    if (!done) last_guess.is_now(address, *expected);                                              \
    return after_atomic(address, done);                                                            \
  }                                                                                                \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected, T value, int,      \
                                               int) {                                              \
    log_compare_and_swap(address, bits / 8, LADDER_CALLER);                                        \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST,                \
                                __ATOMIC_SEQ_CST);                                                 \
    return after_atomic(address, expected);                                                        \
  }                                                                                                \
  LADDER_FETCH_HOOK(bits, T, add)                                                                  \
  LADDER_FETCH_HOOK(bits, T, sub)                                                                  \
  LADDER_FETCH_HOOK(bits, T, and)                                                                  \
  LADDER_FETCH_HOOK(bits, T, or)                                                                   \
  LADDER_FETCH_HOOK(bits, T, xor)

#define LADDER_FETCH_HOOK(bits, T, operation)                                                   \
  T __tsan_atomic##bits##_fetch_##operation(volatile T* address, T value, int) {                \
    log_atomic(address, bits / 8, LADDER_CALLER);                                               \
    return after_atomic(address, __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST)); \
  }

using namespace ladder::emulator;

extern "C" {

void __tsan_init() {}
/// A constructor stores where the object's virtual functions are.
void __tsan_vptr_update(void** address, void*) {
  log_access(address, AccessType::kStore, sizeof *address, LADDER_CALLER);
}
void __tsan_vptr_read(void**) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

LADDER_ACCESS_HOOKS(1)
LADDER_ACCESS_HOOKS(2)
LADDER_ACCESS_HOOKS(4)
LADDER_ACCESS_HOOKS(8)
LADDER_ACCESS_HOOKS(16)

void __tsan_read_range(void* address, std::size_t bytes) {
  log_range(address, bytes, AccessType::kLoad, LADDER_CALLER);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  log_range(address, bytes, AccessType::kStore, LADDER_CALLER);
}

LADDER_ATOMIC_HOOKS(8, std::uint8_t)
LADDER_ATOMIC_HOOKS(16, std::uint16_t)
LADDER_ATOMIC_HOOKS(32, std::uint32_t)
LADDER_ATOMIC_HOOKS(64, std::uint64_t)

/// See barrier_functions.hpp.
void __tsan_atomic_thread_fence(int order) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (access_cursor.is_active())
    access_cursor.tracer->fenced(order == __ATOMIC_SEQ_CST ? Scope::kDevice : Scope::kBlock);
}
/// See scoped_atomics.hpp.
void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (access_cursor.is_active()) access_cursor.tracer->narrows_next_atomic();
}

/// What g++ knows of an index that it checks: the layout is that of its own run-time library.
struct BoundsCheck {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
  struct Type {
    std::uint16_t kind;
    std::uint16_t info;
    char name[1];
  } const* array;
  const Type* index;
};

/// What g++ knows of a pointer that it checks. Likewise.
struct AlignmentCheck {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
  const BoundsCheck::Type* type;
  std::uint8_t log2_alignment;
  std::uint8_t use;
};

void __ubsan_handle_type_mismatch_v1(const AlignmentCheck* check, std::uintptr_t address) {
  report_misaligned_object(check->file, check->line, check->type->name, 1u << check->log2_alignment,
                           address);
}

void __ubsan_handle_out_of_bounds(const BoundsCheck* check, std::uintptr_t index) {
  // The lowest bit of info: signed. The rest: log2 of the number of bits, at most 64.
  const bool is_signed = (check->index->info & 1) != 0;
  const unsigned bits = 1u << (check->index->info >> 1);
  auto value = static_cast<std::int64_t>(index);
  if (is_signed && bits < 64) value = value << (64 - bits) >> (64 - bits);
  index_out_of_bounds(check->file, check->line, check->column, check->array->name, value);
}

}  // extern "C"
