// SPDX-License-Identifier: MIT
/// \file  common/side_aware/elementwise_source.hpp
/// \brief The CUDA source of an elementwise kernel, from an operation.
#pragma once

#include <string>

namespace ladder::side_aware {

/// What an elementwise kernel does to its elements.
struct Operation {
  /// C++ that defines the operation: a header's text, or one line that includes a shipped header.
  std::string header;
  std::string name;  ///< of the struct, "ladder::side_aware::Copy"
};

/// Operations that are shipped, by their files in common/side_aware/operations.
Operation shipped_operation(const std::string& file, const std::string& type);

/// \brief  An operation whose header gives types and functions, not a struct: what
///         sideaware_create_kernel() takes. See side_boost.hpp.
Operation operation_of_header(const std::string& header);

inline constexpr const char* kAlignedKernel = "elementwise_aligned";
inline constexpr const char* kAnywhereKernel = "elementwise_anywhere";

/// \brief  A source with both kernels of the operation, and a constant with what the host has to
///         know of its types: see OperationShape.
std::string elementwise_source(const Operation& operation);

}  // namespace ladder::side_aware
