// SPDX-License-Identifier: MIT
/// \file  emulator/words/tile_functions.hpp
/// \brief What ldmatrix, stmatrix and mma of common/ptx do on the emulator. Inlined into kernels,
///        so that a trace sees what they read and write in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "emulator/words/tensor_functions.hpp"
#include "emulator/words/warp_functions.hpp"

namespace ladder::emulator {

/// A row of a tile with elements of 16 bits.
using TileRow = std::uint32_t __attribute__((vector_size(16), may_alias));

template <bool transposed, std::size_t tiles>
[[gnu::always_inline]] inline void load_tiles(unsigned (&words)[tiles], const void* row,
                                              std::source_location where) {
  TileWords all = {.tiles = tiles, .turned = transposed, .in_rows = true};
  if (lane_index() < 8 * tiles) {
    require_tile_row("ldmatrix-row", row, where);
    const TileRow read = *static_cast<const TileRow*>(row);
    for (unsigned i = 0; i < 4; ++i)
      all.words[i] = read[i];
  }
  turn_tiles("ldmatrix", all, where);
  for (unsigned i = 0; i < tiles; ++i)
    words[i] = all.words[i];
}

template <bool transposed>
[[gnu::always_inline]] inline void store_tiles(void* row, const unsigned (&words)[4],
                                               std::source_location where) {
  require_tile_row("stmatrix-row", row, where);
  TileWords all = {.tiles = 4, .turned = transposed, .as_rows = true};
  for (unsigned i = 0; i < 4; ++i)
    all.words[i] = words[i];
  turn_tiles("stmatrix", all, where);
  TileRow& written = *static_cast<TileRow*>(row);
  written = TileRow{all.words[0], all.words[1], all.words[2], all.words[3]};
}

/// The product of mma: its sums go in and come out.
[[gnu::always_inline]] inline void multiply(float (&sum)[4], TensorCall& call,
                                            std::source_location where) {
  for (unsigned i = 0; i < 4; ++i)
    call.c[i] = __builtin_bit_cast(std::uint32_t, sum[i]);
  multiply_in_warp("mma", call, where);
  for (unsigned i = 0; i < 4; ++i)
    sum[i] = __builtin_bit_cast(float, call.c[i]);
}

/// Of 16 x 16 elements of 16 bits.
[[gnu::always_inline]] inline void multiply_short(TensorFormat format, float (&sum)[4],
                                                  const unsigned (&a)[4], const unsigned (&b)[2],
                                                  std::source_location where) {
  TensorCall call = {.format = format,
                     .at_once = 16,
                     .half_sums = false,
                     .shape_a = {16, 16, 2, false},
                     .shape_b = {8, 16, 2, false},
                     .shape_c = {16, 8, 2, false}};
  for (unsigned i = 0; i < 8; ++i)
    call.a[i] = a[i / 2] >> i % 2 * 16 & 0xFFFFu;
  for (unsigned i = 0; i < 4; ++i)
    call.b[i] = b[i / 2] >> i % 2 * 16 & 0xFFFFu;
  multiply(sum, call, where);
}

[[gnu::always_inline]] inline void multiply_bf16(float (&sum)[4], const unsigned (&a)[4],
                                                 const unsigned (&b)[2],
                                                 std::source_location where) {
  multiply_short(TensorFormat::kBfloat16, sum, a, b, where);
}

[[gnu::always_inline]] inline void multiply_half(float (&sum)[4], const unsigned (&a)[4],
                                                 const unsigned (&b)[2],
                                                 std::source_location where) {
  multiply_short(TensorFormat::kHalf, sum, a, b, where);
}

[[gnu::always_inline]] inline void multiply_tf32(float (&sum)[4], const unsigned (&a)[4],
                                                 const unsigned (&b)[2],
                                                 std::source_location where) {
  TensorCall call = {.format = TensorFormat::kTf32,
                     .at_once = 8,
                     .half_sums = false,
                     .shape_a = {16, 8, 1, false},
                     .shape_b = {8, 8, 1, false},
                     .shape_c = {16, 8, 2, false}};
  for (unsigned i = 0; i < 4; ++i)
    call.a[i] = a[i];
  for (unsigned i = 0; i < 2; ++i)
    call.b[i] = b[i];
  multiply(sum, call, where);
}

}  // namespace ladder::emulator
