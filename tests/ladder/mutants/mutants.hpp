// SPDX-License-Identifier: MIT
/// \file  tests/ladder/mutants/mutants.hpp
/// \brief Rungs with one mistake each, made by mutants.py.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"
#include "common/work_plan.hpp"

namespace ladder {

/// A rung with one mistake, or a copy without any.
struct Mutant {
  std::string name;           ///< "guard_missing_m"
  const char* rung;           ///< "03_shared_tile", the rung it was made from
  std::string configuration;  ///< of a rung that chooses, the only one that is left; else empty
  Run run;
  std::vector<WorkPlan> (*plans)(const Shape&) = nullptr;  ///< of rungs that have them

  friend std::ostream& operator<<(std::ostream& out, const Mutant& m) { return out << m.name; }
};

/// All mutants, in the order of mutants.py.
std::span<const Mutant> mutants();

/// Those of pipeline_mutants.py, compiled so that each memory access can be seen.
std::span<const Mutant> traced_mutants();

/// Those of subtle_mutants.py, compiled so that each memory access can be seen.
std::span<const Mutant> subtle_mutants();

/// Those of tensor_mutants.py, likewise.
std::span<const Mutant> tensor_mutants();

/// Those of split_mutants.py, not traced.
std::span<const Mutant> split_mutants();

/// Those of tests/classroom/graded_mutants.py, compiled in the same way.
std::span<const Mutant> graded_mutants();

/// Rungs 13 and 14 without a mistake, with one of its configurations alone, each; traced.
std::span<const Mutant> configurations_alone();

/// The mutant of a name, or null.
inline const Mutant* mutant_named(std::span<const Mutant> mutants, std::string_view name) {
  const auto found = std::ranges::find(mutants, name, &Mutant::name);
  return found == mutants.end() ? nullptr : &*found;
}

/// Line `number` of a file, which the emulator names relative to the repository if it lies there.
inline std::string line_of(const std::string& file, unsigned number) {
  std::ifstream text(std::filesystem::path(LADDER_SOURCE_DIR) / file);
  std::string line;
  for (unsigned i = 0; i < number; ++i) {
    if (!std::getline(text, line)) return "(no such line)";
  }
  return line;
}

inline bool has_text(const std::string& file, unsigned number, std::string_view part) {
  return line_of(file, number).find(part) != std::string::npos;
}

}  // namespace ladder
