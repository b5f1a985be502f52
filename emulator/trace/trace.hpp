// SPDX-License-Identifier: MIT
/// \file  emulator/trace/trace.hpp
/// \brief What a traced run of a kernel tells. Free of CUDA's types, so that any host program can
///        ask for a trace; the kernel must be in a library built with TRACED (see
///        emulated_library.cmake).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/run/fault.hpp"
#include "emulator/trace/block_stream.hpp"

namespace ladder::emulator {

/// What a warp instruction does to memory.
enum class Operation {
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kAsyncCopy,  ///< cp.async, both of its sides: LDGSTS to Nsight Compute
  kBoxCopy,    ///< a load by the tensor memory accelerator
  kBoxStore,   ///< a store by it
  kProduct,    ///< on the tensor cores: mma, or a warp's part of wgmma
};

/// "global load", "shared atomic", ...
std::string name_of(Operation operation);

/// \brief Counters of some warp instructions, as Nsight Compute counts them. A request is one warp
///        instruction with at least one active lane.
struct AccessCounts {
  std::uint64_t requests = 0;
  std::uint64_t zeros = 0;             ///< of these: copies that read nothing and write zeros
  std::uint64_t lanes = 0;             ///< active lanes, summed over the requests
  std::uint64_t bytes = 0;             ///< asked for by the lanes, repetitions included
  std::uint64_t sectors = 0;           ///< global: sectors of 32 bytes, as L1 counts them
  std::uint64_t distinct_sectors = 0;  ///< global: as ncu computes them from the addresses
  std::uint64_t ideal_sectors = 0;     ///< global: as few as the request's bytes need
  std::uint64_t lines = 0;             ///< global: lines of 128 bytes looked up
  /// Passes through the 32 banks of L1 and shared memory; atomics to global memory have none.
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal_wavefronts = 0;  ///< as few as the request's bytes need

  AccessCounts& operator+=(const AccessCounts& other);
  AccessCounts& operator*=(std::uint64_t factor);
  bool operator==(const AccessCounts&) const = default;
};

/// Requests of one warp that are recorded; what comes after them is only counted.
inline constexpr std::size_t kMaxRecordedRequests = 400;

/// \brief One warp instruction with its addresses.
struct WarpRequest {
  Place place = {};
  Operation operation = Operation::kGlobalLoad;
  unsigned access_bytes = 0;
  std::uint32_t lanes = 0;                      ///< active lanes, a bit each
  std::string array = {};                       ///< "A", "sB"
  unsigned bank0 = 0;                           ///< shared: bank of the array's first word
  std::array<std::int64_t, 32> addresses = {};  ///< by lane; bytes from the start of the array
  AccessCounts counts = {};
};

/// All accesses that one source line makes to one array in one way.
struct LineCounts {
  std::string file;  ///< relative to the repository where the file belongs to it
  unsigned line = 0;
  Operation operation = Operation::kGlobalLoad;
  std::string array;          ///< "A", "sB": that of the first lane; of a copy its target
  unsigned access_bytes = 0;  ///< per lane: 1, 2, 4, 8 or 16; 0: a box, or a product
  AccessCounts counts;
  /// The first request of those that take most more than ideal; no lanes: a box.
  WarpRequest example = {};
};

/// \brief An array in global memory. A traced kernel that touches anything else is out of bounds.
struct TracedArray {
  std::string name;
  const void* data = nullptr;  ///< aligned to 256 bytes, as cudaMalloc does
  std::size_t bytes = 0;
  std::size_t element_bytes = 4;
  std::size_t columns = 0;  ///< of a matrix, for messages; 0: one-dimensional
  bool written = true;      ///< before the launch; false: kernels must write what they read
  /// From the beginning, where races are looked for; 0: everywhere, if it is not too much
  std::size_t watched_bytes = 0;
};

/// \brief When one tile of shared memory was filled and used. Times count the barriers that the
///        block had passed, and the phases of mbarriers with copies that the warp had waited for;
///        -1: never seen.
struct TileTimes {
  std::string array;  ///< "sA"
  unsigned tile = 0;  ///< counts the tiles of this array
  int loaded = -1;    ///< its loads from global memory were issued, or its copy
  int stored = -1;    ///< or landed
  int first_read = -1;
  int last_read = -1;
};

/// The order of events in one block: what pipelining changes without changing any counter.
struct OrderOfEvents {
  std::vector<TileTimes> tiles;
  double barriers_per_tile = 0;
  /// Shared loads that a warp issues between a tile's loads from global memory and its stores.
  double shared_loads_in_flight = 0;
  double shared_loads_per_tile = 0;  ///< that a warp issues in all
  /// Barriers or phases from the start of a tile's loads to its first read, on average.
  double steps_ahead = 0;

  /// Tiles that are computed between asking for one and needing it.
  double tiles_ahead() const;
  /// Share of a tile's computing that hides the next tile's loads: 0 to 1.
  double hidden() const;
};

/// Arrays' shifts in bytes, by index into the traced arrays; nothing where not known.
using ArrayShifts = std::vector<std::optional<std::int64_t>>;

/// \brief A kernel that may still run when the next one starts. All CPU threads call its functions.
struct PreviousKernel {
  std::string name;
  Place place;  ///< of its launch
  /// What it does to any of these bytes that such an access to them has to wait for.
  std::function<std::optional<AccessVerb>(std::uint64_t begin, std::uint64_t end, AccessVerb)>
      use_before;
  /// Whether it may tell others by this word how far it is.
  std::function<bool(std::uint64_t address)> may_signal;
};

/// How to trace.
struct TraceOptions {
  /// \brief Trace only blocks that differ. All blocks run until a barrier, or as many accesses as a
  ///        slice has; those that do there what another block did, elsewhere in the arrays, are
  ///        taken to go on alike. What a sampled run writes to the arrays is of no use. Clusters,
  ///        cooperative launches and blocks that wait for each other are traced whole.
  bool sample = false;
  /// \brief For sampling: fills in the shifts of arrays that a block has not touched by then.
  ///        False: they cannot be known yet, and the block goes on to its next barrier, a few
  ///        times; a block of which they are still not known is traced.
  std::function<bool(ArrayShifts&)> complete_shifts;
  /// Look at some accesses, at random times, for those that nobody counts. One such trace at a
  /// time.
  bool look_for_uncounted = false;
  /// Variables of the kernels' library that no kernel may access.
  std::vector<std::span<const std::byte>> host_variables = {};
  /// \brief What may still run when a kernel starts that GridLaunch::overlaps_previous. Empty: some
  ///        kernel that may use all arrays.
  std::vector<PreviousKernel> previous = {};
  /// Block (linear index) and warp whose requests are recorded one by one.
  std::optional<std::pair<std::uint64_t, unsigned>> warp;
};

/// A block of the grid and the stream that it replays; see block_stream.hpp.
struct TracedBlock {
  std::size_t stream = 0;  ///< index into KernelTrace::streams
  LineShifts line_shift = {};
};

/// Shuffles at one line that asked lanes outside of their mask. What they got is undefined, and is
/// in no array as it came: nobody knows whether it was used.
struct StrayShuffles {
  Place place = {};
  std::string function = {};  ///< "__shfl_down_sync"
  std::uint64_t times = 0;    ///< counts lanes
};

/// The code of StrayShuffles where faults have theirs: a warning, because nobody knows.
inline constexpr std::string_view kStrayShuffleCode = "stray-shuffle";

/// What the kernels of a trace did to one array, by accesses that are traced.
struct ArrayUse {
  bool loaded = false;
  bool stored = false;  ///< or updated
};

/// What a traced launch did.
struct KernelTrace {
  const void* kernel = nullptr;   ///< address of the last that was launched
  std::vector<LineCounts> lines;  ///< by file, line, operation
  std::vector<Fault> hazards;     ///< by block
  OrderOfEvents order;            ///< of the first block
  std::vector<WarpRequest> warp;  ///< of the warp that was asked for
  Index warp_block = {};          ///< its blockIdx
  std::uint64_t blocks = 0;       ///< of the grid
  std::uint64_t blocks_traced = 0;
  std::uint64_t threads_per_block = 0;
  std::uint64_t barriers_per_block = 0;
  /// \brief The most multiply-adds of a product that the traced blocks' threads can have made with
  ///        the words that they have got and handed on; see ThreadWords.
  double most_products = 0;
  std::vector<Place> uncounted;  ///< accesses that are in no count; see look_for_uncounted
  std::size_t shared_bytes = 0;  ///< per block, static and dynamic
  /// Lines at which blocks look at global memory until another block has written there. How often
  /// depends on how fast the blocks are: the counts of these lines differ from run to run.
  std::vector<Place> polls;
  std::vector<StrayShuffles> strays;
  std::vector<ArrayUse> uses;  ///< by index into the traced arrays

  // For replay(): what reaches the caches.
  std::vector<BlockStream> streams;
  std::vector<TracedBlock> launched;  ///< all blocks of launches that ended, as they started
  std::vector<LinePattern> patterns;
};

/// \brief  Traces all kernels that launch() starts: every access is counted and checked. A kernel
///         that cannot go on (a divergent barrier, a hang) ends launch() and is among the hazards.
/// \param  arrays  all global arrays that the kernels may touch
/// \throws std::logic_error  no kernel of a traced library was launched
KernelTrace trace(const std::vector<TracedArray>& arrays, const std::function<void()>& launch,
                  const TraceOptions& options = {});

/// \brief The running thread gives these bytes back, which concerns whoever uses them as a store
///        does. Of a kernel that is not traced nothing is remembered.
/// \param call  behind the instruction that does it, in the kernel's code
void gives_back(const void* address, std::size_t bytes, const void* call);

}  // namespace ladder::emulator
