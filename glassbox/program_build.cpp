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
#include "glassbox/nvcc_rules.hpp"
#include "glassbox/source_files.hpp"
#include "glassbox/two_sides.hpp"

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
void call(const Words& words, const Words& environment, SourceErrorKind kind) {
  const Ended ended = output_of(words, environment);
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

/// How the sources of a program are compiled.
class Compilation {
 public:
  Compilation(const ProgramSources& sources, const fs::path& folder)
      : build(description()),
        environment(compiler_environment(folder)),
        files(folder, {sources.include_folders.begin(), sources.include_folders.end()}),
        sources_(sources),
        front_end(installed_front_end(environment)) {
    compiler_ = {build.at("compiler")};
    const char* const flavour = sources.traced ? "traced" : "plain";
    append(compiler_, words(flavour));
    append(compiler_,
           {"-std=gnu++20", "-w", "-fmessage-length=0", "-fdiagnostics-plain-output",
            "-ftrack-macro-expansion=0",
            fmt::format("-D{}={}", kDeviceArchitecture, 10 * sources.compute_capability)});
    // cuda_runtime.h as g++ has compiled it, where this is no installation.
    append(compiler_, {"-I", emulator::library_folder() / "headers" / flavour});
    for (const std::string& include : words("folders")) {
      const fs::path below = emulator::source_tree() / include;
      emulator_folders_.push_back(include.empty() ? emulator::source_tree() : below);
    }
    for (const Words& folders : {emulator_folders_, sources.include_folders}) {
      for (const std::string& include : folders)
        append(compiler_, {"-I", include});
    }
    for (const std::string& definition : sources.definitions)
      compiler_.push_back("-D" + definition);
  }

  Words words(const char* name) const { return build.at(name).get<Words>(); }

  /// Starts what g++ and the front end do with one source.
  void start(const fs::path& file, bool compiles) {
    const fs::path source = files.for_compiler(file);
    Words job = compiler_;
    const bool is_cuda = file.extension() == ".cu";
    if (is_cuda) append(job, {"-include", "cuda_runtime.h"});  // as nvcc does
    append(job, {"-x", "c++"});
    if (files.uses_openmp()) job.push_back("-fopenmp");
    if (is_cuda) {
      const RulesQuestion question = {.source = file,
                                      .rewritten = source,
                                      .environment = environment,
                                      .preprocessor = job,
                                      .own_folders = sources_.include_folders,
                                      .emulator_folders = emulator_folders_,
                                      .definitions = sources_.definitions,
                                      .compute_capability = sources_.compute_capability};
      checks_.push_back(std::async(std::launch::async, [question, chosen = front_end] {
        return objections_to(question, chosen);
      }));
    }
    if (!compiles) return;
    objects.push_back(source.string() + ".o");
    append(job, {"-c", source, "-o", objects.back()});
    jobs_.push_back(std::async(std::launch::async, [job, variables = environment] {
      call(job, variables, SourceErrorKind::kCompiler);
    }));
  }

  /// \throws BuildError  g++ refuses the program
  void finish_objects() { finish(jobs_); }

  Objections objections() {
    Objections all;
    all.notes = files.notes();
    for (std::future<Objections>& check : checks_) {
      const Objections found = check.get();
      all.errors.insert(all.errors.end(), found.errors.begin(), found.errors.end());
      all.notes.insert(all.notes.end(), found.notes.begin(), found.notes.end());
    }
    return all;
  }

  const nlohmann::json build;
  const Words environment;
  SourceFiles files;
  Words objects;

 private:
  const ProgramSources& sources_;

 public:
  const FrontEnd front_end;

 private:
  Words compiler_;
  Words emulator_folders_;
  std::vector<std::future<void>> jobs_;
  std::vector<std::future<Objections>> checks_;
};

}  // namespace

Objections objections_to(const ProgramSources& sources, const fs::path& folder) {
  Compilation compilation(sources, folder);
  for (const fs::path& file : sources.files)
    compilation.start(file, false);
  return compilation.objections();
}

BuiltProgram build_program(const ProgramSources& sources, const fs::path& folder) {
  Compilation compilation(sources, folder);
  for (const fs::path& file : sources.files)
    compilation.start(file, true);
  compilation.finish_objects();
  Objections found = compilation.objections();
  if (!found.errors.empty()) throw BuildError(std::move(found.errors));

  const nlohmann::json& build = compilation.build;
  const Words& environment = compilation.environment;
  const Words& objects = compilation.objects;
  const SourceFiles& files = compilation.files;
  const fs::path shared = folder / "dynamic_shared.cpp";
  std::string list;
  for (const std::string& object : objects)
    list += (list.empty() ? "" : ";") + object;
  call({build.at("cmake"), "-D", "READELF=" + build.at("readelf").get<std::string>(), "-D",
        "OUTPUT=" + shared.string(), "-D", "OBJECTS=" + list, "-P",
        emulator::source_tree() / build.at("script")},
       environment, SourceErrorKind::kLinker);
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
  Words all_needed = compilation.words("libraries");
  if (files.uses_cublas()) append(all_needed, compilation.words("blas"));
  if (files.uses_openmp()) link.push_back("-fopenmp");
  if (files.uses_device_heap()) {
    for (const char* const function : kHeapFunctions)
      link.push_back(fmt::format("-Wl,--wrap={}", function));
  }
  for (const std::string& needed : all_needed)
    libraries.push_back(emulator::library_folder() / needed);
  libraries.push_back("-Wl,-rpath," + emulator::library_folder().string());
  append(link, libraries);
  call(link, environment, SourceErrorKind::kLinker);
  fs::path program = folder / "program";
  // In front of the C library, whose assert() is another.
  Words start = {build.at("compiler"), "-o",    program,
                 "-Wl,--no-as-needed", library, "-Wl,-rpath," + folder.string()};
  append(start, libraries);
  call(start, environment, SourceErrorKind::kLinker);
  return {program, files.uses_device_heap(), compilation.front_end.name, files.device_variables(),
          std::move(found.notes)};
}

}  // namespace ladder::glassbox
