// SPDX-License-Identifier: MIT
/// \file  common/side_aware/runtime_compiler.hpp
/// \brief Compiles CUDA sources while the program runs, with NVRTC. The library is found at run
///        time: a build needs no more of it than a header.
#pragma once

#include <string>
#include <vector>

namespace ladder::side_aware {

/// A source file that others may include by this name.
struct SourceText {
  std::string name;  ///< "common/side_aware/kernels/element.cuh"
  std::string text;
};

/// The sources of this folder, as they were when the library was built.
const std::vector<SourceText>& shipped_sources();

/// \brief  "NVRTC 13.0".
/// \throws SideAwareError  it is not installed
std::string compiler_name();

/// \brief  Machine code of a CUDA source. It may include the shipped sources.
/// \param  name  for messages
/// \param  compute_capability  90 for 9.0
/// \throws SideAwareError  NVRTC is not installed, or it refuses the source; holds its messages
std::vector<char> compile(const std::string& source, const std::string& name,
                          int compute_capability);

}  // namespace ladder::side_aware
