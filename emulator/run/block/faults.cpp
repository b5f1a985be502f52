// SPDX-License-Identifier: MIT
#include "emulator/run/block/faults.hpp"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "emulator/run/block/block_runner.hpp"

namespace ladder::emulator {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGTRAP, SIGBUS, SIGFPE, SIGILL, kHangSignal};

std::array<struct sigaction, kSignals.size()> previous_actions;
std::atomic<FaultFilter> fault_filter = nullptr;

/// Does what would have been done without this emulator.
void pass_on(int signal, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] != signal) continue;
    const struct sigaction& previous = previous_actions[i];
    if (previous.sa_flags & SA_SIGINFO) {
      previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler == SIG_DFL) {
      if (signal == kHangSignal) return;  // ignored by default
      sigaction(signal, &previous, nullptr);
      // A fault happens again on return; a signal that was sent must be sent again, and a trap.
      if (info->si_code <= 0 || signal == SIGTRAP) raise(signal);
    } else if (previous.sa_handler != SIG_IGN) {
      previous.sa_handler(signal);
    }
  }
}

void handle_signal(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const bool may_be_filtered = signal == SIGSEGV || signal == SIGTRAP;
  const FaultFilter filter = may_be_filtered ? fault_filter.load() : nullptr;
  if (filter != nullptr && filter(signal, *info, *static_cast<ucontext_t*>(context))) {
    errno = saved_errno;
    return;
  }
  BlockRunner* const runner = BlockRunner::of_this_cpu_thread();
  const bool taken =
      runner != nullptr && signal != SIGTRAP &&
      runner->failures().take_signal(signal, *info, *static_cast<ucontext_t*>(context));
  if (!taken) pass_on(signal, info, context);
  errno = saved_errno;
}

void require(bool success, const char* what) {
  if (!success) throw std::system_error(errno, std::generic_category(), what);
}

std::int64_t number_of(const void* address) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
}

Fault fault_of_address(int code, const void* address, bool in_guard) {
  if (in_guard) return {FaultKind::kStackOverflow};
  if (code == SI_KERNEL) return {FaultKind::kMisalignedVector};
  constexpr std::uintptr_t kPage = 4096;
  const bool near_null = reinterpret_cast<std::uintptr_t>(address) < kPage;
  return {near_null ? FaultKind::kNullPointer : FaultKind::kInvalidAddress,
          {{"address", number_of(address)}}};
}

}  // namespace

void install_fault_handlers() {
  static const bool installed = [] {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action = {};
      action.sa_sigaction = handle_signal;
      // The handler may leave for good, so nothing may stay blocked.
      action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
      sigemptyset(&action.sa_mask);
      require(sigaction(kSignals[i], &action, &previous_actions[i]) == 0, "sigaction");
    }
    return true;
  }();
  static_cast<void>(installed);
}

void set_fault_filter(FaultFilter filter) noexcept {
  fault_filter = filter;
}

void install_signal_stack() {
  constexpr std::size_t kBytes = std::size_t{64} * 1024;
  void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "mmap of a signal stack");
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kBytes;
  require(sigaltstack(&stack, nullptr) == 0, "sigaltstack");
}

Fault fault_of_signal(int signal, int code, const void* address, bool in_guard) {
  switch (signal) {
    case SIGFPE:
      return {FaultKind::kDivisionByZero};
    case SIGILL:
      return {FaultKind::kIllegalInstruction};
    case SIGBUS:
      if (code == BUS_ADRALN) {
        return {FaultKind::kMisalignedAddress, {{"address", number_of(address)}}};
      }
      [[fallthrough]];
    default:
      return fault_of_address(code, address, in_guard);
  }
}

}  // namespace ladder::emulator
