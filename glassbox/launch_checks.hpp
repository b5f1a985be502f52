// SPDX-License-Identifier: MIT
/// \file  glassbox/launch_checks.hpp
/// \brief What is written into a source so that the run time can check a kernel's launches.
#pragma once

#include <string>
#include <vector>

#include "glassbox/source_tokens.hpp"

namespace ladder::glassbox {

/// \brief A kernel with `__launch_bounds__` begins with a call that compares them with its block.
///        Lines keep their numbers. Bounds that nvcc may compute in another way are left alone.
std::vector<Change> checks_of_launches(const std::string& source);

}  // namespace ladder::glassbox
