// SPDX-License-Identifier: MIT
/// \file  glassbox/object_file.hpp
/// \brief What an object or an executable of the drop-in compiler carries beside its machine code:
///        itself once more, compiled for tracing, and what its sources say.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/findings/source_error.hpp"

namespace ladder::glassbox {

/// The same object, executable or library for `check` and `trace`.
inline constexpr std::string_view kTracedSection = ".glassbox.traced";
/// SourceFacts as JSON.
inline constexpr std::string_view kFactsSection = ".glassbox.facts";

/// What has to be known of sources when they are linked and run.
struct SourceFacts {
  bool uses_cublas = false;
  bool uses_openmp = false;
  bool uses_device_heap = false;
  std::string front_end = {};                   ///< that looked for what nvcc refuses
  std::set<std::string> device_variables = {};  ///< names of `__device__` and `__constant__`
  std::vector<SourceError> notes = {};

  void add(const SourceFacts& more);
};
std::string to_text(const SourceFacts& facts);
SourceFacts facts_in(const std::string& text);

/// \brief  The bytes of a section.
/// \param  elf  a whole file
/// \return nothing if it is no ELF file of this machine, or has no such section
std::optional<std::string> section_of(std::string_view elf, std::string_view name);

/// \brief The global symbols that an object defines and that no other object may define too.
std::vector<std::string> strong_symbols_of(std::string_view object);

/// One of the files in an archive.
struct ArchiveMember {
  std::string name;
  std::string_view bytes;  ///< within the archive
};

/// \return the members of what `ar` writes; none if it is no archive
std::vector<ArchiveMember> members_of(std::string_view archive);

/// \brief  The whole file.
/// \throws std::runtime_error  it cannot be read
std::string bytes_of(const std::filesystem::path& file);

/// \brief What an executable that the drop-in compiler has linked says of its sources; nothing of
///        other files.
std::optional<SourceFacts> facts_of_program(const std::filesystem::path& file);

}  // namespace ladder::glassbox
