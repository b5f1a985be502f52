// SPDX-License-Identifier: MIT
#include "common/wrong_pattern.hpp"

#include <fmt/format.h>

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

/// "all of them" or "37 % of them"
std::string how_many(double part) {
  return part == 1.0 ? "all of them" : fmt::format("{:.0f} % of them", std::ceil(100 * part));
}

/// Values that say by themselves what went wrong: unwritten, NaN, infinite, zero.
std::optional<std::string> telling_values(const WrongResult& r) {
  const double unwritten =
      share(r, [&](std::size_t i) { return same_bits(r.got[i], r.initial[i]); });
  if (unwritten > 0.0) {
    return fmt::format("{} never written{}", how_many(unwritten),
                       r.initial_was_nan ? "" : ": they hold the C from before the call");
  }
  const double nan = share(r, [&](std::size_t i) { return std::isnan(r.got[i]); });
  if (nan > 0.0) {
    return fmt::format(
        "{} NaN: shared memory read before it was written, a read beyond A or B, or "
        "C read although beta is 0",
        how_many(nan));
  }
  const double infinite = share(r, [&](std::size_t i) { return std::isinf(r.got[i]); });
  if (infinite > 0.0) return fmt::format("{} infinite", how_many(infinite));
  const double zero = share(r, [&](std::size_t i) { return r.got[i] == 0.0f; });
  if (zero == 1.0) return "all of them 0";
  return std::nullopt;
}

/// C holds right values in the wrong places: transposed, or moved by a power of two.
std::optional<std::string> misplaced(const WrongResult& r) {
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
  if (M > 1 && N > 1 && explains(transposed)) return "the result is transposed";

  for (int shift = 1; shift <= 256; shift *= 2) {
    for (const int s : {shift, -shift}) {
      const auto along_n = [&](int row, int col) -> std::int64_t {
        return col + s < 0 || col + s >= N ? -1 : static_cast<std::int64_t>(row) * N + col + s;
      };
      const auto along_m = [&](int row, int col) -> std::int64_t {
        return row + s < 0 || row + s >= M ? -1 : static_cast<std::int64_t>(row + s) * N + col;
      };
      if (std::abs(s) < N && explains(along_n)) {
        return fmt::format("right values {} column{} too far to the {}", shift,
                           shift == 1 ? "" : "s", s > 0 ? "left" : "right");
      }
      if (std::abs(s) < M && explains(along_m)) {
        return fmt::format("right values {} row{} too far {}", shift, shift == 1 ? "" : "s",
                           s > 0 ? "up" : "down");
      }
    }
  }
  return std::nullopt;
}

/// Everything is off by the same multiple of C from before the call.
std::optional<std::string> wrong_beta(const WrongResult& r) {
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
  return fmt::format("off by {:.4g} times the C from before the call: is beta applied, and once?",
                     factor);
}

/// Values near the right ones: a constant factor, or too few bits.
std::optional<std::string> inaccurate(const WrongResult& r) {
  double got_expected = 0.0;
  double expected_2 = 0.0;
  double error_2 = 0.0;
  for_each_wrong(r, [&](std::size_t i) {
    got_expected += r.got[i] * r.expected[i];
    expected_2 += r.expected[i] * r.expected[i];
    error_2 += (r.got[i] - r.expected[i]) * (r.got[i] - r.expected[i]);
  });
  if (std::ranges::count(r.wrong, 1) >= kFewestForALaw) {
    if (std::optional<std::string> beta = wrong_beta(r)) return beta;
    const double factor = got_expected / expected_2;
    const double scaled =
        share(r, [&](std::size_t i) { return near(r, r.got[i], factor * r.expected[i]); });
    if (scaled > 0.9 && std::fabs(factor) > 1e-3 && std::fabs(factor - 1) > least_factor(r)) {
      return fmt::format(
          "right but for a factor of {:.4g}: alpha, or a part of K left out or taken "
          "twice?",
          factor);
    }
  }
  const double relative = std::sqrt(error_2 / expected_2);
  if (relative < 0x1p-5) {
    return fmt::format(
        "values off by about 2^{:.0f} of their size: inputs or sums of low precision?",
        std::log2(relative));
  }
  return std::nullopt;
}

/// "rows 64 to 76, the last tile row (is the guard in M right?)", or nothing where all are wrong.
std::string where_along(char dimension, const char* what, int first, int last, int extent,
                        int tile) {
  if (first == 0 && last == extent - 1) return "";
  std::string text = first == last ? fmt::format("{} {}", what, first)
                                   : fmt::format("{}s {} to {}", what, first, last);
  if (last == extent - 1 && 0 < tile && tile < extent && first >= (extent - 1) / tile * tile) {
    text += fmt::format(", the last tile {} (is the guard in {} right?)", what, dimension);
  }
  return text;
}

std::string location(const WrongResult& r) {
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
  if (wrong == r.wrong.size()) return "every element is wrong";
  const std::string rows = where_along('M', "row", first_row, last_row, M, r.tile.BM);
  const std::string cols = where_along('N', "column", first_col, last_col, N, r.tile.BN);
  if (rows.empty() && cols.empty()) return "scattered over the whole matrix";
  return "all in " + rows + (rows.empty() || cols.empty() ? "" : " and ") + cols;
}

}  // namespace

std::string describe_pattern(const WrongResult& result) {
  std::optional<std::string> kind = telling_values(result);
  if (!kind) kind = inaccurate(result);
  if (!kind) kind = misplaced(result);
  const std::string place = location(result);
  return kind ? *kind + "; " + place : place;
}

}  // namespace ladder
