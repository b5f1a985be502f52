// SPDX-License-Identifier: MIT
/// \file  ladder/program/traced_rungs.cpp
/// \brief The only symbol that the library of traced rungs exports.
#include "ladder/ladder.hpp"

namespace ladder {

[[gnu::visibility("default")]] std::span<const Rung> traced_rungs() {
  return rungs();
}

}  // namespace ladder
