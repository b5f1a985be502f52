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
#include "emulator/run/waits/last_poll.hpp"

namespace ladder::emulator {
namespace {

/// \param traced  progress was also looked for in what threads access
Fault endless_loop(bool traced) {
  Fault fault(FaultKind::kEndlessLoop, {{"seconds", hang_limit().count()}, {"traced", traced}});
  fault.polled = last_poll.address();
  return fault;
}

/// The locals that may have been overrun, and as the place the declaration of the first.
void name_overrun_locals(Fault& fault, std::uintptr_t instruction) {
  FieldValue::Words names;
  FieldValue::Numbers lines;
  const std::vector<LocalArray> arrays = local_arrays_of(instruction);
  for (const LocalArray& array : arrays) {
    names.push_back(array.name);
    lines.push_back(array.line.line);
  }
  if (!arrays.empty()) fault.place = {arrays.front().line.file, arrays.front().line.line};
  fault.fields = {{"locals", std::move(names)}, {"lines", std::move(lines)}};
}

bool is_launch(const std::string& file) {
  return file.ends_with("common/launch.cuh");
}

}  // namespace

void BlockFailures::start_block() {
  failure_.reset();
  interrupt_ = {};
  last_poll = {};
}

/// Leaves the block to the CPU thread, which forgets all of its threads.
void BlockFailures::give_up(Failure failure) {
  failure_ = std::move(failure);
  if (!threads_.is_running()) throw FailedAtRest();
  threads_.switch_to_main();
  __builtin_unreachable();
}

void BlockFailures::fail(Fault fault, unsigned thread, std::source_location where) {
  fault.place = {where.file_name(), where.line()};
  give_up({.fault = std::move(fault), .thread = thread});
}

void BlockFailures::fail(Fault fault, const Actor& actor) {
  fault.place = {actor.where.file_name(), actor.where.line()};
  give_up({.fault = std::move(fault), .thread = actor.thread, .block = actor.block});
}

void BlockFailures::fail_endless_loop() {
  fail_in_call(endless_loop(threads_.observer() != nullptr));
}

void BlockFailures::fail_in_call(Fault fault) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const unsigned thread = threads_.running().number;
  const LiveCalls live = live_calls();
  give_up({.fault = std::move(fault),
           .thread = thread,
           .calls = live.count > 0 ? live.all() : calls_in_kernel(0, here, thread)});
}

void BlockFailures::fail_at(Fault fault, const char* file, unsigned line) {
  fault.place = {file, line};
  give_up({.fault = std::move(fault), .thread = threads_.running().number});
}

void BlockFailures::fail_access(std::uintptr_t instruction) {
  give_up({.fault = {FaultKind::kNoArray},
           .thread = threads_.running().number,
           .calls = {instruction}});
}

void BlockFailures::fail_local_array(std::uintptr_t instruction) {
  give_up({.fault = {FaultKind::kLocalOverrun},
           .thread = threads_.running().number,
           .calls = {instruction}});
}

void BlockFailures::fail_below_stack(std::uintptr_t instruction) {
  give_up({.fault = {FaultKind::kBeforeLocals},
           .thread = threads_.running().number,
           .calls = {instruction}});
}

void BlockFailures::fail_exception(const std::string& exception, unsigned thread) {
  give_up({.fault = {FaultKind::kException, {{"exception", exception}}}, .thread = thread});
}

void BlockFailures::fail_hang(std::vector<ThreadGroup> waiters,
                              std::optional<OtherAccess> announcement) {
  Fault fault(FaultKind::kDeadlock, {}, std::move(announcement));
  fault.groups = std::move(waiters);
  give_up({.fault = std::move(fault), .thread = threads_.running().number});
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
  if (failure_) return error_of(std::move(*std::exchange(failure_, std::nullopt)));
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

KernelError BlockFailures::error_of(Fault fault, unsigned thread,
                                    std::optional<std::uint64_t> block) const {
  fault.place.file = without_repository(fault.place.file);
  fault.block = array_of(threads_.plan().block_index(block.value_or(threads_.block())));
  fault.thread = array_of(threads_.plan().thread_index(thread));
  return KernelError(std::move(fault));
}

KernelError BlockFailures::error_of(Failure failure) const {
  Fault& fault = failure.fault;
  if (fault.kind == FaultKind::kDeadlock) {
    take_place_of_first(fault);
    return KernelError(std::move(fault));
  }
  if (fault.place.file.empty()) {
    const SourceLine line = line_in_kernel(failure.calls);
    fault.place = {line.file, line.line};
  }
  if (fault.kind == FaultKind::kLocalOverrun) name_overrun_locals(fault, failure.calls.front());
  if (fault.kind == FaultKind::kMissingBarrier) add_return_line(threads_.plan().kernel, fault);
  return error_of(std::move(fault), failure.thread, failure.block);
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
  Fault fault =
      interrupt.signal == kHangSignal ? endless_loop(threads_.observer() != nullptr)
      : in_guard && !overflow         ? Fault{FaultKind::kBeforeLocals}
      : beyond                        ? Fault{FaultKind::kBehindLocals}
               : fault_of_signal(interrupt.signal, interrupt.code, interrupt.address, overflow);
  fault.place = {line.file, line.line};
  return error_of(std::move(fault), thread);
}

}  // namespace ladder::emulator
