// SPDX-License-Identifier: MIT
/// \file  ladder/program/rung_sources.hpp
/// \brief Tells whether a rung's sources are still those that figures were recorded of, and those
///        that were built.
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

/// \brief  Sources that were written after a library with their kernels: it does not have what they
///         say now.
/// \param  root     of the sources
/// \param  folder   of the rung: "03_shared_tile"
/// \param  library  a file
/// \return the first of them below the root; empty if there is none, or no such library
std::string newer_source(const std::filesystem::path& root, const std::string& folder,
                         const std::filesystem::path& library);

}  // namespace ladder
