// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/tensor_operands.cuh
/// \brief Numbers for products on the tensor cores. A GPU whose power is limited multiplies zeros
///        faster than numbers whose bits change.
#pragma once

#include "common/device.cuh"

namespace ladder::bench::kernels {

/// Of two BF16 numbers in a word, sign and mantissa are drawn; the exponent says 0.5 to 1.
constexpr unsigned kRandomBf16Pair = 0x807F807F;
constexpr unsigned kSetBf16Pair = 0x3F003F00;

/// \brief  A word of operands of either sign.
/// \param  number       of the word
/// \param  random_bits  those that are drawn; set_bits: those that are 1
__device__ inline unsigned random_operand(unsigned number, unsigned random_bits,
                                          unsigned set_bits) {
  unsigned hash = number * 2654435761u;  // Knuth's multiplier, and the finish of MurmurHash3
  hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
  return ((hash ^ hash >> 16) & random_bits) | set_bits;
}

}  // namespace ladder::bench::kernels
