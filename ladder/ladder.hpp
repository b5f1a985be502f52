// SPDX-License-Identifier: MIT
/// \file  ladder/ladder.hpp
/// \brief The rung table: program, tests, benchmarks, docs and grader read it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"
#include "common/work_plan.hpp"
#include "common/wrong_pattern.hpp"

namespace ladder {

/// One rung of the ladder.
struct Rung {
  int number;              ///< 5
  std::string_view name;   ///< "vector_access", also its namespace
  std::string_view idea;   ///< one line for lists
  int builds_on;           ///< number of the rung whose lines it shares; -1: none
  int compute_capability;  ///< lowest that runs it, 75 means 7.5; see runs_on()
  int multiple_of;         ///< N and K must be multiples of this, M may be anything
  BlockTile tile;          ///< part of C per block
  void (*run)(const Gemm<float>&, Stream);  ///< refuses shapes with ShapeRefused
  /// Which kernel and tile it takes for a shape, and why; null where it has no choice.
  std::string (*explain)(const Shape&) = nullptr;
  /// All ways in which it could work on a shape; null where it has one kernel and one grid for all.
  std::vector<WorkPlan> (*plans)(const Shape&) = nullptr;
};

/// All rungs in order of their numbers, as built for the machine that this is linked into.
std::span<const Rung> rungs();

/// The rungs that run on the emulator. They live in a shared library of their own, because there
/// every kernel has the same name as nvcc's host function for it.
std::span<const Rung> emulated_rungs();

/// The same rungs, compiled so that each memory access can be seen.
std::span<const Rung> traced_rungs();

/// Reverses 32 floats with a kernel of the same library: one request per warp to load from global
/// memory, to store to and to load from shared memory, and to store to global memory.
void traced_rungs_probe(const float* in, float* out);

/// \return whether newer GPUs than those of its compute capability lack its instructions: rungs for
///         9.0 are compiled for sm_90a, whose code runs on 9.0 alone
bool is_architecture_specific(const Rung& rung);

/// \return whether a machine of this compute capability (Machine::compute_capability()) runs it
bool runs_on(const Rung& rung, int compute_capability);

/// "compute capability 8.0", "compute capability 9.0 exactly"
std::string needs(const Rung& rung);

/// "05 vector_access"
std::string label(const Rung& rung);

/// "05_vector_access"
std::string folder(const Rung& rung);

/// \brief  Finds a rung by number ("5", "05"), name or folder name.
/// \throws std::invalid_argument that lists the rungs
const Rung& find_rung(std::span<const Rung> rungs, std::string_view wanted);

}  // namespace ladder
