// SPDX-License-Identifier: MIT
/// \file  tests/fidelity/probes.hpp
/// \brief Kernels with one memory access each, to compare the emulator's counters with those of a
///        GPU. Free of CUDA's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/trace/trace.hpp"

namespace ladder::fidelity {

inline constexpr int kWarpLanes = 32;
inline constexpr int kIdle = -1;  ///< the place of a lane that takes no part

/// Where each lane of a warp reads or writes. Goes to the kernel by value: constant memory is in no
/// counter that the probes compare.
struct Pattern {
  int offset_bytes[kWarpLanes];  ///< from the start of the array; kIdle: none
  int warp_step_bytes;           ///< from a warp of the block to the next one
};

/// One access in the source, made by each warp of one block.
struct WarpAccess {
  unsigned bytes;  ///< per lane: 1, 2, 4, 8 or 16
  int warps = 1;
  Pattern pattern = {};
};

/// Memory of the machine that runs the probe.
struct Arrays {
  unsigned char* data;  ///< kDataBytes bytes, all 0, aligned to 256
  unsigned* sink;       ///< one number; no probe writes it, but no compiler can know
};

/// For 32 rows of 16 KiB: a warp that reads a column of a large matrix.
inline constexpr std::size_t kDataBytes = 32 * 16 * 1024;

// -- probes.cu: each starts one kernel ----------------------------------------------------------
// A load's value is compared with a number that it never has; if it had, the sink would change.
/// \throws std::invalid_argument  no access has that many bytes
void load_global(const WarpAccess& access, const Arrays& arrays);
void store_global(const WarpAccess& access, const Arrays& arrays);
void load_shared(const WarpAccess& access, const Arrays& arrays);
void store_shared(const WarpAccess& access, const Arrays& arrays);

/// Reads a structure of five numbers of 4 bytes at each lane's place, one number after the other.
void load_five_numbers(const WarpAccess& access, const Arrays& arrays);
/// Reads a structure of two vectors of 16 bytes at each lane's place.
void load_two_vectors(const WarpAccess& access, const Arrays& arrays);
/// Lane i reads the numbers first + 4*i to first + 4*i + 3 of shared memory, each on its own.
/// \param first  0 or 1
void load_four_neighbours(int first, const Arrays& arrays);

/// Adds to a number of 4 bytes at each lane's place.
/// \param returns  the kernel looks at the old value
void add_global(const WarpAccess& access, bool returns, const Arrays& arrays);
void add_shared(const WarpAccess& access, bool returns, const Arrays& arrays);

/// \brief Copies 4 or 16 bytes per lane from where `access` says to where `target` says in shared
///        memory, without a register between.
/// \param inside  a bit per lane; the others bring zeros and read nothing
void copy_to_shared(const WarpAccess& access, const Pattern& target, unsigned inside,
                    const Arrays& arrays);

/// Brings a box of a matrix of floats, which begins at `data`, to shared memory.
struct Box {
  int matrix_rows;
  int matrix_columns;
  int rows;
  int columns;
  int row;     ///< of its first element in the matrix
  int column;  ///< likewise
};
void copy_box(const Box& box, const Arrays& arrays);

/// How values move between the lanes of one warp.
enum class Shuffle { kXor, kUp, kDown, kIndexed, kReduction };

void shuffle(Shuffle kind, const Arrays& arrays);

// -- probes.cpp: the table ----------------------------------------------------------------------
/// What nvcc makes of neighbouring accesses of a thread.
enum class Merging {
  kNever,           ///< what the source says
  kAlike,           ///< fewer, wider ones; the emulator follows
  kBeyondEmulator,  ///< fewer ones than the emulator, and they read more than the source does
};

/// One kernel and what it accesses.
struct Probe {
  std::string name;                              ///< "shared_load_16B_pair_xor1"
  std::string shows;                             ///< what is special about it
  std::optional<emulator::Operation> operation;  ///< the only one it makes; none: it makes none
  std::uint64_t requests = 0;                    ///< as the source has them
  std::uint64_t bytes = 0;                       ///< asked for by all lanes, as the source has it
  Merging merging = Merging::kNever;
  std::function<void(const Arrays&)> run;
};

/// All probes, in the order in which they are recorded.
const std::vector<Probe>& probes();

}  // namespace ladder::fidelity
