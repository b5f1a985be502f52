// SPDX-License-Identifier: MIT
/// \file  emulator/words/thread_context.hpp
/// \brief threadIdx, blockIdx, blockDim, gridDim and warpSize.
///
/// Each index comes in one word from a function that the compiler knows to be constant within a
/// thread: it asks once, keeps the answer in a register, and no memory access is left to trace.
#pragma once

#include <cstdint>

#include "emulator/words/vector_types.hpp"

namespace ladder::emulator {

/// An index or extent in one word: x in bits 0-31, y in 32-47, z in 48-63. CUDA's limits fit.
using PackedIndex = std::uint64_t;

constexpr PackedIndex pack(unsigned x, unsigned y, unsigned z) {
  return x | PackedIndex{y} << 32 | PackedIndex{z} << 48;
}

constexpr uint3 unpack(PackedIndex index) {
  return {static_cast<unsigned>(index), static_cast<unsigned>(index >> 32) & 0xFFFFu,
          static_cast<unsigned>(index >> 48)};
}

[[gnu::const]] PackedIndex packed_thread_index() noexcept;  ///< threadIdx of the running thread
[[gnu::const]] PackedIndex packed_block_index() noexcept;   ///< blockIdx of the running block
[[gnu::const]] PackedIndex packed_block_extent() noexcept;  ///< blockDim
[[gnu::const]] PackedIndex packed_grid_extent() noexcept;   ///< gridDim

}  // namespace ladder::emulator

#define threadIdx (::ladder::emulator::unpack(::ladder::emulator::packed_thread_index()))
#define blockIdx (::ladder::emulator::unpack(::ladder::emulator::packed_block_index()))
#define blockDim (::dim3(::ladder::emulator::unpack(::ladder::emulator::packed_block_extent())))
#define gridDim (::dim3(::ladder::emulator::unpack(::ladder::emulator::packed_grid_extent())))

inline constexpr int warpSize = 32;
