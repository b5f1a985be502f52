// SPDX-License-Identifier: MIT
/// \file  ladder/program/rung_sources.hpp
/// \brief Tells whether a rung's sources are still those that figures were recorded of.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace ladder {

/// \brief  A fingerprint of the sources in a rung's folder: kernels, launches and what they include
///         from there. Comments and white space do not change it.
/// \return empty where there are none
std::string sources_fingerprint(const std::filesystem::path& folder);

/// \brief  Rungs whose sources are not those of bench/results/rungs.json.
/// \param  root  of the sources
/// \return their numbers; none where the file is not there
std::set<int> edited_rungs(const std::filesystem::path& root);

}  // namespace ladder
