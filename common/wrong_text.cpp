// SPDX-License-Identifier: MIT
/// \file  common/wrong_text.cpp
/// \brief From what is wrong with a result to words. Only people read what is written here.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "common/wrong_pattern.hpp"
#include "emulator/run/sentence.hpp"

namespace ladder {
namespace {

using Names = std::pair<std::string_view, std::string_view>;  // code, title

constexpr std::array<Names, kWrongKinds> kNames = {
    Names{"never-written", "Elements of C are as they were before"},
    Names{"nan", "Elements of C are NaN"},
    Names{"infinite", "Elements of C are infinite"},
    Names{"all-zero", "All wrong elements of C are 0"},
    Names{"wrong-beta", "C is off by a multiple of the C from before the call"},
    Names{"wrong-factor", "C is right but for a factor"},
    Names{"low-precision", "C has too few right bits"},
    Names{"transposed", "The result is transposed"},
    Names{"shifted-columns", "Right values in the wrong columns"},
    Names{"shifted-rows", "Right values in the wrong rows"},
    Names{"last-tile-row", "Only the last tile row of C is wrong"},
    Names{"last-tile-column", "Only the last tile column of C is wrong"},
    Names{"last-tiles", "Only the last tile row and the last tile column of C are wrong"},
    Names{"every-element-wrong", "Every element of C is wrong"},
    Names{"some-elements-wrong", "Some elements of C are wrong"},
    Names{"outside-written", "Memory outside of a matrix was written"},
    Names{"input-changed", "An input matrix was changed"}};

/// "all of them" or "37 % of them"
std::string how_many(const Wrong& wrong) {
  const double part = wrong.fields.real("share");
  return part == 1.0 ? "all of them" : fmt::format("{:.0f} % of them", std::ceil(100 * part));
}

/// What the wrong elements hold; empty if that says nothing.
std::string values_text(const Wrong& wrong) {
  const auto shift = [&] { return std::abs(wrong.fields.number("shift")); };
  const auto ahead = [&] { return wrong.fields.number("shift") > 0; };
  switch (wrong.kind) {
    case WrongKind::kNeverWritten:
      return fmt::format("{} {}", how_many(wrong),
                         wrong.fields.truth("holds_old_c")
                             ? "unchanged: they hold the C from before the call"
                             : "never written");
    case WrongKind::kNan:
      return fmt::format(
          "{} NaN: words read before they were written, a read beyond A or B, or C read "
          "although beta is 0",
          how_many(wrong));
    case WrongKind::kInfinite:
      return fmt::format("{} infinite", how_many(wrong));
    case WrongKind::kAllZero:
      return "all of them 0";
    case WrongKind::kWrongBeta:
      return fmt::format(
          "off by {:.4g} times the C from before the call: is beta applied, and once?",
          wrong.fields.real("factor"));
    case WrongKind::kWrongFactor:
      return fmt::format(
          "right but for a factor of {:.4g}: alpha, or a part of K left out or taken twice?",
          wrong.fields.real("factor"));
    case WrongKind::kLowPrecision:
      return fmt::format(
          "values off by about 2^{:.0f} of their size: inputs or sums of low precision?",
          wrong.fields.real("log2_error"));
    case WrongKind::kTransposed:
      return "the result is transposed";
    case WrongKind::kShiftedColumns:
      return fmt::format("right values {} column{} too far to the {}", shift(),
                         shift() == 1 ? "" : "s", ahead() ? "left" : "right");
    case WrongKind::kShiftedRows:
      return fmt::format("right values {} row{} too far {}", shift(), shift() == 1 ? "" : "s",
                         ahead() ? "up" : "down");
    default:
      return "";
  }
}

/// "rows 64 to 76, the last tile row (is the guard in M right?)", or nothing where all are wrong.
std::string range_text(char dimension, const char* what, const WrongRange& range) {
  if (range.everywhere) return "";
  std::string text = range.first == range.last
                         ? fmt::format("{} {}", what, range.first)
                         : fmt::format("{}s {} to {}", what, range.first, range.last);
  if (range.last_tile) {
    text += fmt::format(", the last tile {} (is the guard in {} right?)", what, dimension);
  }
  return text;
}

std::string place_text(const WrongPlace& place) {
  if (place.kind == WrongKind::kEveryElement) return "every element is wrong";
  const std::string rows = range_text('M', "row", place.rows);
  const std::string columns = range_text('N', "column", place.columns);
  if (rows.empty() && columns.empty()) return "scattered over the whole matrix";
  return "all in " + rows + (rows.empty() || columns.empty() ? "" : " and ") + columns;
}

/// An element of C; a NaN has no sign that says anything.
std::string number_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value);
}

std::string whole_text(const Wrong& wrong) {
  if (wrong.kind == WrongKind::kOutsideWritten) {
    return fmt::format("Memory outside of {} was written. ", wrong.fields.word("array"));
  }
  if (wrong.kind == WrongKind::kInputChanged) {
    return fmt::format("The input {} was changed in {} elements. ", wrong.fields.word("array"),
                       wrong.fields.number("changed"));
  }
  const WrongElement& first = wrong.first.value();
  const std::string block =
      first.block_tile
          ? fmt::format(" of block tile ({}, {})", (*first.block_tile)[0], (*first.block_tile)[1])
          : "";
  return fmt::format(
      "{} of {} elements are wrong. The first is C[{}][{}]{}: got {}, expected {}. "
      "Pattern: {}. ",
      wrong.wrong_elements, wrong.elements, first.row, first.column, block, number_text(first.got),
      number_text(first.expected), text_of_pattern(wrong));
}

}  // namespace

std::string_view code_of(WrongKind kind) {
  return kNames[static_cast<std::size_t>(kind)].first;
}

std::string_view title_of(WrongKind kind) {
  return kNames[static_cast<std::size_t>(kind)].second;
}

std::string text_of_pattern(const Wrong& wrong) {
  const std::string values = values_text(wrong);
  const std::string place = wrong.where ? place_text(*wrong.where) : "";
  return values.empty() || place.empty() ? values + place : values + "; " + place;
}

std::string text_of(const Wrong& wrong) {
  return emulator::sentence(whole_text(wrong));
}

std::string text_of(const std::vector<Wrong>& all) {
  std::string text;
  for (const Wrong& wrong : all)
    text += text_of(wrong);
  return text;
}

}  // namespace ladder
