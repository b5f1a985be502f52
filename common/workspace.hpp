// SPDX-License-Identifier: MIT
/// \file  common/workspace.hpp
/// \brief Global memory through which the blocks of a launch hand results to each other.
#pragma once

#include <cstddef>

#include "common/gemm.hpp"

#ifndef __CUDACC__
#include "emulator/run/workspace.hpp"
#endif

namespace ladder {

/// \brief  Memory for the launches on one stream. They run one after the other, and each finds what
///         the last one left. It is zero at first; each stream has its own.
/// \param  bytes  at most kMaxWorkspaceBytes
/// \return aligned to 256 bytes; valid until the program ends
/// \throws std::invalid_argument  bytes is too large
/// \throws GpuError  out of memory, or the first call for a stream comes while it is recorded as
///         a graph (GPU)
void* workspace(Stream stream, std::size_t bytes);

inline constexpr std::size_t kMaxWorkspaceBytes = std::size_t{64} << 20;

#ifndef __CUDACC__
// Inside of each emulated library: the function for GPUs has the same name.
[[gnu::visibility("hidden")]] inline void* workspace(Stream, std::size_t bytes) {
  return emulator::workspace(bytes);
}
#endif

}  // namespace ladder
