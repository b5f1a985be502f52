// SPDX-License-Identifier: MIT
/// \file  glassbox/launch_syntax.hpp
/// \brief Turns kernel<<<grid, block>>>(arguments) into a call that g++ understands.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
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

/// A launch that is not kernel<<<grid, block>>>(arguments).
class SourceRefused : public std::runtime_error {
 public:
  explicit SourceRefused(unsigned line)
      : std::runtime_error("a launch without an end"), line_(line) {}
  unsigned line() const { return line_; }

 private:
  unsigned line_;
};

/// What __CUDA_ARCH__ becomes in code for the device: a macro that the compiler is given.
constexpr const char* kDeviceArchitecture = "GLASSBOX_CUDA_ARCH";

/// \brief  Rewrites all launches, kernels named to the run time as `(void*)kernel`, variables and
///         members of the host that are named like gridDim and blockDim, and __CUDA_ARCH__ in code
///         for the device; behind a kernel with `__cluster_dims__` it adds their note. Lines keep
///         their numbers.
/// \return nothing if there is none of them
/// \throws SourceRefused  a launch has no end
std::optional<std::string> without_launch_syntax(const std::string& source);

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

/// Do kernels, or functions for the device, have `new` or `malloc` in them?
bool takes_memory_on_device(const std::string& source);

}  // namespace ladder::glassbox
