// SPDX-License-Identifier: MIT
#include "glassbox/runtime/stray_addresses.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "emulator/run/debug_info/source_lines.hpp"
#include "glassbox/runtime/allocations.hpp"
#include "glassbox/runtime/findings.hpp"
#include "glassbox/runtime/variable_names.hpp"

namespace ladder::glassbox {
namespace {

using emulator::Fault;
using emulator::FaultKind;

/// A piece of this process's memory, as Linux lists them.
struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::string path;  ///< "[stack]", "[heap]", a library; empty: of no file

  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

/// The readable memory that holds a byte; nothing if there is none.
std::optional<Mapping> mapping_of(std::uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    Mapping mapping;
    char dash;
    std::string access, offset, device, inode;
    words >> std::hex >> mapping.begin >> dash >> mapping.end >> access >> offset >> device >>
        inode >> std::ws;
    std::getline(words, mapping.path);
    if (mapping.contains(address) && access.starts_with('r')) return mapping;
  }
  return std::nullopt;
}

const void* pointer(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

const char* kind_of(const Mapping& mapping, std::uintptr_t address) {
  if (mapping.path == "[stack]") return "stack";
  Dl_info library;
  return dladdr(pointer(address), &library) != 0 ? "static" : "heap";
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return text == nullptr ? symbol : text.get();
}

std::uintptr_t address_of(const PointerArgument& argument) {
  return reinterpret_cast<std::uintptr_t>(argument.address);
}

/// The element of what begins at `base`.
emulator::Element element_at(const std::string& name, std::uintptr_t base, std::uintptr_t address,
                             std::size_t element_bytes) {
  const auto bytes = static_cast<std::int64_t>(element_bytes == 0 ? 4 : element_bytes);
  const auto offset = static_cast<std::int64_t>(address - base);
  return {.space = emulator::MemorySpace::kGlobal,
          .array = name,
          .indices = {offset >= 0 ? offset / bytes : -((bytes - 1 - offset) / bytes)}};
}

void explain_freed(Fault& fault, const Allocation& freed, std::uintptr_t address,
                   const std::vector<PointerArgument>& arguments) {
  std::size_t element_bytes = 0;
  for (const PointerArgument& argument : arguments) {
    if (freed.contains(argument.address)) element_bytes = argument.element_bytes;
  }
  fault.kind = FaultKind::kUseAfterFree;
  fault.fields = {};
  add_freed_at(fault.fields, freed);
  fault.element =
      element_at(freed.name, reinterpret_cast<std::uintptr_t>(freed.data), address, element_bytes);
}

/// The argument that points to where the address is, nearest before it; null if none does.
const PointerArgument* argument_into(const Mapping& mapping, std::uintptr_t address,
                                     const std::vector<PointerArgument>& arguments) {
  const PointerArgument* nearest = nullptr;
  for (const PointerArgument& argument : arguments) {
    const std::uintptr_t begin = address_of(argument);
    if (!mapping.contains(begin)) continue;
    const bool is_nearer =
        nearest == nullptr ||
        (begin <= address && (address_of(*nearest) > address || address_of(*nearest) < begin));
    if (is_nearer) nearest = &argument;
  }
  return nearest;
}

void explain_host(Fault& fault, const Mapping& mapping, std::uintptr_t address,
                  const LaunchRequest& request, const PointerArgument* argument) {
  fault.kind = FaultKind::kHostMemory;
  fault.fields = {{"memory", kind_of(mapping, address)}};
  fault.element.reset();
  std::string name =
      argument == nullptr || argument->number == 0
          ? ""
          : variable_in_launch(request.kernel, place_of(request.here), argument->number);
  if (fault.fields.word("memory") == "static") {
    const std::string symbol = emulator::symbol_of(pointer(address));
    if (!symbol.empty()) fault.fields.set("variable", demangled(symbol));
  }
  if (argument == nullptr || name.empty()) return;
  fault.element = element_at(name, address_of(*argument), address, argument->element_bytes);
}

}  // namespace

void explain_stray(Fault& fault, const LaunchRequest& request,
                   const std::vector<PointerArgument>& arguments) {
  const bool is_near = fault.kind == FaultKind::kGlobalOutOfBounds;
  const bool is_stray =
      fault.kind == FaultKind::kNoArray || fault.kind == FaultKind::kInvalidAddress;
  if (!is_near && !is_stray) return;
  std::uintptr_t address = fault.address;
  if (address == 0 && fault.fields.has("address")) {
    address = static_cast<std::uintptr_t>(fault.fields.number("address"));
  }
  if (address == 0) return;
  const Allocation* const array = Allocations::instance().around(pointer(address));
  if (array != nullptr) {
    if (array->freed && array->contains(pointer(address))) {
      explain_freed(fault, *array, address, arguments);
    }
    return;
  }
  const std::optional<Mapping> mapping = mapping_of(address);
  if (!mapping) return;
  // A wild index may also end there: only a pointer to it says that it was meant.
  const PointerArgument* const argument = argument_into(*mapping, address, arguments);
  if (argument == nullptr && is_near) return;
  explain_host(fault, *mapping, address, request, argument);
}

}  // namespace ladder::glassbox
