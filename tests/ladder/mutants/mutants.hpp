// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/mutants.hpp
/// \brief Rungs with one mistake each, made by add_mutant().
#pragma once

#include <span>
#include <string>

#include "common/gemm.hpp"

namespace ladder {

/// A rung with one mistake, or a copy without any.
struct Mutant {
  const char* name;           ///< "guard_missing_m", from add_mutant()
  const char* rung;           ///< "03_shared_tile", the rung it was made from
  const char* source;         ///< path of the text that was compiled
  std::string configuration;  ///< of a rung that chooses, the only one that is left; else empty
  void (*run)(const Gemm<float>&, Stream);
};

/// All mutants, in the order of the calls of add_mutant().
std::span<const Mutant> mutants();

/// Those that were added with TRACED, compiled so that each memory access can be seen.
std::span<const Mutant> traced_mutants();

/// Rung 13 without a mistake, with one of its configurations alone, each: added with UNCHANGED,
/// traced.
std::span<const Mutant> configurations_alone();

}  // namespace ladder
