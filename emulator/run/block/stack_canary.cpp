// SPDX-License-Identifier: MIT
/// \file  emulator/run/block/stack_canary.cpp
/// \brief What a kernel's function calls instead of returning when the canary past its local
///        arrays has been overwritten (-fstack-protector-strong). Libraries of kernels are linked
///        with --wrap=__stack_chk_fail; all other code still ends the process.
#include "emulator/run/block/block_runner.hpp"

extern "C" {

[[noreturn]] void __stack_chk_fail();
[[noreturn]] void __wrap___stack_chk_fail();

void __wrap___stack_chk_fail() {
  using ladder::emulator::BlockRunner;
  BlockRunner* const runner = BlockRunner::of_this_cpu_thread();
  if (runner != nullptr && runner->threads().is_running()) {
    runner->failures().fail_local_array(
        reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1);
  }
  __stack_chk_fail();
}

}  // extern "C"
