// SPDX-License-Identifier: MIT
/// \file  common/workspace.hpp
/// \brief Global memory through which the blocks of a launch hand results to each other.
#pragma once

#include <cstddef>
#include <cstring>

#include "common/gemm.hpp"

#ifndef __CUDACC__
#include "emulator/run/workspace.hpp"
#endif

namespace ladder {

/// \brief  Memory for the launches on one stream. They run one after the other, and each finds what
///         the last one left. It is zero at first; each stream has its own.
///
/// Kernels whose blocks wait for each other count on words that the last kernel has left as zeros.
/// They have the first kWorkspaceWordBytes; others begin after them, or leave zeros there, too.
/// \param  bytes  if more than before, and more than 64 MiB, the memory is another, and zero
/// \return aligned to 256 bytes; valid until the program ends
/// \throws std::invalid_argument  more than there is (emulator)
/// \throws GpuError  out of memory, or the first call for a stream, or one that needs more, comes
///         while it is recorded as a graph (GPU)
void* workspace(Stream stream, std::size_t bytes);

inline constexpr std::size_t kWorkspaceWordBytes = std::size_t{64} << 10;

/// \brief  Copies what the launches on a stream have left in its workspace, after they have ended.
/// \param  offset  of the first byte
void read_workspace(Stream stream, std::size_t offset, void* to, std::size_t bytes);

#ifndef __CUDACC__
// Inside of each emulated library: the functions for GPUs have the same names.
[[gnu::visibility("hidden")]] inline void* workspace(Stream, std::size_t bytes) {
  return emulator::workspace(bytes);
}
[[gnu::visibility("hidden")]] inline void read_workspace(Stream, std::size_t offset, void* to,
                                                         std::size_t bytes) {
  std::memcpy(to, emulator::whole_workspace().subspan(offset, bytes).data(), bytes);
}
#endif

}  // namespace ladder
