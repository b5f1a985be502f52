// SPDX-License-Identifier: MIT
/// \file  emulator/run/fault.hpp
/// \brief One fault of a kernel or its launch, as data. Its sentence is made from it at the very
///        end, by text_of(); no program reads the sentence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/run/fault_kinds.hpp"
#include "emulator/run/fields.hpp"

namespace ladder::emulator {

/// blockIdx or threadIdx: x, y, z.
using Index = std::array<unsigned, 3>;

/// One place in the source.
struct Place {
  std::string file;   ///< relative to the repository where the file belongs to it
  unsigned line = 0;  ///< 1-based; 0: not known

  bool operator==(const Place&) const = default;
};

/// What an access does.
enum class AccessVerb { kLoad, kStore, kUpdate, kCopyFrom, kCopyTo };

/// "load", "store", "update", "copy-from", "copy-to"
std::string code_of(AccessVerb verb);

struct Access {
  AccessVerb verb = AccessVerb::kLoad;
  unsigned bytes = 0;
};

/// The other thread's place: the earlier access of two, where a copy starts, a call that differs.
struct OtherAccess {
  OtherAccess() = default;
  OtherAccess(Place where, Index who) : place(std::move(where)), thread(who) {}

  Place place = {};
  std::optional<AccessVerb> verb = {};  ///< of an access
  Index thread = {};
  std::optional<Index> block = {};  ///< if it is another one
  bool same_thread = false;         ///< another lane of a copy that one thread has started
};

enum class MemorySpace { kGlobal, kShared };

/// "global", "shared"
std::string code_of(MemorySpace space);

/// What is accessed.
struct Element {
  MemorySpace space = MemorySpace::kGlobal;
  std::string array = {};                    ///< "A", "sA"; empty: none is near
  std::vector<std::int64_t> indices = {};    ///< {4096}, {1, 0}; of a scalar none
  std::string expression = {};               ///< instead of indices, as in the source: "sA[m + 1]"
  std::vector<std::int64_t> extents = {};    ///< of the array; empty: not known
  std::optional<std::int64_t> columns = {};  ///< of a matrix, whose extents are rows and columns
  std::int64_t offset_bytes = 0;             ///< in shared memory, where no array is near

  bool is_known() const { return !array.empty() || !expression.empty() || offset_bytes != 0; }
};

/// "sA[1][0]", "A[4096]", "sA[m + 1]"; empty where no array is known.
std::string name_of(const Element& element);

/// What threads do when they do not go on.
enum class WaitKind {
  kSyncthreads,
  kWarpCall,
  kMbarrier,
  kNamedBarrier,
  kWarpgroup,
  kClusterBarrier,
  kGridBarrier,
  kFlag,
  kSpin,
  kGone,  ///< they have left the kernel
};

/// "syncthreads", "warp-function", "mbarrier", ...
std::string code_of(WaitKind kind);

/// Threads of one block that wait for the same thing at the same line, or have left.
struct ThreadGroup {
  Index block = {};
  std::vector<unsigned> threads;  ///< their numbers within the block, ascending
  Index first = {};               ///< threadIdx of the first of them
  WaitKind wait = WaitKind::kSpin;
  Fields missing = {};  ///< what they wait for, see text_of_wait()
  Place place = {};
};

/// \brief Something that CUDA forbids or leaves undefined. In a trace, the same fault at the same
///        lines is reported once, for the first block and thread, with the number of times.
struct Fault {
  Fault() = default;
  Fault(FaultKind what, Fields more = {}, std::optional<OtherAccess> earlier = {})
      : kind(what), other(std::move(earlier)), fields(std::move(more)) {}

  FaultKind kind = FaultKind::kInvalidAddress;
  Place place = {};
  Index block = {};
  Index thread = {};
  std::optional<Access> access = {};
  std::optional<OtherAccess> other = {};
  std::optional<Element> element = {};
  Fields fields = {};                    ///< what only this kind has, see fault_text.cpp
  std::vector<ThreadGroup> groups = {};  ///< of barriers and hangs
  const void* polled = nullptr;          ///< what an endless loop looks at, see LastPoll
  std::uint64_t times = 1;
  std::uint64_t address = 0;  ///< of an access to global memory, in this process; no part of it
};

/// Whether a thread did it: launches and uninitialised locals have none.
bool has_thread(const Fault& fault);

/// Whether both are the same fault at the same lines and of the same array, of whatever thread.
bool is_same(const Fault& a, const Fault& b);

/// The name of the array that it is about: "sA"; empty where none is known.
std::string array_of(const Fault& fault);

/// "(1, 0, 2)", as CUDA programmers write an index.
std::string to_text(const Index& index);

/// "kernel.cuh:42"
std::string place_text(const Place& place);

/// \brief The fault in English, for people: one sentence with all of it.
std::string text_of(const Fault& fault);

/// \brief "threads 0-127, 130" as ranges {{0, 127}, {130, 130}}.
std::vector<std::array<unsigned, 2>> ranges_of(const std::vector<unsigned>& threads);

}  // namespace ladder::emulator
