// SPDX-License-Identifier: MIT
/// \file  common/side_aware/parity_mask.cpp
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <stdexcept>

#include "common/side_aware/two_sides.hpp"

namespace ladder::side_aware {
namespace {

constexpr double kLeastAgreement = 0.95;

/// Equations over GF(2): a word of coefficients each, and bit 63 is the right side.
constexpr int kRightSide = 63;

/// \brief  Solves the equations by Gaussian elimination; unknowns that nothing determines are 0.
/// \return nothing if they contradict each other
std::optional<std::uint64_t> solve(std::vector<std::uint64_t> equations, int unknowns) {
  std::size_t solved = 0;
  std::vector<int> pivots;
  for (int bit = 0; bit < unknowns && solved < equations.size(); ++bit) {
    const auto found = std::find_if(equations.begin() + static_cast<std::ptrdiff_t>(solved),
                                    equations.end(), [&](std::uint64_t e) { return e >> bit & 1; });
    if (found == equations.end()) continue;
    std::swap(*found, equations[solved]);
    for (std::size_t i = 0; i < equations.size(); ++i) {
      if (i != solved && (equations[i] >> bit & 1)) equations[i] ^= equations[solved];
    }
    pivots.push_back(bit);
    ++solved;
  }
  for (std::size_t i = solved; i < equations.size(); ++i) {
    if (equations[i] >> kRightSide) return {};
  }
  std::uint64_t solution = 0;
  for (std::size_t i = 0; i < solved; ++i) {
    solution |= (equations[i] >> kRightSide) << pivots[i];
  }
  return solution;
}

}  // namespace

int ParityMask::side_of(std::uint64_t address) const {
  return (std::popcount(address & mask) & 1) ^ constant;
}

std::optional<ParityMask> fit_parity(std::span<const std::uint64_t> addresses,
                                     std::span<const int> sides, int lowest_bit, int highest_bit,
                                     std::uint64_t seed) {
  const int bits = highest_bit - lowest_bit + 1;
  if (lowest_bit < 0 || bits < 1 || bits >= kRightSide) {
    throw std::invalid_argument("A mask needs 1 to 62 bits, the lowest one first.");
  }
  if (addresses.size() != sides.size() || addresses.size() < 4 * static_cast<std::size_t>(bits)) {
    throw std::invalid_argument(
        fmt::format("A mask of {} bits needs {} addresses and as many sides; these are {} and {}.",
                    bits, 4 * bits, addresses.size(), sides.size()));
  }
  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(addresses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  const std::size_t held_out = order.size() / 4;
  const auto tested = std::span(order).first(held_out);
  const auto fitted = std::span(order).subspan(held_out);

  const auto agreement = [&](const ParityMask& mask, std::span<const std::size_t> places) {
    const auto right = std::ranges::count_if(
        places, [&](std::size_t i) { return mask.side_of(addresses[i]) == sides[i]; });
    return static_cast<double>(right) / static_cast<double>(places.size());
  };
  // The last unknown is the constant.
  const int unknowns = bits + 1;
  const std::uint64_t low_bits = (std::uint64_t{1} << bits) - 1;
  const auto equation = [&](std::size_t i) {
    return (addresses[i] >> lowest_bit & low_bits) | std::uint64_t{1} << bits |
           static_cast<std::uint64_t>(sides[i] & 1) << kRightSide;
  };
  // Some more equations than unknowns: a subset with a wrong label mostly contradicts itself.
  const std::size_t subset = std::min(fitted.size(), static_cast<std::size_t>(unknowns) + 3);
  constexpr int kSubsets = 4000;
  ParityMask best;
  double best_fit = -1;
  for (int attempt = 0; attempt < kSubsets && best_fit < 1; ++attempt) {
    std::vector<std::uint64_t> equations;
    for (std::size_t i = 0; i < subset; ++i) {
      std::uniform_int_distribution<std::size_t> pick(i, fitted.size() - 1);
      std::swap(fitted[i], fitted[pick(random)]);
      equations.push_back(equation(fitted[i]));
    }
    const std::optional<std::uint64_t> solution = solve(std::move(equations), unknowns);
    if (!solution) continue;
    const ParityMask mask{.mask = (*solution & low_bits) << lowest_bit,
                          .constant = static_cast<int>(*solution >> bits & 1)};
    if (const double fit = agreement(mask, fitted); fit > best_fit) {
      best_fit = fit;
      best = mask;
    }
  }
  if (best_fit < 0) return {};
  best.agreement = agreement(best, tested);
  if (best.agreement < kLeastAgreement) return {};
  return best;
}

}  // namespace ladder::side_aware
