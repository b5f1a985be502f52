// SPDX-License-Identifier: MIT
/// \file  glassbox/editor_files.hpp
/// \brief `glassbox init`: what an editor has to know of CUDA's words.
#pragma once

#include <string>
#include <vector>

namespace ladder::glassbox {

/// \brief  Writes .clangd, which clangd reads in all editors, beside a program. One that somebody
///         else has written stays.
/// \param  words  the folder, none for this one; -I and -D of the program
/// \return exit code
int init(const std::vector<std::string>& words);

}  // namespace ladder::glassbox
