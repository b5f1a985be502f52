// SPDX-License-Identifier: MIT
/// \file  emulator/trace/request_shape.hpp
/// \brief How the hardware cuts one warp instruction up: sectors and lines of global memory,
///        wavefronts through the banks of shared memory. Checked against an H200 by
///        tests/fidelity.
#pragma once

#include <cstdint>

#include "emulator/trace/block_stream.hpp"

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
  unsigned wavefronts = 0;     ///< of loads and stores
  unsigned ideal_wavefronts = 0;
};

/// Of a load, a store, or the source of a copy; without wavefronts.
GlobalShape global_shape(const WarpAddresses& request);
/// \brief Of the source of a cp.async of 16 bytes, which L1 does not keep. Two lanes fill a sector
///        of shared memory; where theirs in global memory are two, L1 asks L2 for both, and for the
///        second one again on behalf of the next two lanes.
GlobalShape global_copy_shape(const WarpAddresses& request);
GlobalShape global_load_shape(const WarpAddresses& request);
GlobalShape global_store_shape(const WarpAddresses& request);

/// \brief Passes through the banks of L1 that a load takes. L1 looks up to four lines up at a time,
///        one in each of four groups that a line's number picks, and what it finds leaves bank by
///        bank, of 8 and 16 bytes for a half and a quarter of the warp at a time. Equal to what an
///        H200 counts on all probes; where the first line is not the first of its array, nearly.
unsigned global_load_wavefronts(const WarpAddresses& request);

/// \brief The same of a store: its passes by bank. An H200 counts a few more where a store touches
///        many lines in different banks (see tests/fidelity).
unsigned global_store_wavefronts(const WarpAddresses& request);

/// As few wavefronts as the request's bytes fill; not more than are `needed` anyway.
unsigned ideal_wavefronts(const WarpAddresses& request, unsigned needed);

/// The lines of the bytes from `begin` to `end`, relative to the first.
LinePattern lines_of(std::uint64_t begin, std::uint64_t end);

/// Of an atomic: lanes that meet at one address take turns.
GlobalShape global_atomic_shape(const WarpAddresses& request);

/// What a request asks of shared memory.
struct SharedShape {
  unsigned wavefronts = 0;
  unsigned ideal_wavefronts = 0;  ///< if all lanes' bytes lay side by side
};

/// \brief How many neighbouring lanes a load from shared memory serves at once: all, or of 8 and 16
///        bytes a half and a quarter of the warp. Where all lanes share their address with their
///        neighbour, or with the neighbour's neighbour, twice as many.
unsigned lanes_loading_at_once(const WarpAddresses& request);

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

/// The same for other languages, of warps whose lanes are all active: docs/report/wavefronts.py
extern "C" {
unsigned ladder_lanes_loading_at_once(const std::uint64_t* addresses, unsigned bytes);
unsigned ladder_shared_load_wavefronts(const std::uint64_t* addresses, unsigned bytes);
unsigned ladder_global_load_wavefronts(const std::uint64_t* addresses, unsigned bytes);
unsigned ladder_copy_wavefronts(const std::uint64_t* sources, const std::uint64_t* targets,
                                unsigned bytes);
}

}  // namespace ladder::emulator
