// SPDX-License-Identifier: MIT
/// \file  common/emulator/trace/request_shape.hpp
/// \brief How the hardware cuts one warp instruction up: sectors and lines of global memory,
///        wavefronts through the banks of shared memory. Checked against an H200 by
///        tests/fidelity.
#pragma once

#include <cstdint>

#include "common/emulator/trace/block_stream.hpp"

namespace ladder::emulator {

/// The addresses of one warp instruction.
struct WarpAddresses {
  const std::uint64_t* address;  ///< [32], by lane; those of inactive lanes are not read
  std::uint32_t lanes;           ///< active ones, a bit each; at least one
  unsigned bytes;                ///< per lane: 1, 2, 4, 8 or 16
};

/// What a request asks of the global memory path.
struct GlobalShape {
  LinePattern lines;     ///< relative to the line of the lowest address
  unsigned sectors = 0;  ///< that travel; those of atomics count once per turn
  unsigned distinct_sectors = 0;
  unsigned ideal_sectors = 0;  ///< if all lanes' bytes lay side by side
  unsigned tags = 0;           ///< lines looked up
};

GlobalShape global_shape(const WarpAddresses& request);

/// The lines of the bytes from `begin` to `end`, relative to the first.
LinePattern lines_of(std::uint64_t begin, std::uint64_t end);

/// Of an atomic: lanes that meet at one address take turns.
GlobalShape global_atomic_shape(const WarpAddresses& request);

/// What a request asks of shared memory.
struct SharedShape {
  unsigned wavefronts = 0;
  unsigned ideal_wavefronts = 0;  ///< if all lanes' bytes lay side by side
};

/// \brief Loads of 8 and 16 bytes are served half and quarter warp by quarter warp. Where all lanes
///        share their address with their neighbour, or with the neighbour's neighbour, twice as
///        many lanes are served at once.
SharedShape shared_load_shape(const WarpAddresses& request);
SharedShape shared_store_shape(const WarpAddresses& request);

/// Of an atomic: lanes that meet at a bank take turns, also at one address.
SharedShape shared_atomic_shape(const WarpAddresses& request);

/// What a cp.async asks of both memories.
struct CopyShape {
  GlobalShape source;  ///< its lines are left out
  SharedShape target;
};

/// \brief Of 4 bytes per lane: a lane is served one pass behind the last lane before it that shares
///        its source bank or its target bank. Of 16: a quarter warp writes at a time; what counts
///        are pairs of a source line and a target line (tags) or a target sector (sectors), and of
///        a source sector and a target sector (distinct_sectors).
/// \param source  the lanes that read; the others write zeros
CopyShape copy_shape(const WarpAddresses& source, const WarpAddresses& target);

}  // namespace ladder::emulator
