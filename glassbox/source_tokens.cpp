// SPDX-License-Identifier: MIT
#include "glassbox/source_tokens.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ladder::glassbox {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// Behind the quote that ends a text which starts at `at`.
std::size_t end_of_text(const std::string& source, std::size_t at) {
  const char quote = source[at];
  for (++at; at < source.size() && source[at] != quote && source[at] != '\n'; ++at) {
    if (source[at] == '\\') ++at;
  }
  return std::min(at + 1, source.size());
}

/// Likewise of R"name(...)name".
std::size_t end_of_raw_text(const std::string& source, std::size_t quote) {
  const std::size_t open = source.find('(', quote);
  if (open == std::string::npos) return source.size();
  const std::string close = ")" + source.substr(quote + 1, open - quote - 1) + "\"";
  const std::size_t end = source.find(close, open);
  return end == std::string::npos ? source.size() : end + close.size();
}

/// Behind the comment that starts at `at`; `at` itself if none does.
std::size_t end_of_comment(const std::string& source, std::size_t at) {
  const std::size_t most = source.size();
  if (source.compare(at, 2, "//") == 0) return std::min(source.find('\n', at), most);
  if (source.compare(at, 2, "/*") != 0) return at;
  const std::size_t end = source.find("*/", at + 2);
  return end == std::string::npos ? most : end + 2;
}

}  // namespace

unsigned line_at(const std::string& source, std::size_t at) {
  return 1 + static_cast<unsigned>(std::count(source.begin(), source.begin() + at, '\n'));
}

std::vector<Token> tokens_of(const std::string& source) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < source.size();) {
    const char c = source[i];
    if (const std::size_t end = end_of_comment(source, i); end != i) {
      i = end;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
      ++i;
    } else if (c == '"' || c == '\'') {
      const std::size_t end = end_of_text(source, i);
      tokens.push_back({Token::Kind::kText, i, end});
      i = end;
    } else if (is_word(c)) {
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      std::size_t end = i;
      // A number may hold points and 1'000's quotes.
      while (end < source.size() &&
             (is_word(source[end]) ||
              (number && (source[end] == '.' || (source[end] == '\'' && end + 1 < source.size() &&
                                                 is_word(source[end + 1])))))) {
        ++end;
      }
      const bool raw =
          !number && end < source.size() && source[end] == '"' && source[end - 1] == 'R';
      if (raw) end = end_of_raw_text(source, end);
      const auto kind = number ? Token::Kind::kNumber
                        : raw  ? Token::Kind::kText
                               : Token::Kind::kWord;
      tokens.push_back({kind, i, end});
      i = end;
    } else {
      tokens.push_back({Token::Kind::kSign, i, i + 1});
      ++i;
    }
  }
  return tokens;
}

std::size_t TokenReader::partner(std::size_t i, int step) const {
  constexpr std::string_view kOpen = "([{<";
  constexpr std::string_view kClose = ")]}>";
  const std::string_view& same = step > 0 ? kOpen : kClose;
  const std::string_view& other = step > 0 ? kClose : kOpen;
  const std::size_t kind = same.find(text(i)[0]);
  int depth = 0;
  for (; i < tokens_.size(); i += static_cast<std::size_t>(step)) {
    if (tokens_[i].kind != Token::Kind::kSign) continue;
    const char sign = text(i)[0];
    if (sign == same[kind]) {
      ++depth;
    } else if (sign == other[kind]) {
      if (--depth == 0) return i;
    } else if (kind == 3 && same.substr(0, 3).find(sign) != std::string_view::npos) {
      i = partner(i, step);
      if (i == kNone) return kNone;
    }
  }
  return kNone;
}

std::size_t TokenReader::end_of_directive(std::size_t i) const {
  std::size_t end = tokens_[i].begin;
  do
    end = source_.find('\n', end + 1);
  while (end != std::string::npos && source_[end - 1] == '\\');
  while (i < tokens_.size() && tokens_[i].begin < end)
    ++i;
  return i;
}

std::vector<Inclusion> inclusions_of(const std::string& source) {
  std::vector<Inclusion> found;
  const std::vector<Token> tokens = tokens_of(source);
  const auto is = [&](std::size_t i, std::string_view wanted) {
    return std::string_view(source).substr(tokens[i].begin, tokens[i].end - tokens[i].begin) ==
           wanted;
  };
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!is(i, "#") || !is(i + 1, "include")) continue;
    const std::size_t begin = tokens[i + 2].begin;
    const char open = source[begin];
    if (open != '"' && open != '<') continue;
    const std::size_t close = source.find(open == '"' ? '"' : '>', begin + 1);
    if (close == std::string::npos) continue;
    found.push_back({.directive = tokens[i + 1].begin,
                     .begin = begin,
                     .end = close + 1,
                     .name = source.substr(begin + 1, close - begin - 1),
                     .quoted = open == '"',
                     .line = line_at(source, begin)});
  }
  return found;
}

}  // namespace ladder::glassbox
