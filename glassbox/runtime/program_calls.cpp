// SPDX-License-Identifier: MIT
#include "glassbox/runtime/program_calls.hpp"

#include <unwind.h>

#include "emulator/run/block/block_runner.hpp"
#include "glassbox/runtime/program_libraries.hpp"

namespace ladder::glassbox {
std::vector<std::uintptr_t> calls_of_program() {
  std::vector<std::uintptr_t> calls;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* found) {
        int before_instruction = 0;
        const std::uintptr_t next = _Unwind_GetIPInfo(frame, &before_instruction);
        const std::uintptr_t call = before_instruction != 0 ? next : next - 1;
        if (is_of_program(call)) static_cast<std::vector<std::uintptr_t>*>(found)->push_back(call);
        return _URC_NO_REASON;
      },
      &calls);
  return calls;
}

}  // namespace ladder::glassbox

/// Whether a kernel calls: sources ask it where __CUDA_ARCH__ decides. See two_sides.cpp.
extern "C" [[gnu::visibility("default")]] bool glassbox_in_kernel() {
  return ladder::emulator::BlockRunner::of_this_cpu_thread() != nullptr;
}
