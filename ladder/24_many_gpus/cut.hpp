// SPDX-License-Identifier: MIT
/// \file  ladder/24_many_gpus/cut.hpp
/// \brief How one product is cut among ranks, and what a rank has of it.
#pragma once

#include <cstddef>

#include "common/gemm.hpp"

namespace ladder::many_gpus {

/// The two tensor-parallel forms of C = A*B.
enum class Form {
  gather,   ///< A is cut along M and gathered, B and C are cut along N: column parallel
  scatter,  ///< A and B are cut along K, C is summed up and scattered along M: row parallel
};

/// \brief One rank's view of the cut. All ranks have as many rows, except that the last ones may
///        have fewer, or none: NCCL's collectives take the same amount from each rank.
struct Cut {
  Form form;
  Shape whole;
  int ranks;
  int rank;
  int multiple;  ///< of N or K, at which the rung below can cut

  constexpr int next(int q) const { return q + 1 == ranks ? 0 : q + 1; }

  /// Rows of M that each rank has, or would have if M were longer.
  constexpr int rows() const { return ceil_div(whole.M, ranks); }
  /// Rows that rank q has: of A (gather), or of C (scatter).
  constexpr int rows_of(int q) const {
    const int left = whole.M - q * rows();
    return left < 0 ? 0 : left < rows() ? left : rows();
  }
  /// Rows of all ranks, with those that the last ones lack.
  constexpr int padded_rows() const { return rows() * ranks; }

  /// The extent that is cut into slices: N (gather) or K (scatter).
  constexpr int sliced() const { return form == Form::gather ? whole.N : whole.K; }
  /// Where rank q's slice of N or K begins; that of rank `ranks` is the end.
  constexpr int slice_begin(int q) const {
    return static_cast<int>(static_cast<long long>(sliced() / multiple) * q / ranks) * multiple;
  }
  constexpr int slice() const { return slice_begin(rank + 1) - slice_begin(rank); }

  /// What this rank multiplies: all rows, and its slice of N or of K.
  constexpr Shape local() const {
    if (form == Form::gather) return {whole.M, slice(), whole.K};
    return {whole.M, whole.N, slice()};
  }
  /// This rank's part of C: (M, slice of N) when it gathers, (own rows, N) when it scatters.
  constexpr Shape result() const {
    if (form == Form::gather) return {whole.M, slice(), whole.K};
    return {rows_of(rank), whole.N, whole.K};
  }
};

}  // namespace ladder::many_gpus
