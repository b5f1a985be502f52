// SPDX-License-Identifier: MIT
#include "common/emulator/run/shared_arrays.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "common/emulator/run/debug_information.hpp"

namespace ladder::emulator {
namespace {

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

/// Extents and element size of an array type, through names and qualifiers. False: no array.
bool read_type(Dwarf_Die* variable, SharedArray& array) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type) == nullptr ||
      dwarf_peel_type(&type, &type) != 0 || dwarf_tag(&type) != DW_TAG_array_type) {
    return false;
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
  return true;
}

/// Looks for the variable below `scope`, in nested blocks too.
bool find_type(Dwarf_Die* scope, SharedArray& array) {
  Dwarf_Die child;
  for (int more = dwarf_child(scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable) {
      const char* const name = dwarf_diename(&child);
      if (name == nullptr || array.name != name) continue;
      return read_type(&child, array);
    } else if (tag == DW_TAG_lexical_block && find_type(&child, array)) {
      return true;
    }
  }
  return false;
}

/// "_ZN6ladder4bytesE" -> "bytes"
std::string last_component(const char* symbol) {
  char* const demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr);
  std::string name = demangled == nullptr ? symbol : demangled;
  std::free(demangled);
  const std::size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

/// The library that a kernel is in, with its symbols and debug information.
class KernelLibrary {
 public:
  explicit KernelLibrary(const void* kernel)
      : address_(reinterpret_cast<Dwarf_Addr>(kernel)), libraries_(open_libraries()) {
    module_ = libraries_ == nullptr ? nullptr : dwfl_addrmodule(libraries_.get(), address_);
    if (module_ == nullptr) return;
    if (const char* const name = dwfl_module_addrname(module_, address_)) kernel_name_ = name;
    symbols_ = dwfl_module_getsymtab(module_);
    dwfl_module_getelf(module_, &bias_);  // libdwfl adds it to thread-local offsets, too
  }

  const std::string& kernel_name() const { return kernel_name_; }

  /// Calls visit(name, offset, bytes) for each thread-local symbol.
  template <class Visit>
  void for_each_thread_local(Visit visit) const {
    for (int i = 0; i < symbols_; ++i) {
      GElf_Sym symbol;
      const char* const name = dwfl_module_getsym(module_, i, &symbol, nullptr);
      if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_TLS) continue;
      visit(name, static_cast<std::size_t>(symbol.st_value - bias_),
            static_cast<std::size_t>(symbol.st_size));
    }
  }

  /// Does the library have this symbol, or ask for it?
  bool knows(std::string_view symbol_name) const {
    for (int i = 0; i < symbols_; ++i) {
      GElf_Sym symbol;
      const char* const name = dwfl_module_getsym(module_, i, &symbol, nullptr);
      if (name != nullptr && name == symbol_name) return true;
    }
    return false;
  }

  /// Completes the array from its declaration in the kernel. False: the kernel declares none.
  bool complete(SharedArray& array) const {
    Dwarf_Die scope;
    return module_ != nullptr && function_at(module_, address_, scope) && find_type(&scope, array);
  }

 private:
  Dwarf_Addr address_;
  OpenLibraries libraries_;
  Dwfl_Module* module_ = nullptr;
  std::string kernel_name_;
  int symbols_ = 0;
  GElf_Addr bias_ = 0;
};

}  // namespace

std::vector<SharedArray> shared_arrays_of(const void* kernel, std::size_t dynamic_offset,
                                          std::size_t dynamic_bytes) {
  std::vector<SharedArray> arrays;
  SharedArray dynamic = {
      .name = "dynamic shared memory", .offset = dynamic_offset, .bytes = dynamic_bytes};
  const KernelLibrary library(kernel);
  library.for_each_thread_local([&](const char* name, std::size_t offset, std::size_t bytes) {
    // All `extern __shared__` arrays of a library are there; which name does this kernel use?
    if (offset == dynamic_offset) {
      SharedArray named = dynamic;
      named.name = last_component(name);
      if (library.complete(named)) dynamic = named;
      return;
    }
    const std::optional<std::string> local = local_name(name, library.kernel_name());
    if (!local) return;
    SharedArray array = {.name = *local, .offset = offset, .bytes = bytes};
    library.complete(array);
    arrays.push_back(std::move(array));
  });
  if (dynamic_bytes > 0) arrays.push_back(std::move(dynamic));
  std::ranges::sort(arrays, {}, &SharedArray::offset);
  return arrays;
}

std::vector<SharedArray> shared_guards_of(const void* kernel) {
  std::vector<SharedArray> guards;
  const KernelLibrary library(kernel);
  library.for_each_thread_local([&](const char* name, std::size_t offset, std::size_t bytes) {
    if (std::string_view(name).starts_with("_ZGV")) {
      guards.push_back({.name = name, .offset = offset, .bytes = bytes});
    }
  });
  return guards;
}

bool is_traced(const void* kernel) {
  return KernelLibrary(kernel).knows("__tsan_init");
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
    indices.insert(0, "[" + std::to_string(element % extent) + "]");
    element /= extent;
  }
  return nearest->name + "[" + std::to_string(element) + "]" + indices;
}

}  // namespace ladder::emulator
