// SPDX-License-Identifier: MIT
#include "glassbox/nvcc_driver.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "emulator/run/own_files.hpp"
#include "glassbox/build_error.hpp"
#include "glassbox/command.hpp"
#include "glassbox/nvcc_command.hpp"
#include "glassbox/object_file.hpp"
#include "glassbox/program_build.hpp"
#include "glassbox/program_link.hpp"
#include "glassbox/source_files.hpp"
#include "glassbox/work_folder.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// As CUDART_VERSION of our cuda_runtime.h has it.
constexpr int kMajor = 12, kMinor = 8, kBuild = 93;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// A folder as CUDA's Toolkit is one: bin/nvcc, include/cuda_runtime.h, lib64/libcudart.so.
fs::path toolkit_folder() {
  return emulator::installed() ? emulator::source_tree() / "cuda"
                               : emulator::library_folder().parent_path() / "cuda";
}

/// The emulator's headers take its place.
bool is_include_folder_of_toolkit(const fs::path& folder) {
  return fs::exists(folder / "cuda_runtime.h") || fs::exists(folder / "cuda_runtime_api.h");
}

/// How nvcc says what it is; CMake reads it.
void print_version() {
  fmt::print(
      "nvcc: NVIDIA (R) Cuda compiler driver\n"
      "The glass box stands in its place: it compiles CUDA for the CPU, and makes no code of a "
      "GPU\n"
      "Cuda compilation tools, release {0}.{1}, V{0}.{1}.{2}\n",
      kMajor, kMinor, kBuild);
}

void print_help() {
  fmt::print(
      "glassbox nvcc OPTIONS FILES: nvcc's command line, for the CPU. It makes ordinary objects,\n"
      "libraries and executables; what a GPU alone could do it refuses by name.\n\n"
      "  make NVCC='glassbox nvcc'    a project that names its compiler so\n"
      "  glassbox with make           any other: make finds this program where it looks for nvcc\n"
      "  ./program                    runs on the emulator\n"
      "  GLASSBOX=check ./program     also says what its kernels do wrong; GLASSBOX=trace "
      "counts\n");
}

class Driver {
 public:
  Driver(NvccCommand command, fs::path folder)
      : command_(std::move(command)), folder_(std::move(folder)) {
    std::erase_if(command_.include_folders,
                  [](const std::string& each) { return is_include_folder_of_toolkit(each); });
  }

  int run() {
    switch (command_.phase) {
      case NvccPhase::kVersion:
        print_version();
        return 0;
      case NvccPhase::kHelp:
        print_help();
        return 0;
      case NvccPhase::kPreprocess:
      case NvccPhase::kDependencies:
        return preprocess();
      default:
        break;
    }
    if (command_.is_shown) show();
    if (!command_.is_done) return 0;
    switch (command_.phase) {
      case NvccPhase::kCompile:
        for (const NvccSource& source : command_.sources)
          compile(source, output_of_source(source));
        return 0;
      case NvccPhase::kDeviceLink:
        return device_link();
      case NvccPhase::kArchive:
        return archive();
      default:
        return link();
    }
  }

 private:
  /// \brief The words that CMake reads of `nvcc -v`: what it takes for the toolkit, and the line
  ///        that links.
  void show() const {
    const std::string top = toolkit_folder();
    const std::string libraries = fmt::format("\"-L{}/lib64\"", top);
    const char* const path = std::getenv("PATH");
    fmt::print(stderr,
               "#$ TOP={0}\n#$ NVVMIR_LIBRARY_DIR={0}/nvvm/libdevice\n#$ PATH={0}/bin:{1}\n"
               "#$ INCLUDES=\"-I{0}/include\"  \n#$ LIBRARIES=  {2}\n"
               "#$ cicc -arch compute_{3} -m64\n"
               "#$ \"{0}/bin/g++\" {4}  {2}  -lcudadevrt  -lcudart_static  -lrt -lpthread  -ldl  "
               "-o \"{5}\"\n",
               top, path == nullptr ? "" : path, libraries, command_.compute_capability,
               fmt::join(command_.link_words, " "),
               command_.output.empty() ? "a.out" : command_.output.string());
  }

  fs::path output_of_source(const NvccSource& source) const {
    if (!command_.output.empty()) return command_.output;
    const fs::path name = source.file.stem().string() + ".o";
    return command_.output_folder.empty() ? name : command_.output_folder / name;
  }

  ProgramSources sources_of(const NvccSource& source, bool traced) const {
    const bool is_cuda = source.language == NvccLanguage::kCuda;
    ProgramSources sources = {.files = {source.file},
                              .include_folders = command_.include_folders,
                              .definitions = command_.definitions,
                              .traced = traced,
                              .compute_capability = command_.compute_capability,
                              .options = command_.host_options,
                              .is_cuda = is_cuda,
                              .is_checked = is_cuda && !traced,
                              .is_relaxed = command_.is_relaxed};
    const auto define = [&](const std::string& what) { sources.options.push_back("-D" + what); };
    define("__NVCC__");
    define(fmt::format("__CUDACC_VER_MAJOR__={}", kMajor));
    define(fmt::format("__CUDACC_VER_MINOR__={}", kMinor));
    define(fmt::format("__CUDACC_VER_BUILD__={}", kBuild));
    if (is_cuda) define("__CUDACC__");
    if (is_cuda && command_.is_separate) define("__CUDACC_RDC__");
    if (is_cuda && command_.is_relaxed) {
      define("__CUDACC_RELAXED_CONSTEXPR__");
      define("__CUDACC_EXTENDED_LAMBDA__");
    }
    if (!command_.fuses) sources.options.emplace_back("-ffp-contract=off");
    for (const std::string& file : command_.pre_includes)
      append(sources.options, {"-include", file});
    return sources;
  }

  // -- One source
  // ---------------------------------------------------------------------------------

  void compile(const NvccSource& source, const fs::path& object) {
    if (source.language == NvccLanguage::kC) {
      compile_c(source, object);
    } else {
      compile_twice(source, object);
    }
    write_dependencies(source, object);
  }

  /// As it is, and as it is traced.
  void compile_twice(const NvccSource& source, const fs::path& object) {
    const fs::path own = folder_ / fmt::format("source_{}", sources_++);
    const auto compiled = [&](bool traced) {
      const fs::path folder = own / (traced ? "traced" : "plain");
      fs::create_directories(folder);
      CompiledSources done = compile_sources(sources_of(source, traced), folder);
      if (source.language == NvccLanguage::kCuda && !command_.is_separate)
        keep_to_itself(done, folder);
      return done;
    };
    auto other = std::async(std::launch::async, [&] { return compiled(true); });
    const auto wait_for_both = [&] { other.wait(); };
    CompiledSources plain;
    try {
      plain = compiled(false);
    } catch (...) {
      wait_for_both();
      throw;
    }
    const CompiledSources traced = other.get();
    for (const SourceError& note : plain.facts.notes)
      notes_.push_back(note);
    add_parts(plain.objects[0], traced.objects[0], to_text(plain.facts), folder_);
    fs::copy_file(plain.objects[0], object, fs::copy_options::overwrite_existing);
  }

  /// Kernels cannot be in it, so nothing of it is traced.
  void compile_c(const NvccSource& source, const fs::path& object) const {
    Words command = {compiler_description().at("compiler"), "-x", "c", "-O2", "-g", "-fPIC", "-w"};
    Words folders = emulator_folders();
    append(folders, command_.include_folders);
    for (const std::string& folder : folders)
      append(command, {"-I", folder});
    for (const std::string& definition : command_.definitions)
      command.push_back("-D" + definition);
    append(command, command_.host_options);
    append(command, {"-c", source.file, "-o", object});
    run_compiler(command, compiler_environment(folder_), SourceErrorKind::kCompiler);
  }

  /// \brief Without -rdc, functions and variables of the device are those of one object: others may
  ///        have some of the same names.
  void keep_to_itself(const CompiledSources& compiled, const fs::path& folder) const {
    const fs::path list = folder / "kept";
    std::ofstream names(list);
    bool has_any = false;
    for (const std::string& symbol : strong_symbols_of(bytes_of(compiled.objects[0]))) {
      const std::string name = plain_name(symbol);
      if (!compiled.device_functions.contains(name) &&
          !compiled.facts.device_variables.contains(name)) {
        continue;
      }
      names << symbol << "\n";
      has_any = true;
    }
    names.close();
    if (!has_any) return;
    run_compiler({compiler_description().at("objcopy"), "--localize-symbols=" + list.string(),
                  compiled.objects[0]},
                 compiler_environment(folder_), SourceErrorKind::kLinker);
  }

  /// "scale" of "_ZN4math5scaleEfi"
  static std::string plain_name(const std::string& symbol) {
    if (!symbol.starts_with("_Z")) return symbol;  // "c" would be a char
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    if (status != 0) return symbol;
    std::string name = text.get();
    const std::size_t call = name.find("operator()(");
    name.resize(call != std::string::npos ? call + std::strlen("operator()")
                                          : std::min(name.find('('), name.size()));
    const std::size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
  }

  // -- The preprocessor alone
  // ---------------------------------------------------------------------

  Words preprocessor_of(const NvccSource& source) const {
    return preprocessor_command(sources_of(source, false), source.file, folder_);
  }

  void write_dependencies(const NvccSource& source, const fs::path& object) const {
    const Words& options = command_.dependency_options;
    const bool wanted = std::ranges::any_of(
        options, [](const std::string& option) { return option == "-MD" || option == "-MMD"; });
    if (!wanted) return;
    Words command = preprocessor_of(source);
    bool names_target = false;
    for (const std::string& option : options) {
      const bool with_compile = option == "-MD" || option == "-MMD";
      command.push_back(with_compile ? option.substr(0, option.size() - 1) : option);
      names_target = names_target || option == "-MT";
    }
    if (!names_target) append(command, {"-MT", object});
    fs::path file = command_.dependency_file;
    if (file.empty()) file = fs::path(object).replace_extension(".d");
    append(command, {"-MF", file, source.file});
    run_compiler(command, compiler_environment(folder_), SourceErrorKind::kCompiler);
  }

  int preprocess() const {
    for (const NvccSource& source : command_.sources) {
      Words command = preprocessor_of(source);
      append(command, command_.dependency_options);
      if (command_.phase == NvccPhase::kPreprocess) command.emplace_back("-E");
      if (!command_.dependency_file.empty()) append(command, {"-MF", command_.dependency_file});
      if (!command_.output.empty()) append(command, {"-o", command_.output});
      command.push_back(source.file);
      const Ended ended = run_in_front(command, compiler_environment(folder_), false);
      if (ended.code != 0) return ended.code;
    }
    return 0;
  }

  // -- Several objects
  // ----------------------------------------------------------------------------

  /// The words of the linker, with an object for each source.
  Words compiled_words() {
    Words words = command_.link_words;
    auto source = command_.sources.begin();
    for (std::string& word : words) {
      if (!word.empty()) continue;
      // One file per folder: two sources may have one name.
      const fs::path place = folder_ / fmt::format("object_{}", sources_);
      fs::create_directories(place);
      word = place / (source->file.stem().string() + ".o");
      compile(*source++, word);
    }
    return words;
  }

  int link() {
    LinkRequest request = {.words = command_.host_options,
                           .output = command_.output.empty() ? "a.out" : command_.output,
                           .is_library = command_.is_library};
    append(request.words, compiled_words());
    for (const std::string& sentence : link_program(request, folder_))
      fmt::print(stderr, "nvcc warning : {}\n", sentence);
    if (!command_.runs) return 0;
    return run_in_front({fs::absolute(request.output)}, {}, false).code;
  }

  int archive() {
    Words command = {compiler_description().at("ar"), "rcs",
                     command_.output.empty() ? "a.a" : command_.output.string()};
    for (const std::string& word : compiled_words()) {
      if (!word.starts_with("-")) command.push_back(word);
    }
    run_compiler(command, compiler_environment(folder_), SourceErrorKind::kLinker);
    return 0;
  }

  /// There is no machine code of a device to link: what `-dlink` makes is an object with nothing in
  /// it.
  int device_link() const {
    const fs::path source = folder_ / "device_link.cpp";
    std::ofstream(source) << "// Objects for the CPU are linked by the host's linker.\n";
    run_compiler({compiler_description().at("compiler"), "-c", "-fPIC", source, "-o",
                  command_.output.empty() ? "a_dlink.o" : command_.output.string()},
                 compiler_environment(folder_), SourceErrorKind::kCompiler);
    return 0;
  }

 public:
  const std::vector<SourceError>& notes() const { return notes_; }

 private:
  NvccCommand command_;
  fs::path folder_;
  std::vector<SourceError> notes_;
  int sources_ = 0;
};

int run_driver(const Words& words) {
  NvccCommand command;
  try {
    command = read_nvcc_command(words);
  } catch (const NvccRefusal& refusal) {
    // CMake asks where the toolkit is by a command that has to fail.
    if (std::ranges::find(words, "-v") != words.end())
      fmt::print(stderr, "#$ TOP={0}\n#$ NVVMIR_LIBRARY_DIR={0}/nvvm/libdevice\n",
                 toolkit_folder().string());
    fmt::print(stderr, "nvcc fatal   : {}\n", refusal.what());
    return 1;
  }
  try {
    const WorkFolder folder;
    return Driver(std::move(command), folder.path()).run();
  } catch (const BuildError& error) {
    fmt::print(stderr, "{}", error.what());
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "nvcc fatal   : {}\n", error.what());
    return 1;
  }
}

/// In this process's place.
int become(const Words& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words)
    pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  fmt::print(stderr, "cannot start {}: {}\n", words[0], std::strerror(errno));
  return 127;
}

/// The compiler of that name that is not ours.
std::string own_compiler(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / name;
    std::error_code ignored;
    const bool is_ours = fs::equivalent(folder, toolkit_folder() / "bin", ignored);
    if (!is_ours && access(file.c_str(), X_OK) == 0) return file;
  }
  return compiler_description().at("compiler");
}

/// Does one of them include a header of CUDA's?
bool include_cuda(const NvccCommand& command) {
  std::vector<fs::path> folders(command.include_folders.begin(), command.include_folders.end());
  std::erase_if(folders, is_include_folder_of_toolkit);
  SourceFiles files("", folders);
  return std::ranges::any_of(command.sources, [&](const NvccSource& source) {
    return source.language == NvccLanguage::kCpp && files.includes_cuda(source.file);
  });
}

}  // namespace

int nvcc(const Words& words) {
  return run_driver(words);
}

int host_compiler(const std::string& name, const Words& words) {
  Words forward = {"-forward-unknown-to-host-compiler"};
  append(forward, words);
  bool is_ours = false;
  try {
    const NvccCommand command = read_nvcc_command(forward);
    const bool links = command.phase == NvccPhase::kLink;
    is_ours = include_cuda(command) ||
              (links && std::ranges::any_of(command.link_words, [](const std::string& word) {
                 return is_library_of_cuda(word) || is_of_glassbox(word);
               }));
  } catch (const std::exception&) {
    is_ours = false;  // no command of nvcc's, so nothing of CUDA's
  }
  if (is_ours) return run_driver(forward);
  Words command = {own_compiler(name)};
  append(command, words);
  return become(command);
}

int with_nvcc(const Words& words) {
  if (words.empty()) {
    fmt::print(stderr, "glassbox with COMMAND: for instance, glassbox with make\n");
    return 2;
  }
  const std::string toolkit = toolkit_folder();
  const char* const path = std::getenv("PATH");
  setenv("PATH", fmt::format("{}/bin:{}", toolkit, path == nullptr ? "" : path).c_str(), 1);
  for (const char* const variable : {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDAToolkit_ROOT"})
    setenv(variable, toolkit.c_str(), 1);
  setenv("CUDACXX", (toolkit + "/bin/nvcc").c_str(), 1);
  setenv("NVCC", (toolkit + "/bin/nvcc").c_str(), 1);
  setenv("CXX", (toolkit + "/bin/g++").c_str(), 1);
  return become(words);
}

}  // namespace ladder::glassbox
