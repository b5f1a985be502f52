// SPDX-License-Identifier: MIT
/// \file  glassbox/work_folder.hpp
/// \brief The folder of one run, and an end to all that was started for it.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace ladder::glassbox {

/// \brief A folder for temporary files. When this object goes, or when this process ends in
///        whatever way, the folder goes, and with it all processes whose environment names it as
///        GLASSBOX_FOLDER: compilers, the program, and whatever these have started.
///
/// A process of its own keeps watch, because nobody else can clean up after a SIGKILL.
class WorkFolder {
 public:
  /// \brief  Makes it. SIGINT, SIGTERM and SIGHUP end this process from now on when the folder is
  ///         gone; see run_in_front() for what they do while the program runs.
  /// \throws std::runtime_error  no folder can be made
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ladder::glassbox
