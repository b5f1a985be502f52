// SPDX-License-Identifier: MIT
#include "emulator/run/own_files.hpp"

#include <dlfcn.h>

#include <array>
#include <string>
#include <system_error>

namespace ladder::emulator {
namespace {

namespace fs = std::filesystem;

struct OwnFiles {
  fs::path libraries;
  fs::path tree = LADDER_SOURCE_DIR;
  bool installed = false;
};

OwnFiles find_own_files() {
  OwnFiles files;
  Dl_info library = {};
  if (dladdr(reinterpret_cast<const void*>(&find_own_files), &library) == 0) return files;
  std::error_code unreadable;
  files.libraries = fs::canonical(library.dli_fname, unreadable).parent_path();
  // LADDER_DATA_FROM_LIBRARIES: the way from one installed folder to the other.
  const fs::path copy = fs::canonical(files.libraries / LADDER_DATA_FROM_LIBRARIES, unreadable);
  files.installed = !unreadable;
  if (files.installed) files.tree = copy;
  return files;
}

const OwnFiles& own_files() {
  static const OwnFiles files = find_own_files();
  return files;
}

}  // namespace

bool installed() {
  return own_files().installed;
}

const fs::path& source_tree() {
  return own_files().tree;
}

std::string_view root_of(std::string_view file) {
  // An installation may lie in the tree where it was built, so its own root comes first.
  static const std::array roots = {source_tree().string() + "/",
                                   std::string(LADDER_SOURCE_DIR "/")};
  for (const std::string& root : roots)
    if (file.starts_with(root)) return root;
  return "";
}

const fs::path& library_folder() {
  return own_files().libraries;
}

}  // namespace ladder::emulator
