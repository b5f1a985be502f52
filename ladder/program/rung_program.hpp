// SPDX-License-Identifier: MIT
/// \file  ladder/program/rung_program.hpp
/// \brief What the executable of a single rung does.
#pragma once

namespace ladder {

/// \brief  Verifies one rung, and on a GPU times it against cuBLAS.
/// \param  rung  number or name
/// \return exit code
int rung_program(int argc, char** argv, const char* rung);

}  // namespace ladder
