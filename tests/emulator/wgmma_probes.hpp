// SPDX-License-Identifier: MIT
/// \file  tests/emulator/wgmma_probes.hpp
/// \brief Host functions that launch one warpgroup each, which multiplies 64 x 16 by 16 x 64 in
///        BF16 or FP16. Free of CUDA's types.
#pragma once

#include "common/ptx/swizzle.hpp"

namespace ladder::probes {

/// Factors as bytes of shared memory, 16384 each, and what descriptors say of them.
struct WgmmaFactors {
  const unsigned char* a;
  const unsigned char* b;
  ptx::Swizzle swizzle;
  bool a_along_rows, b_along_columns;
  unsigned leading_bytes, stride_bytes;
  int steps;                ///< products that are added up
  unsigned step_a, step_b;  ///< bytes from one to the next
  bool halves = false;      ///< elements are FP16, not BF16
};
/// \param out  (128, 32) sums of the threads
void multiply(const WgmmaFactors& factors, float* out);

/// out[0]: a sum before any wait; [1], [2]: of the first and second group after a wait that leaves
/// one group; [3]: of the second in the end. Factors: swizzled rows of 128 bytes, along K.
void watch_wgmma_groups(const unsigned char* a, const unsigned char* b, float* out);
/// out[0]: a sum of a product, of which a factor becomes zero before the wait.
void overwrite_factor_too_early(const unsigned char* a, const unsigned char* b, float* out);

enum class WgmmaMisuse {
  kNone,
  kNoFence,
  kNoSecondFence,
  kNoWait,
  kThreeWarps,
  kHalfAWarp,
  kDifferentFactors,
  kFactorOutside,
};
void misuse_wgmma(WgmmaMisuse misuse, unsigned threads);

}  // namespace ladder::probes
