// SPDX-License-Identifier: MIT
/// \file  common/terminal/text_table.hpp
/// \brief Tables as wide as the terminal lets them be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ladder {

/// \brief  Columns of a terminal, from 40 to 80; 80 for everything else, such as a pipe.
/// \param  descriptor  1 for standard output, 2 for standard error
std::size_t columns_of(int descriptor = 1);

/// \brief Breaks text between words at the end of the terminal; lines after the first start with
///        `indent` spaces.
/// \param first    spaces that the first line starts with
/// \param columns  of the terminal; 80 where there is none
std::string wrapped(const std::string& text, std::size_t indent, std::size_t first = 0,
                    std::size_t columns = columns_of());

/// Breaks the lines that are longer than the terminal is wide, and leaves the others as they are.
std::string folded(const std::string& text, std::size_t columns = columns_of());

/// \brief A table. Where its rows do not fit, each becomes a paragraph: its first cell, and then
///        each cell that holds something behind the heading of its column.
class TextTable {
 public:
  /// \param widths  of the columns; negative: to the left, 0: the last one, as long as it is
  explicit TextTable(std::vector<int> widths, std::size_t columns = columns_of());

  /// A line of headings; those of one column, read downwards, are its name.
  void heading(const std::vector<std::string>& cells);
  void row(const std::vector<std::string>& cells);

  /// Text that is no row: ended by a line break, and as it is.
  void add(const std::string& lines) { text_ += lines; }

  const std::string& text() const { return text_; }

 private:
  std::string line(const std::vector<std::string>& cells) const;

  std::vector<int> widths_;
  std::size_t columns_;
  bool fits_;
  bool has_rows_ = false;  ///< since the last heading
  std::vector<std::string> names_;
  std::string text_;
};

}  // namespace ladder
