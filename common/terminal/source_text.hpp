// SPDX-License-Identifier: MIT
/// \file  common/terminal/source_text.hpp
/// \brief The text of source files that lines and findings name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ladder {

/// \return nothing if there is no such file, or it cannot be read
std::optional<std::string> text_of_file(const std::filesystem::path& path);

/// Whose kernels a report is about.
enum class Sources {
  kLadder,   ///< a rung's: names of files begin at the repository's root
  kProgram,  ///< a user's: in the current folder, if the file is not one of the repository's
};

/// \return the text of a source file; nothing if it cannot be read
std::optional<std::string> text_of_source(const std::string& file, Sources sources);

}  // namespace ladder
