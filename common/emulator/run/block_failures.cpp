// SPDX-License-Identifier: MIT
/// \file  common/emulator/run/block_failures.cpp
/// \brief BlockRunner's ends: how a thread stops for good and what is said about it.
#include <ucontext.h>

#include <utility>

#include "common/emulator/run/block_runner.hpp"
#include "common/emulator/run/faults.hpp"
#include "common/emulator/run/settings.hpp"
#include "common/emulator/run/source_lines.hpp"

namespace ladder::emulator {
namespace {

std::string endless_loop_sentence() {
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g", hang_limit().count());
  return std::string("endless loop: for ") + limit +
         " s no thread of the block has left the kernel or passed a barrier; it was stopped";
}

}  // namespace

std::string BlockRunner::name_of(unsigned lane) const {
  return "thread " + to_text(array_of(plan_->thread_index(lane)));
}

/// Leaves the block to the CPU thread, which forgets all of its threads.
void BlockRunner::give_up(Failure failure) {
  failure_ = std::move(failure);
  switch_to(main_);
  __builtin_unreachable();
}

void BlockRunner::fail_at(KernelErrorKind kind, const std::string& sentence, unsigned lane,
                          std::source_location where) {
  give_up({kind, sentence, lane, where.file_name(), where.line()});
}

/// The thread was asked to stop, and is in a function that a kernel called.
void BlockRunner::fail_endless_loop() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  give_up({.kind = KernelErrorKind::kEndlessLoop,
           .sentence = endless_loop_sentence(),
           .lane = running_->number,
           .file = "",
           .calls = calls_in_kernel(0, here, running_->number)});
}

void BlockRunner::fail_access(const std::string& sentence, std::uintptr_t instruction) {
  give_up({.kind = KernelErrorKind::kInvalidAddress,
           .sentence = sentence,
           .lane = running_->number,
           .file = "",
           .calls = {instruction}});
}

void BlockRunner::fail_missing_barrier(unsigned gone) {
  const Lane& waiting = lanes_[first_arrived_];
  fail_at(KernelErrorKind::kMissingBarrier,
          "missing barrier: " + name_of(gone) + " has left the kernel while " +
              name_of(waiting.number) + " waits at a barrier that all threads must reach,",
          waiting.number, waiting.where);
}

void BlockRunner::refuse_width(const char* function, int width, std::source_location where) {
  fail_at(KernelErrorKind::kWarpArguments,
          std::string(function) + " is called with width " + std::to_string(width) +
              "; it must be 1, 2, 4, 8, 16 or 32,",
          running_->number, where);
}

void BlockRunner::fail_missing_at_cluster(unsigned gone) {
  const Lane& waiting = lanes_[cluster_first_];
  fail_at(KernelErrorKind::kMissingBarrier,
          "missing barrier: " + name_of(gone) + " has left the kernel while " +
              name_of(waiting.number) +
              " waits at cluster_sync(), which all threads of the cluster must reach,",
          waiting.number, waiting.where);
}

KernelError BlockRunner::error_of(const Failure& failure) const {
  if (!failure.waiters.empty()) return {failure.waiters, "", place_of(failure.waiters)};
  const SourceLine line =
      failure.file.empty() ? source_line_of(failure.calls) : SourceLine{failure.file, failure.line};
  return KernelError(failure.kind, failure.sentence,
                     {.file = without_repository(line.file),
                      .line = line.line,
                      .block = array_of(unpack(block_index_)),
                      .thread = array_of(plan_->thread_index(failure.lane))});
}

bool BlockRunner::take_signal(int signal, const siginfo_t& info,
                              const ucontext_t& context) noexcept {
  if (running_ == &main_) return signal == kHangSignal;
  const auto instruction = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  if (signal == kHangSignal) {
    if (!asked_to_stop()) return true;
    if (!watched_->may_stop_anywhere() && !plan_->code.contains(instruction)) {
      return true;
    }
  }
  interrupt_ = {signal, info.si_code, info.si_addr, instruction,
                static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP])};
  interrupted_lane_ = running_->number;
  switch_to(main_);
  __builtin_unreachable();
}

/// The instruction, and the calls in the kernel's code that may have led to it: all words on the
/// thread's stack, from the innermost, that point into that code.
std::vector<std::uintptr_t> BlockRunner::calls_in_kernel(std::uintptr_t instruction,
                                                         std::uintptr_t stack,
                                                         unsigned lane) const {
  constexpr std::size_t kMaxCalls = 64;
  std::vector<std::uintptr_t> calls;
  if (plan_->code.contains(instruction)) calls.push_back(instruction);
  const auto end = reinterpret_cast<std::uintptr_t>(stacks_.end(lane));
  if (stack < end - FiberStacks::kStackBytes) stack = end;
  for (std::uintptr_t word = (stack + 7) & ~std::uintptr_t{7};
       word + sizeof(word) <= end && calls.size() < kMaxCalls; word += sizeof(word)) {
    const auto value = *reinterpret_cast<const std::uintptr_t*>(word);
    if (plan_->code.contains(value)) calls.push_back(value - 1);
  }
  if (calls.empty()) calls.push_back(instruction);
  return calls;
}

KernelError BlockRunner::error_of_interrupt() const {
  const SourceLine line =
      source_line_of(calls_in_kernel(interrupt_.instruction, interrupt_.stack, interrupted_lane_));
  const bool overflow = stacks_.in_guard(interrupted_lane_, interrupt_.address);
  const Diagnosis diagnosis =
      interrupt_.signal == kHangSignal
          ? Diagnosis{KernelErrorKind::kEndlessLoop, endless_loop_sentence()}
          : diagnose_fault(interrupt_.signal, interrupt_.code, interrupt_.address, overflow);
  return KernelError(diagnosis.kind, diagnosis.sentence,
                     {.file = without_repository(line.file),
                      .line = line.line,
                      .block = array_of(unpack(block_index_)),
                      .thread = array_of(plan_->thread_index(interrupted_lane_))});
}

}  // namespace ladder::emulator
