// SPDX-License-Identifier: MIT
#include "glassbox/program_build.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "emulator/run/own_files.hpp"
#include "glassbox/command.hpp"
#include "glassbox/launch_syntax.hpp"
#include "glassbox/source_files.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kErrorsShown = 10;

/// malloc(), free(), operator new and operator delete: see runtime/device_heap.cpp.
constexpr std::array kHeapFunctions = {"malloc", "free",    "_Znwm",  "_Znam",
                                       "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"};

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// The compiler and its options, as CMake wrote them down.
nlohmann::json description() {
  const fs::path path = emulator::library_folder() / "glassbox.json";
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(
        fmt::format("{} is missing: {}", path.string(),
                    emulator::installed() ? "run `make install` again" : "run `make build` first"));
  }
  return nlohmann::json::parse(file);
}

/// An error without its column: g++ tells some of them several times.
std::string without_column(const std::string& error) {
  const std::size_t end = error.find(": error: ");
  const std::size_t begin = end == std::string::npos ? end : error.rfind(':', end - 1);
  return begin == std::string::npos ? error : error.substr(0, begin) + error.substr(end);
}

/// Of all that g++ says, the first errors; of one in a header of ours, the line that leads there.
std::string errors_in(const std::string& output) {
  std::istringstream lines(output);
  std::string text, cause;
  int errors = 0;
  std::set<std::string> told;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("required from") != std::string::npos) cause = line + "\n";
    if (line.find("error: ") == std::string::npos &&
        line.find("undefined reference") == std::string::npos) {
      continue;
    }
    static const std::regex refused_header(R"(^(.*:\d+):\d+: error: #error (the glass box .*))");
    std::smatch found;
    if (std::regex_match(line, found, refused_header))
      return fmt::format("{}: {}\n", found[1].str(), found[2].str());
    if (!told.insert(without_column(line)).second) continue;
    if (++errors <= kErrorsShown) {
      text += (!emulator::root_of(line).empty() ? cause : "") + line + "\n";
    }
    cause.clear();
  }
  if (errors > kErrorsShown) text += fmt::format("... and {} more errors\n", errors - kErrorsShown);
  return errors > 0 ? text : output;
}

void call(const Words& words) {
  const Ended ended = output_of(words);
  if (ended.code != 0) throw CompileError(errors_in(ended.output));
}

}  // namespace

BuiltProgram build_program(const ProgramSources& sources, const fs::path& folder) {
  const nlohmann::json build = description();
  const auto words = [&](const char* name) { return build.at(name).get<Words>(); };
  std::vector<fs::path> includes(sources.include_folders.begin(), sources.include_folders.end());
  SourceFiles files(folder, includes);

  Words compiler = {build.at("compiler")};
  append(compiler, words(sources.traced ? "traced" : "plain"));
  append(compiler, {"-std=gnu++20", "-w", "-fmessage-length=0", "-fdiagnostics-plain-output",
                    "-ftrack-macro-expansion=0",
                    fmt::format("-D{}={}", kDeviceArchitecture, 10 * sources.compute_capability)});
  for (const std::string& include : words("folders")) {
    const fs::path below = emulator::source_tree() / include;
    append(compiler, {"-I", include.empty() ? emulator::source_tree() : below});
  }
  for (const std::string& include : sources.include_folders)
    append(compiler, {"-I", include});
  for (const std::string& definition : sources.definitions)
    compiler.push_back("-D" + definition);

  Words objects;
  std::vector<std::future<void>> jobs;
  for (const fs::path& file : sources.files) {
    const fs::path source = files.for_compiler(file);
    objects.push_back(source.string() + ".o");
    Words job = compiler;
    if (file.extension() == ".cu") append(job, {"-include", "cuda_runtime.h"});  // as nvcc does
    append(job, {"-x", "c++", "-c", source, "-o", objects.back()});
    if (files.uses_openmp()) job.push_back("-fopenmp");
    jobs.push_back(std::async(std::launch::async, [job] { call(job); }));
  }
  for (std::future<void>& job : jobs)
    job.wait();
  for (std::future<void>& job : jobs)
    job.get();

  const fs::path shared = folder / "dynamic_shared.cpp";
  std::string list;
  for (const std::string& object : objects)
    list += (list.empty() ? "" : ";") + object;
  call({build.at("cmake"), "-D", "READELF=" + build.at("readelf").get<std::string>(), "-D",
        "OUTPUT=" + shared.string(), "-D", "OBJECTS=" + list, "-P",
        emulator::source_tree() / build.at("script")});
  std::ofstream(folder / "exports.map") << "{ global: main; local: *; };\n";
  // The program's thread_local variables are its shared memory: they need a library of their own.
  const fs::path library = folder / "libprogram.so";
  Words link = {
      build.at("compiler"), "-shared", "-fPIC", "-Wl,-soname,libprogram.so", "-o", library, shared};
  append(link, objects);
  append(link, {"-Wl,--version-script=" + (folder / "exports.map").string(), "-Wl,-z,defs",
                "-Wl,-z,now", "-Wl,--wrap=__stack_chk_fail", "-pthread"});
  // The run time changes what the program calls at its accesses: see runtime/hook_slots.hpp.
  if (sources.traced) link.push_back("-Wl,-z,norelro");
  Words libraries;
  Words all_needed = words("libraries");
  if (files.uses_cublas()) append(all_needed, words("blas"));
  if (files.uses_openmp()) link.push_back("-fopenmp");
  if (files.uses_device_heap()) {
    for (const char* const function : kHeapFunctions)
      link.push_back(fmt::format("-Wl,--wrap={}", function));
  }
  for (const std::string& needed : all_needed)
    libraries.push_back(emulator::library_folder() / needed);
  libraries.push_back("-Wl,-rpath," + emulator::library_folder().string());
  append(link, libraries);
  call(link);
  fs::path program = folder / "program";
  // In front of the C library, whose assert() is another.
  Words start = {build.at("compiler"), "-o",    program,
                 "-Wl,--no-as-needed", library, "-Wl,-rpath," + folder.string()};
  append(start, libraries);
  call(start);
  return {program, files.uses_device_heap()};
}

}  // namespace ladder::glassbox
