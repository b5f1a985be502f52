// SPDX-License-Identifier: MIT
/// \file  common/error_bound.hpp
/// \brief How far a right result may lie from the exact one.
#pragma once

#include <cmath>

namespace ladder {

/// \brief  Bound on |c - exact| for an element of C = alpha*A*B + beta*C; inputs random, mean 0.
///
/// Sums of products with random signs err like a random walk: the rounding errors of K additions,
/// each as large as the partial sum it happens in, add up to about unit_roundoff * sqrt(K) * S with
/// S = sqrt(sum_k (a_k*b_k)^2). kSigmas of those are allowed. For K <= kSigmas the bound also
/// covers the worst case, K * unit_roundoff * sum_k |a_k*b_k|. Inputs rounded to TF32 (2^-11)
/// exceed it at every K that fits a GPU, which a bound on sum_k |a_k*b_k| would not notice.
/// \source Higham and Mary, "Sharper probabilistic backward error analysis for basic linear algebra
///         kernels with random data", SIAM J. Sci. Comput. 42 (2020)
struct ErrorBound {
  double per_scale;   ///< times S
  double per_result;  ///< times |alpha*(A*B)| + |beta*C|

  /// \param K      length of the sums
  /// \param alpha  factor of A*B
  /// \param input  unit roundoff of the products' inputs, 0 where they are used as given
  /// \param accumulation, output  unit roundoffs; FP32: 2^-24
  static ErrorBound of(int K, double alpha, double input = 0.0, double accumulation = 0x1p-24,
                       double output = 0x1p-24) {
    constexpr double kSigmas = 12.0;
    return {.per_scale = kSigmas * std::fabs(alpha) * (input + accumulation * std::sqrt(K)),
            .per_result = 2.0 * accumulation + 2.0 * output};
  }

  /// \param scale     S of this element
  /// \param alpha_ab  alpha * the exact (A*B) of this element
  /// \param beta_c    beta * C before the call, 0 when beta == 0
  constexpr double operator()(double scale, double alpha_ab, double beta_c) const {
    const double size = (alpha_ab < 0 ? -alpha_ab : alpha_ab) + (beta_c < 0 ? -beta_c : beta_c);
    // The last term lets results below the normal range of FP32 be flushed to zero.
    return per_scale * scale + per_result * size + 0x1p-126;
  }
};

}  // namespace ladder
