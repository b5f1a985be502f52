// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/host_faults.cpp
/// \brief What host code that touches the GPU's memory meets: the end of the program, as on a
///        machine with a GPU, but with the name of the array.
#include <signal.h>
#include <sys/prctl.h>

#include "emulator/run/debug_info/source_lines.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/program_calls.hpp"

namespace ladder::glassbox {
namespace {

void tell_fault(int signal, siginfo_t* info, void*) {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);  // the access happens again on return
  Allocations& all = Allocations::instance();
  const Allocation* const array = all.with(info->si_addr);
  const Allocation* const freed = all.freed_with(info->si_addr);
  if (array == nullptr && freed == nullptr) return;
  const emulator::SourceLine line = emulator::source_line_of(calls_of_program());
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
