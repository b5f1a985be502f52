// SPDX-License-Identifier: MIT
#include "emulator/run/debug_info/kernel_constants.hpp"

#include <dwarf.h>

#include <algorithm>
#include <optional>

#include "emulator/run/debug_info/debug_information.hpp"

namespace ladder::emulator {
namespace {

template <class Visit>
void for_each_child(Dwarf_Die* parent, Visit visit) {
  Dwarf_Die child;
  for (int more = dwarf_child(parent, &child); more == 0; more = dwarf_siblingof(&child, &child))
    visit(&child);
}

/// From the code of a function to its declaration, which is in its namespace.
void go_to_declaration(Dwarf_Die& function) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  for (const unsigned link : {DW_AT_abstract_origin, DW_AT_specification}) {
    if (dwarf_formref_die(dwarf_attr(&function, link, &attribute), &origin) != nullptr)
      function = origin;
  }
}

/// The innermost namespace that has a declaration among its children.
bool find_namespace(Dwarf_Die* around, Dwarf_Off declaration, Dwarf_Die& found) {
  bool is_there = false;
  for_each_child(around, [&](Dwarf_Die* child) {
    if (is_there) return;
    if (dwarf_dieoffset(child) == declaration) {
      found = *around;
      is_there = true;
    } else if (dwarf_tag(child) == DW_TAG_namespace) {
      is_there = find_namespace(child, declaration, found);
    }
  });
  return is_there;
}

/// A whole number that the compiler knew; nothing for variables and for floats.
std::optional<NamedNumber> named_number(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  const char* const name = dwarf_diename(die);
  if (name == nullptr || dwarf_attr_integrate(die, DW_AT_const_value, &attribute) == nullptr)
    return {};
  const unsigned form = dwarf_whatform(&attribute);
  Dwarf_Sword value = 0;
  Dwarf_Word word = 0;
  if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
    if (dwarf_formsdata(&attribute, &value) != 0) return {};
  } else {
    if (dwarf_formudata(&attribute, &word) != 0) return {};
    value = static_cast<Dwarf_Sword>(word);
  }
  return NamedNumber{name, value};
}

/// Was it declared const, or constexpr?
bool is_const(Dwarf_Die* variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  return dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type) !=
             nullptr &&
         dwarf_tag(&type) == DW_TAG_const_type;
}

/// Constants of a function's body, in nested blocks too.
void add_locals(Dwarf_Die* scope, std::vector<NamedNumber>& constants) {
  for_each_child(scope, [&](Dwarf_Die* child) {
    if (dwarf_tag(child) == DW_TAG_lexical_block) {
      add_locals(child, constants);
    } else if (dwarf_tag(child) == DW_TAG_variable && is_const(child)) {
      if (const auto number = named_number(child)) constants.push_back(*number);
    }
  });
}

/// Constants of a namespace and of namespaces without a name in it.
void add_constants(Dwarf_Die* around, std::vector<NamedNumber>& constants) {
  for_each_child(around, [&](Dwarf_Die* child) {
    if (dwarf_tag(child) == DW_TAG_namespace && dwarf_diename(child) == nullptr) {
      add_constants(child, constants);
    } else if (dwarf_tag(child) == DW_TAG_variable) {
      if (const auto number = named_number(child)) constants.push_back(*number);
    }
  });
}

}  // namespace

KernelConstants kernel_constants_of(const void* kernel) {
  KernelConstants result;
  const auto address = reinterpret_cast<Dwarf_Addr>(kernel);
  const OpenLibraries libraries = open_libraries();
  Dwfl_Module* const module =
      libraries == nullptr ? nullptr : dwfl_addrmodule(libraries.get(), address);
  Dwarf_Die function;
  if (module == nullptr || !function_at(module, address, function)) return result;
  add_locals(&function, result.locals);
  go_to_declaration(function);
  const char* const name = dwarf_diename(&function);
  if (name != nullptr) result.function = name;
  result.function.resize(std::min(result.function.size(), result.function.find('<')));
  for_each_child(&function, [&](Dwarf_Die* child) {
    if (dwarf_tag(child) != DW_TAG_template_value_parameter) return;
    if (const auto number = named_number(child)) result.template_arguments.push_back(*number);
  });
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
  Dwarf_Die its_namespace;
  if (find_namespace(unit, dwarf_dieoffset(&function), its_namespace))
    add_constants(&its_namespace, result.constants);
  return result;
}

}  // namespace ladder::emulator
