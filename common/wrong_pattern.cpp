// SPDX-License-Identifier: MIT
#include "common/wrong_pattern.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

namespace ladder {
namespace {

/// Any number explains a single element: a law needs more to hold for.
constexpr int kFewestForALaw = 4;

/// Calls visit(index) for each wrong element.
template <class Visit>
void for_each_wrong(const WrongResult& r, Visit visit) {
  for (std::size_t i = 0; i < r.wrong.size(); ++i) {
    if (r.wrong[i] != 0) visit(i);
  }
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

bool near(const WrongResult& r, double got, double expected) {
  return std::fabs(got - expected) <= r.tolerance * (std::fabs(expected) + 1e-3);
}

/// What a factor must at least differ by to be told from one that is right.
double least_factor(const WrongResult& r) {
  return std::max(1e-3, r.tolerance);
}

/// Share of the wrong elements for which `holds(index)`.
template <class Holds>
double share(const WrongResult& r, Holds holds) {
  std::size_t wrong = 0;
  std::size_t hits = 0;
  for_each_wrong(r, [&](std::size_t i) {
    ++wrong;
    hits += holds(i) ? 1 : 0;
  });
  return static_cast<double>(hits) / wrong;
}

/// Values that say by themselves what went wrong: unwritten, NaN, infinite, zero.
std::optional<Wrong> telling_values(const WrongResult& r) {
  const auto some = [&](WrongKind kind, auto holds, double chance = 0) -> std::optional<Wrong> {
    const double part = share(r, holds);
    if (part <= chance) return std::nullopt;
    return Wrong{.kind = kind, .fields = {{"share", part}}};
  };
  // A wrong element may well be a number that C has held before.
  constexpr double kByChance = 0.2;
  std::optional<Wrong> found = some(
      WrongKind::kNeverWritten, [&](std::size_t i) { return same_bits(r.got[i], r.initial[i]); },
      r.initial_was_nan ? 0 : kByChance);
  if (found) found->fields.set("holds_old_c", !r.initial_was_nan);
  if (!found) found = some(WrongKind::kNan, [&](std::size_t i) { return std::isnan(r.got[i]); });
  if (!found) {
    found = some(WrongKind::kInfinite, [&](std::size_t i) { return std::isinf(r.got[i]); });
  }
  if (!found && share(r, [&](std::size_t i) { return r.got[i] == 0.0f; }) == 1.0) {
    found = Wrong{.kind = WrongKind::kAllZero};
  }
  return found;
}

/// C holds right values in the wrong places: transposed, or moved by a power of two.
std::optional<Wrong> misplaced(const WrongResult& r) {
  const int M = r.shape.M;
  const int N = r.shape.N;
  const auto explains = [&](const std::function<std::int64_t(int, int)>& source) {
    std::size_t tried = 0;
    std::size_t hits = 0;
    for_each_wrong(r, [&](std::size_t i) {
      const std::int64_t from = source(static_cast<int>(i / N), static_cast<int>(i % N));
      if (from < 0) return;
      ++tried;
      hits += near(r, r.got[i], r.expected[from]) ? 1 : 0;
    });
    return tried >= kFewestForALaw && hits >= 0.9 * tried;
  };

  const auto transposed = [&](int row, int col) {
    const std::int64_t i = static_cast<std::int64_t>(row) * N + col;  // as column-major: (i%M, i/M)
    return (i % M) * N + i / M;
  };
  if (M > 1 && N > 1 && explains(transposed)) return Wrong{.kind = WrongKind::kTransposed};

  for (int shift = 1; shift <= 256; shift *= 2) {
    for (const int s : {shift, -shift}) {
      const auto along_n = [&](int row, int col) -> std::int64_t {
        return col + s < 0 || col + s >= N ? -1 : static_cast<std::int64_t>(row) * N + col + s;
      };
      const auto along_m = [&](int row, int col) -> std::int64_t {
        return row + s < 0 || row + s >= M ? -1 : static_cast<std::int64_t>(row + s) * N + col;
      };
      if (std::abs(s) < N && explains(along_n)) {
        return Wrong{.kind = WrongKind::kShiftedColumns, .fields = {{"shift", s}}};
      }
      if (std::abs(s) < M && explains(along_m)) {
        return Wrong{.kind = WrongKind::kShiftedRows, .fields = {{"shift", s}}};
      }
    }
  }
  return std::nullopt;
}

/// Everything is off by the same multiple of C from before the call.
std::optional<Wrong> wrong_beta(const WrongResult& r) {
  if (r.initial_was_nan) return std::nullopt;
  double error_initial = 0.0;
  double initial_2 = 0.0;
  for_each_wrong(r, [&](std::size_t i) {
    const double initial = r.initial[i];
    error_initial += (r.got[i] - r.expected[i]) * initial;
    initial_2 += initial * initial;
  });
  const double factor = error_initial / initial_2;
  const double explained = share(
      r, [&](std::size_t i) { return near(r, r.got[i], r.expected[i] + factor * r.initial[i]); });
  if (!(explained > 0.9) || std::fabs(factor) < least_factor(r)) return std::nullopt;
  return Wrong{.kind = WrongKind::kWrongBeta, .fields = {{"factor", factor}}};
}

/// Values near the right ones: a constant factor, or too few bits.
std::optional<Wrong> inaccurate(const WrongResult& r) {
  double got_expected = 0.0;
  double expected_2 = 0.0;
  double error_2 = 0.0;
  for_each_wrong(r, [&](std::size_t i) {
    got_expected += r.got[i] * r.expected[i];
    expected_2 += r.expected[i] * r.expected[i];
    error_2 += (r.got[i] - r.expected[i]) * (r.got[i] - r.expected[i]);
  });
  if (std::ranges::count(r.wrong, 1) >= kFewestForALaw) {
    if (std::optional<Wrong> beta = wrong_beta(r)) return beta;
    const double factor = got_expected / expected_2;
    const double scaled =
        share(r, [&](std::size_t i) { return near(r, r.got[i], factor * r.expected[i]); });
    if (scaled > 0.9 && std::fabs(factor) > 1e-3 && std::fabs(factor - 1) > least_factor(r)) {
      return Wrong{.kind = WrongKind::kWrongFactor, .fields = {{"factor", factor}}};
    }
  }
  const double relative = std::sqrt(error_2 / expected_2);
  if (relative < 0x1p-5) {
    return Wrong{.kind = WrongKind::kLowPrecision, .fields = {{"log2_error", std::log2(relative)}}};
  }
  return std::nullopt;
}

WrongRange range_along(int first, int last, int extent, int tile) {
  WrongRange range = {.first = first, .last = last};
  range.everywhere = first == 0 && last == extent - 1;
  range.last_tile = !range.everywhere && last == extent - 1 && 0 < tile && tile < extent &&
                    first >= (extent - 1) / tile * tile;
  return range;
}

WrongPlace place_of(const WrongResult& r) {
  const int M = r.shape.M;
  const int N = r.shape.N;
  int first_row = M, last_row = -1, first_col = N, last_col = -1;
  std::size_t wrong = 0;
  for_each_wrong(r, [&](std::size_t i) {
    const int row = static_cast<int>(i / N);
    const int col = static_cast<int>(i % N);
    first_row = std::min(first_row, row);
    last_row = std::max(last_row, row);
    first_col = std::min(first_col, col);
    last_col = std::max(last_col, col);
    ++wrong;
  });
  WrongPlace place = {.rows = range_along(first_row, last_row, M, r.tile.BM),
                      .columns = range_along(first_col, last_col, N, r.tile.BN)};
  const bool row = place.rows.last_tile;
  const bool column = place.columns.last_tile;
  place.kind = wrong == r.wrong.size() ? WrongKind::kEveryElement
               : row && column         ? WrongKind::kLastTiles
               : row                   ? WrongKind::kLastTileRow
               : column                ? WrongKind::kLastTileColumn
                                       : WrongKind::kSomeElements;
  return place;
}

}  // namespace

Wrong pattern_of(const WrongResult& result) {
  const WrongPlace place = place_of(result);
  std::optional<Wrong> found = telling_values(result);
  if (!found) found = inaccurate(result);
  if (!found) found = misplaced(result);
  Wrong wrong = found.value_or(Wrong{.kind = place.kind});
  wrong.where = place;
  return wrong;
}

}  // namespace ladder
