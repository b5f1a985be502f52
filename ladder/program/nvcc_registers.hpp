// SPDX-License-Identifier: MIT
/// \file  ladder/program/nvcc_registers.hpp
/// \brief Registers per thread of a kernel that was never profiled, as nvcc's ptxas counts them.
#pragma once

#include <optional>
#include <string>

namespace ladder {

/// \brief  Compiles a source for a GPU, which takes seconds, and reads what ptxas says.
/// \param  source              a .cu file
/// \param  architecture  "90a": see name_of()
/// \param  kernel              its address in a library of emulated kernels
/// \return nothing if this build has no nvcc, the GPU cannot run the source, or it has no such
///         kernel
std::optional<int> registers_by_nvcc(const std::string& source, const std::string& architecture,
                                     const void* kernel);

/// \brief  The count of one kernel in what `nvcc -Xptxas -v` prints.
/// \param  symbol  the kernel's mangled name
std::optional<int> registers_in(const std::string& output, const std::string& symbol);

}  // namespace ladder
