// SPDX-License-Identifier: MIT
#include "emulator/run/debug_info/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "emulator/run/debug_info/debug_information.hpp"
#include "emulator/run/own_files.hpp"

namespace ladder::emulator {
namespace {

constexpr std::string_view kEmulator = "emulator/";
constexpr std::string_view kInstructions = "common/ptx/";
constexpr std::string_view kRunTime = "glassbox/runtime/";

/// Of a file as without_repository() gives it. A program may also name its own relative to the
/// folder that it was built in.
std::filesystem::path path_of(const std::string& file) {
  std::error_code ignored;
  const std::filesystem::path path = source_tree() / file;
  return std::filesystem::is_regular_file(path, ignored) ? path : std::filesystem::path(file);
}

/// A file's name as the compiler wrote it down may be relative to the folder that it ran in.
std::string absolute(const char* name, const char* folder) {
  return *name == '/' || folder == nullptr ? name : std::string(folder) + "/" + name;
}

SourceLine line_of_table(Dwfl_Module* module, Dwarf_Addr address) {
  Dwfl_Line* const found = dwfl_module_getsrc(module, address);
  int line = 0;
  int column = 0;
  const char* const file =
      found == nullptr ? nullptr : dwfl_lineinfo(found, nullptr, &line, &column, nullptr, nullptr);
  if (file == nullptr) return {};
  return {absolute(file, dwfl_line_comp_dir(found)), static_cast<unsigned>(line),
          static_cast<unsigned>(column)};
}

/// The line where an inlined function was called.
SourceLine line_of_call(Dwarf_Die* unit, Dwarf_Die* inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0;
  Dwarf_Word line = 0;
  Dwarf_Word column = 0;
  Dwarf_Files* files = nullptr;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
      dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
      dwarf_getsrcfiles(unit, &files, nullptr) != 0) {
    return {};
  }
  dwarf_formudata(dwarf_attr(inlined, DW_AT_call_column, &attribute), &column);
  const char* const name = dwarf_filesrc(files, file, nullptr, nullptr);
  if (name == nullptr) return {};
  const char* const folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return {absolute(name, folder), static_cast<unsigned>(line), static_cast<unsigned>(column)};
}

/// The scopes below `around` that an address of the unit lies in, innermost first, through inlined
/// functions outwards. Clang describes functions inside their namespaces, g++ beside them.
/// Thorough: looks below what has no code of its own, too; a lambda's code is described inside the
/// function around it, and of that there may be inlined copies only.
bool find_scopes(Dwarf_Die* around, Dwarf_Addr address, bool thorough,
                 std::vector<Dwarf_Die>& scopes) {
  Dwarf_Die child;
  for (int more = dwarf_child(around, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_haspc(&child, address) > 0) {
      find_scopes(&child, address, thorough, scopes);
      scopes.push_back(child);
      return true;
    }
    if (thorough || dwarf_tag(&child) == DW_TAG_namespace) {
      if (find_scopes(&child, address, thorough, scopes)) return true;
    }
  }
  return false;
}

/// The scopes that an instruction is in, innermost first, and their unit.
Dwarf_Die* scopes_of(Dwfl_Module* module, std::uintptr_t instruction,
                     std::vector<Dwarf_Die>& scopes) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, instruction, &bias);
  if (unit != nullptr && !find_scopes(unit, instruction - bias, false, scopes)) {
    find_scopes(unit, instruction - bias, true, scopes);
  }
  return unit;
}

/// Has nobody written this function, as a struct's operator=? It has the line of the struct. What
/// g++ makes of a lambda is no such function.
bool is_implicit(Dwarf_Die& function) {
  Dwarf_Attribute attribute;
  bool artificial = false;
  const char* const name = dwarf_diename(&function);
  if (name == nullptr || std::string_view(name) == "operator()" || std::string_view(name) == "_FUN")
    return false;
  return dwarf_formflag(dwarf_attr_integrate(&function, DW_AT_artificial, &attribute),
                        &artificial) == 0 &&
         artificial;
}

/// The line of an instruction; where code of headers, or that nobody has written, was inlined, the
/// line that called it.
SourceLine line_of_instruction(Dwfl* session, std::uintptr_t instruction) {
  Dwfl_Module* const module = session == nullptr ? nullptr : dwfl_addrmodule(session, instruction);
  if (module == nullptr) return {};
  SourceLine line = line_of_table(module, instruction);
  std::vector<Dwarf_Die> scopes;
  Dwarf_Die* const unit = scopes_of(module, instruction, scopes);
  for (Dwarf_Die& scope : scopes) {
    const bool inlined = dwarf_tag(&scope) == DW_TAG_inlined_subroutine;
    if (!is_ground(line.file) && !(inlined && is_implicit(scope))) break;
    if (!inlined) continue;
    const SourceLine call = line_of_call(unit, &scope);
    if (!call.file.empty()) line = call;
  }
  return line;
}

}  // namespace

struct SourceLineReader::Session {
  OpenLibraries libraries = open_libraries();
};

SourceLineReader::SourceLineReader() : session_(std::make_unique<Session>()) {}
SourceLineReader::~SourceLineReader() = default;

SourceLine SourceLineReader::line_of(std::span<const std::uintptr_t> calls) {
  SourceLine result;
  for (const std::uintptr_t instruction : calls) {
    SourceLine line = line_of_instruction(session_->libraries.get(), instruction);
    if (!line.file.empty() && !is_ground(line.file)) return line;
    if (result.file.empty()) result = line;
  }
  return result;
}

SourceLine source_line_of(std::span<const std::uintptr_t> calls) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  return SourceLineReader().line_of(calls);
}

std::vector<SourceFrame> source_frames_of(std::span<const std::uintptr_t> calls) {
  static std::mutex one_at_a_time;
  static const OpenLibraries& libraries = *new OpenLibraries(open_libraries());
  const std::lock_guard lock(one_at_a_time);
  std::vector<SourceFrame> frames;
  for (const std::uintptr_t instruction : calls) {
    Dwfl_Module* const module =
        libraries == nullptr ? nullptr : dwfl_addrmodule(libraries.get(), instruction);
    if (module == nullptr) continue;
    SourceLine line = line_of_table(module, instruction);
    std::vector<Dwarf_Die> scopes;
    Dwarf_Die* const unit = scopes_of(module, instruction, scopes);
    for (Dwarf_Die& scope : scopes) {
      const int tag = dwarf_tag(&scope);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      const char* const name = dwarf_diename(&scope);
      frames.push_back({name == nullptr ? "" : name, line});
      if (tag == DW_TAG_subprogram) break;
      line = line_of_call(unit, &scope);
    }
  }
  return frames;
}

Place place_of_kernel(const void* kernel) {
  const SourceLine line = source_line_of(std::array{reinterpret_cast<std::uintptr_t>(kernel)});
  return {without_repository(line.file), line.line};
}

bool is_ground(std::string_view file) {
  if (file.starts_with("/usr/include/") || file.starts_with("/usr/lib/")) return true;
  const std::string_view root = root_of(file);
  if (root.empty()) return false;
  file.remove_prefix(root.size());
  return file.starts_with(kEmulator) || file.starts_with(kInstructions) ||
         file.starts_with(kRunTime);
}

std::string without_repository(const std::string& file) {
  return file.substr(root_of(file).size());
}

bool is_of_cuda_word(std::uintptr_t instruction) {
  constexpr std::string_view kWords = "emulator/words/";
  bool found = false;
  // A CUDA thread's stack is too small for libdw.
  std::thread([&] {
    const OpenLibraries libraries = open_libraries();
    Dwfl_Module* const module =
        libraries == nullptr ? nullptr : dwfl_addrmodule(libraries.get(), instruction);
    if (module == nullptr) return;
    found = line_of_table(module, instruction).file.find(kWords) != std::string::npos;
  }).join();
  return found;
}

std::string symbol_of(const void* function) {
  const auto address = reinterpret_cast<Dwarf_Addr>(function);
  const OpenLibraries libraries = open_libraries();
  Dwfl_Module* const module =
      libraries == nullptr ? nullptr : dwfl_addrmodule(libraries.get(), address);
  const char* const name = module == nullptr ? nullptr : dwfl_module_addrname(module, address);
  return name == nullptr ? "" : name;
}

std::string function_at(const void* address) {
  const auto begin = reinterpret_cast<Dwarf_Addr>(address);
  const OpenLibraries libraries = open_libraries();
  Dwfl_Module* const module =
      libraries == nullptr ? nullptr : dwfl_addrmodule(libraries.get(), begin);
  if (module == nullptr) return "";
  GElf_Off offset = 0;
  GElf_Sym symbol = {};
  const char* const name =
      dwfl_module_addrinfo(module, begin, &offset, &symbol, nullptr, nullptr, nullptr);
  const bool is_function = name != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
  return is_function && offset == 0 ? name : "";
}

std::vector<unsigned> lines_that_return(const std::string& file, unsigned begin, unsigned end) {
  std::ifstream stream(path_of(file));
  std::vector<unsigned> lines;
  std::string text;
  for (unsigned line = 1; line < end && std::getline(stream, text); ++line) {
    const std::size_t at = text.find("return;");
    if (line >= begin && at < text.find("//")) lines.push_back(line);
  }
  return lines;
}

SourceLine begin_of_assignment(const SourceLine& line) {
  if (line.line < 2) return line;
  std::ifstream stream(path_of(line.file));
  std::string before;
  std::string text;
  for (unsigned i = 1; i < line.line; ++i)
    std::getline(stream, before);
  std::getline(stream, text);
  const std::size_t value = text.find_first_not_of(' ');
  if (!stream || value == std::string::npos || !before.ends_with(" =")) return line;
  const std::string_view place = std::string_view(before).substr(before.find_first_not_of(' '));
  if (!place.starts_with('*') && !place.ends_with("] =")) return line;  // a declaration
  const std::string_view rest = std::string_view(text).substr(value);
  if (!rest.starts_with('*') && !rest.starts_with("make_")) return line;
  return {.file = line.file, .line = line.line - 1, .column = static_cast<unsigned>(before.size())};
}

std::string subscript_ending_at(const std::string& file, unsigned line, unsigned column) {
  std::ifstream stream(path_of(file));
  std::string text;
  for (unsigned i = 0; i < line; ++i)
    std::getline(stream, text);
  if (!stream || column == 0 || column > text.size() || text[column - 1] != ']') return "";
  // Back over bracket after bracket, then over the name.
  std::size_t begin = column;
  while (begin > 0 && text[begin - 1] == ']') {
    int open = 0;
    do {
      --begin;
      open += text[begin] == ']' ? 1 : text[begin] == '[' ? -1 : 0;
    } while (begin > 0 && open > 0);
  }
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 ||
                       text[begin - 1] == '_')) {
    --begin;
  }
  return text.substr(begin, column - begin);
}

}  // namespace ladder::emulator
