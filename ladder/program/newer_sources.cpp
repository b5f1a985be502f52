// SPDX-License-Identifier: MIT
#include "ladder/program/newer_sources.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <filesystem>

#include "common/terminal/text_table.hpp"
#include "emulator/run/own_files.hpp"
#include "ladder/ladder.hpp"
#include "ladder/program/rung_sources.hpp"

namespace ladder {
namespace {

/// The library with the instrumented rungs that this program has loaded; empty if there is none.
std::filesystem::path loaded_rungs() {
  void* const handle = dlopen("libtraced_rungs.so", RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return {};
  link_map* map = nullptr;
  const bool known = dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0;
  std::filesystem::path path = known ? map->l_name : "";
  dlclose(handle);
  return path;
}

std::string folder_of(const Rung& rung) {
  return fmt::format("{:02}_{}", rung.number, rung.name);
}

}  // namespace

void tell_newer_sources(const std::vector<std::string>& names) {
  const std::filesystem::path library = loaded_rungs();
  // Of an installation nothing is built, and a student's kernels lie elsewhere.
  if (emulator::installed() || library.parent_path() != emulator::library_folder()) return;
  for (const Rung& rung : traced_rungs()) {
    const auto is_this = [&](const std::string& name) {
      return name == rung.name || name == fmt::format("{:02}", rung.number) ||
             name == fmt::format("{}", rung.number) || name == folder_of(rung);
    };
    if (!names.empty() && std::ranges::none_of(names, is_this)) continue;
    const std::string source = newer_source(emulator::source_tree(), folder_of(rung), library);
    if (source.empty()) continue;
    fmt::print(stderr, "{}",
               wrapped(source + " was saved after the last `make build`, so what "
                                "follows is of the kernel before that.",
                       2) +
                   "\n");
  }
}

}  // namespace ladder
