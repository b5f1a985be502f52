// SPDX-License-Identifier: MIT
/// \file  common/side_aware/two_sides.hpp
/// \brief Splits SMs and addresses into the two sides of an L2 by the latencies between them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/side_aware/latency_matrix.hpp"

namespace ladder::side_aware {

/// Which side each SM and each address is on. The labels are arbitrary: the first SM is on side 0.
struct Sides {
  std::vector<int> of_row;     ///< 0 or 1, one for each SM
  std::vector<int> of_column;  ///< 0 or 1, one for each address
  double penalty_cycles = 0;   ///< what an access to the other side costs more
  double explained = 0;        ///< share of the variance, after the means of rows and columns
};

/// \brief  Sides from latency(sm, address): the leading singular vectors of the matrix without its
///         row and column means.
/// \return nothing if the two sides explain less than half of the variance
/// \throws std::invalid_argument  fewer than 4 rows or columns
std::optional<Sides> find_sides(const Matrix& latency);

/// side(address) = parity(address & mask) ^ constant.
struct ParityMask {
  std::uint64_t mask = 0;
  int constant = 0;
  double agreement = 0;  ///< share of the addresses held out of the fit that it gets right

  int side_of(std::uint64_t address) const;
};

/// \brief  The mask of address bits whose parity tells the side, solved over GF(2) from random
///         subsets (RANSAC), because a few labels may be wrong.
/// \param  addresses  at least 4 times as many as there are bits; a quarter is held out
/// \param  sides  0 or 1 for each address
/// \param  lowest_bit, highest_bit  the bits that may take part
/// \return nothing if the best mask agrees with less than 95 % of what was held out
/// \throws std::invalid_argument  too few addresses, or as many sides as addresses are not there
std::optional<ParityMask> fit_parity(std::span<const std::uint64_t> addresses,
                                     std::span<const int> sides, int lowest_bit, int highest_bit,
                                     std::uint64_t seed);

}  // namespace ladder::side_aware
