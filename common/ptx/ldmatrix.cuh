// SPDX-License-Identifier: MIT
/// \file  common/ptx/ldmatrix.cuh
/// \brief Tiles of 8 x 8 elements of 16 bits between shared memory and the registers of a warp,
///        where mma.cuh wants them. Compute capability 7.5; stmatrix() 9.0.
///
/// In memory, a tile is 8 rows of 16 bytes, which may lie anywhere: lane 8 i + r names row r of
/// tile i. In registers, word i of lane 4 r + c is elements 2 c and 2 c + 1 of row r of tile i. A
/// word may also be one element of 4 bytes: then a tile is 8 x 4 of them, as mma_tf32() wants A,
/// and it cannot be transposed. All lanes of the warp execute the same call.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/tile_functions.hpp"
#endif

namespace ladder::ptx {

/// \brief  Loads 1, 2 or 4 tiles: ldmatrix, PTX ISA 9.7.14.5.15.
/// \tparam transposed  rows in memory are columns in registers
/// \param  words  (tiles)
/// \param  row    in shared memory, 16-byte aligned; only those of lanes below 8 * tiles count
template <bool transposed, int tiles>
__device__ __forceinline__ void ldmatrix(unsigned (&words)[tiles], const void* row,
                                         [[maybe_unused]] Here here = Here::current()) {
  static_assert(tiles == 1 || tiles == 2 || tiles == 4, "what PTX allows");
#ifdef __CUDACC__
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (tiles == 4 && transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(from)
                 : "memory");
  } else if constexpr (tiles == 4) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(from)
                 : "memory");
  } else if constexpr (tiles == 2 && transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1])
                 : "r"(from)
                 : "memory");
  } else if constexpr (tiles == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1])
                 : "r"(from)
                 : "memory");
  } else if constexpr (transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(words[0])
                 : "r"(from)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(words[0])
                 : "r"(from)
                 : "memory");
  }
#else
  emulator::load_tiles<transposed>(words, row, here);
#endif
}

/// \brief  Stores 4 tiles: stmatrix, PTX ISA 9.7.14.5.16.
/// \tparam transposed  rows in registers are columns in memory
/// \param  row  in shared memory, 16-byte aligned
template <bool transposed>
__device__ __forceinline__ void stmatrix(void* row, const unsigned (&words)[4],
                                         [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (transposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
  }
#else
  emulator::store_tiles<transposed>(row, words, here);
#endif
}

}  // namespace ladder::ptx
