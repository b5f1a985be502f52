// SPDX-License-Identifier: MIT
/// \file  glassbox/build_error.hpp
/// \brief Why a program was not built: what its sources, the compiler or the linker have.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "common/findings/source_error.hpp"

namespace ladder::glassbox {

/// \brief A program that cannot be built. what() is for people: a line for each of the first
///        errors.
class BuildError : public std::runtime_error {
 public:
  explicit BuildError(std::vector<SourceError> errors);

  const std::vector<SourceError>& errors() const noexcept { return errors_; }

 private:
  std::vector<SourceError> errors_;
};

/// \brief  What a compiler or a linker has said.
/// \param  output  of g++, in English and without decoration
/// \return its errors, each once; the whole output as one where it names none
std::vector<SourceError> errors_in(const std::string& output, SourceErrorKind kind);

}  // namespace ladder::glassbox
