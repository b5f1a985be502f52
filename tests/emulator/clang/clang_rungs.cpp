// SPDX-License-Identifier: MIT
#include "tests/emulator/clang/clang_rungs.hpp"

#ifndef __clang__
#error "g++ must not be compared with itself"
#endif

namespace ladder {

[[gnu::visibility("default")]] std::span<const Rung> clang_rungs() {
  return rungs();
}

}  // namespace ladder
