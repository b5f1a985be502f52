// SPDX-License-Identifier: MIT
/// \file  ladder/program/emulated_rungs.cpp
/// \brief The only symbol that the library of emulated rungs exports.
#include "ladder/ladder.hpp"

namespace ladder {

[[gnu::visibility("default")]] std::span<const Rung> emulated_rungs() {
  return rungs();
}

}  // namespace ladder
