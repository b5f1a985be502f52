// SPDX-License-Identifier: MIT
/// \file  tests/common/ptx/ptx_probes.hpp
/// \brief Host functions that launch one small kernel each, of an instruction or two of common/ptx.
///        Arrays are in the machine's memory. Free of CUDA's types.
#pragma once

#include "common/bfloat16.hpp"
#include "common/ptx/swizzle.hpp"

namespace ladder::ptx_probes {

/// A matrix, and a box of it whose first element is (row, column); it may stick out.
template <class T>
struct BoxOf {
  T* matrix;
  int matrix_rows, matrix_columns;
  int rows, columns;
  ptx::Swizzle swizzle;
  int row, column;
};

/// Stores a box.
/// \param raw  the box's bytes as they are to lie in shared memory, at a multiple of 1024
/// \param way  0: plainly; 1, 2: with L2 hints
void store_box(const BoxOf<float>& box, const unsigned char* raw, int way);
void store_box(const BoxOf<bfloat16>& box, const unsigned char* raw, int way);

/// Copies a matrix (32 * tiles, 64) by a ring of `kBuffers` boxes: loads, then stores, each with an
/// L2 hint; a buffer is filled again once it has been read.
void copy_in_ring(const bfloat16* from, int tiles, bfloat16* to);

/// \brief Each block of a cluster sends its box, of 8 rows and 64 columns, to those of `mask`,
///        `rounds` times, one box further down in each, and waits until all have emptied the
///        buffer.
/// \param from  (8 * cluster * rounds, 64)
/// \param out   (cluster, rounds, 8 * cluster, 64): what each block has received; -1 elsewhere
void exchange_boxes(const float* from, unsigned cluster, unsigned mask, int rounds, float* out);

/// \param words   (32, 4) of each lane
/// \param places  (32) the element where the lane's row begins
/// \param memory  (2048) elements of 16 bits
void store_tiles(bool transposed, const unsigned* words, const int* places, unsigned short* memory);

/// \param out  (blocks, 32): what the thread of the next block of the cluster had
void rotate_with_split_barrier(unsigned blocks, unsigned cluster, int rounds, int* out);

/// Groups of 64 threads that each rotate their numbers, at a barrier of their own.
/// \param out  (64 * groups)
void rotate_in_groups(int groups, int rounds, int* out);

/// out[i] = 3 * i, by a kernel that starts while the one that writes i runs.
void write_and_triple(unsigned blocks, int* numbers, int* out);

}  // namespace ladder::ptx_probes
