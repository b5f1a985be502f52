// SPDX-License-Identifier: MIT
/// \file  ladder/program/newer_sources.hpp
/// \brief Whoever edits a kernel and forgets `make build` is told.
#pragma once

#include <string>
#include <vector>

namespace ladder {

/// \brief Says on standard error which sources of rungs were saved after the last build.
/// \param names  as the user gave them; all rungs if empty
void tell_newer_sources(const std::vector<std::string>& names);

}  // namespace ladder
