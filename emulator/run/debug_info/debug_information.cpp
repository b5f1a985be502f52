// SPDX-License-Identifier: MIT
#include "emulator/run/debug_info/debug_information.hpp"

#include <dwarf.h>
#include <link.h>

#include <cstdlib>
#include <string>

namespace ladder::emulator {
namespace {

/// Tells libdw of a library, or of the program, which has no name. What cannot be read, as the
/// kernel's own, is left out.
int report_library(dl_phdr_info* library, std::size_t, void* session) {
  const std::string name = *library->dlpi_name != 0 ? library->dlpi_name : "/proc/self/exe";
  dwfl_report_elf(static_cast<Dwfl*>(session), name.c_str(), name.c_str(), -1, library->dlpi_addr,
                  true);
  return 0;
}

/// What is compiled here has its debug information with it. libdw would look for that of others in
/// the system's folders and in the network.
int no_separate_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                     GElf_Word, char**) {
  return -1;
}

}  // namespace

OpenLibraries open_libraries() {
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = no_separate_file,
      .section_address = nullptr,
      .debuginfo_path = nullptr,
  };
  OpenLibraries session(dwfl_begin(&callbacks), dwfl_end);
  if (session == nullptr) return session;
  dwfl_report_begin(session.get());
  dl_iterate_phdr(report_library, session.get());
  if (dwfl_report_end(session.get(), nullptr, nullptr) != 0) session.reset();
  return session;
}

bool function_at(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Die& function) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) return false;
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes(unit, address - bias, &scopes);
  bool found = false;
  for (int i = 0; i < count && !found; ++i) {
    if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram) continue;
    function = scopes[i];
    found = true;
  }
  std::free(scopes);
  return found;
}

std::optional<ArrayType> array_type_of(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type) == nullptr ||
      dwarf_peel_type(&type, &type) != 0 || dwarf_tag(&type) != DW_TAG_array_type) {
    return std::nullopt;
  }
  ArrayType result;
  Dwarf_Die range;
  for (int more = dwarf_child(&type, &range); more == 0; more = dwarf_siblingof(&range, &range)) {
    Dwarf_Word highest = 0;
    if (dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attribute), &highest) == 0) {
      result.extents.push_back(highest + 1);
    }
  }
  Dwarf_Die element;
  Dwarf_Word bytes = 0;
  if (dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type, &attribute), &element) != nullptr &&
      dwarf_peel_type(&element, &element) == 0 && dwarf_aggregate_size(&element, &bytes) == 0 &&
      bytes > 0) {
    result.element_bytes = bytes;
  }
  return result;
}

}  // namespace ladder::emulator
