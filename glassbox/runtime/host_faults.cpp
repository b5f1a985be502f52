// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/host_faults.cpp
/// \brief What host code that touches the GPU's memory meets: the end of the program, as on a
///        machine with a GPU, but with the name of the array.
#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unwind.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/run/debug_info/source_lines.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/findings.hpp"

namespace ladder::glassbox {
namespace {

/// Is the instruction in the program's own code?
bool is_of_program(std::uintptr_t instruction) {
  Dl_info library;
  return dladdr(reinterpret_cast<const void*>(instruction), &library) != 0 &&
         std::string_view(library.dli_fname).ends_with("/libprogram.so");
}

/// The instruction, or the calls of the program that led to it in a library such as the C library,
/// innermost first.
std::vector<std::uintptr_t> calls_of_program(std::uintptr_t instruction) {
  std::vector<std::uintptr_t> calls;
  if (is_of_program(instruction)) calls.push_back(instruction);
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* found) {
        int before_instruction = 0;
        const std::uintptr_t next = _Unwind_GetIPInfo(frame, &before_instruction);
        const std::uintptr_t call = before_instruction != 0 ? next : next - 1;
        if (is_of_program(call)) static_cast<std::vector<std::uintptr_t>*>(found)->push_back(call);
        return _URC_NO_REASON;
      },
      &calls);
  if (calls.empty()) calls.push_back(instruction);
  return calls;
}

void tell_fault(int signal, siginfo_t* info, void* context) {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);  // the access happens again on return
  Allocations& all = Allocations::instance();
  const Allocation* const array = all.with(info->si_addr);
  const Allocation* const freed = all.freed_with(info->si_addr);
  if (array == nullptr && freed == nullptr) return;
  const auto instruction = static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  const emulator::SourceLine line = emulator::source_line_of(calls_of_program(instruction));
  const bool is_live = array != nullptr;
  emulator::Fields fields = {{"array", is_live ? array->name : freed->name}};
  if (!is_live) add_freed_at(fields, *freed);
  Findings::instance().add(
      CallFinding{.reason = is_live ? CallReason::kHostAccess : CallReason::kHostAccessFreed,
                  .place = {line.file, line.line},
                  .fields = fields});
}

/// In front of the emulator's own handlers, which pass on what no kernel did. And if the glass box
/// is killed, nobody would wait for this program, or stop it: it ends as well.
const bool installed = [] {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction action = {};
  action.sa_sigaction = tell_fault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGSEGV, &action, nullptr) == 0;
}();

}  // namespace
}  // namespace ladder::glassbox
