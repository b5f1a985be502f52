// SPDX-License-Identifier: MIT
#include "common/emulator/trace/shared_arrays.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

namespace ladder::emulator {
namespace {

using Libraries = std::unique_ptr<Dwfl, void (*)(Dwfl*)>;

/// "_ZZ4nameIT_E...E2sA_0" -> "sA": the local variable of a function whose mangled name follows
/// "_Z"; nothing where it is a variable of another function.
std::optional<std::string> local_name(std::string_view symbol, std::string_view function) {
  if (!symbol.starts_with("_ZZ") || !function.starts_with("_Z")) return std::nullopt;
  symbol.remove_prefix(3);
  function.remove_prefix(2);
  if (!symbol.starts_with(function)) return std::nullopt;
  symbol.remove_prefix(function.size());
  if (!symbol.starts_with('E')) return std::nullopt;
  symbol.remove_prefix(1);
  std::size_t digits = 0;
  std::size_t length = 0;
  while (digits < symbol.size() && symbol[digits] >= '0' && symbol[digits] <= '9')
    length = 10 * length + static_cast<std::size_t>(symbol[digits++] - '0');
  if (digits == 0 || digits + length > symbol.size()) return std::nullopt;
  return std::string(symbol.substr(digits, length));
}

/// Extents and element size of an array type, through names and qualifiers.
void read_type(Dwarf_Die* variable, SharedArray& array) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type) == nullptr ||
      dwarf_peel_type(&type, &type) != 0 || dwarf_tag(&type) != DW_TAG_array_type) {
    return;
  }
  Dwarf_Die range;
  for (int more = dwarf_child(&type, &range); more == 0; more = dwarf_siblingof(&range, &range)) {
    Dwarf_Word highest = 0;
    if (dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attribute), &highest) == 0) {
      array.extents.push_back(highest + 1);
    }
  }
  Dwarf_Die element;
  Dwarf_Word bytes = 0;
  if (dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type, &attribute), &element) != nullptr &&
      dwarf_peel_type(&element, &element) == 0 && dwarf_aggregate_size(&element, &bytes) == 0 &&
      bytes > 0) {
    array.element_bytes = bytes;
  }
}

/// Looks for the variable below `scope`, in nested blocks too.
bool find_type(Dwarf_Die* scope, SharedArray& array) {
  Dwarf_Die child;
  for (int more = dwarf_child(scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable) {
      const char* const name = dwarf_diename(&child);
      if (name == nullptr || array.name != name) continue;
      read_type(&child, array);
      if (!array.extents.empty()) return true;
    } else if (tag == DW_TAG_lexical_block && find_type(&child, array)) {
      return true;
    }
  }
  return false;
}

/// The debug information of the function whose code is at `address`.
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

}  // namespace

std::vector<SharedArray> shared_arrays_of(const void* kernel, std::size_t dynamic_offset,
                                          std::size_t dynamic_bytes) {
  static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                           .find_debuginfo = dwfl_standard_find_debuginfo,
                                           .section_address = nullptr,
                                           .debuginfo_path = nullptr};
  std::vector<SharedArray> arrays;
  SharedArray dynamic = {.name = "dynamic shared memory",
                         .offset = dynamic_offset,
                         .bytes = dynamic_bytes,
                         .extents = {}};
  const Libraries libraries(dwfl_begin(&callbacks), dwfl_end);
  if (libraries != nullptr && dwfl_linux_proc_report(libraries.get(), getpid()) == 0 &&
      dwfl_report_end(libraries.get(), nullptr, nullptr) == 0) {
    const auto address = reinterpret_cast<Dwarf_Addr>(kernel);
    Dwfl_Module* const module = dwfl_addrmodule(libraries.get(), address);
    const char* const function =
        module == nullptr ? nullptr : dwfl_module_addrname(module, address);
    const int symbols = module == nullptr ? 0 : dwfl_module_getsymtab(module);
    GElf_Addr bias = 0;  // libdwfl adds it to thread-local offsets, too
    dwfl_module_getelf(module, &bias);
    for (int i = 0; i < symbols; ++i) {
      GElf_Sym symbol;
      const char* const name = dwfl_module_getsym(module, i, &symbol, nullptr);
      if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_TLS) continue;
      const std::size_t offset = symbol.st_value - bias;
      if (offset == dynamic_offset) {
        // `extern __shared__ float shared[]` bears its own name beside the library's.
        if (std::string_view(name) != "ladder_dynamic_shared") dynamic.name = name;
        continue;
      }
      const std::optional<std::string> local = local_name(name, function);
      if (!local) continue;
      arrays.push_back({.name = *local, .offset = offset, .bytes = symbol.st_size});
    }
    Dwarf_Die scope;
    if (function != nullptr && function_at(module, address, scope)) {
      for (SharedArray& array : arrays)
        find_type(&scope, array);
    }
  }
  if (dynamic_bytes > 0) arrays.push_back(dynamic);
  std::ranges::sort(arrays, {}, &SharedArray::offset);
  return arrays;
}

std::string element_name(const std::vector<SharedArray>& arrays, std::size_t offset) {
  const SharedArray* nearest = nullptr;
  for (const SharedArray& array : arrays) {
    if (nearest == nullptr || array.offset <= offset) nearest = &array;
  }
  if (nearest == nullptr) return "shared memory + " + std::to_string(offset) + " bytes";
  auto element =
      (static_cast<std::ptrdiff_t>(offset) - static_cast<std::ptrdiff_t>(nearest->offset)) /
      static_cast<std::ptrdiff_t>(nearest->element_bytes);
  std::string indices;
  for (std::size_t d = nearest->extents.size(); d-- > 1;) {
    const auto extent = static_cast<std::ptrdiff_t>(nearest->extents[d]);
    if (element < 0) break;
    indices = "[" + std::to_string(element % extent) + "]" + indices;
    element /= extent;
  }
  return nearest->name + "[" + std::to_string(element) + "]" + indices;
}

}  // namespace ladder::emulator
