// SPDX-License-Identifier: MIT
/// \file  emulator/run/fault_text.cpp
/// \brief From a fault's fields to its sentence. Only people read what is written here.
#include <cstdio>
#include <stdexcept>

#include "emulator/run/access_text.hpp"
#include "emulator/run/device_call_text.hpp"
#include "emulator/run/fault.hpp"
#include "emulator/run/launch_text.hpp"
#include "emulator/run/order_text.hpp"
#include "emulator/run/place_text.hpp"
#include "emulator/run/sentence.hpp"
#include "emulator/run/wait_text.hpp"

namespace ladder::emulator {
namespace {

/// " 0x7f10", or nothing where the address was left out.
std::string address_text(const Fields& fields) {
  if (!fields.has("address")) return "";
  char text[32];
  std::snprintf(text, sizeof text, " 0x%zx", static_cast<std::size_t>(fields.number("address")));
  return text;
}

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
  if (argument == "tma_store-source") return "source of tma_store";
  if (argument == "cp.async-destination") return "destination of cp.async";
  if (argument == "cp.async-source") return "source of cp.async";
  if (argument == "wgmma-factor") return "factor of wgmma";
  if (argument == "ldmatrix-row") return "row that a lane names for ldmatrix";
  if (argument == "stmatrix-row") return "row that a lane names for stmatrix";
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
             fields.digits("bytes") + " bytes after one,";
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
             "waiter may lag behind by one phase, and on a GPU may wait forever,";
    case FaultKind::kMbarrierUnfenced:
      return "a copy is to arrive at an mbarrier, and no fence_mbarrier_init() has shown its "
             "initialisation to copies, started";
    case FaultKind::kMbarrierTooEarly:
      return "an mbarrier is used that " + thread_text(fault.other.value().thread) +
             " of another warp initialises at " + place_text(fault.other->place) +
             ", and nothing makes this warp wait for that: __syncthreads() comes between,";
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

std::string wgmma_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kWgmmaNoWarpgroup:
      return "wgmma is for warpgroups of 128 threads, but the block has " +
             fields.digits("threads") + " threads,";
    case FaultKind::kWgmmaUnfenced:
      return "wgmma gets sums that the program has used, and no wgmma_fence() has handed them over "
             "since,";
    case FaultKind::kWgmmaPartial:
      return "all four warps of a warpgroup must start the same products: this one started " +
             fields.digits("products") + ", but warp " + fields.digits("warp") +
             " of its warpgroup " + fields.digits("other_products") +
             "; on a GPU they wait for each other; the last was started";
    default:
      return "the block has ended, and nobody waits for a product of wgmma that was started";
  }
}

std::string left_early_text(const Fault& fault) {
  const OtherAccess& other = fault.other.value();
  const bool copies = fault.fields.truth("copies");
  const std::string last =
      other.place.file.empty() ? "" : ", which last waited at " + place_text(other.place);
  return "left early: nothing keeps block " + to_text(other.block.value()) +
         " in the kernel until " +
         (copies ? "a box has come to its shared memory"
                 : "this block has arrived at its mbarrier") +
         "; the last to leave it is " + thread_text(other.thread) + last +
         ". End with cluster_sync(). The " + (copies ? "box is sent" : "arrival is");
}

std::string unknown_mbarrier_text(const Fault& fault) {
  const std::string begin =
      fault.fields.truth("copies") ? "a box is to arrive" : "a thread arrives";
  if (!fault.other) {
    return begin +
           " at an mbarrier of another block that is not initialised yet: cluster_sync() "
           "has to come between,";
  }
  return begin + " at an mbarrier of block " + to_text(fault.other->block.value()) +
         ", and no cluster_sync() separates it from " + thread_text(fault.other->thread) +
         " that initialises it at " + place_text(fault.other->place) + ",";
}

std::string cluster_text(const Fault& fault) {
  const Fields& fields = fault.fields;
  switch (fault.kind) {
    case FaultKind::kClusterNoBlock:
      return "block " + fields.digits("rank") + " is asked for, of a cluster of " +
             fields.digits("blocks") + ",";
    case FaultKind::kClusterLeftEarly:
      return left_early_text(fault);
    case FaultKind::kClusterMbarrierUnknown:
      return unknown_mbarrier_text(fault);
    case FaultKind::kMulticastBlocks:
      return "tma_load_multicast to the blocks of mask " + mask_text(fields.number("mask")) +
             ", in a cluster of " + fields.digits("blocks") + ",";
    default:
      return "in_block() asks for block " + fields.digits("rank") +
             " of the cluster, which has left the kernel: its shared memory is no more,";
  }
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
    case FaultKind::kClusterArrivedTwice:
      return "cluster_arrive() by a thread that has not waited since its last one: cluster_wait() "
             "comes between,";
    case FaultKind::kClusterNotArrived:
      return "cluster_wait() by a thread that has not arrived: cluster_arrive() comes first,";
    case FaultKind::kNamedBarrierCount:
      return thread_text(fault.thread) + " comes to barrier " + fields.digits("barrier") + " for " +
             fields.digits("threads") + " threads, but " + thread_text(fault.other.value().thread) +
             " waits there for " + fields.digits("other_threads") + ", at line " +
             std::to_string(fault.other->place.line) + ",";
    case FaultKind::kNamedBarrierNotThere:
      return "barrier " + fields.digits("barrier") + " for " + fields.digits("threads") +
             " threads: a block has barriers 0 to 15, each for whole warps,";
    case FaultKind::kNamedBarrierShared:
      return "the wrong warps may meet at barrier " + fields.digits("barrier") + ": " +
             thread_text(fault.other.value().thread) + " was there in its last round, at " +
             place_text(fault.other->place) + ", and nothing makes " + thread_text(fault.thread) +
             " come after that: give each group of warps a number of its own, or put a barrier "
             "between the two,";
    default:
      return "grid.sync() in a launch that is not cooperative, so that blocks may wait for others "
             "which never start: launch it with cudaLaunchCooperativeKernel,";
  }
}

std::string illegal_text(const Fields& fields) {
  if (fields.has("multiple")) {
    return "illegal instruction: a box begins at column " + fields.digits("box_column") +
           ", and the copy engine takes multiples of 16 bytes alone, here of " +
           fields.digits("multiple") + " elements";
  }
  if (fields.has("box_row")) {
    return "illegal instruction: a box is stored from row " + fields.digits("box_row") +
           " on, and the copy engine stores none that begins above its matrix";
  }
  if (fields.has("box_column")) {
    return "illegal instruction: a box is stored from column " + fields.digits("box_column") +
           " on, and the copy engine stores none that begins to the left of its matrix";
  }
  return "__trap() or an instruction unknown to this CPU";
}

std::string host_function_text(const Fields& fields) {
  const std::string taken =
      fields.has("taken_line")
          ? " at " + place_text({fields.word("taken_file"),
                                 static_cast<unsigned>(fields.number("taken_line"))})
          : "";
  return "a kernel calls " + fields.word("function") + " by an address that the host took" + taken +
         ", and on a GPU that is no address of device code: take it on the device, such as in a "
         "__device__ variable, and copy it from there with cudaMemcpyFromSymbol, or make the "
         "function a template argument. It is called";
}

std::string host_object_text(const Fields& fields) {
  return "a kernel calls a virtual function of an object of " + fields.word("class") +
         " that the host made, and its table of virtual functions is the host's: let a kernel make "
         "the object with new, or with placement new in this memory. The call is";
}

std::string stop_text(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kStackOverflow:
      return "stack overflow: local variables and calls of one thread need more than 64 KiB";
    case FaultKind::kDivisionByZero:
      return "integer division by zero (a GPU goes on with an undefined value)";
    case FaultKind::kIllegalInstruction:
      return illegal_text(fault.fields);
    case FaultKind::kAssertion:
      return "assertion failed: " + fault.fields.word("expression");
    case FaultKind::kHostFunctionPointer:
      return host_function_text(fault.fields);
    case FaultKind::kHostObject:
      return host_object_text(fault.fields);
    default:
      return "the C++ exception \"" + fault.fields.word("exception") + "\" left the kernel";
  }
}

std::string copy_unfinished_text(const Fault& fault) {
  if (fault.kind == FaultKind::kStoreUnfinished) {
    return "the block has ended while a tma_store may still read its shared memory: no "
           "tma_store_wait_read() has waited for the one that was started";
  }
  return "the block has ended while a tma_load still writes into its shared memory: nobody waited "
         "for the one that was started";
}

std::string stopping_text(const Fault& fault) {
  switch (group_of(fault.kind)) {
    case FaultGroup::kOutOfBounds:
      return stopping_access_text(fault);
    case FaultGroup::kAlignment:
      return alignment_text(fault);
    case FaultGroup::kCopy:
      return copy_unfinished_text(fault);
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
    case FaultGroup::kWgmma:
      return wgmma_text(fault);
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
  if (is_seen_access(fault)) return sentence(text_of_access(fault));
  return sentence(stopping_text(fault) + ending_of(fault));
}

}  // namespace ladder::emulator
