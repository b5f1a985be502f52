// SPDX-License-Identifier: MIT
#include "emulator/run/access_text.hpp"

#include <stdexcept>

#include "emulator/run/place_text.hpp"
#include "emulator/run/wait_text.hpp"

namespace ladder::emulator {
namespace {

std::string verb_text(AccessVerb verb) {
  switch (verb) {
    case AccessVerb::kLoad:
      return "loads";
    case AccessVerb::kStore:
      return "stores";
    case AccessVerb::kUpdate:
      return "updates";
    case AccessVerb::kCopyFrom:
      return "copies from";
    case AccessVerb::kCopyTo:
      return "copies to";
  }
  return "";
}

/// "8 x 32"
std::string product_text(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

/// ", row 4, column 0 (A is 64 x 64)"; of what is no matrix " (A has 4096 elements)"
std::string size_note(const Element& element) {
  if (element.extents.empty() || element.array.empty()) return "";
  if (element.columns) {
    const std::int64_t columns = *element.columns;
    const std::int64_t index = element.indices.at(0);
    const std::int64_t row = index >= 0 ? index / columns : -((-index + columns - 1) / columns);
    return ", row " + std::to_string(row) + ", column " + std::to_string(index - row * columns) +
           " (" + element.array + " is " + product_text(element.extents) + ")";
  }
  if (element.extents.size() > 1) {
    return " (" + element.array + " is " + product_text(element.extents) + ")";
  }
  return " (" + element.array + " has " + std::to_string(element.extents[0]) + " elements)";
}

/// "thread (0, 0, 0) loads "
std::string does_text(const Fault& fault) {
  return thread_text(fault.thread) + " " + verb_text(fault.access.value().verb) + " ";
}

std::string element_text(const Fault& fault) {
  return fault.element ? name_of(*fault.element) : "";
}

std::string where_text(const Fault& fault) {
  return " at " + place_text(fault.place) + block_of(fault);
}

/// "thread (0, 0, 0)", "thread (0, 0, 0) of block (1, 0, 0)"
std::string who_text(const OtherAccess& other) {
  return thread_text(other.thread) + (other.block ? " of block " + to_text(*other.block) : "");
}

/// Of a race within a block: who else.
std::string race_in_block_text(const Fault& fault) {
  const OtherAccess& other = fault.other.value();
  return "race: " + does_text(fault) + element_text(fault) + " at " + place_text(fault.place) +
         ", and no barrier separates it from " +
         (other.same_thread && !other.block ? "another lane" : who_text(other)) + " that " +
         verb_text(other.verb.value()) + " it at " + place_text(other.place) + block_of(fault);
}

/// What would order two accesses; an element of a rung's matrix belongs to one thread instead.
std::string instead_text(const Fault& fault, const std::string& owner,
                         const std::string& otherwise) {
  return fault.element && fault.element->columns
             ? "one " + owner + " should compute each element of " + fault.element->array
             : otherwise;
}

/// Of two threads at one line that load, change and store the same element.
std::string lost_update_text(const Fault& fault) {
  const OtherAccess& other = fault.other.value();
  const std::string who = other.same_thread ? "another lane" : thread_text(other.thread);
  return "race: " + thread_text(fault.thread) + block_of(fault) + ", and " + who +
         (other.block ? " of block " + to_text(*other.block) : "") + " both load " +
         element_text(fault) + ", change it and store it at " + place_text(fault.place) +
         ": what one of them adds may be lost; " +
         instead_text(fault, "thread", "use atomicAdd() or another atomic");
}

/// Two atomics: one of them is for its own block alone.
bool are_atomics(const Fault& fault) {
  return fault.access && fault.access->verb == AccessVerb::kUpdate &&
         fault.other->verb == AccessVerb::kUpdate;
}

std::string text_of_two(const Fault& fault) {
  if (fault.fields.has("updates")) return lost_update_text(fault);
  const OtherAccess& other = fault.other.value();
  const std::string does =
      does_text(fault) + element_text(fault) + " at " + place_text(fault.place) + block_of(fault);
  const std::string who = who_text(other);
  const std::string there = " at " + place_text(other.place);
  switch (fault.kind) {
    case FaultKind::kRaceBetweenBlocks:
      return "race: " + does + ", and " + who + " " + verb_text(other.verb.value()) + " it" +
             there +
             (fault.element && fault.element->space == MemorySpace::kShared
                  ? "; no cluster_sync() separates them"
              : are_atomics(fault)
                  ? "; an atomic of block scope, such as atomicAdd_block(), is none for another "
                    "block: use one of the device's, such as atomicAdd()"
                  : "; blocks run in any order, so " +
                        instead_text(fault, "block", "use atomics or another launch"));
    case FaultKind::kCopyInFlight:
      return "in flight: " + does + ", but nothing has waited for the copy to it that " + who +
             " starts" + there;
    case FaultKind::kCopyStillReads:
      return "still read: " + does +
             ", but nothing has waited until the copy from it was done that " + who + " starts" +
             there;
    case FaultKind::kCopyUnfenced:
      return "unfenced: " + does + ", and no fence_proxy_async() separates it from " + who +
             " that " + verb_text(other.verb.value()) + " it" + there;
    default:
      return race_in_block_text(fault);
  }
}

/// Why a lane has nothing to give.
std::string why_undefined_text(const Fields& fields) {
  const std::string& why = fields.word("why");
  return why == "no-such-thread" ? "but the block has no such thread"
         : why == "has-left"     ? "which has left the kernel"
                                 : "which is not in the mask " + mask_text(fields.number("mask"));
}

/// "thread (0, 0, 0) loads p[0]"; of an access that nobody has seen "an access to p[0]"
std::string accesses_text(const Fault& fault, const std::string& what) {
  return (fault.access ? does_text(fault) : "an access to ") + what;
}

std::string freed_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  return "use after free: " + accesses_text(fault, element_text(fault)) + ", which was freed" +
         (fields.has("freed_line")
              ? " at " + fields.word("freed_file") + ":" + fields.digits("freed_line")
              : "") +
         ",";
}

std::string host_memory_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  const std::string& memory = fields.word("memory");
  const std::string what =
      memory == "stack"        ? "memory on the host's stack"
      : memory == "heap"       ? "memory on the host's heap (malloc, new, std::vector)"
      : fields.has("variable") ? "the host's variable " + fields.word("variable")
                               : "a variable of the host";
  const std::string element = element_text(fault);
  return "host memory: " + accesses_text(fault, element.empty() ? what : element + ", " + what) +
         ": kernels need memory of cudaMalloc, managed or pinned memory,";
}

/// "; the index is what __shfl_down_sync of line 4 got from lane 20, ..."
std::string origin_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  if (!fields.has("why")) return "";
  if (fields.word("why") == "local") {
    return "; the index is computed from a local variable that nothing was stored in";
  }
  return "; the index is computed from what " + fields.word("function") + " at " +
         fields.word("index_file") + ":" + fields.digits("index_line") + " got from lane " +
         fields.digits("lane") + ", " + why_undefined_text(fields);
}

std::string out_of_bounds_text(const Fault& fault) {
  const std::string where = where_text(fault);
  switch (fault.kind) {
    case FaultKind::kMatrixOutOfBounds:
    case FaultKind::kGlobalOutOfBounds:
      return "out of bounds: " + does_text(fault) + element_text(fault) +
             size_note(fault.element.value()) + where + origin_text(fault);
    case FaultKind::kNoArray:
      if (!fault.access) {
        return "invalid address: it lies in no array of the kernel" + ending_of(fault);
      }
      return "out of bounds: " + does_text(fault) + "an address in no array" + where;
    case FaultKind::kUseAfterFree:
      return freed_text(fault) + (fault.access ? where : ending_of(fault));
    case FaultKind::kHostMemory:
      return host_memory_text(fault) + (fault.access ? where : ending_of(fault));
    case FaultKind::kSharedOutOfBounds:
      return "out of bounds: " + does_text(fault) + element_text(fault) + " of shared memory" +
             size_note(fault.element.value()) + where;
    case FaultKind::kDynamicSharedOutOfBounds:
      return "out of bounds: " + does_text(fault) + element_text(fault) +
             " of shared memory: the launch asked for " + fault.fields.digits("bytes") +
             " bytes of dynamic shared memory, and this needs " +
             fault.fields.digits("needed_bytes") + "," + where;
    case FaultKind::kIndexOutOfBounds:
      return "out of bounds: " + thread_text(fault.thread) + " uses index " +
             fault.fields.digits("index") + " of an array of type " +
             fault.fields.word("array_type") +
             (element_text(fault).empty() ? "" : " in " + element_text(fault)) + where;
    default:
      throw std::logic_error("an access out of bounds without a sentence");
  }
}

std::string uninitialised_text(const Fault& fault) {
  const std::string where = where_text(fault);
  const std::string element = element_text(fault);
  switch (fault.kind) {
    case FaultKind::kUninitialisedShared:
      return "uninitialised: " + does_text(fault) + element +
             ", which no thread of the block has written," + where;
    case FaultKind::kUninitialisedMatrix:
    case FaultKind::kUninitialisedGlobal:
      return "uninitialised: " + does_text(fault) + element + size_note(fault.element.value()) +
             ", which nobody has written," + where;
    case FaultKind::kUninitialisedTexture:
      return "uninitialised: " + fault.fields.word("function") + " reads " +
             fault.fields.word("array") + ", which nobody has written, at " +
             place_text(fault.place);
    case FaultKind::kUninitialisedLocal:
      return "uninitialised: " + element +
             " is computed from a local variable that nothing was stored in, and is stored at " +
             place_text(fault.place) +
             "; a warning of the build may name it: -Wmaybe-uninitialized";
    default:
      break;
  }
  return "undefined: " + thread_text(fault.thread) + " gets from " + fault.fields.word("function") +
         " what lane " + fault.fields.digits("lane") + " has, " + why_undefined_text(fault.fields) +
         ", and what is computed from it is in " + element + "," + where;
}

std::string misaligned_object_text(const Fault& fault) {
  const std::string element = element_text(fault);
  return "misaligned: " + thread_text(fault.thread) + " uses an object of type " +
         fault.fields.word("type") + (element.empty() ? " in local memory" : " at " + element) +
         ", whose address is not a multiple of " + fault.fields.digits("multiple") + "," +
         where_text(fault);
}

/// Of a kernel that may start while the one before runs.
std::string early_text(const Fault& fault) {
  const std::string early =
      "too early: " + does_text(fault) + element_text(fault) + where_text(fault) + ", and ";
  if (!fault.other) return early + "has not waited for the kernel before, which may still use it";
  return early + fault.fields.word("other_work") + " at " + place_text(fault.other->place) +
         ", which it has not waited for, may still " + code_of(fault.other->verb.value()) + " it";
}

}  // namespace

bool is_seen_access(const Fault& fault) {
  switch (group_of(fault.kind)) {
    case FaultGroup::kRace:
    case FaultGroup::kUninitialised:
    case FaultGroup::kDependent:
      return true;
    case FaultGroup::kCopy:
      return fault.kind != FaultKind::kCopyUnfinished && fault.kind != FaultKind::kStoreUnfinished;
    case FaultGroup::kAlignment:
      return fault.kind == FaultKind::kMisaligned;
    case FaultGroup::kOutOfBounds:
      return fault.access.has_value() || fault.kind == FaultKind::kIndexOutOfBounds ||
             fault.kind == FaultKind::kNoArray || fault.kind == FaultKind::kUseAfterFree ||
             fault.kind == FaultKind::kHostMemory;
    default:
      return false;
  }
}

std::string text_of_access(const Fault& fault) {
  switch (group_of(fault.kind)) {
    case FaultGroup::kRace:
    case FaultGroup::kCopy:
      return text_of_two(fault);
    case FaultGroup::kDependent:
      return early_text(fault);
    case FaultGroup::kUninitialised:
      return uninitialised_text(fault);
    case FaultGroup::kAlignment: {
      if (!fault.access) return misaligned_object_text(fault);
      const std::string bytes = std::to_string(fault.access.value().bytes) + " bytes";
      return "misaligned: " + does_text(fault) + bytes + " at " + element_text(fault) +
             ", which is not a multiple of " + bytes + "," + where_text(fault);
    }
    default:
      return out_of_bounds_text(fault);
  }
}

}  // namespace ladder::emulator
