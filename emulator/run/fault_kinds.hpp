// SPDX-License-Identifier: MIT
/// \file  emulator/run/fault_kinds.hpp
/// \brief The list of all that a kernel or its launch can do wrong. A fault has the same kind from
///        the place where it is found to its last reader; its code is the kind's name in JSON.
#pragma once

#include <array>
#include <string_view>

namespace ladder::emulator {

/// LADDER_FAULT(enumerator, group, code, title): one line for each kind.
#define LADDER_FAULTS(LADDER_FAULT)                                                                \
  /* Two accesses without an order. */                                                             \
  LADDER_FAULT(kRaceBetweenBlocks, kRace, "race-between-blocks",                                   \
               "Two blocks use one element and at least one stores it")                            \
  LADDER_FAULT(kRaceInShared, kRace, "race-in-shared-memory",                                      \
               "Two threads use one word of shared memory and no barrier separates them")          \
  LADDER_FAULT(kRaceInGlobal, kRace, "race-in-global-memory",                                      \
               "Two threads of a block use one element of global memory without an order")         \
  /* Work of streams, graphs and the host without an order. */                                     \
  LADDER_FAULT(kRaceBetweenStreams, kOrder, "race-between-streams",                                \
               "Work in two streams uses the same bytes and nothing orders it")                    \
  LADDER_FAULT(kRaceBetweenNodes, kOrder, "race-between-graph-nodes",                              \
               "Two nodes of a graph use the same bytes and no edges order them")                  \
  LADDER_FAULT(kHostReadsTooEarly, kOrder, "host-reads-too-early",                                 \
               "The host reads what work that it has not waited for may still store")              \
  LADDER_FAULT(kHostWritesTooEarly, kOrder, "host-writes-too-early",                               \
               "The host writes what work that it has not waited for may still use")               \
  LADDER_FAULT(kFreedInUse, kOrder, "freed-in-use",                                                \
               "An array is freed while work that nothing orders may still use it")                \
  LADDER_FAULT(kUsedBeforeAllocated, kOrder, "used-before-allocated",                              \
               "Work uses an array that another stream may not have taken yet")                    \
  /* Kernels that start early. */                                                                  \
  LADDER_FAULT(kBeforePreviousKernel, kDependent, "before-previous-kernel",                        \
               "A kernel that starts early uses global memory without waiting for the one before") \
  /* Accesses outside of what there is. */                                                         \
  LADDER_FAULT(kMatrixOutOfBounds, kOutOfBounds, "out-of-bounds-matrix",                           \
               "An access outside of a matrix")                                                    \
  LADDER_FAULT(kGlobalOutOfBounds, kOutOfBounds, "out-of-bounds-global",                           \
               "An access outside of an array in global memory")                                   \
  LADDER_FAULT(kNoArray, kOutOfBounds, "address-in-no-array",                                      \
               "An access to an address that lies in no array of the kernel")                      \
  LADDER_FAULT(kInvalidAddress, kOutOfBounds, "invalid-address",                                   \
               "An access to memory that does not exist")                                          \
  LADDER_FAULT(kUseAfterFree, kOutOfBounds, "use-after-free",                                      \
               "An access to an array that was freed")                                             \
  LADDER_FAULT(kHostMemory, kOutOfBounds, "host-memory-in-kernel",                                 \
               "An access of a kernel to memory of the host")                                      \
  LADDER_FAULT(kNullPointer, kOutOfBounds, "null-pointer", "An access through a null pointer")     \
  LADDER_FAULT(kSharedOutOfBounds, kOutOfBounds, "out-of-bounds-shared",                           \
               "An access outside of an array in shared memory")                                   \
  LADDER_FAULT(kDynamicSharedOutOfBounds, kOutOfBounds, "out-of-bounds-dynamic-shared",            \
               "An access beyond the dynamic shared memory that the launch asked for")             \
  LADDER_FAULT(kIndexOutOfBounds, kOutOfBounds, "index-out-of-bounds",                             \
               "An index beyond the type of its array")                                            \
  LADDER_FAULT(kOutsideShared, kOutOfBounds, "not-in-shared-memory",                               \
               "A copy or a barrier is given an address outside of shared memory")                 \
  LADDER_FAULT(kLocalOverrun, kOutOfBounds, "out-of-bounds-local",                                 \
               "A store past the end of a local array")                                            \
  LADDER_FAULT(kBeforeLocals, kOutOfBounds, "out-of-bounds-before-locals",                         \
               "An access before the start of a local array")                                      \
  LADDER_FAULT(kBehindLocals, kOutOfBounds, "out-of-bounds-behind-locals",                         \
               "An access past the end of a local array and of the thread's stack")                \
  /* Addresses that are no multiple of what is needed. */                                          \
  LADDER_FAULT(kMisaligned, kAlignment, "misaligned-access",                                       \
               "A vector access to an address that is no multiple of its size")                    \
  LADDER_FAULT(kMisalignedVector, kAlignment, "misaligned-vector",                                 \
               "A vector access to a misaligned address, or one that cannot exist")                \
  LADDER_FAULT(kMisalignedAddress, kAlignment, "misaligned-address",                               \
               "An access to a misaligned address")                                                \
  LADDER_FAULT(kMisalignedArgument, kAlignment, "misaligned-argument",                             \
               "A copy or a barrier is given a misaligned address")                                \
  LADDER_FAULT(kLeadingDimension, kAlignment, "misaligned-leading-dimension",                      \
               "The leading dimension of a matrix for wmma is no multiple of 16 bytes")            \
  LADDER_FAULT(kMisalignedMatrix, kAlignment, "misaligned-matrix",                                 \
               "A matrix for wmma does not begin at a multiple of 32 bytes")                       \
  /* Values that nobody set. */                                                                    \
  LADDER_FAULT(kUninitialisedShared, kUninitialised, "uninitialised-shared",                       \
               "A load of shared memory that no thread of the block has written")                  \
  LADDER_FAULT(kUninitialisedMatrix, kUninitialised, "uninitialised-matrix",                       \
               "A load of a matrix that nobody has written, such as C with beta = 0")              \
  LADDER_FAULT(kUninitialisedGlobal, kUninitialised, "uninitialised-global",                       \
               "A load of global memory that nobody has written")                                  \
  LADDER_FAULT(kUninitialisedTexture, kUninitialised, "uninitialised-texture",                     \
               "A texture of memory that nobody has written is read")                              \
  LADDER_FAULT(kUninitialisedLocal, kUninitialised, "uninitialised-local",                         \
               "A result is computed from a local variable without a value")                       \
  LADDER_FAULT(kUndefinedShuffle, kUninitialised, "undefined-shuffle",                             \
               "A result is computed from what a shuffle got from a lane that takes no part")      \
  /* Asynchronous copies. */                                                                       \
  LADDER_FAULT(kCopyInFlight, kCopy, "copy-in-flight",                                             \
               "An access to what an asynchronous copy may still be filling")                      \
  LADDER_FAULT(                                                                                    \
      kCopyUnfenced, kCopy, "copy-unfenced",                                                       \
      "A copy by the copy engine of or over words that were stored without a proxy fence")         \
  LADDER_FAULT(kCopyStillReads, kCopy, "copy-still-reads",                                         \
               "A store to what an asynchronous copy may still be reading")                        \
  LADDER_FAULT(kCopyUnfinished, kCopy, "copy-unfinished",                                          \
               "A block ends while a copy still writes into its shared memory")                    \
  LADDER_FAULT(kStoreUnfinished, kCopy, "store-unfinished",                                        \
               "A block ends while a copy may still read its shared memory")                       \
  /* Barriers of a block, a cluster and a grid. */                                                 \
  LADDER_FAULT(kDivergentBarrier, kBarrier, "divergent-barrier",                                   \
               "Threads of one block wait at different barriers")                                  \
  LADDER_FAULT(kMissingBarrier, kBarrier, "missing-barrier",                                       \
               "Some threads have left the kernel while others wait at a barrier")                 \
  LADDER_FAULT(kMissingClusterBarrier, kBarrier, "missing-cluster-barrier",                        \
               "A thread has left the kernel while others wait for its cluster")                   \
  LADDER_FAULT(kClusterArrivedTwice, kBarrier, "cluster-arrived-twice",                            \
               "A thread arrives at the barrier of its cluster twice and does not wait between")   \
  LADDER_FAULT(kClusterNotArrived, kBarrier, "cluster-not-arrived",                                \
               "A thread waits at the barrier of its cluster and has not arrived there")           \
  LADDER_FAULT(kNamedBarrierCount, kBarrier, "named-barrier-count",                                \
               "Threads at one named barrier do not agree on how many they are")                   \
  LADDER_FAULT(kGridSyncNotCooperative, kBarrier, "grid-sync-not-cooperative",                     \
               "grid.sync() in a launch that is not cooperative")                                  \
  /* Threads that never go on. */                                                                  \
  LADDER_FAULT(kDeadlock, kHang, "deadlock", "No thread can go on")                                \
  LADDER_FAULT(kWarpDeadlock, kHang, "warp-deadlock", "The lanes of a warp wait for each other")   \
  LADDER_FAULT(kEndlessLoop, kHang, "endless-loop", "A loop does not end, or takes very long")     \
  /* Functions that the lanes of a warp call together. */                                          \
  LADDER_FAULT(kWarpWidth, kWarp, "warp-width", "The width of a shuffle is no power of two")       \
  LADDER_FAULT(kLaneNotInMask, kWarp, "warp-lane-not-in-mask",                                     \
               "A lane calls a warp function with a mask that it is not in")                       \
  LADDER_FAULT(kWarpDifferentCalls, kWarp, "warp-different-calls",                                 \
               "Lanes of one mask wait in different calls")                                        \
  LADDER_FAULT(kLaneAtBarrier, kWarp, "warp-lane-at-barrier",                                      \
               "A warp function waits for a lane that waits at a barrier")                         \
  LADDER_FAULT(kWarpIncomplete, kWarp, "warp-incomplete",                                          \
               "A function for whole warps is called by some of the lanes")                        \
  LADDER_FAULT(kWarpDifferentMatrices, kWarp, "warp-different-matrices",                           \
               "The lanes of a warp name different matrices")                                      \
  /* Barriers in shared memory. */                                                                 \
  LADDER_FAULT(kMbarrierInvalid, kMbarrier, "mbarrier-invalid",                                    \
               "An mbarrier is used that was not initialised, or was overwritten")                 \
  LADDER_FAULT(kMbarrierCount, kMbarrier, "mbarrier-count",                                        \
               "An mbarrier is initialised with a number of arrivals that it cannot count")        \
  LADDER_FAULT(kMbarrierTwice, kMbarrier, "mbarrier-initialised-twice",                            \
               "An mbarrier is initialised a second time")                                         \
  LADDER_FAULT(kMbarrierOverfull, kMbarrier, "mbarrier-too-many-arrivals",                         \
               "More arrivals at an mbarrier than its phase has")                                  \
  LADDER_FAULT(kMbarrierUnseen, kMbarrier, "mbarrier-phase-not-waited-for",                        \
               "An arrival at an mbarrier before any thread saw its last phase end")               \
  LADDER_FAULT(kMbarrierBytes, kMbarrier, "mbarrier-bytes",                                        \
               "More bytes are announced to an mbarrier than a phase counts")                      \
  LADDER_FAULT(kMbarrierParity, kMbarrier, "mbarrier-parity",                                      \
               "A wait for a parity other than 0 and 1")                                           \
  LADDER_FAULT(kMbarrierPhaseMissed, kMbarrier, "mbarrier-phase-missed",                           \
               "An mbarrier completes two phases while a thread waits for the first")              \
  LADDER_FAULT(kMbarrierUnfenced, kMbarrier, "mbarrier-unfenced",                                  \
               "A copy is to arrive at an mbarrier whose initialisation no fence shows to copies") \
  LADDER_FAULT(kMbarrierOverwritten, kMbarrier, "mbarrier-overwritten",                            \
               "The memory of an mbarrier is overwritten while a copy is to arrive at it")         \
  /* setmaxnreg. */                                                                                \
  LADDER_FAULT(kRegistersNoWarpgroup, kRegisters, "registers-no-warpgroup",                        \
               "setmaxnreg in a block that is not made of warpgroups")                             \
  LADDER_FAULT(kRegistersDiffer, kRegisters, "registers-differ",                                   \
               "The warps of a warpgroup ask setmaxnreg for different numbers")                    \
  LADDER_FAULT(kRegistersPartial, kRegisters, "registers-partial",                                 \
               "Only some threads of a warpgroup call setmaxnreg")                                 \
  LADDER_FAULT(kRegistersBeyondSm, kRegisters, "registers-beyond-sm",                              \
               "setmaxnreg asks for more registers than an SM has")                                \
  /* wgmma. */                                                                                     \
  LADDER_FAULT(kWgmmaNoWarpgroup, kWgmma, "wgmma-no-warpgroup",                                    \
               "wgmma in a block that is not made of warpgroups")                                  \
  LADDER_FAULT(kWgmmaUnfenced, kWgmma, "wgmma-unfenced",                                           \
               "wgmma gets sums that no fence has handed over")                                    \
  LADDER_FAULT(kWgmmaPartial, kWgmma, "wgmma-partial",                                             \
               "Only some warps of a warpgroup start a product")                                   \
  LADDER_FAULT(kWgmmaUnfinished, kWgmma, "wgmma-unfinished",                                       \
               "A block ends with products that nobody waits for")                                 \
  /* Blocks of one cluster. */                                                                     \
  LADDER_FAULT(kClusterNoBlock, kCluster, "cluster-no-such-block",                                 \
               "A cluster is asked for a block that it does not have")                             \
  LADDER_FAULT(kClusterBlockLeft, kCluster, "cluster-block-left",                                  \
               "The shared memory of a block is asked for that has left the kernel")               \
  LADDER_FAULT(kClusterLeftEarly, kCluster, "cluster-left-early",                                  \
               "A block leaves the kernel while another one may still use its shared memory")      \
  LADDER_FAULT(kClusterMbarrierUnknown, kCluster, "cluster-mbarrier-unknown",                      \
               "A block uses an mbarrier of another one that may not be initialised yet")          \
  LADDER_FAULT(kMulticastBlocks, kCluster, "multicast-blocks",                                     \
               "A multicast to no block, or to one that its cluster does not have")                \
  /* What ends a thread at once. */                                                                \
  LADDER_FAULT(kStackOverflow, kStop, "stack-overflow", "A thread needs more than its stack")      \
  LADDER_FAULT(kDivisionByZero, kStop, "division-by-zero", "An integer division by zero")          \
  LADDER_FAULT(kIllegalInstruction, kStop, "illegal-instruction",                                  \
               "__trap(), an instruction that is not known, or a box where none may be")           \
  LADDER_FAULT(kAssertion, kStop, "assertion-failed", "An assert() in a kernel does not hold")     \
  LADDER_FAULT(kException, kStop, "exception", "A C++ exception leaves the kernel")                \
  LADDER_FAULT(kHostFunctionPointer, kStop, "host-function-pointer",                               \
               "A kernel calls a function by an address that the host took")                       \
  LADDER_FAULT(kHostObject, kStop, "host-virtual-call",                                            \
               "A kernel calls a virtual function of an object that the host made")                \
  /* Textures and surfaces. */                                                                     \
  LADDER_FAULT(kTextureNone, kTexture, "texture-no-object",                                        \
               "A kernel reads what is no texture object")                                         \
  LADDER_FAULT(kTextureDestroyed, kTexture, "texture-destroyed",                                   \
               "A kernel reads a texture object that was destroyed")                               \
  LADDER_FAULT(kTextureFreed, kTexture, "texture-freed",                                           \
               "A kernel reads a texture whose memory was freed")                                  \
  LADDER_FAULT(kTextureFunction, kTexture, "texture-function",                                     \
               "A texture of linear memory is read as an array, or the other way around")          \
  LADDER_FAULT(kTextureDimensions, kTexture, "texture-dimensions",                                 \
               "A texture is read with another number of dimensions than it has")                  \
  LADDER_FAULT(kTextureType, kTexture, "texture-type",                                             \
               "A texture of integers is asked for floats, or the other way around")               \
  LADDER_FAULT(kSurfaceNone, kTexture, "surface-no-object",                                        \
               "A kernel uses what is no surface object")                                          \
  LADDER_FAULT(kSurfaceDestroyed, kTexture, "surface-destroyed",                                   \
               "A kernel uses a surface object that was destroyed")                                \
  LADDER_FAULT(kSurfaceFreed, kTexture, "surface-freed",                                           \
               "A kernel uses a surface whose array was freed")                                    \
  LADDER_FAULT(kSurfaceDimensions, kTexture, "surface-dimensions",                                 \
               "A surface is used with another number of dimensions than it has")                  \
  LADDER_FAULT(kSurfaceMisaligned, kTexture, "surface-misaligned",                                 \
               "A surface is used at a byte at which no element begins")                           \
  LADDER_FAULT(kSurfaceOutOfBounds, kTexture, "surface-out-of-bounds",                             \
               "A surface is used outside of its array")                                           \
  /* Memory that kernels take themselves. */                                                       \
  LADDER_FAULT(kHeapFree, kHeap, "heap-free",                                                      \
               "A kernel frees memory that it has not taken, or frees it twice")                   \
  LADDER_FAULT(kHeapFreedInUse, kHeap, "heap-freed-in-use",                                        \
               "A thread frees memory of a kernel that another one uses without an order")         \
  /* What CUDA has and this run time has not. */                                                   \
  LADDER_FAULT(kDynamicParallelism, kLacks, "dynamic-parallelism",                                 \
               "A kernel launches a kernel, which is not emulated")                                \
  LADDER_FAULT(kDeviceRuntimeCall, kLacks, "device-runtime-call",                                  \
               "A kernel calls a function of the CUDA runtime, which is not emulated")             \
  LADDER_FAULT(kWaitsForHost, kLacks, "waits-for-host",                                            \
               "A kernel waits for what the host writes meanwhile, which is not emulated")         \
  /* Launches that CUDA refuses. */                                                                \
  LADDER_FAULT(kLaunchExtentZero, kLaunch, "launch-extent-zero",                                   \
               "A grid or a block with an extent of zero")                                         \
  LADDER_FAULT(kLaunchExtentTooLarge, kLaunch, "launch-extent-too-large",                          \
               "A grid or a block beyond the extents that CUDA allows")                            \
  LADDER_FAULT(kLaunchTooManyThreads, kLaunch, "launch-too-many-threads",                          \
               "A block of more than 1024 threads")                                                \
  LADDER_FAULT(kLaunchBounds, kLaunch, "launch-bounds",                                            \
               "A block of more threads than __launch_bounds__ of the kernel allow")               \
  LADDER_FAULT(kLaunchDynamicShared, kLaunch, "launch-dynamic-shared-too-large",                   \
               "More dynamic shared memory than a block can have")                                 \
  LADDER_FAULT(kLaunchStaticShared, kLaunch, "launch-static-shared-too-large",                     \
               "__shared__ arrays of more than 48 KiB")                                            \
  LADDER_FAULT(kLaunchClusterSize, kLaunch, "launch-cluster-size",                                 \
               "A cluster of more blocks than CUDA allows")                                        \
  LADDER_FAULT(kLaunchSharedNotAllowed, kLaunch, "launch-dynamic-shared-not-allowed",              \
               "More than 48 KiB of dynamic shared memory, which the kernel was not allowed")      \
  LADDER_FAULT(kLaunchClusterDeclared, kLaunch, "launch-cluster-declared",                         \
               "Another cluster than the kernel's __cluster_dims__")                               \
  LADDER_FAULT(kLaunchClusterExtentZero, kLaunch, "launch-cluster-extent-zero",                    \
               "A cluster with an extent of zero")                                                 \
  LADDER_FAULT(kLaunchInGraph, kLaunch, "launch-in-graph",                                         \
               "A grid or a block that no graph takes")                                            \
  LADDER_FAULT(kLaunchClusterGrid, kLaunch, "launch-cluster-grid",                                 \
               "A grid that is no multiple of its clusters")                                       \
  LADDER_FAULT(kLaunchCooperativeTooLarge, kLaunch, "launch-cooperative-too-large",                \
               "A cooperative grid that does not fit the GPU at once")                             \
  LADDER_FAULT(kLaunchInKernel, kLaunch, "launch-in-kernel", "A kernel launches a kernel")         \
  LADDER_FAULT(kUnsupportedCpu, kLaunch, "cpu-unsupported",                                        \
               "The CPU lacks instructions that emulated kernels need")                            \
  /* Barriers of some warps: not there, or not in order. */                                        \
  LADDER_FAULT(kNamedBarrierNotThere, kBarrier, "named-barrier-not-there",                         \
               "A named barrier that no GPU has")                                                  \
  LADDER_FAULT(kNamedBarrierShared, kBarrier, "named-barrier-shared",                              \
               "Two groups of warps use one named barrier and nothing orders them")                \
  LADDER_FAULT(kMbarrierTooEarly, kMbarrier, "mbarrier-used-too-early",                            \
               "A warp uses an mbarrier that another warp may not have initialised yet")

/// What a kernel or its launch did wrong.
enum class FaultKind {
#define LADDER_FAULT(enumerator, group, code, title) enumerator,
  LADDER_FAULTS(LADDER_FAULT)
#undef LADDER_FAULT
};

/// Kinds that readers treat alike.
enum class FaultGroup {
  kRace,
  kOrder,      ///< of work in streams, graphs and the host
  kDependent,  ///< of a kernel that may start while the one before runs
  kOutOfBounds,
  kAlignment,
  kUninitialised,
  kCopy,
  kBarrier,
  kHang,
  kWarp,
  kMbarrier,
  kRegisters,
  kWgmma,
  kCluster,
  kStop,     ///< what ends a thread at once
  kTexture,  ///< textures and surfaces
  kHeap,     ///< memory that kernels take themselves
  kLacks,    ///< right in CUDA, and not emulated
  kLaunch,   ///< nothing ran
};

/// What is known of a kind.
struct FaultKindFacts {
  FaultKind kind;
  FaultGroup group;
  std::string_view code;   ///< "race-between-blocks"; never changes
  std::string_view title;  ///< for people; may change
};

/// Of all kinds, in the order of their enumerators.
inline constexpr std::array kFaultKinds = {
#define LADDER_FAULT(enumerator, group, code, title) \
  FaultKindFacts{FaultKind::enumerator, FaultGroup::group, code, title},
    LADDER_FAULTS(LADDER_FAULT)
#undef LADDER_FAULT
};

constexpr const FaultKindFacts& facts_of(FaultKind kind) {
  return kFaultKinds[static_cast<std::size_t>(kind)];
}
constexpr FaultGroup group_of(FaultKind kind) {
  return facts_of(kind).group;
}
/// "race-between-blocks"
constexpr std::string_view code_of(FaultKind kind) {
  return facts_of(kind).code;
}

/// "race", "out-of-bounds", ...
std::string_view code_of(FaultGroup group);

}  // namespace ladder::emulator
