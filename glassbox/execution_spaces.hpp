// SPDX-License-Identifier: MIT
/// \file  glassbox/execution_spaces.hpp
/// \brief Which functions and variables are the host's and which the device's, read from the words
///        of a program: for machines without a front end that knows CUDA.
#pragma once

#include <string>

#include "glassbox/front_end_output.hpp"

namespace ladder::glassbox {

/// \brief  The commonest of what nvcc refuses: calls and variables of the wrong side, and kernels
///         that return a value. Names decide, so it only speaks where a name has one meaning; of
///         templates, members and constexpr functions it says nothing.
/// \param  preprocessed  what `g++ -E -DLADDER_KEEP_SPACES` writes, with its lines "# 12 FILE"
Objections objections_of_sides(const std::string& preprocessed);

}  // namespace ladder::glassbox
