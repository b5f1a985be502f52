// SPDX-License-Identifier: MIT
#include "glassbox/runtime/access_hooks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "emulator/run/block/block_runner.hpp"
#include "glassbox/runtime/access_marks.hpp"
#include "glassbox/runtime/host_accesses.hpp"

namespace ladder::glassbox {
namespace {

/// CPU threads that run blocks run nothing else.
bool is_kernel() {
  return emulator::BlockRunner::of_this_cpu_thread() != nullptr;
}

/// \brief  While a kernel is recorded: the address of an array, or the one that stands for that of
///         a variable.
/// \return 0 if nobody wants to know
std::uintptr_t recorded_as(std::uintptr_t address) {
  const std::uintptr_t begin = recorded_begin.load(std::memory_order_relaxed);
  if (address - begin < kArraysEnd - begin) return address;
  const std::uintptr_t offset = address - variables_begin.load(std::memory_order_relaxed);
  const std::uintptr_t variables = variables_bytes.load(std::memory_order_relaxed);
  return offset < variables ? kVariablesBegin + offset : 0;
}

template <Touch kTouch>
[[gnu::noinline]] void note_of_host(std::uintptr_t address, std::size_t bytes, const void* caller) {
  if (!is_kernel()) host_touches({address, address + bytes}, kTouch, caller);
}

/// An access at a multiple of its size, so that it is on one page.
template <Touch kTouch, std::size_t kBytes>
inline void note(const volatile void* at, const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t recorded = recorded_as(address);
  if (recorded != 0 && is_kernel()) [[likely]] {
    mark_bytes<kTouch, kBytes>(recorded);
  } else if (host_may_meet(address)) {
    note_of_host<kTouch>(address, kBytes, caller);
  }
}

/// Any access.
template <Touch kTouch>
void note_range(const volatile void* at, std::size_t bytes, const void* caller) {
  auto address = reinterpret_cast<std::uintptr_t>(at);
  if (bytes == 0) return;
  if (recorded_as(address) == 0 || !is_kernel()) {
    if (host_may_meet(address)) note_of_host<kTouch>(address, bytes, caller);
    return;
  }
  while (bytes > 0) {
    const std::uintptr_t recorded = recorded_as(address);
    if (recorded == 0) return;  // after the last of them
    const std::size_t room = std::min(bytes, kMarkedPage - recorded % kMarkedPage);
    std::memset(reinterpret_cast<void*>(recorded + mark_distance(kTouch)), 1, room);
    mark_page<kTouch>(recorded);
    address += room;
    bytes -= room;
  }
}

/// The kernel orders what it did before with what another one does later.
void note_fence() {
  if (is_kernel()) kernel_has_fenced.store(true, std::memory_order_relaxed);
}

template <std::size_t kBytes>
inline void note_volatile_store(const volatile void* at, const void* caller) {
  note_range<Touch::kUpdate>(at, kBytes, caller);
  if (recorded_as(reinterpret_cast<std::uintptr_t>(at)) != 0) note_fence();
}

template <std::size_t kBytes>
inline void note_exchange(const volatile void* at, const void* caller) {
  note<Touch::kLook, kBytes>(at, caller);
  note<Touch::kUpdate, kBytes>(at, caller);
}

/// Adding zero is a way to look.
template <std::size_t kBytes>
inline void note_addition(const volatile void* at, std::size_t value, const void* caller) {
  if (value << (8 - kBytes) * 8 == 0) note<Touch::kLook, kBytes>(at, caller);
  note<Touch::kUpdate, kBytes>(at, caller);
}

}  // namespace

// For each function there are three. ladder_record_... is told what the function is called with: an
// address, what comes behind it, and where it was called. alone_... takes the function's place.
// ladder_then_... takes it, too, and goes on to the function itself, as if the program had called
// that: the tracer looks at where it was called, and an atomic returns what it has found.
#define LADDER_HOOK(name, body)                                                      \
  extern "C" [[gnu::visibility("hidden"), gnu::used]] void ladder_record_##name(     \
      [[maybe_unused]] const volatile void* at, [[maybe_unused]] std::size_t second, \
      [[maybe_unused]] const void* caller) {                                         \
    body;                                                                            \
  }                                                                                  \
  extern "C" [[gnu::visibility("hidden")]] void ladder_then_##name();                \
  asm(".pushsection .text\n"                                                         \
      ".hidden ladder_then_" #name                                                   \
      "\n"                                                                           \
      ".globl ladder_then_" #name                                                    \
      "\n"                                                                           \
      ".type ladder_then_" #name                                                     \
      ", @function\n"                                                                \
      "ladder_then_" #name                                                           \
      ":\n"                                                                          \
      "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n"        \
      "  movq 40(%rsp), %rdx\n"                                                      \
      "  call ladder_record_" #name                                                  \
      "\n"                                                                           \
      "  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n"             \
      "  jmp *" #name                                                                \
      "@GOTPCREL(%rip)\n"                                                            \
      ".size ladder_then_" #name ", . - ladder_then_" #name                          \
      "\n"                                                                           \
      ".popsection\n");
#define LADDER_ALONE(name, body)                                             \
  void alone_##name([[maybe_unused]] const volatile void* at,                \
                    [[maybe_unused]] std::size_t second) {                   \
    [[maybe_unused]] const void* const caller = __builtin_return_address(0); \
    body;                                                                    \
  }

#define LADDER_ACCESSES_OF(HOOK, bytes)                                                      \
  HOOK(__tsan_read##bytes, (note<Touch::kLoad, bytes>(at, caller)))                          \
  HOOK(__tsan_write##bytes, (note<Touch::kStore, bytes>(at, caller)))                        \
  HOOK(__tsan_unaligned_read##bytes, (note_range<Touch::kLoad>(at, bytes, caller)))          \
  HOOK(__tsan_unaligned_write##bytes, (note_range<Touch::kStore>(at, bytes, caller)))        \
  HOOK(__tsan_volatile_read##bytes, (note_range<Touch::kLook>(at, bytes, caller)))           \
  HOOK(__tsan_volatile_write##bytes, (note_volatile_store<bytes>(at, caller)))               \
  HOOK(__tsan_unaligned_volatile_read##bytes, (note_range<Touch::kLook>(at, bytes, caller))) \
  HOOK(__tsan_unaligned_volatile_write##bytes, (note_volatile_store<bytes>(at, caller)))
/// What the tracer alone needs.
#define LADDER_ACCESSES(HOOK)                                             \
  LADDER_ACCESSES_OF(HOOK, 1)                                             \
  LADDER_ACCESSES_OF(HOOK, 2)                                             \
  LADDER_ACCESSES_OF(HOOK, 4)                                             \
  LADDER_ACCESSES_OF(HOOK, 8)                                             \
  LADDER_ACCESSES_OF(HOOK, 16)                                            \
  HOOK(__tsan_read_range, (note_range<Touch::kLoad>(at, second, caller))) \
  HOOK(__tsan_write_range, (note_range<Touch::kStore>(at, second, caller)))

#define LADDER_ATOMICS_OF(HOOK, bits)                                                        \
  HOOK(__tsan_atomic##bits##_load, (note<Touch::kLook, bits / 8>(at, caller)))               \
  HOOK(__tsan_atomic##bits##_store, (note<Touch::kUpdate, bits / 8>(at, caller)))            \
  HOOK(__tsan_atomic##bits##_exchange, (note_exchange<bits / 8>(at, caller)))                \
  HOOK(__tsan_atomic##bits##_compare_exchange_strong, (note_exchange<bits / 8>(at, caller))) \
  HOOK(__tsan_atomic##bits##_compare_exchange_weak, (note_exchange<bits / 8>(at, caller)))   \
  HOOK(__tsan_atomic##bits##_compare_exchange_val, (note_exchange<bits / 8>(at, caller)))    \
  HOOK(__tsan_atomic##bits##_fetch_add, (note_addition<bits / 8>(at, second, caller)))       \
  HOOK(__tsan_atomic##bits##_fetch_sub, (note_addition<bits / 8>(at, second, caller)))       \
  HOOK(__tsan_atomic##bits##_fetch_and, (note<Touch::kUpdate, bits / 8>(at, caller)))        \
  HOOK(__tsan_atomic##bits##_fetch_or, (note_exchange<bits / 8>(at, caller)))                \
  HOOK(__tsan_atomic##bits##_fetch_xor, (note<Touch::kUpdate, bits / 8>(at, caller)))
/// What the program itself needs.
#define LADDER_ATOMICS(HOOK)  \
  LADDER_ATOMICS_OF(HOOK, 8)  \
  LADDER_ATOMICS_OF(HOOK, 16) \
  LADDER_ATOMICS_OF(HOOK, 32) \
  LADDER_ATOMICS_OF(HOOK, 64) \
  HOOK(__tsan_atomic_thread_fence, note_fence())

LADDER_ACCESSES(LADDER_HOOK)
LADDER_ATOMICS(LADDER_HOOK)

namespace {

LADDER_ACCESSES(LADDER_ALONE)

// libc's own accesses have no hooks.
void* copy_noted(void* to, const void* from, std::size_t bytes) {
  const void* const caller = __builtin_return_address(0);
  note_range<Touch::kLoad>(from, bytes, caller);
  note_range<Touch::kStore>(to, bytes, caller);
  return std::memmove(to, from, bytes);
}

void* fill_noted(void* to, int value, std::size_t bytes) {
  note_range<Touch::kStore>(to, bytes, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}

std::size_t write_noted(const void* from, std::size_t bytes, std::size_t count, std::FILE* file) {
  note_range<Touch::kLoad>(from, bytes * count, __builtin_return_address(0));
  return std::fwrite(from, bytes, count, file);
}

std::size_t read_noted(void* to, std::size_t bytes, std::size_t count, std::FILE* file) {
  note_range<Touch::kStore>(to, bytes * count, __builtin_return_address(0));
  return std::fread(to, bytes, count, file);
}

template <class Function>
RecordingHook of_library(std::string_view name, Function* hook) {
  return {name, reinterpret_cast<void*>(hook), reinterpret_cast<void*>(hook)};
}

#define LADDER_OF_TRACER(name, body)                           \
  RecordingHook{#name, reinterpret_cast<void*>(&alone_##name), \
                reinterpret_cast<void*>(&ladder_then_##name)},
#define LADDER_OF_PROGRAM(name, body)                                \
  RecordingHook{#name, reinterpret_cast<void*>(&ladder_then_##name), \
                reinterpret_cast<void*>(&ladder_then_##name)},

}  // namespace

std::span<const RecordingHook> recording_hooks() {
  static const std::array all = {
      LADDER_ACCESSES(LADDER_OF_TRACER)    //
      LADDER_ATOMICS(LADDER_OF_PROGRAM)    //
      of_library("memcpy", &copy_noted),   //
      of_library("memmove", &copy_noted),  //
      of_library("memset", &fill_noted),   //
      of_library("fwrite", &write_noted),  //
      of_library("fread", &read_noted),
  };
  return all;
}

}  // namespace ladder::glassbox
