// SPDX-License-Identifier: MIT
/// \file  tests/emulator/clang/clang_rungs.hpp
/// \brief The table of the rungs that clang has compiled for tracing.
#pragma once

#include <span>

#include "ladder/ladder.hpp"

namespace ladder {

/// The rungs that have a kernel, as traced_rungs(), from another compiler.
std::span<const Rung> clang_rungs();

}  // namespace ladder
