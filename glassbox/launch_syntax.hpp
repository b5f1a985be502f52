// SPDX-License-Identifier: MIT
/// \file  glassbox/launch_syntax.hpp
/// \brief Turns kernel<<<grid, block>>>(arguments) into a call that g++ understands.
#pragma once

#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder::glassbox {

/// A launch that is not kernel<<<grid, block>>>(arguments).
class SourceRefused : public std::runtime_error {
 public:
  explicit SourceRefused(unsigned line)
      : std::runtime_error("a launch without an end"), line_(line) {}
  unsigned line() const { return line_; }

 private:
  unsigned line_;
};

/// \brief  Rewrites all launches, kernels named to the run time as `(void*)kernel`, variables and
///         members of the host that are named like gridDim and blockDim, and what
///         for_one_compilation(), checks_of_launches() and addresses_on_host() say; behind a kernel
///         with `__cluster_dims__` it adds their note.
///         Lines keep their numbers.
/// \return nothing if there is none of them
/// \throws SourceRefused  a launch has no end
std::optional<std::string> without_launch_syntax(
    const std::string& source, const std::set<std::string>& device_functions = {});

}  // namespace ladder::glassbox
