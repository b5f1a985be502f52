// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/faults.hpp
/// \brief Signals that end a kernel: invalid accesses, divisions by zero, and the watch's own.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <string>

#include "emulator/run/kernel_error.hpp"

namespace ladder::emulator {

/// Stops a thread that runs for too long. Other users of this signal still get it.
inline constexpr int kHangSignal = SIGURG;

/// \brief  Installs the handlers, once per process. A signal that does not come from a kernel goes
///         to the handler that was there before, or does what it does by default.
/// \throws std::system_error  the system refuses
void install_fault_handlers();

/// Gives the calling CPU thread a stack for signal handlers, which a CUDA thread's stack is too
/// small for. It stays for the life of the thread.
/// \throws std::system_error  the system refuses
void install_signal_stack();

/// \brief  Gets each invalid access (SIGSEGV) and each instruction that was run by itself (SIGTRAP)
///         first, on the stack for signal handlers.
/// \param  context  of the thread, which goes on with it
/// \return true: the thread shall go on; an invalid access is tried again
using FaultFilter = bool (*)(int signal, const siginfo_t& info, ucontext_t& context) noexcept;

/// The filter of this process; null: there is none.
void set_fault_filter(FaultFilter filter) noexcept;

/// \brief What a signal says about the kernel.
/// \param  code       siginfo_t's si_code
/// \param  address    siginfo_t's si_addr
/// \param  in_guard   the address is in the page below the thread's stack
Fault fault_of_signal(int signal, int code, const void* address, bool in_guard);

}  // namespace ladder::emulator
