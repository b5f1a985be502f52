// SPDX-License-Identifier: MIT
/// \file  tests/emulator/tile_probes.hpp
/// \brief Host functions that launch one warp each, which loads, stores or multiplies tiles. Free
///        of CUDA's types.
#pragma once

namespace ladder::probes {

/// \param memory  (8192) elements that are copied to shared memory first
/// \param places  (32) of the lanes' rows in it, multiples of 8
/// \param out     (32, tiles) words
void load_tiles(int tiles, bool transposed, const unsigned short* memory, const int* places,
                unsigned* out);
/// \param in      (32, 4) words
/// \param memory  (8192) of shared memory, which was zero before
void store_tiles(bool transposed, const unsigned* in, const int* places, unsigned short* memory);

/// \param a     (32, 4) words, \p b (32, 2) words, \p sums (32, 4): also the result
void multiply_bf16(const unsigned* a, const unsigned* b, float* sums);
/// The same for floats, which are rounded to TF32.
void multiply_tf32(const float* a, const float* b, float* sums);

enum class TileMisuse { kOddRowLoaded, kOddRowStored, kRowOfGlobalMemory, kHalfAWarp };
void misuse_tiles(TileMisuse misuse);

}  // namespace ladder::probes
