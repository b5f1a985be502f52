// SPDX-License-Identifier: MIT
/// \file  glassbox/source_files.hpp
/// \brief Makes of a CUDA source, and of the files that it includes, what g++ compiles.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/findings/source_error.hpp"

namespace ladder::glassbox {

/// The sources of one program.
class SourceFiles {
 public:
  /// \param folder    for the files that are written
  /// \param includes  where the program's headers are looked for, behind the file's own folder
  SourceFiles(std::filesystem::path folder, std::vector<std::filesystem::path> includes);

  /// \brief  Writes a file that g++ compiles. Errors and reports name the user's own.
  /// \return its path
  /// \throws BuildError          the source cannot be read, or has a launch without an end
  /// \throws std::runtime_error  the file cannot be written
  std::filesystem::path for_compiler(const std::filesystem::path& source);

  /// \brief  Whether a source, or a file that it includes, names a header of CUDA's.
  /// \throws BuildError  a file cannot be read
  bool includes_cuda(const std::filesystem::path& source);

  /// Whether one of the sources so far names cuBLAS's header.
  bool uses_cublas() const { return uses_cublas_; }
  /// Likewise OpenMP's.
  bool uses_openmp() const { return uses_openmp_; }
  /// Whether a kernel, or a function that kernels call, may take memory with new or malloc().
  bool uses_device_heap() const { return uses_device_heap_; }
  /// The names of its `__device__` and `__constant__` variables.
  const std::set<std::string>& device_variables() const { return device_variables_; }
  /// Of functions that the device alone has, without their scopes.
  const std::set<std::string>& device_functions() const { return device_functions_; }
  /// Whether the host takes the address of one of the device's functions: see host_addresses.hpp.
  bool takes_addresses() const { return takes_addresses_; }
  /// Functions that behave otherwise than nvcc's: see one_sided_functions().
  const std::vector<SourceError>& notes() const { return notes_; }

 private:
  std::filesystem::path rewritten(const std::filesystem::path& source);
  std::filesystem::path found(const std::string& name, bool quoted,
                              const std::filesystem::path& from) const;
  /// What one file is, and what it includes.
  struct Facts {
    bool needs_rewriting = false;  ///< by itself
    std::vector<std::filesystem::path> includes;
  };

  const Facts& facts_of(const std::filesystem::path& source);
  bool needs_rewriting(const std::filesystem::path& source);

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> includes_;
  std::map<std::filesystem::path, std::filesystem::path> written_;
  std::map<std::filesystem::path, Facts> facts_;
  bool uses_cublas_ = false;
  bool uses_cuda_ = false;
  bool uses_openmp_ = false;
  bool uses_device_heap_ = false;
  bool takes_addresses_ = false;
  std::set<std::string> device_variables_;
  std::set<std::string> device_functions_;
  std::set<std::string> all_functions_of_device_;  ///< those of both sides, too
  std::vector<SourceError> notes_;
};

}  // namespace ladder::glassbox
