// SPDX-License-Identifier: MIT
/// \file  glassbox/source_tokens.hpp
/// \brief The tokens of a C++ source, and the files that it includes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::glassbox {

/// One token of C++; comments and white space are none. Whole lines of the preprocessor are tokens
/// like any others.
struct Token {
  enum class Kind { kWord, kNumber, kText, kSign };
  Kind kind;
  std::size_t begin;  ///< in the source
  std::size_t end;
};

/// The tokens of a source, each sign a token of its own.
std::vector<Token> tokens_of(const std::string& source);

/// The number of the line, from 1, that holds this place of a source.
unsigned line_at(const std::string& source, std::size_t at);

/// A piece of the source, and what takes its place.
struct Change {
  std::size_t begin;
  std::size_t end;
  std::string text;
};

/// A source and its tokens, for those who look for patterns in it.
class TokenReader {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// \param source  outlives the reader
  explicit TokenReader(const std::string& source) : source_(source), tokens_(tokens_of(source)) {}

  std::size_t size() const { return tokens_.size(); }
  const Token& token(std::size_t i) const { return tokens_[i]; }
  const std::string& source() const { return source_; }

  std::string_view text(std::size_t i) const {
    return std::string_view(source_).substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin);
  }
  bool is(std::size_t i, std::string_view wanted) const {
    return i < tokens_.size() && text(i) == wanted;
  }
  bool is_any(std::size_t i, std::initializer_list<std::string_view> words) const {
    return i < tokens_.size() && std::ranges::find(words, text(i)) != words.end();
  }
  bool is_name(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == Token::Kind::kWord;
  }
  /// Index of the bracket that the one at `i` closes or opens, counting those of its own kind and
  /// leaping over brackets of the other kinds.
  std::size_t partner(std::size_t i, int step) const;
  /// Index of the first token behind the line of the preprocessor that starts at `i`.
  std::size_t end_of_directive(std::size_t i) const;

 protected:
  const std::string& source_;
  std::vector<Token> tokens_;
};

/// A file that a source includes.
struct Inclusion {
  std::size_t directive;  ///< where its word "include" begins
  std::size_t begin;      ///< of the name in the source, quotes or angle brackets included
  std::size_t end;
  std::string name;
  bool quoted;
  unsigned line;
};

/// What a source includes, in order.
std::vector<Inclusion> inclusions_of(const std::string& source);

}  // namespace ladder::glassbox
