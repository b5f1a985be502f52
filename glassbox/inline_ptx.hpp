// SPDX-License-Identifier: MIT
/// \file  glassbox/inline_ptx.hpp
/// \brief Inline PTX as C++ that the emulator can run: see emulator/words/inline_ptx.hpp.
#pragma once

#include <string>
#include <vector>

namespace ladder::glassbox {

/// An asm statement of CUDA's.
struct AsmStatement {
  std::string text;                   ///< of the instructions, without quotes and escapes
  std::vector<std::string> operands;  ///< expressions of %0, %1, ...
  std::size_t outputs = 0;            ///< so many of them are written
};

/// What has become of it.
struct AsmTranslation {
  std::string code;     ///< a statement without its semicolon; empty if it is refused
  std::string refused;  ///< the instruction that the emulator does not have
};

/// \brief Instructions of memory, arithmetic, warps, barriers, cp.async, ldmatrix and mma; others
///        are refused by name, and so are labels.
AsmTranslation translated(const AsmStatement& statement);

}  // namespace ladder::glassbox
