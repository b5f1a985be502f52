// SPDX-License-Identifier: MIT
#include "emulator/run/debug_info/local_arrays.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "emulator/run/debug_info/debug_information.hpp"

namespace ladder::emulator {
namespace {

struct Found {
  LocalArray array;
  std::int64_t offset;  ///< from the frame's base, or from the stack pointer
  bool is_array;        ///< else a structure
};

/// A function with code of its own, however deep it is described: lambdas are below others.
bool find_function(Dwarf_Die* around, Dwarf_Addr address, Dwarf_Die& function) {
  Dwarf_Die child;
  for (int more = dwarf_child(around, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_subprogram && dwarf_haspc(&child, address) > 0) {
      function = child;
      return true;
    }
    if (find_function(&child, address, function)) return true;
  }
  return false;
}

/// Where a variable lies in its function's frame; nothing if it does not lie there for all of its
/// life. g++ 12 counts from the frame's base, g++ 14 from the stack pointer: a function's variables
/// can be put in order either way.
std::optional<std::int64_t> offset_in_frame(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) {
    return std::nullopt;
  }
  const auto atom = operations[0].atom;
  const bool from_register = atom >= DW_OP_breg0 && atom <= DW_OP_breg31;
  if (atom != DW_OP_fbreg && !from_register) return std::nullopt;
  return static_cast<std::int64_t>(operations[0].number);
}

bool is_structure(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type) == nullptr ||
      dwarf_peel_type(&type, &type) != 0) {
    return false;
  }
  const int tag = dwarf_tag(&type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

SourceLine declaration_of(Dwarf_Die* variable) {
  const char* const file = dwarf_decl_file(variable);
  int line = 0;
  if (file == nullptr || dwarf_decl_line(variable, &line) != 0) return {};
  return {.file = file, .line = static_cast<unsigned>(line)};
}

void collect(Dwarf_Die* scope, std::vector<Found>& all) {
  Dwarf_Die child;
  for (int more = dwarf_child(scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_variable) {
      collect(&child, all);
      continue;
    }
    const auto offset = offset_in_frame(&child);
    const auto type = array_type_of(&child);
    const char* const name = dwarf_diename(&child);
    const SourceLine line = declaration_of(&child);
    if (!offset || name == nullptr || line.file.empty() || is_ground(line.file)) continue;
    if (!type && !is_structure(&child)) continue;
    std::string text = name;
    for (const std::size_t extent : type ? type->extents : std::vector<std::size_t>())
      text += "[" + std::to_string(extent) + "]";
    all.push_back({{std::move(text), line}, *offset, type.has_value()});
  }
}

}  // namespace

std::vector<LocalArray> local_arrays_of(std::uintptr_t instruction) {
  const OpenLibraries libraries = open_libraries();
  Dwfl_Module* const module =
      libraries == nullptr ? nullptr : dwfl_addrmodule(libraries.get(), instruction);
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit =
      module == nullptr ? nullptr : dwfl_module_addrdie(module, instruction, &bias);
  Dwarf_Die function;
  std::vector<Found> all;
  if (unit != nullptr && find_function(unit, instruction - bias, function)) collect(&function, all);
  // The compiler puts arrays between the canary and everything else.
  if (std::ranges::any_of(all, &Found::is_array)) std::erase_if(all, std::not_fn(&Found::is_array));
  std::ranges::stable_sort(all, std::greater(), &Found::offset);
  std::vector<LocalArray> arrays;
  for (Found& one : all) {
    const bool known = std::ranges::any_of(arrays, [&](const LocalArray& other) {
      return other.name == one.array.name && other.line.line == one.array.line.line;
    });
    if (!known) arrays.push_back(std::move(one.array));
  }
  return arrays;
}

}  // namespace ladder::emulator
