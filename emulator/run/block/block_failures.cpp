// SPDX-License-Identifier: MIT
#include "emulator/run/block/block_failures.hpp"

#include <unwind.h>

#include <array>
#include <utility>

#include "emulator/run/block/faults.hpp"
#include "emulator/run/debug_info/local_arrays.hpp"
#include "emulator/run/debug_info/source_lines.hpp"
#include "emulator/run/settings.hpp"
#include "emulator/run/waits/hang_report.hpp"

namespace ladder::emulator {
namespace {

/// \param traced  progress was also looked for in what threads access
std::string endless_loop_sentence(bool traced) {
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g", hang_limit().count());
  return std::string("endless loop: for ") + limit +
         " s no thread of the block has left the kernel" +
         (traced ? ", passed a barrier or accessed anything new" : " or passed a barrier") +
         " (a slow kernel needs a larger LADDER_HANG_SECONDS); it was stopped";
}

constexpr char kBelowStack[] =
    "out of bounds: an access before the start of a local array, and before all that the thread "
    "has "
    "on its stack,";

bool is_launch(const std::string& file) {
  return file.ends_with("common/launch.cuh");
}

}  // namespace

void BlockFailures::start_block() {
  failure_.reset();
  interrupt_ = {};
}

/// Leaves the block to the CPU thread, which forgets all of its threads.
void BlockFailures::give_up(Failure failure) {
  failure_ = std::move(failure);
  threads_.switch_to_main();
  __builtin_unreachable();
}

void BlockFailures::fail(KernelErrorKind kind, const std::string& sentence, unsigned thread,
                         std::source_location where) {
  give_up({kind, sentence, thread, where.file_name(), where.line()});
}

void BlockFailures::fail_endless_loop() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const unsigned thread = threads_.running().number;
  const LiveCalls live = live_calls();
  give_up({.kind = KernelErrorKind::kEndlessLoop,
           .sentence = endless_loop_sentence(threads_.observer() != nullptr),
           .thread = thread,
           .calls = live.count > 0 ? live.all() : calls_in_kernel(0, here, thread)});
}

void BlockFailures::fail_at(KernelErrorKind kind, const std::string& sentence, const char* file,
                            unsigned line) {
  give_up({.kind = kind,
           .sentence = sentence,
           .thread = threads_.running().number,
           .file = file,
           .line = line});
}

void BlockFailures::fail_access(const std::string& sentence, std::uintptr_t instruction) {
  give_up({.kind = KernelErrorKind::kInvalidAddress,
           .sentence = sentence,
           .thread = threads_.running().number,
           .calls = {instruction}});
}

void BlockFailures::fail_local_array(std::uintptr_t instruction) {
  give_up({.kind = KernelErrorKind::kLocalArray,
           .sentence = "",
           .thread = threads_.running().number,
           .calls = {instruction}});
}

void BlockFailures::fail_below_stack(std::uintptr_t instruction) {
  give_up({.kind = KernelErrorKind::kLocalArray,
           .sentence = kBelowStack,
           .thread = threads_.running().number,
           .calls = {instruction}});
}

void BlockFailures::fail_exception(const std::string& sentence, unsigned thread) {
  give_up({.kind = KernelErrorKind::kException, .sentence = sentence, .thread = thread});
}

void BlockFailures::fail_hang(std::vector<KernelWaiters> waiters) {
  give_up({.kind = KernelErrorKind::kDeadlock,
           .sentence = "",
           .thread = threads_.running().number,
           .waiters = std::move(waiters)});
}

bool BlockFailures::take_signal(int signal, const siginfo_t& info,
                                const ucontext_t& context) noexcept {
  if (!threads_.is_running()) return signal == kHangSignal;
  const auto instruction = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  if (signal == kHangSignal) {
    if (!watched_->asked_to_stop()) return true;
    if (!watched_->may_stop_anywhere() && !threads_.plan().code.contains(instruction)) return true;
  }
  interrupt_ = {signal,
                info.si_code,
                info.si_addr,
                instruction,
                static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]),
                threads_.running().number,
                {}};
  // A stack that a fault has hit cannot be trusted.
  if (signal == kHangSignal) interrupt_.calls = live_calls();
  threads_.switch_to_main();
  __builtin_unreachable();
}

/// The calls in the kernel's code that the CPU thread is in. Takes no lock and no memory.
BlockFailures::LiveCalls BlockFailures::live_calls() const noexcept {
  struct Walk {
    const CodeRanges& code;
    LiveCalls calls;
  } walk = {threads_.plan().code, {}};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* argument) {
        Walk& found = *static_cast<Walk*>(argument);
        int before_instruction = 0;
        const std::uintptr_t next = _Unwind_GetIPInfo(frame, &before_instruction);
        const std::uintptr_t call = before_instruction != 0 ? next : next - 1;
        if (found.code.contains(call)) found.calls.calls[found.calls.count++] = call;
        return found.calls.count == found.calls.calls.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &walk);
  return walk.calls;
}

/// The instruction, and the calls in the kernel's code that may have led to it: all words on the
/// thread's stack, from the innermost, that point into that code.
std::vector<std::uintptr_t> BlockFailures::calls_in_kernel(std::uintptr_t instruction,
                                                           std::uintptr_t stack,
                                                           unsigned thread) const {
  constexpr std::size_t kMaxCalls = 64;
  const CodeRanges& code = threads_.plan().code;
  std::vector<std::uintptr_t> calls;
  if (code.contains(instruction)) calls.push_back(instruction);
  const auto end =
      reinterpret_cast<std::uintptr_t>(threads_.stacks().end(threads_.stack_of(thread)));
  if (stack < end - FiberStacks::kStackBytes) stack = end;
  for (std::uintptr_t word = (stack + 7) & ~std::uintptr_t{7};
       word + sizeof(word) <= end && calls.size() < kMaxCalls; word += sizeof(word)) {
    const auto value = *reinterpret_cast<const std::uintptr_t*>(word);
    if (code.contains(value)) calls.push_back(value - 1);
  }
  if (calls.empty()) calls.push_back(instruction);
  return calls;
}

std::optional<KernelError> BlockFailures::take_error() {
  if (failure_) return error_of(*std::exchange(failure_, std::nullopt));
  if (interrupt_.signal != 0) return error_of(interrupt_);
  return std::nullopt;
}

/// Where the kernel begins.
SourceLine BlockFailures::line_of_kernel() const {
  return source_line_of(std::array{reinterpret_cast<std::uintptr_t>(threads_.plan().kernel)});
}

/// The innermost line of these calls that is the kernel's. A thread that was not yet, or no longer,
/// in the kernel is only in the code that launched it.
SourceLine BlockFailures::line_in_kernel(const std::vector<std::uintptr_t>& calls) const {
  SourceLine line = source_line_of(calls);
  return line.file.empty() || is_launch(line.file) ? line_of_kernel() : line;
}

KernelError BlockFailures::error_of(const Failure& failure) const {
  if (!failure.waiters.empty()) {
    return {failure.waiters, "", place_of(failure.waiters, threads_.plan())};
  }
  SourceLine line =
      failure.file.empty() ? line_in_kernel(failure.calls) : SourceLine{failure.file, failure.line};
  std::string sentence = failure.sentence;
  if (failure.kind == KernelErrorKind::kLocalArray && sentence.empty()) {
    const std::vector<LocalArray> arrays = local_arrays_of(failure.calls.front());
    sentence = overrun_sentence(arrays);
    if (!arrays.empty()) line = arrays.front().line;
  }
  if (failure.kind == KernelErrorKind::kMissingBarrier && sentence.ends_with(',')) {
    sentence.pop_back();
    sentence += return_note(threads_.plan().kernel, line.file, line.line) + ",";
  }
  return KernelError(failure.kind, sentence,
                     {.file = without_repository(line.file),
                      .line = line.line,
                      .block = array_of(unpack(threads_.block_index())),
                      .thread = array_of(threads_.plan().thread_index(failure.thread))});
}

KernelError BlockFailures::error_of(const Interrupt& interrupt) const {
  const unsigned thread = interrupt.thread;
  const SourceLine line = line_in_kernel(
      interrupt.calls.count > 0 ? interrupt.calls.all()
                                : calls_in_kernel(interrupt.instruction, interrupt.stack, thread));
  const bool in_guard = threads_.stacks().in_guard(threads_.stack_of(thread), interrupt.address);
  // A stack that is too small ends where it grows; an index that is wrong leaves it elsewhere.
  constexpr std::uintptr_t kNearest = 8192;
  const bool overflow =
      in_guard && interrupt.stack < reinterpret_cast<std::uintptr_t>(interrupt.address) + kNearest;
  const bool beyond = threads_.stacks().is_beyond(threads_.stack_of(thread), interrupt.address);
  const Diagnosis diagnosis =
      interrupt.signal == kHangSignal
          ? Diagnosis{KernelErrorKind::kEndlessLoop,
                      endless_loop_sentence(threads_.observer() != nullptr)}
      : in_guard && !overflow ? Diagnosis{KernelErrorKind::kLocalArray, kBelowStack}
      : beyond
          ? Diagnosis{KernelErrorKind::kLocalArray,
                      "out of bounds: an access past the end of a local array, and past all that "
                      "the thread has on its stack,"}
          : diagnose_fault(interrupt.signal, interrupt.code, interrupt.address, overflow);
  return KernelError(diagnosis.kind, diagnosis.sentence,
                     {.file = without_repository(line.file),
                      .line = line.line,
                      .block = array_of(unpack(threads_.block_index())),
                      .thread = array_of(threads_.plan().thread_index(thread))});
}

}  // namespace ladder::emulator
