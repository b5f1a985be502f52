// SPDX-License-Identifier: MIT
#include "glassbox/runtime/program_variables.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "glassbox/runtime/orders.hpp"
#include "glassbox/runtime/program_libraries.hpp"

namespace ladder::glassbox {
namespace {

/// The section into which the header puts `__managed__` variables.
constexpr std::string_view kManagedSection = "ladder_managed";

struct Program {
  Bytes writable;
  Bytes managed;
  std::vector<ProgramVariable> variables;  ///< by address
};

std::string plain_name(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : name;
}

/// A library's file, with the names that its loaded part has no longer.
class LibraryFile {
 public:
  LibraryFile(const char* path, std::uintptr_t loaded_at) : loaded_at_(loaded_at) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  void add_to(Program& program) const {
    if (bytes_.size() < sizeof(Elf64_Ehdr)) return;
    const auto* const header = at<Elf64_Ehdr>(0);
    const std::span sections(at<Elf64_Shdr>(header->e_shoff), header->e_shnum);
    const char* const names = at<char>(sections[header->e_shstrndx].sh_offset);
    for (const Elf64_Shdr& section : sections) {
      if (names + section.sh_name == kManagedSection) {
        program.managed = loaded(section.sh_addr, section.sh_size);
      }
      if (section.sh_type == SHT_SYMTAB) add_symbols(section, sections[section.sh_link], program);
    }
  }

 private:
  template <class T>
  const T* at(std::size_t offset) const {
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }
  Bytes loaded(std::uintptr_t address, std::size_t count) const {
    return {loaded_at_ + address, loaded_at_ + address + count};
  }
  void add_symbols(const Elf64_Shdr& table, const Elf64_Shdr& names, Program& program) const {
    const std::span symbols(at<Elf64_Sym>(table.sh_offset), table.sh_size / sizeof(Elf64_Sym));
    for (const Elf64_Sym& symbol : symbols) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF) continue;
      const Bytes bytes = loaded(symbol.st_value, symbol.st_size);
      if (bytes.is_empty()) continue;
      program.variables.push_back({bytes, plain_name(at<char>(names.sh_offset + symbol.st_name))});
    }
  }

  std::uintptr_t loaded_at_;
  std::vector<char> bytes_;
};

const Program& program() {
  static const Program& found = *[] {
    auto* const program = new Program();  // used until the very end of the process
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* result) {
          Program& all = *static_cast<Program*>(result);
          if (!is_of_program(*library)) return 0;
          for (const auto& segment : std::span(library->dlpi_phdr, library->dlpi_phnum)) {
            if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
            const std::uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
            all.writable = {begin, begin + segment.p_memsz};
          }
          const bool is_executable = *library->dlpi_name == 0;
          LibraryFile(is_executable ? "/proc/self/exe" : library->dlpi_name, library->dlpi_addr)
              .add_to(all);
          return 1;  // those of libraries that the program was linked with are not known
        },
        program);
    std::ranges::sort(program->variables, {},
                      [](const ProgramVariable& variable) { return variable.bytes.begin; });
    return program;
  }();
  return found;
}

}  // namespace

const Bytes& program_variables() {
  return program().writable;
}

const Bytes& managed_variables() {
  return program().managed;
}

namespace {

struct GivenAddresses {
  std::mutex mutex;
  std::set<std::uintptr_t> all;
};

GivenAddresses& given_addresses() {
  static auto* const given = new GivenAddresses();  // used until the very end of the process
  return *given;
}

}  // namespace

void note_device_variable(std::uintptr_t address) {
  const std::lock_guard lock(given_addresses().mutex);
  given_addresses().all.insert(address);
}

bool is_device_variable(const ProgramVariable& variable) {
  if (!common(variable.bytes, managed_variables()).is_empty()) return true;
  const std::size_t scope = variable.name.rfind("::");
  const std::string name =
      scope == std::string::npos ? variable.name : variable.name.substr(scope + 2);
  if (orders().device_variables.contains(name)) return true;
  const std::lock_guard lock(given_addresses().mutex);
  return given_addresses().all.contains(variable.bytes.begin);
}

const ProgramVariable* variable_with(std::uintptr_t address) {
  const auto& all = program().variables;
  auto next = std::ranges::upper_bound(
      all, address, {}, [](const ProgramVariable& variable) { return variable.bytes.begin; });
  if (next == all.begin()) return nullptr;
  const ProgramVariable& last = *std::prev(next);
  return address < last.bytes.end ? &last : nullptr;
}

}  // namespace ladder::glassbox
