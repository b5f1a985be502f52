// SPDX-License-Identifier: MIT
/// \file  glassbox/nvcc_driver.hpp
/// \brief `glassbox nvcc`: does what nvcc's command line says, for the emulator.
#pragma once

#include <string>
#include <vector>

namespace ladder::glassbox {

/// \brief  Compiles and links as nvcc would.
/// \param  words  without the program's name
/// \return exit code
int nvcc(const std::vector<std::string>& words);

/// \brief  Does what g++ is told, and stands in its place in `glassbox with make`: sources that
///         include CUDA's headers, and objects of `glassbox nvcc`, need more than g++ knows.
/// \param  name  "g++", "c++", "gcc", "cc"
/// \return exit code; where nothing of CUDA is in it, the compiler takes this process's place
int host_compiler(const std::string& name, const std::vector<std::string>& words);

/// \brief  Runs a command that finds `glassbox nvcc` where it looks for nvcc.
/// \return only if it cannot be started: exit code
int with_nvcc(const std::vector<std::string>& words);

}  // namespace ladder::glassbox
