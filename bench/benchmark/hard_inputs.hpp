// SPDX-License-Identifier: MIT
/// \file  bench/benchmark/hard_inputs.hpp
/// \brief Matrices that are hard to split into parts of lower precision, and how far rung 23 may be
///        from the exact product: always, not only for random numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/machine.hpp"
#include "ladder/ladder.hpp"

namespace ladder::bench {

/// A and B of one kind.
struct HardInput {
  std::string_view name;                   ///< "mixed_rows"
  std::string_view about;                  ///< "elements of a row differ by up to 2^24"
  bool fits_half;                          ///< two FP16 parts hold all elements
  float (*a)(int i, int k, float normal);  ///< an element, from a normal number
  float (*b)(int k, int j, float normal);
};

std::span<const HardInput> hard_inputs();

/// \brief What rung 23 may be off in an element of A*B, with alpha = 1 and beta = 0.
///
/// In units of u = 2^-24 times the sum of all |a*b|:
/// - Parts of FP16 lose 2^-21 of an element, 8 u; of two elements, 16 u. The product of both second
///   parts, 4 u, is left out. Three BF16 parts lose nothing, and 2 u of products are left out.
/// - A wgmma cuts 17 summands off at 2^-25 of the largest, and its result at 2^-23: 10.5 u. A chunk
///   of 512 of K takes 32 of them, 336 u. Small products add less than 13 u.
/// - A chunk is added to the totals in two roundings, u each; alpha and the result take some more.
///
/// BF16 parts have a least number. What lies below it is lost, in each of K products less than
/// 2^-178 of the largest of the row times the largest of the column.
/// \param magnitudes  sum over k of |a*b|
/// \param largest     of the row of A, times that of the column of B
double split_bound(int K, double magnitudes, double largest);

/// How far two FP32 products were from the exact one.
struct HardOutcome {
  std::string took;         ///< by the rung
  double error_over_bound;  ///< the largest; infinity where a result is not finite
  double error;             ///< the largest, in u * sum of |a*b|
  double error_of_library;  ///< the same of rung 00
};

/// \brief Runs both on a machine and judges every element in FP64.
/// \param rung  has took()
HardOutcome run_hard_input(Machine& machine, const Rung& rung, const Rung& library,
                           const HardInput& input, const Shape& shape);

}  // namespace ladder::bench
