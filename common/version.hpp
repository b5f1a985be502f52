// SPDX-License-Identifier: MIT
/// \file  common/version.hpp
/// \brief Which version of GEMM Ladder this is. The build writes version() and commit() into a file
///        of their own, and only that file is compiled again after a commit.
#pragma once

#include <string>
#include <string_view>

namespace ladder {

/// commit() of sources that are no git repository.
constexpr std::string_view kNoCommit = "unknown";

/// As CMakeLists.txt has it: "0.2.0".
std::string_view version();

/// The commit that programs were built from and figures are filed with, as `git describe` names it.
std::string_view commit();

/// \brief "GEMM Ladder 0.2.0, commit 0123456789ab"; of sources without git it says so.
/// \param version  empty: not known
std::string version_text(std::string_view version, std::string_view commit);

/// The same of this program.
std::string version_text();

}  // namespace ladder
