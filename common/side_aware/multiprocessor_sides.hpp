// SPDX-License-Identifier: MIT
/// \file  common/side_aware/multiprocessor_sides.hpp
/// \brief Which side of the L2 each SM is on, as a kernel can look it up.
#pragma once

#include <optional>

namespace ladder::side_aware {

inline constexpr int kMostMultiprocessors = 256;

/// The side of each SM, a bit each.
struct SideBits {
  unsigned words[kMostMultiprocessors / 32] = {};

  constexpr void set(unsigned sm) { words[sm / 32] |= 1u << sm % 32; }
  constexpr int of(unsigned sm) const { return static_cast<int>(words[sm / 32] >> sm % 32 & 1); }
};

/// What was found on a GPU.
struct MultiprocessorSides {
  SideBits bits;
  int multiprocessors = 0;
  int on_side_1 = 0;          ///< SMs
  double penalty_cycles = 0;  ///< what an access to the other side costs more
  double explained = 0;       ///< share of the latencies' variance that two sides explain
  double held_out = 0;        ///< share of the SMs that other addresses put on the same side
};

/// \brief  Measures the sides of the current GPU's SMs by the latency of atomics, about a tenth of
///         a second, once; later calls return what the first one found.
/// \return nothing if the GPU has no two sides that both halves of the addresses agree about: it
///         has one L2, or it is shared with other programs
/// \throws GpuError  CUDA refuses something
#ifdef __CUDACC__
std::optional<MultiprocessorSides> multiprocessor_sides();
#else
// The emulator's blocks run on no SM, so none is near a side. Inside of each emulated library: the
// function for GPUs has the same name.
[[gnu::visibility("hidden")]] inline std::optional<MultiprocessorSides> multiprocessor_sides() {
  return std::nullopt;
}
#endif

}  // namespace ladder::side_aware
