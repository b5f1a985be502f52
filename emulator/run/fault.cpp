// SPDX-License-Identifier: MIT
#include "emulator/run/fault.hpp"

namespace ladder::emulator {

std::string_view code_of(FaultGroup group) {
  switch (group) {
    case FaultGroup::kRace:
      return "race";
    case FaultGroup::kOrder:
      return "order";
    case FaultGroup::kDependent:
      return "dependent-launch";
    case FaultGroup::kOutOfBounds:
      return "out-of-bounds";
    case FaultGroup::kAlignment:
      return "alignment";
    case FaultGroup::kUninitialised:
      return "uninitialised";
    case FaultGroup::kCopy:
      return "copy";
    case FaultGroup::kBarrier:
      return "barrier";
    case FaultGroup::kHang:
      return "hang";
    case FaultGroup::kWarp:
      return "warp";
    case FaultGroup::kMbarrier:
      return "mbarrier";
    case FaultGroup::kRegisters:
      return "registers";
    case FaultGroup::kWgmma:
      return "wgmma";
    case FaultGroup::kCluster:
      return "cluster";
    case FaultGroup::kStop:
      return "stop";
    case FaultGroup::kTexture:
      return "texture";
    case FaultGroup::kHeap:
      return "heap";
    case FaultGroup::kLacks:
      return "lacks";
    case FaultGroup::kLaunch:
      return "launch";
  }
  return "";
}

std::string code_of(AccessVerb verb) {
  switch (verb) {
    case AccessVerb::kLoad:
      return "load";
    case AccessVerb::kStore:
      return "store";
    case AccessVerb::kUpdate:
      return "update";
    case AccessVerb::kCopyFrom:
      return "copy-from";
    case AccessVerb::kCopyTo:
      return "copy-to";
  }
  return "";
}

std::string code_of(MemorySpace space) {
  return space == MemorySpace::kGlobal ? "global" : "shared";
}

std::string code_of(WaitKind kind) {
  switch (kind) {
    case WaitKind::kSyncthreads:
      return "syncthreads";
    case WaitKind::kWarpCall:
      return "warp-function";
    case WaitKind::kMbarrier:
      return "mbarrier";
    case WaitKind::kNamedBarrier:
      return "named-barrier";
    case WaitKind::kWarpgroup:
      return "warpgroup";
    case WaitKind::kClusterBarrier:
      return "cluster-barrier";
    case WaitKind::kGridBarrier:
      return "grid-barrier";
    case WaitKind::kFlag:
      return "flag";
    case WaitKind::kSpin:
      return "spin";
    case WaitKind::kGone:
      return "gone";
  }
  return "";
}

std::string name_of(const Element& element) {
  if (!element.expression.empty()) return element.expression;
  if (element.array.empty()) {
    return element.space == MemorySpace::kGlobal
               ? ""
               : "shared memory + " + std::to_string(element.offset_bytes) + " bytes";
  }
  std::string name = element.array;
  for (const std::int64_t index : element.indices)
    name += "[" + std::to_string(index) + "]";
  return name;
}

bool has_thread(const Fault& fault) {
  return group_of(fault.kind) != FaultGroup::kLaunch &&
         group_of(fault.kind) != FaultGroup::kOrder &&
         fault.kind != FaultKind::kUninitialisedLocal &&
         fault.kind != FaultKind::kUninitialisedTexture;
}

bool is_same(const Fault& a, const Fault& b) {
  const auto other = [](const Fault& fault) { return fault.other ? fault.other->place : Place(); };
  return a.kind == b.kind && a.place == b.place && other(a) == other(b) &&
         array_of(a) == array_of(b);
}

std::string array_of(const Fault& fault) {
  return fault.element ? fault.element->array : "";
}

std::string to_text(const Index& index) {
  std::string text;
  for (const unsigned extent : index) {
    text += text.empty() ? "(" : ", ";
    text += std::to_string(extent);
  }
  text += ")";
  return text;
}

std::string place_text(const Place& place) {
  return place.file + ":" + std::to_string(place.line);
}

std::vector<std::array<unsigned, 2>> ranges_of(const std::vector<unsigned>& threads) {
  std::vector<std::array<unsigned, 2>> ranges;
  for (const unsigned thread : threads) {
    if (ranges.empty() || ranges.back()[1] + 1 != thread) {
      ranges.push_back({thread, thread});
    } else {
      ranges.back()[1] = thread;
    }
  }
  return ranges;
}

}  // namespace ladder::emulator
