// SPDX-License-Identifier: MIT
/// \file  glassbox/runtime/device_assert.cpp
/// \brief assert() in a kernel ends the kernel and not the program.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "emulator/run/block/block_runner.hpp"
#include "emulator/run/debug_info/source_lines.hpp"

/// The C library's, which assert() calls.
extern "C" [[noreturn]] void __assert_fail(const char* expression, const char* file, unsigned line,
                                           const char* function) noexcept {
  using namespace ladder::emulator;
  BlockRunner* const runner = BlockRunner::of_this_cpu_thread();
  if (runner == nullptr) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  runner->failures().fail_at({FaultKind::kAssertion, {{"expression", expression}}}, file, line);
}
