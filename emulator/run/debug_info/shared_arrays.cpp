// SPDX-License-Identifier: MIT
#include "emulator/run/debug_info/shared_arrays.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "emulator/run/debug_info/code_references.hpp"
#include "emulator/run/debug_info/debug_information.hpp"

namespace ladder::emulator {
namespace {

constexpr std::string_view kPlainDynamic = "ladder_dynamic_shared";  ///< see launch.hpp

/// Extents and element size of the variable. False: it is no array.
bool read_type(Dwarf_Die* variable, SharedArray& array) {
  const std::optional<ArrayType> type = array_type_of(variable);
  if (!type) return false;
  array.extents = type->extents;
  array.element_bytes = type->element_bytes;
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
    } else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_namespace) &&
               find_type(&child, array)) {
      return true;
    }
  }
  return false;
}

/// Where a variable lies in its library's thread-local segment; nothing if it does not.
std::optional<std::size_t> thread_local_offset(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 2 ||
      (operations[1].atom != DW_OP_GNU_push_tls_address &&
       operations[1].atom != DW_OP_form_tls_address)) {
    return std::nullopt;
  }
  return operations[0].number;
}

/// The library that kernels are in: its functions, its thread-local variables, and who uses which.
class KernelLibrary {
 public:
  explicit KernelLibrary(const void* kernel)
      : address_(reinterpret_cast<Dwarf_Addr>(kernel)), libraries_(open_libraries()) {
    module_ = libraries_ == nullptr ? nullptr : dwfl_addrmodule(libraries_.get(), address_);
    if (module_ == nullptr) return;
    const int symbols = dwfl_module_getsymtab(module_);
    Elf* const elf = dwfl_module_getelf(module_, &bias_);
    for (int i = 0; i < symbols; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      const char* const name =
          dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (name != nullptr) keep_symbol(name, symbol, address);
    }
    if (elf != nullptr) read_slots(elf);
    if (elf != nullptr) measure_thread_locals(elf);
  }

  /// Calls visit(name, offset, bytes) for each thread-local symbol.
  template <class Visit>
  void for_each_thread_local(Visit visit) const {
    for (const Variable& variable : variables_)
      visit(variable.name, variable.offset, variable.bytes);
  }

  /// Does the library have this symbol, or ask for it?
  bool knows(const std::string& symbol_name) const { return names_.contains(symbol_name); }

  /// The kernel, and all functions that its code calls or takes the address of.
  std::set<GElf_Addr> reached_functions() const {
    std::set<GElf_Addr> reached;
    std::vector<GElf_Addr> to_read = {address_};
    while (!to_read.empty()) {
      const GElf_Addr next = to_read.back();
      to_read.pop_back();
      const auto function = functions_.find(next);
      if (function == functions_.end() || !reached.insert(next).second) continue;
      // What is seldom executed may be a part of its own, which is jumped into.
      const auto cold = names_.find(function->second.name + ".cold");
      if (cold != names_.end()) to_read.push_back(cold->second);
      for_each_reference(function->first, function->second.bytes, [&](GElf_Addr target) {
        const auto slot = function_slots_.find(target);
        const GElf_Addr called = slot == function_slots_.end() ? target : slot->second;
        if (functions_.contains(called)) to_read.push_back(called);
      });
    }
    return reached;
  }

  GElf_Addr end_of(GElf_Addr function) const { return function + functions_.at(function).bytes; }

  /// Offsets of the thread-local variables that the code of these functions uses.
  std::set<std::size_t> variables_of(const std::set<GElf_Addr>& functions) const {
    std::set<std::size_t> used;
    for (const GElf_Addr function : functions) {
      for_each_reference(function, functions_.at(function).bytes, [&](GElf_Addr target) {
        const auto slot = variable_slots_.find(target);
        if (slot != variable_slots_.end()) used.insert(slot->second);
      });
      if (thread_local_bytes_ != 0) add_constants(function, used);
    }
    return used;
  }

  /// Completes arrays whose place is known from their declarations, wherever they are.
  void complete(std::vector<SharedArray>& arrays) const {
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit =
        module_ == nullptr ? nullptr : dwfl_module_addrdie(module_, address_, &bias);
    if (unit != nullptr && !arrays.empty()) complete_below(unit, arrays);
  }

  /// \brief  Completes an `extern` array from its declaration in the kernel, in a function that the
  ///         kernel reaches, or outside of functions.
  /// \return false: there is none
  bool complete_extern(SharedArray& array, const std::set<GElf_Addr>& functions) const {
    if (module_ == nullptr) return false;
    Dwarf_Die scope;
    if (function_at(module_, address_, scope) && find_type(&scope, array)) return true;
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = dwfl_module_addrdie(module_, address_, &bias);
    if (unit == nullptr) return false;
    for (const GElf_Addr function : functions) {
      if (function != address_ && function_at(module_, function, scope) &&
          find_type(&scope, array)) {
        return true;
      }
    }
    if (function_at(module_, address_, scope) && find_in_inlined(&scope, array)) return true;
    return find_type(unit, array);
  }

 private:
  struct Variable {
    std::string name;
    std::size_t offset;
    std::size_t bytes;
  };
  struct Function {
    std::string name;
    std::size_t bytes;
  };

  void keep_symbol(const char* name, const GElf_Sym& symbol, GElf_Addr address) {
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    names_[name] = address;
    if (type == STT_TLS) {
      variables_.push_back({name, static_cast<std::size_t>(symbol.st_value),
                            static_cast<std::size_t>(symbol.st_size)});
    } else if (type == STT_FUNC && symbol.st_size > 0 && symbol.st_shndx != SHN_UNDEF) {
      functions_[address] = {name, static_cast<std::size_t>(symbol.st_size)};
    }
  }

  /// The words through which code finds thread-local variables, and functions that it calls
  /// indirectly.
  void read_slots(Elf* elf) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_RELA) continue;
      if ((header.sh_flags & SHF_ALLOC) == 0) continue;
      Elf_Data* const data = elf_getdata(section, nullptr);
      for (int i = 0; data != nullptr && i < static_cast<int>(header.sh_size / header.sh_entsize);
           ++i) {
        GElf_Rela entry;
        if (gelf_getrela(data, i, &entry) == nullptr) continue;
        if (GELF_R_SYM(entry.r_info) != 0) continue;
        const auto addend = static_cast<GElf_Addr>(entry.r_addend);
        if (GELF_R_TYPE(entry.r_info) == R_X86_64_TPOFF64) {
          variable_slots_[entry.r_offset + bias_] = addend;
        } else if (GELF_R_TYPE(entry.r_info) == R_X86_64_RELATIVE) {
          function_slots_[entry.r_offset + bias_] = addend + bias_;
        }
      }
    }
  }

  /// \brief In an executable, code has the distances of thread-local variables from the end of
  ///        their segment as plain numbers: the linker knows them.
  void measure_thread_locals(Elf* elf) {
    std::size_t segments = 0;
    bool is_executable = false;
    std::size_t bytes = 0;
    elf_getphdrnum(elf, &segments);
    for (int i = 0; i < static_cast<int>(segments); ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf, i, &segment) == nullptr) continue;
      is_executable = is_executable || segment.p_type == PT_INTERP;
      if (segment.p_type != PT_TLS) continue;
      const std::size_t align = std::max<std::size_t>(segment.p_align, 1);
      bytes = (segment.p_memsz + align - 1) / align * align;
    }
    if (is_executable) thread_local_bytes_ = bytes;
  }

  /// Variables at whose start such a number points.
  void add_constants(GElf_Addr function, std::set<std::size_t>& used) const {
    for_each_constant(function, functions_.at(function).bytes, [&](std::int64_t constant) {
      if (constant >= 0 || constant < -static_cast<std::int64_t>(thread_local_bytes_)) return;
      const std::size_t offset = thread_local_bytes_ - static_cast<std::size_t>(-constant);
      if (std::ranges::find(variables_, offset, &Variable::offset) != variables_.end())
        used.insert(offset);
    });
  }

  static void complete_below(Dwarf_Die* scope, std::vector<SharedArray>& arrays) {
    Dwarf_Die child;
    for (int more = dwarf_child(scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
      if (dwarf_tag(&child) == DW_TAG_variable) {
        const auto offset = thread_local_offset(&child);
        if (!offset) continue;
        const auto found = std::ranges::find(arrays, *offset, &SharedArray::offset);
        if (found != arrays.end() && found->extents.empty()) read_type(&child, *found);
      } else {
        complete_below(&child, arrays);
      }
    }
  }

  /// Looks in the functions that were inlined into a function.
  static bool find_in_inlined(Dwarf_Die* scope, SharedArray& array) {
    Dwarf_Die child;
    for (int more = dwarf_child(scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
      if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
        Dwarf_Attribute attribute;
        Dwarf_Die origin;
        if (dwarf_formref_die(dwarf_attr(&child, DW_AT_abstract_origin, &attribute), &origin) !=
                nullptr &&
            find_type(&origin, array)) {
          return true;
        }
      }
      if (find_in_inlined(&child, array)) return true;
    }
    return false;
  }

  Dwarf_Addr address_;
  OpenLibraries libraries_;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr bias_ = 0;
  std::size_t thread_local_bytes_ = 0;  ///< of an executable's segment
  std::unordered_map<std::string, GElf_Addr> names_;
  std::vector<Variable> variables_;
  std::unordered_map<GElf_Addr, Function> functions_;
  std::unordered_map<GElf_Addr, std::size_t> variable_slots_;
  std::unordered_map<GElf_Addr, GElf_Addr> function_slots_;
};

bool is_guard(std::string_view symbol) {
  return symbol.starts_with("_ZGV") || symbol == "__tls_guard";
}

/// The symbol of a variable, as the programmer named it: "_ZN6ladder4bytesE" -> "bytes".
std::string last_component(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // "s" would be taken for the type short
  char* const demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
  std::string name = demangled == nullptr ? symbol : demangled;
  std::free(demangled);
  const std::size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

/// All that is known of a kernel's shared memory.
struct KernelShared {
  std::vector<SharedArray> arrays;
  std::vector<SharedArray> guards;
  SharedArray dynamic;
  std::map<GElf_Addr, GElf_Addr> code;  ///< of the functions that it reaches: end by begin
};

KernelShared read_shared(const void* kernel, std::size_t dynamic_offset) {
  KernelShared result;
  result.dynamic = {.name = "dynamic shared memory", .offset = dynamic_offset, .is_dynamic = true};
  const KernelLibrary library(kernel);
  const std::set<GElf_Addr> functions = library.reached_functions();
  const std::set<std::size_t> used = library.variables_of(functions);
  for (const GElf_Addr function : functions)
    result.code[function] = library.end_of(function);
  bool named = false;
  library.for_each_thread_local(
      [&](const std::string& name, std::size_t offset, std::size_t bytes) {
        if (is_guard(name)) {
          result.guards.push_back({.name = name, .offset = offset, .bytes = bytes});
        } else if (offset == dynamic_offset) {
          // All `extern __shared__` arrays of a library are there; which name does this kernel use?
          if (name == kPlainDynamic || named) return;
          SharedArray declared = result.dynamic;
          declared.name = last_component(name);
          named = library.complete_extern(declared, functions);
          if (named) result.dynamic = declared;
        } else if (used.contains(offset)) {
          result.arrays.push_back({.name = last_component(name), .offset = offset, .bytes = bytes});
        }
      });
  library.complete(result.arrays);
  return result;
}

/// Reading symbols takes milliseconds: once per kernel. Libraries stay where they are.
const KernelShared& shared_of(const void* kernel, std::size_t dynamic_offset) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, std::size_t>, KernelShared> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find({kernel, dynamic_offset});
  if (found != known.end()) return found->second;
  return known.emplace(std::pair(kernel, dynamic_offset), read_shared(kernel, dynamic_offset))
      .first->second;
}

}  // namespace

std::vector<SharedArray> shared_arrays_of(const void* kernel, std::size_t dynamic_offset,
                                          std::size_t dynamic_bytes) {
  const KernelShared& shared = shared_of(kernel, dynamic_offset);
  std::vector<SharedArray> arrays = shared.arrays;
  if (dynamic_bytes > 0) {
    arrays.push_back(shared.dynamic);
    arrays.back().bytes = dynamic_bytes;
  }
  std::ranges::sort(arrays, {}, &SharedArray::offset);
  return arrays;
}

std::vector<SharedArray> shared_guards_of(const void* kernel, std::size_t dynamic_offset) {
  return shared_of(kernel, dynamic_offset).guards;
}

bool reaches(const void* kernel, std::size_t dynamic_offset, std::uintptr_t instruction) {
  const auto& code = shared_of(kernel, dynamic_offset).code;
  const auto behind = code.upper_bound(instruction);
  return behind != code.begin() && instruction < std::prev(behind)->second;
}

bool is_traced(const void* kernel) {
  return KernelLibrary(kernel).knows("__tsan_init");
}

const SharedArray* array_near(const std::vector<SharedArray>& arrays, std::size_t offset) {
  const SharedArray* nearest = nullptr;
  for (const SharedArray& array : arrays) {
    if (nearest == nullptr || array.offset <= offset) nearest = &array;
  }
  return nearest;
}

Element element_at(const std::vector<SharedArray>& arrays, std::size_t offset) {
  Element result = {.space = MemorySpace::kShared,
                    .offset_bytes = static_cast<std::int64_t>(offset)};
  const SharedArray* const nearest = array_near(arrays, offset);
  if (nearest == nullptr) return result;
  result.array = nearest->name;
  const auto elements = static_cast<std::int64_t>(nearest->bytes / nearest->element_bytes);
  if (!nearest->is_dynamic) result.extents = {elements};
  if (nearest->extents.size() > 1) {
    result.extents.assign(nearest->extents.begin(), nearest->extents.end());
  }
  const bool is_scalar = nearest->extents.empty() && !nearest->is_dynamic;
  if (is_scalar && offset - nearest->offset < nearest->bytes && nearest->bytes <= 16) return result;
  auto element =
      (static_cast<std::ptrdiff_t>(offset) - static_cast<std::ptrdiff_t>(nearest->offset)) /
      static_cast<std::ptrdiff_t>(nearest->element_bytes);
  for (std::size_t d = nearest->extents.size(); d-- > 1;) {
    const auto extent = static_cast<std::ptrdiff_t>(nearest->extents[d]);
    if (element < 0) break;
    result.indices.insert(result.indices.begin(), element % extent);
    element /= extent;
  }
  result.indices.insert(result.indices.begin(), element);
  return result;
}

}  // namespace ladder::emulator
