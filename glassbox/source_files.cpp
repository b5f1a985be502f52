// SPDX-License-Identifier: MIT
#include "glassbox/source_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "emulator/run/own_files.hpp"
#include "glassbox/build_error.hpp"
#include "glassbox/host_addresses.hpp"
#include "glassbox/launch_syntax.hpp"
#include "glassbox/missing_libraries.hpp"
#include "glassbox/source_tokens.hpp"
#include "glassbox/two_sides.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || fs::is_directory(path)) {
    throw BuildError(
        {{.kind = SourceErrorKind::kUnreadable,
          .fields = {{"file", path.string()},
                     {"reason", std::strerror(fs::is_directory(path) ? EISDIR : errno)}}}});
  }
  return text.str();
}

/// One that the glass box has, or says that it has not. <math.h> is the C library's as well.
bool is_header_of_cuda(const std::string& name) {
  if (!missing_library(name).empty()) return true;
  return name != "math.h" && is_own_header(name);
}

/// A path as it stands between the quotes of #line and #include.
std::string quoted(const fs::path& path) {
  return "\"" + path.string() + "\"";
}

/// \brief Ours of this name, if it is of common/ptx or of the emulator. A program may bring a copy
///        along for nvcc, but the emulator's words are there already.
fs::path own_file(const std::string& name) {
  if (!name.starts_with("common/ptx/") && !name.starts_with("emulator/")) return {};
  std::error_code ignored;
  const fs::path path = emulator::source_tree() / name;
  return fs::is_regular_file(path, ignored) ? path : fs::path();
}

}  // namespace

SourceFiles::SourceFiles(fs::path folder, std::vector<fs::path> includes)
    : folder_(std::move(folder)), includes_(std::move(includes)) {}

/// Nothing if it is none of the program's own files.
fs::path SourceFiles::found(const std::string& name, bool quoted, const fs::path& from) const {
  std::vector<fs::path> folders = includes_;
  if (quoted) folders.insert(folders.begin(), from.parent_path());
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    const fs::path path = folder / name;
    if (fs::is_regular_file(path, ignored)) return path.lexically_normal();
  }
  return {};
}

const SourceFiles::Facts& SourceFiles::facts_of(const fs::path& source) {
  const auto [known, is_new] = facts_.try_emplace(source);
  Facts& facts = known->second;
  if (!is_new) return facts;
  const std::string text = text_of(source);
  try {
    const std::set<std::string> functions = functions_of_device(text);
    facts.needs_rewriting = without_launch_syntax(text, functions).has_value();
    all_functions_of_device_.insert(functions.begin(), functions.end());
  } catch (const SourceRefused& refusal) {
    throw BuildError(
        {{.kind = SourceErrorKind::kLaunchSyntax, .place = {source.string(), refusal.line()}}});
  }
  for (const Inclusion& inclusion : inclusions_of(text)) {
    if (!own_file(inclusion.name).empty()) continue;
    const fs::path file = found(inclusion.name, inclusion.quoted, source);
    if (!file.empty()) facts.includes.push_back(file);
    if (file.empty() && inclusion.name.starts_with("cublas")) uses_cublas_ = true;
    if (file.empty() && inclusion.name == "omp.h") uses_openmp_ = true;
    if (file.empty() && is_header_of_cuda(inclusion.name)) uses_cuda_ = true;
    if (file.empty() && !missing_library(inclusion.name).empty()) facts.needs_rewriting = true;
  }
  for (const OneSided& function : one_sided_functions(text)) {
    notes_.push_back({.kind = SourceErrorKind::kOneSide,
                      .place = {source.string(), function.line},
                      .fields = {{"reason", std::string(function.reason)}}});
  }
  for (const std::string& name : glassbox::device_variables(text))
    device_variables_.insert(name);
  for (const std::string& name : glassbox::device_functions(text))
    device_functions_.insert(name);
  if (takes_memory_on_device(text)) uses_device_heap_ = true;
  return facts;
}

/// Does the file, or one that it includes, launch a kernel? Files may include each other.
bool SourceFiles::needs_rewriting(const fs::path& source) {
  std::vector<fs::path> files = {source};
  std::set<fs::path> seen = {source};
  bool needs = false;
  for (std::size_t i = 0; i < files.size(); ++i) {  // all of them: each may use a library
    const Facts& facts = facts_of(files[i]);
    needs = needs || facts.needs_rewriting;
    for (const fs::path& file : facts.includes) {
      if (seen.insert(file).second) files.push_back(file);
    }
  }
  return needs;
}

bool SourceFiles::includes_cuda(const fs::path& source) {
  needs_rewriting(source);
  return uses_cuda_;
}

fs::path SourceFiles::for_compiler(const fs::path& source) {
  needs_rewriting(source);
  return rewritten(source);
}

fs::path SourceFiles::rewritten(const fs::path& source) {
  const auto known = written_.find(source);
  if (known != written_.end()) return known->second;
  fs::path path = folder_ / fmt::format("{}_{}", written_.size(), source.filename().string());
  written_[source] = path;
  std::string text = text_of(source);
  const std::vector<Inclusion> inclusions = inclusions_of(text);
  for (auto it = inclusions.rbegin(); it != inclusions.rend(); ++it) {
    if (const fs::path own = own_file(it->name); !own.empty()) {
      text.replace(it->begin, it->end - it->begin, quoted(own));
      continue;
    }
    const fs::path file = found(it->name, it->quoted, source);
    if (file.empty()) {
      // An error, unless the preprocessor leaves this part out.
      const std::string error = missing_library(it->name);
      if (!error.empty()) text.replace(it->directive, it->end - it->directive, "error " + error);
      continue;
    }
    const fs::path taken = needs_rewriting(file) ? rewritten(file) : file;
    text.replace(it->begin, it->end - it->begin, quoted(fs::absolute(taken)));
  }
  if (!addresses_on_host(text, all_functions_of_device_).empty()) takes_addresses_ = true;
  text = without_launch_syntax(text, all_functions_of_device_).value_or(text);
  std::ofstream file(path, std::ios::binary);
  file << "#line 1 " << quoted(source) << "\n" << text;
  if (!file) throw std::runtime_error(fmt::format("cannot write {}", path.string()));
  return path;
}

}  // namespace ladder::glassbox
