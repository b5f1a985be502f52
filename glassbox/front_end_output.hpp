// SPDX-License-Identifier: MIT
/// \file  glassbox/front_end_output.hpp
/// \brief What nvcc's and clang's front ends say of a program that g++ compiles, as findings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/findings/source_error.hpp"

namespace ladder::glassbox {

/// What a front end has against a program.
struct Objections {
  std::vector<SourceError> errors;  ///< nvcc refuses them
  std::vector<SourceError> notes;   ///< an option of nvcc's decides

  bool empty() const { return errors.empty() && notes.empty(); }
};

/// Whether a file is a header of the emulator's or the glass box's, and not the program's own.
bool is_header_of_ours(std::string_view file);

/// \brief Of nvcc: errors in the program's own files.
/// \param nvcc_root  the folder of the toolkit, whose headers are not the program's
Objections objections_of_nvcc(const std::string& output, const std::string& nvcc_root);

/// \brief Of clang's CUDA mode: only what nvcc refuses too. An error of another kind may be clang's
///        alone, and those behind it may follow from it: they count for nothing.
Objections objections_of_clang(const std::string& output);

}  // namespace ladder::glassbox
