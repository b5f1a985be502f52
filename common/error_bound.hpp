// SPDX-License-Identifier: MIT
/// \file  common/error_bound.hpp
/// \brief How far a correct result may be from the exact one.
#pragma once

#include <cmath>

#include "common/precision.hpp"

namespace ladder {

/// \brief  Bound on |c - exact| for an element of C = alpha*A*B + beta*C; inputs random, mean 0.
///
/// Sums of products with random signs err like a random walk: the rounding errors of K additions,
/// each as large as the partial sum it happens in, add up to about unit_roundoff * sqrt(K) * S with
/// S = sqrt(sum_k (a_k*b_k)^2). We allow kSigmas of those. For K <= kSigmas the bound also
/// covers the worst case, K * unit_roundoff * sum_k |a_k*b_k|. Inputs rounded to TF32 (2^-11)
/// exceed it in some element as long as kSigmas * 2^-24 * sqrt(K) stays well below 2^-11, for K up
/// to some 10^5; at K = 2^20 they pass. Inputs of integers, whose results must be exact, tell them
/// apart whatever K is: see exact().
///
/// If inputs are rounded before they are multiplied, their errors have random signs too and add up
/// to at most 0.82 * unit_roundoff * S, whatever K is. We allow 6 * unit_roundoff * S. Inputs that
/// are truncated instead make the whole result smaller, by 1.4 * unit_roundoff of it, and some
/// elements of a 128 x 128 matrix too small to pass.
///
/// Tensor cores do not round their sums, they cut them off (emulator/run/block/tensor_core.hpp), so
/// these errors have no random signs: the whole sum shrinks. With normal inputs it loses K / 29
/// times unit_roundoff of itself in TF32, where an instruction adds 8 products, and K / 60 times in
/// BF16, where it adds 16; we allow K / 16. An element is at most some 6 * S, so up to K = 4096 the
/// kSigmas would do for BF16; at 65536 they would not.
///
/// A result that is stored in fewer bits than it was summed in is rounded once more, and may be off
/// by half a step. A second rounding, or truncation, may cost a whole step, and that is too much.
/// \source Higham and Mary, "Sharper probabilistic backward error analysis for basic linear algebra
///         kernels with random data", SIAM J. Sci. Comput. 42 (2020)
struct ErrorBound {
  double per_scale;   ///< times S
  double per_size;    ///< times |alpha*(A*B)| + |beta*C|
  double per_result;  ///< times |alpha*(A*B) + beta*C|

  /// \param K      length of the sums
  /// \param alpha  factor of A*B
  static ErrorBound of(int K, double alpha, const Precision& precision) {
    constexpr double kSigmas = 12.0;
    const auto& [name, stored, multiplied, accumulated] = precision;
    const double sum = unit_roundoff(accumulated);
    const double input = multiplied == stored ? 0.0 : unit_roundoff(multiplied);
    const double cut_off = multiplied == Format::fp32 ? 0.0 : K / 16.0;
    return {.per_scale = kSigmas * std::fabs(alpha) * (input / 2 + sum * std::sqrt(K)),
            .per_size = (4.0 + cut_off) * sum,
            .per_result = stored == accumulated ? 0.0 : unit_roundoff(stored)};
  }

  /// \brief For integers whose sums no order of additions rounds: nothing may be lost but what the
  ///        format of the result cannot hold.
  static constexpr ErrorBound exact(const Precision& precision) {
    return {.per_scale = 0.0,
            .per_size = 0.0,
            .per_result =
                precision.stored == precision.accumulated ? 0.0 : unit_roundoff(precision.stored)};
  }

  /// \param scale     S of this element
  /// \param alpha_ab  alpha * the exact (A*B) of this element
  /// \param beta_c    beta * C before the call, 0 when beta == 0
  constexpr double operator()(double scale, double alpha_ab, double beta_c) const {
    const auto magnitude = [](double x) { return x < 0 ? -x : x; };
    // The last term lets results below the normal range of FP32 be flushed to zero.
    return per_scale * scale + per_size * (magnitude(alpha_ab) + magnitude(beta_c)) +
           per_result * magnitude(alpha_ab + beta_c) + 0x1p-126;
  }
};

}  // namespace ladder
