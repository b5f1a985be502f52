// SPDX-License-Identifier: MIT
/// \file  emulator/run/own_files.hpp
/// \brief Where the files lie that programs of ours read at run time: the one place that knows.
///
/// A program that was built in place reads the source tree. An installed one reads a copy of those
/// parts of the tree that it needs, which `make install` puts beside the libraries. Which of both
/// it is follows from where this library was loaded from, so an installation can be moved.
#pragma once

#include <filesystem>
#include <string_view>

namespace ladder::emulator {

/// Whether this is an installation.
bool installed();

/// \brief  The root of the source tree, or of the installed copy of its parts: common/devices,
///         ladder/03_shared_tile and so on lie below it.
/// \return an absolute path
const std::filesystem::path& source_tree();

/// \brief  The root that a file's name begins with, as a compiler wrote it down: that of the tree
///         where this library was built, or source_tree().
/// \return with a slash at its end; empty if the file lies below neither
std::string_view root_of(std::string_view file);

/// \brief  The folder of our shared libraries, and of what the build wrote down beside them.
/// \return an absolute path
const std::filesystem::path& library_folder();

}  // namespace ladder::emulator
