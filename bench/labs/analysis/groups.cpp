// SPDX-License-Identifier: MIT
/// \file  bench/labs/analysis/groups.cpp
#include "bench/labs/analysis/groups.hpp"

#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace ladder::labs {
namespace {

constexpr double kLeastAgreement = 0.98;

/// What a measurement says about a pair.
enum class Vote : std::uint8_t {
  no,
  yes,
  outlier,  ///< far more cycles than a miss costs: something else got in between
};

/// Symmetric relation of SMs.
using Relation = std::vector<std::vector<bool>>;

Vote vote_on(double excess_cycles, double penalty_cycles) {
  if (excess_cycles < 0.5 * penalty_cycles) return Vote::no;
  return excess_cycles > 3 * penalty_cycles ? Vote::outlier : Vote::yes;
}

std::vector<std::vector<Vote>> votes_of(const Matrix& cycles, double penalty_cycles,
                                        std::span<const double> undisturbed) {
  std::vector<std::vector<Vote>> votes(cycles.rows);
  for (std::size_t row = 0; row < cycles.rows; ++row) {
    const auto values = std::span(cycles.values).subspan(row * cycles.columns, cycles.columns);
    const double base = undisturbed.empty() ? quantile_of(values, 0.1) : undisturbed[row];
    for (const double value : values)
      votes[row].push_back(vote_on(value - base, penalty_cycles));
  }
  return votes;
}

/// Pairs of whom both say that they share, or one does and the other one cannot tell.
Relation neighbours_of(const std::vector<std::vector<Vote>>& votes) {
  const std::size_t n = votes.size();
  Relation neighbours(n, std::vector<bool>(n, false));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Vote there = votes[i][j];
      const Vote back = votes[j][i];
      const bool one = there == Vote::yes || back == Vote::yes;
      neighbours[i][j] = i == j || (one && there != Vote::no && back != Vote::no);
    }
  }
  return neighbours;
}

/// Members of both sets over members of any.
double jaccard(const std::vector<bool>& a, const std::vector<bool>& b) {
  int both = 0;
  int any = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += a[i] && b[i];
    any += a[i] || b[i];
  }
  return static_cast<double>(both) / any;
}

/// Joins SMs whose neighbours are mostly the same: a single wrong vote joins nothing.
Groups joined(const Relation& neighbours) {
  const std::size_t n = neighbours.size();
  std::vector<std::size_t> parent(n);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (root(i) != root(j) && jaccard(neighbours[i], neighbours[j]) > 0.5) {
        parent[root(j)] = root(i);
      }
    }
  }
  Groups groups;
  groups.of_row.assign(n, -1);
  std::vector<int> number(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    int& group = number[root(i)];
    if (group < 0) group = groups.count++;
    groups.of_row[i] = group;
  }
  return groups;
}

}  // namespace

std::optional<Groups> find_groups(const Matrix& cycles, double penalty_cycles,
                                  std::span<const double> undisturbed) {
  if (cycles.rows != cycles.columns || cycles.rows == 0) {
    throw std::invalid_argument("Groups need a square matrix: each SM with each.");
  }
  if (!(penalty_cycles > 0)) {
    throw std::invalid_argument("The penalty of a miss has to be above 0 cycles.");
  }
  if (!undisturbed.empty() && undisturbed.size() != cycles.rows) {
    throw std::invalid_argument("Groups need one undisturbed time for each SM, or none.");
  }
  const std::size_t n = cycles.rows;
  const std::vector<std::vector<Vote>> votes = votes_of(cycles, penalty_cycles, undisturbed);
  // Nobody shares more with an SM than itself: where it cannot push itself out, nothing can.
  std::size_t self = 0;
  for (std::size_t i = 0; i < n; ++i)
    self += votes[i][i] != Vote::no;
  if (static_cast<double>(self) < 0.9 * static_cast<double>(n)) return {};

  Groups groups = joined(neighbours_of(votes));
  // Few pairs share when groups are small, so sharing pairs have to agree by themselves as well.
  std::size_t agree = 0;
  std::size_t known = 0;
  std::size_t sharing = 0;
  std::size_t sharing_agree = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (votes[i][j] == Vote::outlier || i == j) continue;
      const bool together = groups.of_row[i] == groups.of_row[j];
      const bool yes = votes[i][j] == Vote::yes;
      ++known;
      agree += yes == together;
      sharing += together;
      sharing_agree += together && yes;
    }
  }
  groups.agreement = known == 0 ? 1 : static_cast<double>(agree) / static_cast<double>(known);
  const bool sharing_holds =
      static_cast<double>(sharing_agree) >= 0.9 * static_cast<double>(sharing);
  if (groups.agreement < kLeastAgreement || !sharing_holds) return {};
  return groups;
}

}  // namespace ladder::labs
