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
#include "glassbox/host_addresses.hpp"
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
      : build(compiler_description()),
        environment(compiler_environment(folder)),
        files(folder, {sources.include_folders.begin(), sources.include_folders.end()}),
        sources_(sources),
        front_end(sources.is_checked ? installed_front_end(environment) : FrontEnd()) {
    compiler_ = {build.at("compiler")};
    const char* const flavour = sources.traced ? "traced" : "plain";
    append(compiler_, words(flavour));
    append(compiler_,
           {"-std=gnu++20", "-w", "-fmessage-length=0", "-fdiagnostics-plain-output",
            "-ftrack-macro-expansion=0", "-D__GLASSBOX__",
            fmt::format("-D{}={}", kDeviceArchitecture, 10 * sources.compute_capability)});
    // cuda_runtime.h as g++ has compiled it, where this is no installation.
    append(compiler_, {"-I", emulator::library_folder() / "headers" / flavour});
    emulator_folders_ = emulator_folders();
    for (const Words& folders : {emulator_folders_, sources.include_folders}) {
      for (const std::string& include : folders)
        append(compiler_, {"-I", include});
    }
    for (const std::string& definition : sources.definitions)
      compiler_.push_back("-D" + definition);
    append(compiler_, sources.options);
  }

  Words words(const char* name) const { return build.at(name).get<Words>(); }

  bool is_cuda(const fs::path& file) const { return sources_.is_cuda || file.extension() == ".cu"; }

  /// g++ and its options for a source.
  Words command_for(const fs::path& file) const {
    Words command = compiler_;
    if (is_cuda(file)) append(command, {"-include", "cuda_runtime.h"});  // as nvcc does
    append(command, {"-x", "c++"});
    return command;
  }

  /// Starts what g++ and the front end do with one source.
  void start(const fs::path& file, bool compiles) {
    const fs::path source = files.for_compiler(file);
    const bool is_cuda = this->is_cuda(file);
    Words job = command_for(file);
    if (files.uses_openmp()) job.push_back("-fopenmp");
    if (is_cuda && sources_.is_checked) {
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
    jobs_.push_back(std::async(std::launch::async, [job, variables = environment,
                                                    is_marked = files.takes_addresses()]() mutable {
      try {
        run_compiler(job, variables, SourceErrorKind::kCompiler);
      } catch (const BuildError&) {
        if (!is_marked) throw;
        job.insert(job.begin() + 1, fmt::format("-D{}", kPlainAddresses));
        run_compiler(job, variables, SourceErrorKind::kCompiler);
      }
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
    if (sources_.is_relaxed) {
      std::erase_if(all.notes, [](const SourceError& note) {
        return note.kind == SourceErrorKind::kNvccOption;
      });
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

/// Those that it calls, and the way to them.
Words libraries_of(const nlohmann::json& description, const SourceFacts& facts) {
  Words names = description.at("libraries");
  if (facts.uses_cublas) append(names, description.at("blas"));
  Words libraries;
  for (const std::string& name : names)
    libraries.push_back(emulator::library_folder() / name);
  libraries.push_back("-Wl,-rpath," + emulator::library_folder().string());
  return libraries;
}

}  // namespace

nlohmann::json compiler_description() {
  const fs::path path = emulator::library_folder() / "glassbox.json";
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(
        fmt::format("{} is missing: {}", path.string(),
                    emulator::installed() ? "run `make install` again" : "run `make build` first"));
  }
  return nlohmann::json::parse(file);
}

Words emulator_folders() {
  Words folders;
  for (const std::string& include : compiler_description().at("folders").get<Words>()) {
    const fs::path below = emulator::source_tree() / include;
    folders.push_back(include.empty() ? emulator::source_tree() : below);
  }
  return folders;
}

void run_compiler(const Words& words, const Words& environment, SourceErrorKind kind) {
  const Ended ended = output_of(words, environment);
  if (ended.code != 0) throw BuildError(errors_in(ended.output, kind));
}

void write_dynamic_shared(const nlohmann::json& description, const Words& objects,
                          const fs::path& source, const Words& environment) {
  std::string list;
  for (const std::string& object : objects)
    list += (list.empty() ? "" : ";") + object;
  run_compiler(
      {description.at("cmake"), "-D", "READELF=" + description.at("readelf").get<std::string>(),
       "-D", "OUTPUT=" + source.string(), "-D", "OBJECTS=" + list, "-P",
       emulator::source_tree() / description.at("script")},
      environment, SourceErrorKind::kLinker);
}

Words link_options(const nlohmann::json& description, const SourceFacts& facts, bool traced) {
  Words options = {"-Wl,-z,now", "-Wl,--wrap=__stack_chk_fail", "-pthread"};
  // The run time changes what the program calls at its accesses: see runtime/hook_slots.hpp.
  if (traced) options.emplace_back("-Wl,-z,norelro");
  if (facts.uses_openmp) options.emplace_back("-fopenmp");
  if (facts.uses_device_heap) {
    for (const char* const function : kHeapFunctions)
      options.push_back(fmt::format("-Wl,--wrap={}", function));
  }
  append(options, libraries_of(description, facts));
  return options;
}

Objections objections_to(const ProgramSources& sources, const fs::path& folder) {
  Compilation compilation(sources, folder);
  for (const fs::path& file : sources.files)
    compilation.start(file, false);
  return compilation.objections();
}

Words preprocessor_command(const ProgramSources& sources, const fs::path& file,
                           const fs::path& folder) {
  return Compilation(sources, folder).command_for(file);
}

CompiledSources compile_sources(const ProgramSources& sources, const fs::path& folder) {
  Compilation compilation(sources, folder);
  for (const fs::path& file : sources.files)
    compilation.start(file, true);
  compilation.finish_objects();
  Objections found = compilation.objections();
  if (!found.errors.empty()) throw BuildError(std::move(found.errors));
  const SourceFiles& files = compilation.files;
  return {.objects = compilation.objects,
          .facts = {.uses_cublas = files.uses_cublas(),
                    .uses_openmp = files.uses_openmp(),
                    .uses_device_heap = files.uses_device_heap(),
                    .front_end = compilation.front_end.name,
                    .device_variables = files.device_variables(),
                    .notes = std::move(found.notes)},
          .device_functions = files.device_functions()};
}

BuiltProgram build_program(const ProgramSources& sources, const fs::path& folder) {
  CompiledSources compiled = compile_sources(sources, folder);
  const nlohmann::json build = compiler_description();
  const Words environment = compiler_environment(folder);
  const fs::path shared = folder / "dynamic_shared.cpp";
  write_dynamic_shared(build, compiled.objects, shared, environment);
  std::ofstream(folder / "exports.map") << "{ global: main; local: *; };\n";
  // The program's thread_local variables are its shared memory: they need a library of their own.
  const fs::path library = folder / "libprogram.so";
  Words link = {
      build.at("compiler"), "-shared", "-fPIC", "-Wl,-soname,libprogram.so", "-o", library, shared};
  append(link, compiled.objects);
  append(link, {"-Wl,--version-script=" + (folder / "exports.map").string(), "-Wl,-z,defs"});
  append(link, link_options(build, compiled.facts, sources.traced));
  run_compiler(link, environment, SourceErrorKind::kLinker);
  fs::path program = folder / "program";
  // In front of the C library, whose assert() is another.
  Words start = {build.at("compiler"), "-o",    program,
                 "-Wl,--no-as-needed", library, "-Wl,-rpath," + folder.string()};
  append(start, libraries_of(build, compiled.facts));
  run_compiler(start, environment, SourceErrorKind::kLinker);
  return {program, std::move(compiled.facts)};
}

}  // namespace ladder::glassbox
