// SPDX-License-Identifier: MIT
#include "glassbox/runtime/virtual_tables.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/run/block/block_runner.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/program_libraries.hpp"

namespace ladder::glassbox {
namespace {

using Word = std::uintptr_t;

constexpr std::size_t kMostTables = 64;
constexpr std::size_t kMostBytes = std::size_t{32} << 20;  ///< of all arrays

/// The table of a class, and of the class in others.
struct Table {
  Word begin = 0, end = 0;
  std::size_t at = 0;  ///< its first word in the copies
  std::string class_name;
};

std::string class_of(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
  constexpr std::string_view kBegin = "vtable for ";
  const std::string name = text == nullptr ? "" : text.get();
  return name.starts_with(kBegin) ? name.substr(kBegin.size()) : name;
}

/// Of the program's own classes, and not of the library's.
bool is_own_table(std::string_view name) {
  return name.starts_with("_ZTV") && !name.starts_with("_ZTVSt") && !name.starts_with("_ZTVNSt") &&
         name.find("__gnu_cxx") == std::string_view::npos &&
         name.find("__cxxabi") == std::string_view::npos;
}

/// Adds the tables that the symbols of a library name.
void add_tables(const std::string& path, Word base, std::vector<Table>& tables) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto at = [&]<class T>(std::size_t place, T& value) {
    if (place > bytes.size() || bytes.size() - place < sizeof value) return false;
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return true;
  };
  Elf64_Ehdr head;
  if (!at(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return;
  for (unsigned i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr symbols, names;
    if (!at(head.e_shoff + i * sizeof symbols, symbols) || symbols.sh_type != SHT_SYMTAB) continue;
    if (!at(head.e_shoff + symbols.sh_link * sizeof names, names)) continue;
    Elf64_Sym symbol;
    for (std::size_t k = 0; (k + 1) * sizeof symbol <= symbols.sh_size; ++k) {
      if (!at(symbols.sh_offset + k * sizeof symbol, symbol)) break;
      const std::size_t name = names.sh_offset + symbol.st_name;
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_size < 3 * sizeof(Word) ||
          name >= bytes.size() || !is_own_table(bytes.c_str() + name)) {
        continue;
      }
      const Word begin = base + symbol.st_value;
      tables.push_back({begin, begin + symbol.st_size, 0, class_of(bytes.c_str() + name)});
    }
  }
}

[[noreturn]] void fail(std::size_t table);
template <std::size_t kTable>
[[noreturn]] void fail_in() {
  fail(kTable);
}
template <std::size_t... I>
std::array<Word, sizeof...(I)> failing_functions(std::index_sequence<I...>) {
  return {reinterpret_cast<Word>(&fail_in<I>)...};
}

std::uintptr_t* offered_room = nullptr;
bool has_several_rooms = false;

class Tables {
 public:
  static Tables& instance() {
    static auto* const all = new Tables();  // used until the very end of the process
    return *all;
  }

  bool empty() const { return tables_.empty(); }
  const std::string& class_of(std::size_t table) const { return tables_[table].class_name; }

  /// Objects of the host get tables whose functions end the kernel.
  void begin(std::span<Word> words) const {
    for (Word& word : words) {
      if (const Word* const other = in_copy(word, of_host_)) word = reinterpret_cast<Word>(other);
    }
  }
  /// They get theirs back, and what kernels have made is told apart from now on.
  void end(std::span<Word> words) const {
    for (Word& word : words) {
      if (const Word* const other = in_copy(word, of_device_)) {
        word = reinterpret_cast<Word>(other);
      } else if (const Word own = own_table(word); own != 0) {
        word = own;
      }
    }
  }

 private:
  Tables() {
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* tables) {
          static_cast<Tables*>(tables)->add(*library);
          return 0;
        },
        this);
    std::ranges::sort(tables_, {}, &Table::begin);
    const auto same = std::ranges::unique(tables_, {}, &Table::begin);
    tables_.erase(same.begin(), same.end());
    copy();
  }

  void add(const dl_phdr_info& library) {
    if (!is_of_program(library)) return;
    for (const auto& segment : std::span(library.dlpi_phdr, library.dlpi_phnum)) {
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      const Word begin = library.dlpi_addr + segment.p_vaddr;
      code_.emplace_back(begin, begin + segment.p_memsz);
    }
    add_tables(*library.dlpi_name == '\0' ? "/proc/self/exe" : library.dlpi_name, library.dlpi_addr,
               tables_);
  }

  bool is_code(Word address) const {
    return std::ranges::any_of(
        code_, [&](const auto& range) { return address >= range.first && address < range.second; });
  }

  void copy() {
    std::size_t words = 0;
    for (Table& table : tables_) {
      table.at = words;
      words += (table.end - table.begin) / sizeof(Word);
    }
    if (offered_room == nullptr || has_several_rooms || tables_.size() > kMostTables ||
        2 * words > kRoomForTables) {
      tables_.clear();
      return;
    }
    of_host_ = {offered_room, words};
    of_device_ = {offered_room + words, words};
    const auto failing = failing_functions(std::make_index_sequence<kMostTables>());
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const Table& table = tables_[i];
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      const auto* const own = reinterpret_cast<const Word*>(table.begin);
      for (std::size_t k = 0; k * sizeof(Word) < table.end - table.begin; ++k) {
        of_device_[table.at + k] = own[k];
        of_host_[table.at + k] = is_code(own[k]) ? failing[i] : own[k];
      }
    }
  }

  /// The same place of a copy, if the word is one of a table of the program; else null.
  const Word* in_copy(Word word, std::span<const Word> copy) const {
    if (tables_.empty() || word < tables_.front().begin || word >= tables_.back().end)
      return nullptr;
    const auto behind = std::ranges::upper_bound(tables_, word, {}, &Table::begin);
    const Table& table = *std::prev(behind);
    if (word >= table.end || word % sizeof(Word) != 0) return nullptr;
    return copy.data() + table.at + (word - table.begin) / sizeof(Word);
  }

  /// The other way around, of an object of the host.
  Word own_table(Word word) const {
    const auto begin = reinterpret_cast<Word>(of_host_.data());
    if (word < begin || word >= begin + of_host_.size() * sizeof(Word)) return 0;
    const std::size_t at = (word - begin) / sizeof(Word);
    const auto behind = std::ranges::upper_bound(tables_, at, {}, &Table::at);
    const Table& table = *std::prev(behind);
    return table.begin + (at - table.at) * sizeof(Word);
  }

  std::vector<Table> tables_;  ///< by address
  std::vector<std::pair<Word, Word>> code_;
  std::span<Word> of_host_, of_device_;
};

void fail(std::size_t table) {
  emulator::BlockRunner* const runner = emulator::BlockRunner::of_this_cpu_thread();
  if (runner == nullptr) std::abort();  // a thread of the host uses the object of a running kernel
  runner->failures().fail_in_call(
      {emulator::FaultKind::kHostObject, {{"class", Tables::instance().class_of(table)}}});
}

/// What a kernel and the host share by copies or otherwise; without the heap of the kernels alone.
std::vector<std::span<Word>> shared_words() {
  std::vector<std::span<Word>> all;
  for (const Allocation* array : Allocations::instance().live()) {
    if (array->kind != MemoryKind::kHeap)
      all.emplace_back(reinterpret_cast<Word*>(array->data), array->bytes / sizeof(Word));
  }
  return all;
}

/// \brief Is there more than is looked at? From then on nothing is: what a kernel has made would
///        not be told from what the host has.
bool are_too_many(const std::vector<std::span<Word>>& all) {
  static std::atomic<bool> were_too_many = false;
  std::size_t bytes = 0;
  for (const std::span<Word> words : all)
    bytes += words.size_bytes();
  if (bytes > kMostBytes) were_too_many = true;
  return were_too_many;
}

}  // namespace

bool offer_room_for_tables(std::uintptr_t* words) {
  has_several_rooms = offered_room != nullptr;
  offered_room = words;
  return true;
}

TablesOfLaunch::TablesOfLaunch() {
  const Tables& tables = Tables::instance();
  if (tables.empty()) return;
  const std::vector<std::span<Word>> all = shared_words();
  is_open_ = !are_too_many(all);
  if (!is_open_) return;
  for (const std::span<Word> words : all)
    tables.begin(words);
}

TablesOfLaunch::~TablesOfLaunch() {
  if (!is_open_) return;
  for (const std::span<Word> words : shared_words())
    Tables::instance().end(words);
}

}  // namespace ladder::glassbox
