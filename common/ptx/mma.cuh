// SPDX-License-Identifier: MIT
/// \file  common/ptx/mma.cuh
/// \brief Products of small matrices on the tensor cores, by one warp. Compute capability 8.0.
///
/// The matrices are in the registers of the warp. With r = lane / 4 and c = lane % 4, they have
/// these elements (row, column), PTX ISA 9.7.14.5.7 and 9.7.14.5.8:
///
///   A, 16 x 16, BF16   a[0]    (r, 2 c) and (r, 2 c + 1); a[1] 8 rows further down
///                      a[2]    8 columns to the right of a[0]; a[3] of a[1]
///   B, 16 x 8, BF16    b[0]    (2 c, r) and (2 c + 1, r); b[1] 8 rows further down
///   A, 16 x 8, TF32    a[0]    (r, c); a[1] 8 rows further down
///                      a[2]    4 columns to the right of a[0]; a[3] of a[1]
///   B, 8 x 8, TF32     b[0]    (c, r); b[1] 4 rows further down
///   sum, 16 x 8, FP32  sum[0]  (r, 2 c); sum[1] (r, 2 c + 1)
///                      sum[2]  8 rows below sum[0]; sum[3] below sum[1]
///
/// ldmatrix() loads such words: those of 16-bit elements, and those of A in TF32. All lanes of the
/// warp execute the same call.
#pragma once

#include "common/ptx/here.cuh"

#ifndef __CUDACC__
#include "emulator/words/tile_functions.hpp"
#endif

namespace ladder::ptx {

/// \brief  sum += A * B with 16 x 16 elements of A, in BF16: mma.m16n8k16, PTX ISA 9.7.14.5.14.
/// \param  a, b  words of two elements, the one with the lower column of A, or row of B, in the
///               lower half
__device__ __forceinline__ void mma_bf16(float (&sum)[4], const unsigned (&a)[4],
                                         const unsigned (&b)[2],
                                         [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  emulator::multiply_bf16(sum, a, b, here);
#endif
}

/// \brief  sum += A * B with 16 x 8 elements of A, in TF32: mma.m16n8k8, PTX ISA 9.7.14.5.14.
/// \param  a, b  floats, of which the last 13 bits are not looked at; see to_tf32()
__device__ __forceinline__ void mma_tf32(float (&sum)[4], const unsigned (&a)[4],
                                         const unsigned (&b)[2],
                                         [[maybe_unused]] Here here = Here::current()) {
#ifdef __CUDACC__
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  emulator::multiply_tf32(sum, a, b, here);
#endif
}

/// \brief  The nearest number of TF32, of two the even one; before compute capability 9.0, where no
///         instruction does that, the one away from zero: cvt.rn.tf32.f32 and cvt.rna.tf32.f32, PTX
///         ISA 9.7.9.22.
/// \return bits of a float whose last 13 are zero
__device__ __forceinline__ unsigned to_tf32(float x) {
#ifdef __CUDACC__
  unsigned bits;
#if __CUDA_ARCH__ >= 900
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#else
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
#endif
  return bits;
#else
  return emulator::round_to_even_tf32(x);
#endif
}

}  // namespace ladder::ptx
