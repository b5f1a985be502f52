// SPDX-License-Identifier: MIT
/// \file  glassbox/code_sides.hpp
/// \brief Which parts of a CUDA source are code of the host, and which of the device.
#pragma once

#include <cstddef>
#include <vector>

#include "glassbox/source_tokens.hpp"

namespace ladder::glassbox {

enum class Place {
  kOutside,  ///< of functions
  kHost,     ///< in a function of the host, which may be the device's too
  kDevice,   ///< in a kernel, or in a function of the device alone
};

/// The body of a function, or of a lambda with an execution space.
struct FunctionBody {
  std::size_t open;  ///< token of its brace
  std::size_t close = TokenReader::kNone;
  Place place = Place::kHost;
  bool on_device = false;     ///< it may run on the device
  bool may_be_both = false;   ///< or perhaps: a macro from elsewhere stands in front of it
  bool is_constant = false;   ///< constexpr
  bool is_one_piece = false;  ///< no `#if` is open at one of its ends alone
};

/// \brief The sides of all tokens of a source.
class CodeSides {
 public:
  explicit CodeSides(const TokenReader& source);

  Place place(std::size_t token) const { return sides_[token].place; }
  bool on_device(std::size_t token) const { return sides_[token].on_device; }
  /// The innermost body around it, as an index into bodies(); else TokenReader::kNone.
  std::size_t body_around(std::size_t token) const { return sides_[token].body; }
  const std::vector<FunctionBody>& bodies() const { return bodies_; }

 private:
  struct Side {
    Place place = Place::kOutside;
    bool on_device = false;
    std::size_t body = TokenReader::kNone;
  };

  std::vector<Side> sides_;
  std::vector<FunctionBody> bodies_;

  friend class SideReader;
};

}  // namespace ladder::glassbox
