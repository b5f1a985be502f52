// SPDX-License-Identifier: MIT
/// \file  ladder/program/traced_rungs.cpp
/// \brief What the library of traced rungs exports besides its probe, which is in traced_probe.cu.
#include "ladder/ladder.hpp"

namespace ladder {

[[gnu::visibility("default")]] std::span<const Rung> traced_rungs() {
  return rungs();
}

}  // namespace ladder
