// SPDX-License-Identifier: MIT
/// \file  ladder/23_split_precision/split.cuh
/// \brief FP32 numbers as sums of FP16 or BF16 numbers, scaled by rows of A and columns of B.
#pragma once

#include "common/device.cuh"

namespace ladder::split_precision {

/// What a run says about itself, at the beginning of its memory.
struct Outcome {
  unsigned beyond_half;      ///< an element does not fit two FP16 parts: BF16 has been used
  unsigned beyond_bfloat16;  ///< one does not fit three BF16 parts either, or is not finite
};

/// \brief Two to an exponent of a normal float, -126 to 127.
__device__ __forceinline__ float power_of_two(int exponent) {
  return __int_as_float((exponent + 127) << 23);
}

/// \brief  x times two to the exponent: three factors, because 2^200 is no float, nor is 2^-254, by
///         which a sum of 2^120 becomes a subnormal one. Exact if the result is a normal number.
///         Exponents beyond those that matter are cut.
__device__ __forceinline__ float times_power_of_two(float x, int exponent) {
  const int within = max(-376, min(379, exponent));
  const int third = within / 3;
  return x * power_of_two(within - 2 * third) * power_of_two(third) * power_of_two(third);
}

/// \brief The e of 2^e <= x < 2^(e+1).
/// \param bits  of a positive finite float, or 0, whose e is 0
__device__ __forceinline__ int exponent_of(unsigned bits) {
  if (bits == 0) return 0;
  return bits >> 23 != 0 ? static_cast<int>(bits >> 23) - 127 : -118 - __clz(bits);
}

/// \brief The magnitude's bits, which are ordered as magnitudes are; 0 of what is not finite.
__device__ __forceinline__ unsigned finite_magnitude(float x) {
  const unsigned bits = __float_as_uint(x) & 0x7FFFFFFF;
  return bits < 0x7F800000 ? bits : 0;
}

/// Two FP16 parts: 11 + 11 bits. The second is stored times 2^11, so that small elements keep
/// theirs: if the largest of a row is 2^14 or more, all down to 2^-30 of it keep 21.
struct HalfParts {
  using Element = __half;
  static constexpr int kParts = 2;
  static constexpr float kLowFactor = 0x1p-11f;  ///< of products with one second part
  static constexpr bool kForAnyRange = false;

  /// \return whether x is the sum of its parts, but for 2^-21 of it
  __device__ static bool split(float x, Element (&parts)[kParts]) {
    parts[0] = __float2half_rn(x);
    const float rest = x - __half2float(parts[0]);
    parts[1] = __float2half_rn(rest * 0x1p11f);
    return fabsf(rest - __half2float(parts[1]) * 0x1p-11f) <= 0x1p-21f * fabsf(x);
  }
  __device__ static unsigned& beyond(Outcome& outcome) { return outcome.beyond_half; }
};

/// Three BF16 parts: 8 + 8 + 8 bits, in the range of FP32.
struct Bfloat16Parts {
  using Element = __nv_bfloat16;
  static constexpr int kParts = 3;
  static constexpr float kLowFactor = 1.0f;
  static constexpr bool kForAnyRange = true;

  /// An infinity or a NaN becomes the last part, which is multiplied with first parts only: second
  /// and third parts are often 0, and an infinity times 0 is NaN.
  /// \return whether x is the sum of its parts
  __device__ static bool split(float x, Element (&parts)[kParts]) {
    parts[0] = parts[1] = parts[2] = __float2bfloat16_rn(0.0f);
    if (finite_magnitude(x) == 0) {
      parts[2] = __float2bfloat16_rn(x);
      return x == 0.0f;
    }
    float rest = x;
    for (int part = 0; part < kParts; ++part) {
      parts[part] = __float2bfloat16_rn(rest);
      rest -= __bfloat162float(parts[part]);
    }
    return rest == 0.0f;
  }
  __device__ static unsigned& beyond(Outcome& outcome) { return outcome.beyond_bfloat16; }
};

/// Is it this kernel's turn? The three BF16 parts are for what two FP16 parts cannot hold.
template <class Parts>
__device__ __forceinline__ bool is_wanted(const Outcome& outcome) {
  return (outcome.beyond_half != 0) == Parts::kForAnyRange;
}

/// Nothing is beyond anything yet: one thread.
__global__ void start_outcome(Outcome* outcome) {
  *outcome = {};
}

/// \brief  Scales an element and writes its parts.
/// \param  stride   from one part of the matrix to the next
/// \return whether nothing is lost
template <class Parts>
__device__ __forceinline__ bool write_parts(float x, int exponent, typename Parts::Element* gParts,
                                            size_t stride) {
  typename Parts::Element parts[Parts::kParts];
  const float scaled = times_power_of_two(x, exponent);
  const bool kept = Parts::split(scaled, parts) && (scaled != 0.0f || x == 0.0f);
#pragma unroll
  for (int part = 0; part < Parts::kParts; ++part)
    gParts[part * stride] = parts[part];
  return kept;
}

/// \brief  Splits the rows of A; a block takes one.
/// \tparam kThreads  of a block, a multiple of 32
/// \param  A          (M, K) row-major
/// \param  target     exponent that the largest element of a row is scaled to
/// \param  parts      (kParts, M, padded_k); columns from K on become 0
/// \param  exponents  (M)  what rows were scaled by, as powers of two
template <class Parts, int kThreads>
__global__ void __launch_bounds__(kThreads)
    split_rows(int K, int padded_k, const float* __restrict__ A, int target,
               typename Parts::Element* __restrict__ parts, int* exponents, Outcome* outcome) {
  __shared__ unsigned sLargest[kThreads / 32];
  if (Parts::kForAnyRange && !is_wanted<Parts>(*outcome)) return;

  // -- Where this thread works ---------------------------------------------------------------
  const size_t row = blockIdx.x;
  const float* gA = A + row * K;
  typename Parts::Element* gParts = parts + row * padded_k;

  // -- Largest of the row --------------------------------------------------------------------
  unsigned largest = 0;
#pragma unroll 4
  for (int k = threadIdx.x; k < K; k += kThreads)
    largest = max(largest, finite_magnitude(gA[k]));
  sLargest[threadIdx.x / 32] = __reduce_max_sync(0xFFFFFFFF, largest);
  __syncthreads();
  for (int warp = 0; warp < kThreads / 32; ++warp)
    largest = max(largest, sLargest[warp]);
  const int exponent = target - exponent_of(largest);
  if (threadIdx.x == 0) exponents[row] = exponent;

  // -- Parts ---------------------------------------------------------------------------------
  bool kept = true;
#pragma unroll 4
  for (int k = threadIdx.x; k < padded_k; k += kThreads) {
    const size_t stride = static_cast<size_t>(gridDim.x) * padded_k;
    kept &= write_parts<Parts>(k < K ? gA[k] : 0.0f, exponent, gParts + k, stride);
  }
  if (!kept) Parts::beyond(*outcome) = 1;
}

/// \brief  Splits the columns of B; a block takes 32, and each of its warps every kWarps-th row.
/// \param  B          (K, N) row-major
/// \param  target     exponent that the largest element of a column is scaled to
/// \param  parts      (kParts, padded_k, padded_n); rows from K on and columns from N on become 0
/// \param  exponents  (N)  what columns were scaled by, as powers of two
template <class Parts, int kWarps>
__global__ void __launch_bounds__(kWarps * 32)
    split_columns(int N, int K, int padded_n, int padded_k, const float* __restrict__ B, int target,
                  typename Parts::Element* __restrict__ parts, int* exponents, Outcome* outcome) {
  __shared__ unsigned sLargest[kWarps][32];
  if (Parts::kForAnyRange && !is_wanted<Parts>(*outcome)) return;

  // -- Where this thread works ---------------------------------------------------------------
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int col = blockIdx.x * 32 + lane;
  const float* gB = B + col;
  typename Parts::Element* gParts = parts + col;

  // -- Largest of the column -----------------------------------------------------------------
  unsigned largest = 0;
  if (col < N) {
#pragma unroll 8
    for (int k = warp; k < K; k += kWarps)
      largest = max(largest, finite_magnitude(gB[static_cast<size_t>(k) * N]));
  }
  sLargest[warp][lane] = largest;
  __syncthreads();
  for (int other = 0; other < kWarps; ++other)
    largest = max(largest, sLargest[other][lane]);
  const int exponent = target - exponent_of(largest);
  if (warp == 0 && col < N) exponents[col] = exponent;

  // -- Parts ---------------------------------------------------------------------------------
  bool kept = true;
  if (col < padded_n) {
#pragma unroll 8
    for (int k = warp; k < padded_k; k += kWarps) {
      const float x = k < K && col < N ? gB[static_cast<size_t>(k) * N] : 0.0f;
      const size_t stride = static_cast<size_t>(padded_k) * padded_n;
      kept &= write_parts<Parts>(x, exponent, gParts + static_cast<size_t>(k) * padded_n, stride);
    }
  }
  if (!kept) Parts::beyond(*outcome) = 1;
}

}  // namespace ladder::split_precision
