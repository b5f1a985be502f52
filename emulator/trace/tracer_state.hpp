// SPDX-License-Identifier: MIT
/// \file  emulator/trace/tracer_state.hpp
/// \brief What the parts of a tracer have in common: the grid, the block, and whose requests are
///        looked at.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "emulator/run/debug_info/shared_arrays.hpp"
#include "emulator/run/grid_plan.hpp"
#include "emulator/trace/access_log.hpp"
#include "emulator/trace/access_samples.hpp"
#include "emulator/trace/array_index.hpp"
#include "emulator/trace/cluster_shadow.hpp"
#include "emulator/trace/global_shadow.hpp"
#include "emulator/trace/grid_order.hpp"
#include "emulator/trace/line_patterns.hpp"
#include "emulator/trace/trace.hpp"
#include "emulator/trace/undefined_values.hpp"
#include "emulator/trace/warp_clocks.hpp"

namespace ladder::emulator {

/// What the session wants to know of the grid that runs.
struct TraceWishes {
  std::vector<TracedArray> arrays;
  ArrayIndex index;                                        ///< of the arrays
  AccessSamples* samples = nullptr;                        ///< null: nobody asked for them
  LinePatterns* patterns = nullptr;                        ///< shared by all CPU threads
  GlobalShadow* shadow = nullptr;                          ///< likewise; null: blocks are sampled
  GridOrder* order = nullptr;                              ///< likewise, with the shadow
  ClusterShadow* clusters = nullptr;                       ///< likewise
  UndefinedValues* undefined = nullptr;                    ///< likewise
  std::uint64_t ordered_block = 0;                         ///< whose order of events is recorded
  std::optional<std::pair<std::uint64_t, unsigned>> warp;  ///< block and warp to record in full
  std::function<bool(ArrayShifts&)> complete_shifts;       ///< see TraceOptions
  std::vector<std::span<const std::byte>> host_variables;  ///< likewise
  std::vector<PreviousKernel> previous;                    ///< likewise
  bool previous_may_run = false;                           ///< when this grid starts
  std::atomic<bool>* awaited_previous = nullptr;           ///< has any thread of the grid?
};

/// Of the lanes of one request.
struct Epochs {
  Epoch earliest = 1;
  Epoch latest = 1;
};

/// \brief Instructions that copy an object of more than 16 bytes, or of an odd size, in pieces.
class WholeCopies {
 public:
  void add(AccessCode code);
  bool contain(AccessCode code) const;

 private:
  AccessCode last_ = ~AccessCode{0};
  std::unordered_set<AccessCode> all_;  ///< without kHowBits
};

/// \brief Set by BlockTracer, read by its parts.
struct TracerState {
  /// Accesses this near to shared memory are meant for it.
  static constexpr std::size_t kNearShared = std::size_t{32} * 1024;

  const GridPlan* plan = nullptr;
  const TraceWishes* wishes = nullptr;
  std::uintptr_t code_begin = 0;
  std::uintptr_t shared_begin = 0;
  std::size_t shared_bytes = 0;
  std::size_t dynamic_offset = 0;  ///< of dynamic shared memory in it
  std::vector<SharedArray> shared_guards;
  std::vector<SharedArray> shared_arrays;  ///< those that the kernel may use

  std::uint64_t block = 0;
  unsigned warp = 0;                       ///< whose requests are looked at
  Epochs epochs = {};                      ///< of the request that is looked at
  std::array<Epoch, 32> lane_epochs = {};  ///< of its lanes, where epochs differ
  const std::uint32_t* stored = nullptr;   ///< by lane: what a store left there
  WarpLog::Marks marks = {};               ///< of its lanes
  std::uint32_t unchecked = ~0u;           ///< its lanes whose order is yet to be checked
  std::uint32_t grid_phase = 0;            ///< barriers of the grid that the block has passed
  bool is_lenient = false;                 ///< see GlobalAccess
  const WarpLog* log = nullptr;            ///< of the warp; null while none is looked at
  const std::uint16_t* rows = nullptr;     ///< of it, by lane: how many are filled
  WholeCopies* whole_copies = nullptr;

  /// \brief The bytes that one thread copies as one object, part of which may be padding, or
  ///        unused:
  ///        [first, second) around an address, with both relative to the array. Empty if what is
  ///        loaded there has to be written byte for byte.
  std::pair<std::size_t, std::size_t> object_around(std::size_t at, AccessCode code,
                                                    std::size_t element_bytes) const;

  /// Is it checked how the blocks of the cluster use each other's shared memory?
  bool checks_cluster() const {
    return plan->cluster > 1 && wishes->shadow != nullptr && !is_lenient;
  }

  bool is_near_shared(std::uint64_t address) const {
    if (address - shared_begin < shared_bytes) return true;
    if (address - (shared_begin - kNearShared) >= shared_bytes + 2 * kNearShared) return false;
    // The next mapping of the process may hold one of the arrays.
    return wishes->index.with(address, address + 1) == kNoArray;
  }
  /// Is the order of this block's events recorded?
  bool is_ordered() const { return block == wishes->ordered_block; }
  /// Number of the warp among those of all blocks, in the order of the blocks.
  std::uint64_t warp_of_grid() const { return 32 * block + warp; }
  /// Number within the block of a lane of the warp.
  std::uint16_t thread(unsigned lane) const { return static_cast<std::uint16_t>(32 * warp + lane); }
};

}  // namespace ladder::emulator
