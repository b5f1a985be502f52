// SPDX-License-Identifier: MIT
/// \file  common/output_file.hpp
/// \brief A file that a user named, to be written whole or not at all.
#pragma once

#include <string>

namespace ladder {

/// \brief Text for a path that a user named. The constructor finds out whether the path can be
///        written, so that a program can fail before the long work.
///
/// A file that is already there keeps its content until the new one is whole, and its mode and
/// owner. A symbolic link stays one: its target is written. Anything that is not a file (a device,
/// a pipe, this program's own output) is written to and never replaced.
class OutputFile {
 public:
  /// \param path  `-` is standard output, which then should say nothing else
  /// \throws std::runtime_error  names the path, the reason and what to do
  explicit OutputFile(std::string path);

  /// \throws std::runtime_error  as above; the old file, if there was one, is unchanged
  void write(const std::string& text) const;

  bool is_standard_output() const;

  /// Whether both would write one file, of whatever name; a device may be written twice.
  bool is_same_file_as(const OutputFile& other) const;

 private:
  std::string path_;    ///< as the user wrote it
  std::string target_;  ///< behind all links; empty if it is not a regular file
};

}  // namespace ladder
