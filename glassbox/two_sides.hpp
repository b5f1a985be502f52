// SPDX-License-Identifier: MIT
/// \file  glassbox/two_sides.hpp
/// \brief nvcc compiles a source twice, for the host and for the device; g++ compiles it once. What
///        has to be said in the source so that each side gets its own.
#pragma once

#include <string>
#include <vector>

#include "glassbox/source_tokens.hpp"

namespace ladder::glassbox {

/// What __CUDA_ARCH__ becomes in code for the device: a macro that the compiler is given.
constexpr const char* kDeviceArchitecture = "GLASSBOX_CUDA_ARCH";

/// \brief __CUDA_ARCH__ in code for the device gets the other name. Functions of both sides that
///        ask for it have two bodies from now on, and take the one for whoever calls. In functions
///        of the host, `__device__` variables are the host's own. Lines keep their numbers.
std::vector<Change> for_one_compilation(const std::string& source);

/// A function of both sides that takes the host's, whoever calls it.
struct OneSided {
  unsigned line;            ///< of its __CUDA_ARCH__
  std::string_view reason;  ///< "goto", "conditional"; "constant": in constant expressions alone
};
std::vector<OneSided> one_sided_functions(const std::string& source);

/// The names of its `__device__` and `__constant__` variables.
std::vector<std::string> device_variables(const std::string& source);

/// \brief The names of functions that only the device has, without their scopes: nvcc keeps those
///        of one file apart from those of another, unless it is told `-rdc=true`.
std::vector<std::string> device_functions(const std::string& source);

/// Do kernels, or functions for the device, have `new` or `malloc` in them?
bool takes_memory_on_device(const std::string& source);

}  // namespace ladder::glassbox
