// SPDX-License-Identifier: MIT
/// \file  common/output_file.hpp
/// \brief A file that a user named, to be written whole or not at all.
#pragma once

#include <string>

namespace ladder {

/// \brief Text for a path that a user named. The constructor finds out whether it can be written,
/// so
///        that nobody waits in vain.
///
/// A file that stands there keeps its content until the new one is whole, and its mode and owner. A
/// symbolic link stays one: its target is written. What is no file (a device, a pipe, this
/// program's own output) is written to and never replaced.
class OutputFile {
 public:
  /// \throws std::runtime_error  names the path, the reason and what to do
  explicit OutputFile(std::string path);

  /// \throws std::runtime_error  as above; the file that stood there is as it was
  void write(const std::string& text) const;

 private:
  std::string path_;    ///< as the user wrote it
  std::string target_;  ///< behind all links; empty for what is no regular file
};

}  // namespace ladder
