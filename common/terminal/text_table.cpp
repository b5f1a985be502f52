// SPDX-License-Identifier: MIT
#include "common/terminal/text_table.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace ladder {

std::size_t columns_of(int descriptor) {
  constexpr unsigned short kNarrowest = 40, kWidest = 80;
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kWidest;
  }
  return std::clamp(size.ws_col, kNarrowest, kWidest);
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t first,
                    std::size_t columns) {
  std::istringstream words(text);
  std::string out(first, ' '), word;
  std::size_t column = first;
  for (bool starts_line = true; words >> word; starts_line = false) {
    if (!starts_line && column + 1 + word.size() > columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!starts_line) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + "\n";
}

std::string folded(const std::string& text, std::size_t columns) {
  constexpr const char* kIndent = "     ";
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    while (line.size() > columns) {
      std::size_t end = line.rfind(' ', columns);
      if (end == std::string::npos || line.find_first_not_of(' ') > end) end = columns;
      out += line.substr(0, end) + "\n";
      line = kIndent + line.substr(line[end] == ' ' ? end + 1 : end);
    }
    out += line + "\n";
  }
  return out;
}

TextTable::TextTable(std::vector<int> widths, std::size_t columns)
    : widths_(std::move(widths)), columns_(columns), names_(widths_.size()) {
  std::size_t wide = widths_.size() - 1;
  bool open = false;  // a last column without a width wraps, and needs room for some words
  for (const int width : widths_) {
    wide += static_cast<std::size_t>(std::abs(width));
    open = open || width == 0;
  }
  constexpr std::size_t kRoomForWords = 30;
  fits_ = wide + (open ? kRoomForWords : 0) <= columns_;
}

std::string TextTable::line(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size() && i < widths_.size(); ++i) {
    if (i > 0) line += ' ';
    line += widths_[i] > 0 ? fmt::format("{:>{}}", cells[i], widths_[i])
                           : fmt::format("{:<{}}", cells[i], -widths_[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  const bool first_is_long = widths_.front() < 0 && cells.size() > 1 &&
                             cells.front().size() > static_cast<std::size_t>(-widths_.front());
  if (first_is_long && line.size() > cells.front().size()) {  // it gets a line of its own
    std::vector<std::string> others = cells;
    others.front().clear();
    return cells.front() + "\n" + this->line(others);
  }
  return line + "\n";
}

void TextTable::heading(const std::vector<std::string>& cells) {
  if (has_rows_) names_.assign(widths_.size(), "");  // of the next part of the table
  has_rows_ = false;
  for (std::size_t i = 0; i < cells.size() && i < names_.size(); ++i) {
    if (cells[i].empty()) continue;
    // "error /" over "bound", but "wave-" over "fronts"
    const bool hyphen = names_[i].ends_with('-');
    if (hyphen) names_[i].pop_back();
    names_[i] += (names_[i].empty() || hyphen ? "" : " ") + cells[i];
  }
  if (fits_) text_ += line(cells);
}

void TextTable::row(const std::vector<std::string>& cells) {
  has_rows_ = true;
  if (fits_) {
    text_ += line(cells);
    return;
  }
  std::string words;
  for (std::size_t i = 1; i < cells.size() && i < names_.size(); ++i) {
    if (cells[i].empty()) continue;
    words += fmt::format("{}{}{}{}", words.empty() ? "" : "; ", names_[i],
                         names_[i].empty() ? "" : " ", cells[i]);
  }
  const std::string& first = cells.front();
  const std::size_t indent = std::min(first.find_first_not_of(' '), first.size());
  text_ += wrapped(first, indent + 2, indent, columns_);
  if (!words.empty()) text_ += wrapped(words, indent + 2, indent + 2, columns_);
}

}  // namespace ladder
