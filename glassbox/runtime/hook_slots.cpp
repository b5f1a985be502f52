// SPDX-License-Identifier: MIT
#include "glassbox/runtime/hook_slots.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ladder::glassbox {
namespace {

/// What these functions are called for is done by the program itself. Not so with __tsan_atomic...
constexpr std::array<std::string_view, 5> kWatchingHooks = {
    "__tsan_read", "__tsan_write", "__tsan_unaligned_", "__tsan_volatile_", "__tsan_vptr_"};

/// A word of a library's table of addresses, through which its code calls a hook.
struct Slot {
  void** place;
  void* hook;
};

void do_nothing() {}

/// One thread may call through the word while another one changes it.
void set(const Slot& slot, void* function) {
  __atomic_store_n(slot.place, function, __ATOMIC_RELAXED);
}

void add_slots(const dl_phdr_info& library, std::vector<Slot>& slots) {
  const auto at = [&](ElfW(Addr) address) {
    return address < library.dlpi_addr ? address + library.dlpi_addr : address;
  };
  const ElfW(Dyn)* entry = nullptr;
  for (const auto& segment : std::span(library.dlpi_phdr, library.dlpi_phnum)) {
    if (segment.p_type == PT_DYNAMIC) {
      entry = reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + segment.p_vaddr);
    }
  }
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  struct Table {
    const ElfW(Rela) * entries = nullptr;
    std::size_t bytes = 0;
  } addresses, functions;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) value = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(at(value));
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(at(value));
    if (entry->d_tag == DT_RELA) addresses.entries = reinterpret_cast<ElfW(Rela)*>(at(value));
    if (entry->d_tag == DT_RELASZ) addresses.bytes = value;
    if (entry->d_tag == DT_JMPREL) functions.entries = reinterpret_cast<ElfW(Rela)*>(at(value));
    if (entry->d_tag == DT_PLTRELSZ) functions.bytes = value;
  }
  if (symbols == nullptr || names == nullptr) return;
  for (const Table& table : {addresses, functions}) {
    for (const auto& word : std::span(table.entries, table.bytes / sizeof(ElfW(Rela)))) {
      const auto type = ELF64_R_TYPE(word.r_info);
      if (type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT) continue;
      const std::string_view name = names + symbols[ELF64_R_SYM(word.r_info)].st_name;
      const bool watches = std::ranges::any_of(
          kWatchingHooks, [&](std::string_view start) { return name.starts_with(start); });
      if (!watches) continue;
      auto** const place = reinterpret_cast<void**>(library.dlpi_addr + word.r_offset);
      slots.push_back({place, *place});
    }
  }
}

/// The program's own. It is loaded, and none of its code has run, when this library is initialised.
const std::vector<Slot>& all_slots() {
  static const std::vector<Slot>& all = *[] {
    auto* const slots = new std::vector<Slot>();  // used until the very end of the process
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* found) {
          const std::string_view name = library->dlpi_name;
          if (name.ends_with("/libprogram.so")) {
            add_slots(*library, *static_cast<std::vector<Slot>*>(found));
          }
          return 0;
        },
        slots);
    return slots;
  }();
  return all;
}

void take_away() {
  for (const Slot& slot : all_slots())
    set(slot, reinterpret_cast<void*>(&do_nothing));
}

const bool taken_away_at_first = (take_away(), true);

}  // namespace

HooksInPlace::HooksInPlace() {
  for (const Slot& slot : all_slots())
    set(slot, slot.hook);
}

HooksInPlace::~HooksInPlace() {
  take_away();
}

}  // namespace ladder::glassbox
