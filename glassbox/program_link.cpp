// SPDX-License-Identifier: MIT
#include "glassbox/program_link.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "emulator/run/own_files.hpp"
#include "glassbox/command.hpp"
#include "glassbox/missing_libraries.hpp"
#include "glassbox/object_file.hpp"
#include "glassbox/program_build.hpp"

namespace ladder::glassbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Those of CUDA's libraries whose calls the run time has, or that only carry it.
constexpr std::array<std::string_view, 7> kOwnLibraries = {
    "cudart", "cudart_static", "cudadevrt", "cuda", "culibos", "cublasLt", "cublasLt_static"};
constexpr std::array<std::string_view, 2> kBlas = {"cublas", "cublas_static"};

/// "cudart" of "-lcudart" and of "/usr/local/cuda/lib64/libcudart.so.13"; else empty.
std::string library_name(const std::string& word) {
  if (word.starts_with("-l")) return word.substr(2);
  const std::string file = fs::path(word).filename();
  if (!file.starts_with("lib")) return {};
  const std::size_t end = std::min(file.find(".so"), file.find(".a"));
  return end == std::string::npos ? std::string() : file.substr(3, end - 3);
}

bool has(std::span<const std::string_view> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void write(const fs::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("cannot write {}", file.string()));
}

/// The text as a literal of C++.
std::string literal(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// What is linked: as it is, and as it is traced.
class Inputs {
 public:
  Inputs(const LinkRequest& request, const fs::path& folder)
      : folder_(folder),
        tools_(compiler_description()),
        environment_(compiler_environment(folder)) {
    for (std::size_t i = 0; i < request.words.size(); ++i) {
      const std::string& word = request.words[i];
      if (word.starts_with("-L")) folders_.push_back(word.substr(2));
    }
    for (const std::string& word : request.words)
      add(word);
  }

  bool has_traced() const { return has_traced_; }
  const Words& words(bool traced) const { return traced ? traced_ : plain_; }
  const Words& objects(bool traced) const { return traced ? traced_objects_ : objects_; }
  const SourceFacts& facts() const { return facts_; }
  const Words& warnings() const { return warnings_; }
  const nlohmann::json& tools() const { return tools_; }
  const Words& environment() const { return environment_; }

 private:
  void add(const std::string& word) {
    const std::string library = library_name(word);
    if (has(kBlas, library)) facts_.uses_cublas = true;
    if (has(kBlas, library) || has(kOwnLibraries, library)) return;
    if (const std::string missing = missing_library_to_link(library); !missing.empty()) {
      if (std::ranges::find(warnings_, missing) == warnings_.end()) warnings_.push_back(missing);
      return;
    }
    if (word.starts_with("-l")) return add_library(word);
    std::error_code ignored;
    if (word.starts_with("-") || !fs::is_regular_file(word, ignored)) return add_words(word, word);
    add_file(word, word);
  }

  void add_words(const std::string& plain, const std::string& traced) {
    plain_.push_back(plain);
    traced_.push_back(traced);
  }

  /// As the linker looks for it: a shared library goes before an archive of the same folder.
  void add_library(const std::string& word) {
    for (const std::string& folder : folders_) {
      const fs::path start = fs::path(folder) / ("lib" + word.substr(2));
      if (fs::exists(start.string() + ".so")) break;
      if (fs::exists(start.string() + ".a")) return add_file(word, start.string() + ".a");
    }
    add_words(word, word);
  }

  /// \param word  how the linker was given it
  void add_file(const std::string& word, const fs::path& file) {
    const std::string bytes = bytes_of(file);
    if (bytes.starts_with("!<arch>\n")) return add_archive(word, file, bytes);
    const auto facts = section_of(bytes, kFactsSection);
    const auto traced = section_of(bytes, kTracedSection);
    const bool is_object = !library_name(word).empty() ? false : facts.has_value();
    if (!is_object) return add_words(word, word);
    facts_.add(facts_in(*facts));
    objects_.push_back(file);
    const fs::path other = new_file(".o");
    write(other, traced.value_or(bytes));
    traced_objects_.push_back(other);
    add_words(word, other);
    has_traced_ = has_traced_ || traced;
  }

  void add_archive(const std::string& word, const fs::path& file, const std::string& bytes) {
    Words members;
    bool is_own = false;
    for (const ArchiveMember& member : members_of(bytes)) {
      if (const auto facts = section_of(member.bytes, kFactsSection)) {
        facts_.add(facts_in(*facts));
        is_own = true;
      }
      members.push_back(new_file("_" + fs::path(member.name).filename().string()));
      const auto traced = section_of(member.bytes, kTracedSection);
      write(members.back(), traced ? std::string_view(*traced) : member.bytes);
    }
    if (!is_own) return add_words(word, word);
    const fs::path archive = new_file(".a");
    Words command = {tools_.at("ar"), "rcs", archive};
    command.insert(command.end(), members.begin(), members.end());
    run_compiler(command, environment_, SourceErrorKind::kLinker);
    objects_.push_back(file);
    traced_objects_.push_back(archive);
    add_words(word, archive);
    has_traced_ = true;
  }

  fs::path new_file(const std::string& end) {
    return folder_ / fmt::format("traced_{}{}", files_++, end);
  }

  fs::path folder_;
  nlohmann::json tools_;
  Words environment_;
  Words folders_;
  Words plain_, traced_;
  Words objects_, traced_objects_;
  SourceFacts facts_;
  Words warnings_;
  bool has_traced_ = false;
  int files_ = 0;
};

/// A source with what the program does before anything else: see runtime/program_start.hpp.
void write_start(const fs::path& file, const SourceFacts& facts, bool is_library) {
  const std::string glassbox = fs::read_symlink("/proc/self/exe");
  write(file, fmt::format(R"(struct GlassboxFacts {{
  const char *glassbox, *device_variables;
  int uses_device_heap;
}};
extern "C" void glassbox_start(const GlassboxFacts*, int, char**);
static const GlassboxFacts facts = {{{}, {}, {}}};
__attribute__((constructor(101))) static void start(int, char** words, char**) {{
  glassbox_start(&facts, {}, words);
}}
)",
                          literal(glassbox),
                          literal(fmt::format("{}", fmt::join(facts.device_variables, " "))),
                          facts.uses_device_heap ? 1 : 0, is_library ? 0 : 1));
}

/// \brief  Writes the traced form of each shared library that the program is linked with.
/// \return where these and its other libraries are, as LD_LIBRARY_PATH has it
std::string traced_libraries(const fs::path& program, SourceFacts& facts, const fs::path& folder) {
  const Ended listed = output_of({fs::absolute(program)}, {"LD_TRACE_LOADED_OBJECTS=1"});
  static const std::regex form(R"((\S+) => (/.+) \(0x[0-9a-f]+\))");
  std::string path = folder / "libraries";
  fs::create_directories(path);
  const std::string traced_ones = path;
  for (std::sregex_iterator it(listed.output.begin(), listed.output.end(), form), end; it != end;
       ++it) {
    const fs::path library = (*it)[2].str();
    path += ":" + library.parent_path().string();
    const std::string bytes = bytes_of(library);
    const auto traced = section_of(bytes, kTracedSection);
    if (!traced) continue;
    if (const auto own = section_of(bytes, kFactsSection)) facts.add(facts_in(*own));
    write(fs::path(traced_ones) / (*it)[1].str(), *traced);
  }
  return path;
}

void link(const LinkRequest& request, const Inputs& inputs, bool traced, const fs::path& output,
          const fs::path& folder) {
  const nlohmann::json& tools = inputs.tools();
  fs::create_directories(folder);
  const fs::path shared = folder / "dynamic_shared.cpp", start = folder / "start.cpp";
  write_dynamic_shared(tools, inputs.objects(traced), shared, inputs.environment());
  write_start(start, inputs.facts(), request.is_library);
  Words command = {tools.at("compiler"), "-o", output, "-fPIC", start};
  if (request.is_library) command.emplace_back("-shared");
  const auto append = [&](const Words& more) {
    command.insert(command.end(), more.begin(), more.end());
  };
  append(inputs.words(traced));
  // Behind the arrays of fixed size, so that their distances from the end of the segment are no
  // small numbers: see KernelLibrary in emulator/run/debug_info/shared_arrays.cpp.
  command.push_back(shared);
  // A library must be found that no object of the program's own calls: see run_launch().
  append({"-Wl,--no-as-needed"});
  append(link_options(tools, inputs.facts(), traced));
  run_compiler(command, inputs.environment(), SourceErrorKind::kLinker);
}

}  // namespace

bool is_of_glassbox(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  const std::string bytes = bytes_of(file);
  if (section_of(bytes, kFactsSection)) return true;
  return std::ranges::any_of(members_of(bytes), [](const ArchiveMember& member) {
    return section_of(member.bytes, kFactsSection).has_value();
  });
}

bool is_library_of_cuda(const std::string& word) {
  const std::string name = library_name(word);
  return has(kOwnLibraries, name) || has(kBlas, name) || !missing_library_to_link(name).empty();
}

void add_parts(const fs::path& file, const fs::path& traced, const std::string& facts,
               const fs::path& folder) {
  const nlohmann::json tools = compiler_description();
  const fs::path text = folder / (file.filename().string() + ".facts");
  write(text, facts);
  Words command = {tools.at("objcopy")};
  const auto add = [&](std::string_view section, const fs::path& content) {
    command.push_back(fmt::format("--add-section={}={}", section, content.string()));
    // A linker leaves it out.
    command.push_back(fmt::format("--set-section-flags={}=exclude", section));
  };
  if (!traced.empty()) add(kTracedSection, traced);
  add(kFactsSection, text);
  command.push_back(file);
  run_compiler(command, compiler_environment(folder), SourceErrorKind::kLinker);
}

BuiltProgram program_for_run(const fs::path& file, const SourceFacts& facts, bool traced,
                             const fs::path& folder) {
  const auto own = section_of(bytes_of(file), kTracedSection);
  if (!traced || !own) return {fs::absolute(file), facts};
  const fs::path program = folder / file.filename();
  write(program, *own);
  fs::permissions(program, fs::perms::owner_all);
  BuiltProgram built = {program, facts};
  // Where the file is: it may look for its libraries beside itself.
  built.library_path = traced_libraries(file, built.facts, folder);
  return built;
}

Words link_program(const LinkRequest& request, const fs::path& folder) {
  const Inputs inputs(request, folder);
  const fs::path plain = folder / "plain_program", traced = folder / "traced_program";
  auto other = std::async(std::launch::async, [&] {
    if (inputs.has_traced()) link(request, inputs, true, traced, folder / "traced");
  });
  link(request, inputs, false, plain, folder / "plain");
  other.get();
  add_parts(plain, inputs.has_traced() ? traced : fs::path(), to_text(inputs.facts()), folder);
  fs::copy_file(plain, request.output, fs::copy_options::overwrite_existing);
  return inputs.warnings();
}

}  // namespace ladder::glassbox
