// SPDX-License-Identifier: MIT
#include "glassbox/runtime/hook_slots.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "glassbox/runtime/access_hooks.hpp"
#include "glassbox/runtime/program_libraries.hpp"

namespace ladder::glassbox {
namespace {

/// What these functions are called for is done by the program itself. Not so with __tsan_atomic...
constexpr std::array<std::string_view, 5> kWatchingHooks = {
    "__tsan_read", "__tsan_write", "__tsan_unaligned_", "__tsan_volatile_", "__tsan_vptr_"};

/// A word of a library's table of addresses, through which its code calls a function.
struct Slot {
  void** place;
  void* at_rest;   ///< nothing is traced or recorded
  void* tracer;    ///< a launch is traced
  void* recorder;  ///< accesses are recorded
  void* both;
};

void do_nothing() {}

bool watches_accesses(const Slot& slot) {
  return slot.at_rest == reinterpret_cast<void*>(&do_nothing);
}

/// Of the functions that the program calls in other libraries.
std::vector<std::string_view>& called_names() {
  static auto* const names = new std::vector<std::string_view>();
  return *names;
}

const RecordingHook* recorder_of(std::string_view name) {
  const auto all = recording_hooks();
  const auto found = std::ranges::find(all, name, &RecordingHook::name);
  return found == all.end() ? nullptr : &*found;
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
      called_names().push_back(name);
      const RecordingHook* const recorder = recorder_of(name);
      if (!watches && recorder == nullptr) continue;
      auto** const place = reinterpret_cast<void**>(library.dlpi_addr + word.r_offset);
      Slot slot = {place, *place, *place, *place, *place};
      if (watches) slot.at_rest = slot.recorder = reinterpret_cast<void*>(&do_nothing);
      if (recorder != nullptr) {
        slot.recorder = recorder->alone;
        slot.both = recorder->and_tracer;
      }
      slots.push_back(slot);
    }
  }
}

/// The program's own. It is loaded, and none of its code has run, when this library is initialised.
const std::vector<Slot>& all_slots() {
  static const std::vector<Slot>& all = *[] {
    auto* const slots = new std::vector<Slot>();  // used until the very end of the process
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* found) {
          if (is_of_program(*library)) add_slots(*library, *static_cast<std::vector<Slot>*>(found));
          return 0;
        },
        slots);
    // Built for `run`, the program calls no hooks, and its table of addresses cannot be written.
    if (std::ranges::none_of(*slots, watches_accesses)) slots->clear();
    return slots;
  }();
  return all;
}

std::mutex mutex;
bool is_traced = false;
bool is_recorded = false;

/// One thread may call through a word while another one changes it.
void set_slots() {
  for (const Slot& slot : all_slots()) {
    void* const function = is_traced ? (is_recorded ? slot.both : slot.tracer)
                                     : (is_recorded ? slot.recorder : slot.at_rest);
    __atomic_store_n(slot.place, function, __ATOMIC_RELAXED);
  }
}

const bool taken_away_at_first = (set_slots(), true);

}  // namespace

HooksInPlace::HooksInPlace() {
  const std::lock_guard lock(mutex);
  is_traced = true;
  set_slots();
}

HooksInPlace::~HooksInPlace() {
  const std::lock_guard lock(mutex);
  is_traced = false;
  set_slots();
}

bool program_calls_any(std::span<const std::string_view> starts) {
  return std::ranges::any_of(called_names(), [&](std::string_view name) {
    return std::ranges::any_of(starts,
                               [&](std::string_view start) { return name.starts_with(start); });
  });
}

void record_accesses(bool wanted) {
  const std::lock_guard lock(mutex);
  if (wanted == is_recorded) return;
  is_recorded = wanted;
  set_slots();
}

}  // namespace ladder::glassbox
