// SPDX-License-Identifier: MIT
#include "glassbox/object_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace ladder::glassbox {
namespace {

using nlohmann::json;

/// A file in memory; nothing of it is read from behind its end.
class ElfFile {
 public:
  explicit ElfFile(std::string_view bytes) : bytes_(bytes) {
    const auto* const header = at<Elf64_Ehdr>(0, 1);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr)) {
      return;
    }
    sections_ = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    if (sections_ != nullptr && header->e_shstrndx < header->e_shnum) {
      count_ = header->e_shnum;
      names_ = header->e_shstrndx;
    }
  }

  std::size_t count() const { return count_; }
  const Elf64_Shdr& section(std::size_t i) const { return sections_[i]; }
  std::string_view name(std::size_t i) const { return text(names_, sections_[i].sh_name); }

  std::string_view content(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
  }
  /// A name from the section `strings`.
  std::string_view text(std::size_t strings, std::size_t offset) const {
    if (strings >= count_) return {};
    const std::string_view all = content(sections_[strings]);
    return offset < all.size() ? all.substr(offset, all.find('\0', offset) - offset)
                               : std::string_view();
  }

 private:
  template <class T>
  const T* at(std::size_t offset, std::size_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  std::string_view bytes_;
  const Elf64_Shdr* sections_ = nullptr;
  std::size_t count_ = 0;
  std::size_t names_ = 0;
};

/// Its fields are words.
json note_json(const SourceError& note) {
  json fields = json::array();
  for (const auto& [name, value] : note.fields.all())
    fields.push_back({name, std::get<std::string>(value.any())});
  return {{"kind", static_cast<int>(note.kind)},
          {"file", note.place.file},
          {"line", note.place.line},
          {"column", note.column},
          {"fields", std::move(fields)}};
}

SourceError note_of(const json& written) {
  SourceError note = {.kind = static_cast<SourceErrorKind>(written.at("kind").get<int>()),
                      .place = {written.at("file"), written.at("line")},
                      .column = written.at("column")};
  for (const json& field : written.at("fields"))
    note.fields.set(field.at(0), field.at(1).get<std::string>());
  return note;
}

}  // namespace

void SourceFacts::add(const SourceFacts& more) {
  uses_cublas = uses_cublas || more.uses_cublas;
  uses_openmp = uses_openmp || more.uses_openmp;
  uses_device_heap = uses_device_heap || more.uses_device_heap;
  if (front_end.empty()) front_end = more.front_end;
  device_variables.insert(more.device_variables.begin(), more.device_variables.end());
  notes.insert(notes.end(), more.notes.begin(), more.notes.end());
}

std::string to_text(const SourceFacts& facts) {
  json notes = json::array();
  for (const SourceError& note : facts.notes)
    notes.push_back(note_json(note));
  return json{{"uses_cublas", facts.uses_cublas},           {"uses_openmp", facts.uses_openmp},
              {"uses_device_heap", facts.uses_device_heap}, {"front_end", facts.front_end},
              {"device_variables", facts.device_variables}, {"notes", std::move(notes)}}
      .dump();
}

SourceFacts facts_in(const std::string& text) {
  const json written = json::parse(text);
  SourceFacts facts = {.uses_cublas = written.at("uses_cublas"),
                       .uses_openmp = written.at("uses_openmp"),
                       .uses_device_heap = written.at("uses_device_heap"),
                       .front_end = written.at("front_end"),
                       .device_variables = written.at("device_variables")};
  for (const json& note : written.at("notes"))
    facts.notes.push_back(note_of(note));
  return facts;
}

std::optional<std::string> section_of(std::string_view elf, std::string_view name) {
  const ElfFile file(elf);
  for (std::size_t i = 0; i < file.count(); ++i) {
    if (file.name(i) == name) return std::string(file.content(file.section(i)));
  }
  return std::nullopt;
}

std::vector<std::string> strong_symbols_of(std::string_view object) {
  const ElfFile file(object);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < file.count(); ++i) {
    const Elf64_Shdr& section = file.section(i);
    if (section.sh_type != SHT_SYMTAB) continue;
    const std::string_view table = file.content(section);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
      const auto& symbol = *reinterpret_cast<const Elf64_Sym*>(table.data() + at);
      if (ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL || symbol.st_shndx == SHN_UNDEF) continue;
      found.emplace_back(file.text(section.sh_link, symbol.st_name));
    }
  }
  return found;
}

/// "!<arch>\n", then for each member a header of 60 characters and its bytes. A long name stands in
/// the member "//", and its place there in the header: "/123".
std::vector<ArchiveMember> members_of(std::string_view archive) {
  constexpr std::string_view kBegin = "!<arch>\n";
  constexpr std::size_t kHeader = 60, kName = 16, kSize = 48;
  std::vector<ArchiveMember> members;
  if (!archive.starts_with(kBegin)) return members;
  std::string_view long_names;
  for (std::size_t at = kBegin.size(); at + kHeader <= archive.size();) {
    std::string name(archive.substr(at, kName));
    name.erase(name.find_last_not_of(' ') + 1);
    const auto size =
        std::strtoull(std::string(archive.substr(at + kSize, 10)).c_str(), nullptr, 10);
    const std::string_view bytes = archive.substr(at + kHeader, size);
    at += kHeader + size + size % 2;
    if (name == "//") long_names = bytes;
    if (name == "/" || name == "//" || name == "/SYM64/") continue;
    if (name.starts_with("/")) {
      const auto begin = std::strtoull(name.c_str() + 1, nullptr, 10);
      if (begin < long_names.size())
        name = long_names.substr(begin, long_names.find('\n', begin) - begin);
    }
    if (name.ends_with('/')) name.pop_back();
    members.push_back({name, bytes});
  }
  return members;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream) {
    throw std::runtime_error(
        fmt::format("{}: {}", file.string(), std::strerror(errno != 0 ? errno : EISDIR)));
  }
  return bytes.str();
}

std::optional<SourceFacts> facts_of_program(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  char begin[SELFMAG] = {};
  if (!stream.read(begin, SELFMAG) || std::memcmp(begin, ELFMAG, SELFMAG) != 0) return std::nullopt;
  const auto text = section_of(bytes_of(file), kFactsSection);
  if (!text) return std::nullopt;
  return facts_in(*text);
}

}  // namespace ladder::glassbox
