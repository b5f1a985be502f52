// SPDX-License-Identifier: MIT
/// \file  emulator/run/fault_text.cpp
/// \brief From a fault's fields to its sentence. Only people read what is written here.
#include <cstdio>
#include <stdexcept>

#include "emulator/run/device_call_text.hpp"
#include "emulator/run/fault.hpp"
#include "emulator/run/launch_text.hpp"
#include "emulator/run/order_text.hpp"
#include "emulator/run/sentence.hpp"
#include "emulator/run/wait_text.hpp"

namespace ladder::emulator {
namespace {

std::string place_text(const Place& place) {
  return place.file + ":" + std::to_string(place.line);
}

std::string block_of(const Fault& fault) {
  return ", block " + to_text(fault.block);
}

std::string thread_text(const Index& thread) {
  return "thread " + to_text(thread);
}

/// " at FILE:LINE, block (..), thread (..)"
std::string ending_of(const Fault& fault) {
  return (fault.place.file.empty() ? "" : " at " + place_text(fault.place)) + block_of(fault) +
         ", " + thread_text(fault.thread);
}

/// " 0x7f10", or nothing where the address was left out.
std::string address_text(const Fields& fields) {
  if (!fields.has("address")) return "";
  char text[32];
  std::snprintf(text, sizeof text, " 0x%zx", static_cast<std::size_t>(fields.number("address")));
  return text;
}

// -- Accesses that the tracer has seen -----------------------------------------------------------

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

/// Of a race within a block: who else.
std::string race_in_block_text(const Fault& fault) {
  const OtherAccess& other = fault.other.value();
  return "race: " + does_text(fault) + element_text(fault) + " at " + place_text(fault.place) +
         ", and no barrier separates it from " +
         (other.same_thread ? "another lane" : thread_text(other.thread)) + " that " +
         verb_text(other.verb.value()) + " it at " + place_text(other.place) + block_of(fault);
}

/// Of two threads at one line that load, change and store the same element.
std::string lost_update_text(const Fault& fault) {
  const OtherAccess& other = fault.other.value();
  const std::string who = other.same_thread ? "another lane" : thread_text(other.thread);
  return "race: " + thread_text(fault.thread) + block_of(fault) + ", and " + who +
         (other.block ? " of block " + to_text(*other.block) : "") + " both load " +
         element_text(fault) + ", change it and store it at " + place_text(fault.place) +
         ": what one of them adds may be lost; use atomicAdd() or another atomic";
}

std::string text_of_two(const Fault& fault) {
  if (fault.fields.has("updates")) return lost_update_text(fault);
  const OtherAccess& other = fault.other.value();
  const std::string does =
      does_text(fault) + element_text(fault) + " at " + place_text(fault.place) + block_of(fault);
  const std::string who = thread_text(other.thread);
  const std::string there = " at " + place_text(other.place);
  switch (fault.kind) {
    case FaultKind::kRaceBetweenBlocks:
      return "race: " + does + ", and " + who + " of block " + to_text(other.block.value()) + " " +
             verb_text(other.verb.value()) + " it" + there +
             (fault.element && fault.element->space == MemorySpace::kShared
                  ? "; no cluster_sync() separates them"
                  : "; blocks run in any order, so use atomics or another launch");
    case FaultKind::kCopyInFlight:
      return "in flight: " + does + ", but nothing has waited for the copy to it that " + who +
             " starts" + there;
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

// -- What ends a kernel --------------------------------------------------------------------------

std::string overrun_text(const Fields& fields) {
  const std::string begin = "out of bounds: a store went past the end of ";
  const FieldValue::Words& names = fields.words("locals");
  if (names.empty()) return begin + "a local variable of the function";
  if (names.size() == 1) {
    return begin + (names[0].ends_with("]") ? "the local array " : "the local variable ") +
           names[0] + ", declared";
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list += (list.empty() ? "" : ", ") + names[i] + " (line " +
            std::to_string(fields.numbers("lines").at(i)) + ")";
  }
  return begin + "one of these local variables: " + list + "; the first is declared";
}

/// What a copy or a barrier was given.
std::string argument_text(const Fields& fields) {
  const std::string& argument = fields.word("argument");
  if (argument == "tma_load-destination") return "destination of tma_load";
  if (argument == "cp.async-destination") return "destination of cp.async";
  if (argument == "cp.async-source") return "source of cp.async";
  return argument == "in_block-object" ? "object that in_block() maps" : "mbarrier";
}

std::string stopping_access_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kInvalidAddress:
      return "invalid address" + address_text(fields);
    case FaultKind::kNullPointer:
      return "invalid address" + address_text(fields) + " (a null pointer)";
    case FaultKind::kOutsideShared:
      return "the " + argument_text(fields) + " does not lie in the shared memory of this block,";
    case FaultKind::kLocalOverrun:
      return overrun_text(fields);
    case FaultKind::kBeforeLocals:
      return "out of bounds: an access before the start of a local array, and before all that the "
             "thread has on its stack,";
    case FaultKind::kBehindLocals:
      return "out of bounds: an access past the end of a local array, and past all that the "
             "thread has on its stack,";
    default:
      throw std::logic_error("an access without a sentence");
  }
}

std::string alignment_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kMisalignedVector:
      return "misaligned vector access (a float4 needs an address that is a multiple of 16), or an "
             "address that cannot exist";
    case FaultKind::kMisalignedAddress:
      return "misaligned access" + (fields.has("address") ? " to" + address_text(fields) : "");
    case FaultKind::kMisalignedArgument:
      return std::string("misaligned: ") +
             (fields.word("argument") == "mbarrier" ? "an " : "the ") + argument_text(fields) +
             " must be an address that is a multiple of " + fields.digits("multiple") + ",";
    case FaultKind::kLeadingDimension:
      return fields.word("function") + ": the leading dimension is " + fields.digits("elements") +
             " elements; CUDA wants a multiple of " + fields.digits("multiple") +
             ", which are 16 bytes,";
    case FaultKind::kMisalignedMatrix:
      return fields.word("function") +
             ": CUDA wants the first element at a multiple of 32 bytes; this is " +
             fields.digits("bytes") + " bytes behind one,";
    default:
      throw std::logic_error("a misaligned address without a sentence");
  }
}

std::string warp_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  const std::string function = fields.word("function");
  switch (fault.kind) {
    case FaultKind::kWarpWidth:
      return function + " is called with width " + fields.digits("width") +
             "; it must be 1, 2, 4, 8, 16 or 32,";
    case FaultKind::kLaneNotInMask:
      return function + " is called by lane " + fields.digits("lane") +
             ", which is not in its own mask " + mask_text(fields.number("mask")) + ",";
    case FaultKind::kWarpDifferentCalls: {
      const auto call = [](const std::string& name, unsigned line, std::int64_t mask) {
        return " in " + name + " of line " + std::to_string(line) + " with mask " + mask_text(mask);
      };
      const OtherAccess& other = fault.other.value();
      return "lanes of one mask must make the same call, but " + thread_text(fault.thread) +
             " waits" + call(function, fault.place.line, fields.number("mask")) + ", " +
             thread_text(other.thread) +
             call(fields.word("other_function"), other.place.line, fields.number("other_mask")) +
             ",";
    }
    case FaultKind::kLaneAtBarrier:
      return function + " waits for " + thread_text(fault.other.value().thread) +
             ", which is in its mask " + mask_text(fields.number("mask")) +
             " but waits at the barrier of line " + std::to_string(fault.other->place.line) + ",";
    case FaultKind::kWarpIncomplete:
      return function + " takes a whole warp, and only " + fields.digits("lanes") +
             " of its 32 lanes are there,";
    case FaultKind::kWarpDifferentMatrices:
      return function +
             ": all lanes of the warp have to name the same matrix, by the same pointer and "
             "leading dimension,";
    default:
      throw std::logic_error("a fault of a warp without a sentence");
  }
}

std::string mbarrier_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kMbarrierInvalid:
      return "mbarrier used before mbarrier_init, or after its memory was overwritten,";
    case FaultKind::kMbarrierCount:
      return "mbarrier_init with " + fields.digits("arrivals") + " arrivals; it must be 1 to " +
             fields.digits("limit") + ",";
    case FaultKind::kMbarrierTwice:
      return "mbarrier_init of memory that is an mbarrier already,";
    case FaultKind::kMbarrierOverfull:
      return "more arrivals at an mbarrier than the " + fields.digits("arrivals") +
             " of its phase, which still waits for " + fields.digits("missing_bytes") + " bytes,";
    case FaultKind::kMbarrierUnseen:
      return "an arrival at an mbarrier though no thread has seen the end of its phase before: PTX "
             "wants a wait for each phase,";
    case FaultKind::kMbarrierBytes:
      return fields.digits("bytes") + " bytes are announced to an mbarrier; a phase takes 0 to " +
             fields.digits("limit") + ",";
    case FaultKind::kMbarrierParity:
      return "mbarrier_wait for parity " + fields.digits("parity") + "; it is 0 or 1,";
    case FaultKind::kMbarrierPhaseMissed:
      return "an mbarrier completed a second phase before this thread saw the end of the first: a "
             "waiter may lag behind by one phase, and on a GPU may wait for ever,";
    case FaultKind::kMbarrierUnfenced:
      return "a copy is to arrive at an mbarrier, and no fence_mbarrier_init() has shown its "
             "initialisation to copies, started";
    case FaultKind::kMbarrierOverwritten:
      return "the memory of an mbarrier was overwritten before the copy arrived that was to arrive "
             "at it, started";
    default:
      throw std::logic_error("a fault of an mbarrier without a sentence");
  }
}

std::string registers_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kRegistersNoWarpgroup:
      return "setmaxnreg is for warpgroups of 128 threads, but the block has " +
             fields.digits("threads") + " threads,";
    case FaultKind::kRegistersDiffer:
      return "the four warps of a warpgroup must ask setmaxnreg for the same: " +
             thread_text(fault.thread) + " asks for " + fields.digits("registers") +
             " registers, but " + thread_text(fault.other.value().thread) + " for " +
             fields.digits("other_registers") + " at line " +
             std::to_string(fault.other->place.line) + ",";
    case FaultKind::kRegistersPartial:
      return "all four warps of a warpgroup must call setmaxnreg, but only " +
             fields.digits("threads") + " of its 128 threads did,";
    default:
      break;
  }
  std::string list;
  for (const std::int64_t registers : fields.numbers("registers"))
    list += (list.empty() ? "" : " + ") + std::to_string(registers);
  const std::int64_t threads = fields.number("threads");
  const std::int64_t limit = fields.number("limit");
  return "setmaxnreg asks for registers that no SM has: the warpgroups end up with " + list +
         " per thread, " + fields.digits("registers_in_all") + " in all, but a block of " +
         std::to_string(threads) + " threads starts with at most " + std::to_string(limit) +
         " each, " + std::to_string(limit * threads) +
         " in all; on a GPU a warpgroup would wait for them forever,";
}

std::string cluster_text(const Fault& fault) {
  const std::string begin = "in_block() asks for block " + fault.fields.digits("rank");
  if (fault.kind == FaultKind::kClusterNoBlock) {
    return begin + " of a cluster of " + fault.fields.digits("blocks") + ",";
  }
  return begin + " of the cluster, which has left the kernel: its shared memory is no more,";
}

std::string barrier_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kDivergentBarrier:
    case FaultKind::kMissingBarrier:
      return text_of_barrier(fault);
    case FaultKind::kMissingClusterBarrier:
      return "missing barrier: " + thread_text(fault.other.value().thread) +
             " has left the kernel while " + thread_text(fault.thread) +
             " waits at cluster_sync(), which all threads of the cluster must reach,";
    case FaultKind::kNamedBarrierCount:
      return thread_text(fault.thread) + " comes to barrier " + fields.digits("barrier") + " for " +
             fields.digits("threads") + " threads, but " + thread_text(fault.other.value().thread) +
             " waits there for " + fields.digits("other_threads") + ", at line " +
             std::to_string(fault.other->place.line) + ",";
    default:
      return "grid.sync() in a launch that is not cooperative, so that blocks may wait for others "
             "which never start: launch it with cudaLaunchCooperativeKernel,";
  }
}

std::string stop_text(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kStackOverflow:
      return "stack overflow: local variables and calls of one thread need more than 64 KiB";
    case FaultKind::kDivisionByZero:
      return "integer division by zero (a GPU goes on with an undefined value)";
    case FaultKind::kIllegalInstruction:
      return "__trap() or an instruction unknown to this CPU";
    case FaultKind::kAssertion:
      return "assertion failed: " + fault.fields.word("expression");
    default:
      return "the C++ exception \"" + fault.fields.word("exception") + "\" left the kernel";
  }
}

std::string copy_unfinished_text() {
  return "the block has ended while a tma_load still writes into its shared memory: nobody waited "
         "for the one that was started";
}

// -- The whole ------------------------------------------------------------------------------------

/// Faults whose place the sentence itself names.
bool names_its_place(const Fault& fault) {
  switch (group_of(fault.kind)) {
    case FaultGroup::kRace:
    case FaultGroup::kUninitialised:
      return true;
    case FaultGroup::kCopy:
      return fault.kind != FaultKind::kCopyUnfinished;
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

std::string misaligned_object_text(const Fault& fault) {
  const std::string element = element_text(fault);
  return "misaligned: " + thread_text(fault.thread) + " uses an object of type " +
         fault.fields.word("type") + (element.empty() ? " in local memory" : " at " + element) +
         ", whose address is not a multiple of " + fault.fields.digits("multiple") + "," +
         where_text(fault);
}

std::string whole_text(const Fault& fault) {
  switch (group_of(fault.kind)) {
    case FaultGroup::kRace:
    case FaultGroup::kCopy:
      return text_of_two(fault);
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

std::string stopping_text(const Fault& fault) {
  switch (group_of(fault.kind)) {
    case FaultGroup::kOutOfBounds:
      return stopping_access_text(fault);
    case FaultGroup::kAlignment:
      return alignment_text(fault);
    case FaultGroup::kCopy:
      return copy_unfinished_text();
    case FaultGroup::kBarrier:
      return barrier_text(fault);
    case FaultGroup::kHang:
      return text_of_hang(fault);
    case FaultGroup::kWarp:
      return warp_text(fault);
    case FaultGroup::kMbarrier:
      return mbarrier_text(fault);
    case FaultGroup::kRegisters:
      return registers_text(fault);
    case FaultGroup::kCluster:
      return cluster_text(fault);
    case FaultGroup::kTexture:
    case FaultGroup::kHeap:
    case FaultGroup::kLacks:
      return text_of_device_call(fault);
    default:
      return stop_text(fault);
  }
}

}  // namespace

std::string text_of(const Fault& fault) {
  if (group_of(fault.kind) == FaultGroup::kLaunch) {
    return sentence("launch refused: " + text_of_launch(fault));
  }
  if (group_of(fault.kind) == FaultGroup::kOrder) return sentence(text_of_order(fault));
  if (names_its_place(fault)) return sentence(whole_text(fault));
  return sentence(stopping_text(fault) + ending_of(fault));
}

}  // namespace ladder::emulator
