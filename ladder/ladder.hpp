// SPDX-License-Identifier: MIT
/// \file  ladder/ladder.hpp
/// \brief The rung table: program, tests, benchmarks, docs and grader read it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/gemm.hpp"
#include "common/precision.hpp"
#include "common/refusal.hpp"
#include "common/work_plan.hpp"
#include "common/wrong_pattern.hpp"

namespace ladder {

/// What nvcc compiles a rung for.
struct Architecture {
  int compute_capability;  ///< 90 is 9.0
  /// sm_90a, whose code runs on 9.0 and on nothing newer; else newer GPUs compile its PTX.
  bool alone = false;

  bool operator==(const Architecture&) const = default;
};

/// "90", "90a": as nvcc names it, behind "sm_"
std::string name_of(const Architecture& architecture);

/// CUDA C++ without instructions of a later GPU.
inline constexpr std::array kTuringAndNewer = {Architecture{75}, Architecture{80},
                                               Architecture{90}};
/// cp.async.
inline constexpr std::array kAmpereAndNewer = {Architecture{80}, Architecture{90}};
/// TMA and setmaxnreg, which plain sm_90 does not have: Hopper, and the Blackwells of data centers
/// (10.0 and 10.3) and desktops (12.0).
inline constexpr std::array kHopperAndBlackwell = {Architecture{90, true}, Architecture{100, true},
                                                   Architecture{103, true},
                                                   Architecture{120, true}};
/// wgmma, which Hopper alone has.
inline constexpr std::array kHopper = {Architecture{90, true}};

/// What the emulator counts of a kernel; of all that is no ratio by itself, for each multiply-add
/// of a warp. A rung changes one of them: `check` and the grader hold kernels against it.
enum class Counter {
  kNone,            ///< nothing that the emulator counts
  kSectorsPerLoad,  ///< of 32 bytes, of a warp's load from global memory
  kGlobalLoads,     ///< a box that TMA brings is one
  kWavefronts,      ///< of L1 and shared memory
  kSharedStores,    ///< by threads, not by asynchronous copies
  kHiddenLoads,     ///< share of a tile's shared loads made while the next tile is on its way
  kDramBytes        ///< read and written, on a card with a small L2
};

/// One rung of the ladder.
struct Rung {
  int number;                   ///< 5
  std::string_view name;        ///< "vector_access", also its namespace
  std::string_view idea;        ///< one line for lists
  int builds_on = -1;           ///< number of the rung whose lines it shares; -1: none
  Precision precision = kFp32;  ///< of the problem, the verification and the rivals
  std::span<const Architecture> architectures = kTuringAndNewer;  ///< compiled for these
  int multiple_of = 1;             ///< N and K must be multiples of this, M may be anything
  BlockTile tile = {};             ///< part of C per block
  Counter about = Counter::kNone;  ///< what it changes, if that can be counted
  Run run;                         ///< refuses shapes with ShapeRefused
  /// Which kernel and tile it takes for a shape, and why; null if it has no choice.
  std::string (*explain)(const Shape&) = nullptr;
  /// What each of its configurations would do for a shape; null if it has one kernel and one grid
  /// for all shapes.
  std::vector<WorkPlan> (*plans)(const Shape&) = nullptr;
  /// What the last run on a stream took, where that depends on the numbers: waits for it. Null if
  /// it does not.
  std::string (*took)(Stream) = nullptr;
  /// Rung 00 only: the same library in other precisions.
  std::vector<Rung> in_other_precisions = {};
};

/// \brief  All rungs in the order of their numbers, as built for this program's machine.
/// \throws std::logic_error  a rung's run() takes other matrices than its precision stores
std::span<const Rung> rungs();

/// The rungs that run on the emulator. They are in a shared library of their own, because their
/// kernels have the same names as nvcc's host functions.
std::span<const Rung> emulated_rungs();

/// The same rungs, compiled so that each memory access can be seen.
std::span<const Rung> traced_rungs();

/// Reverses 32 floats with a kernel of the same library: one request per warp to load from global
/// memory, to store to and to load from shared memory, and to store to global memory.
void traced_rungs_probe(const float* in, float* out);

/// \return the lowest that runs it, 75 for 7.5
int lowest_compute_capability(const Rung& rung);

/// \return whether it runs on those compute capabilities alone that it is compiled for
bool is_architecture_specific(const Rung& rung);

/// \return whether a machine of this compute capability (Machine::compute_capability()) runs what
///         it is compiled for
bool runs_on(const Rung& rung, int compute_capability);

/// "compute capability 8.0 or higher", "compute capability 9.0, 10.0, 10.3 or 12.0"
std::string needs(const Rung& rung);

/// What the rungs that need an architecture of their own are compiled for in this build, "90a
/// 120a"; all that the table has in a build without CUDA.
std::string own_code();

/// \brief  Why a GPU does not run a rung.
/// \param  compute_capability  of the GPU, or kEveryComputeCapability
/// \param  compiled  as own_code()
/// \return kComputeCapability, or kNotCompiled if this build has no code for it; nothing if it runs
std::optional<Refusal> why_not_on(const Rung& rung, int compute_capability, std::string_view gpu,
                                  const std::string& compiled = own_code());

/// "05 vector_access"
std::string label(const Rung& rung);

/// "05_vector_access"
std::string folder(const Rung& rung);

/// \return the precisions of these rungs, each once, in the order in which they come
std::vector<Precision> precisions_of(std::span<const Rung> rungs);

/// \brief  Rung 00 in a precision: what the rungs of that precision are compared with.
/// \param  ladder  has a rung 00
/// \throws std::invalid_argument  rung 00 does not have this precision
const Rung& rival_in(const Precision& precision, std::span<const Rung> ladder);

/// \brief  Complains about a rung whose run() takes other matrices than its precision stores.
/// \throws std::logic_error  names the rung and both
void require_run_of_its_precision(const Rung& rung);

/// \brief  Finds a rung by number ("5", "05"), name or folder name; rung 00 in another precision
///         than the table's by name.
/// \throws std::invalid_argument that lists the rungs
const Rung& find_rung(std::span<const Rung> rungs, std::string_view wanted);

}  // namespace ladder
