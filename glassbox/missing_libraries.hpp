// SPDX-License-Identifier: MIT
/// \file  glassbox/missing_libraries.hpp
/// \brief Libraries that the glass box does not have, each with a sentence.
#pragma once

#include <string>

namespace ladder::glassbox {

/// Whether CUDA's header of this name, as in <cuda/atomic>, is one that the glass box has.
bool is_own_header(const std::string& name);

/// "the glass box has no Thrust: ... [missing-library]"; empty for a header of another library.
std::string missing_library(const std::string& header);

/// \param  name  as in -lNAME
/// \return "the glass box has no cuRAND: ..."; empty for another library
std::string missing_library_to_link(const std::string& name);

}  // namespace ladder::glassbox
