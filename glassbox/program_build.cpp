// SPDX-License-Identifier: MIT
#include "glassbox/program_build.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "emulator/run/own_files.hpp"
#include "glassbox/build_error.hpp"
#include "glassbox/command.hpp"
#include "glassbox/launch_syntax.hpp"
#include "glassbox/source_files.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

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

/// In English: see errors_in().
void call(const Words& words, SourceErrorKind kind) {
  Words all = {"env", "LC_ALL=C.UTF-8"};
  append(all, words);
  const Ended ended = output_of(all);
  if (ended.code != 0) throw BuildError(errors_in(ended.output, kind));
}

/// \throws BuildError  with the errors of all
void finish(std::vector<std::future<void>>& jobs) {
  std::vector<SourceError> errors;
  for (std::future<void>& job : jobs)
    job.wait();
  for (std::future<void>& job : jobs) {
    try {
      job.get();
    } catch (const BuildError& error) {
      errors.insert(errors.end(), error.errors().begin(), error.errors().end());
    }
  }
  if (!errors.empty()) throw BuildError(std::move(errors));
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
    jobs.push_back(
        std::async(std::launch::async, [job] { call(job, SourceErrorKind::kCompiler); }));
  }
  finish(jobs);

  const fs::path shared = folder / "dynamic_shared.cpp";
  std::string list;
  for (const std::string& object : objects)
    list += (list.empty() ? "" : ";") + object;
  call({build.at("cmake"), "-D", "READELF=" + build.at("readelf").get<std::string>(), "-D",
        "OUTPUT=" + shared.string(), "-D", "OBJECTS=" + list, "-P",
        emulator::source_tree() / build.at("script")},
       SourceErrorKind::kLinker);
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
  call(link, SourceErrorKind::kLinker);
  fs::path program = folder / "program";
  // In front of the C library, whose assert() is another.
  Words start = {build.at("compiler"), "-o",    program,
                 "-Wl,--no-as-needed", library, "-Wl,-rpath," + folder.string()};
  append(start, libraries);
  call(start, SourceErrorKind::kLinker);
  return {program, files.uses_device_heap()};
}

}  // namespace ladder::glassbox
