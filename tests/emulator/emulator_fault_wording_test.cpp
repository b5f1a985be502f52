// SPDX-License-Identifier: MIT
/// \file  tests/emulator/emulator_fault_wording_test.cpp
/// \brief How each fault reads: every kind has a sentence, and names what its fields hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "emulator/run/kernel_error.hpp"

namespace ladder::emulator {
namespace {

std::vector<unsigned> from_to(unsigned first, unsigned last) {
  std::vector<unsigned> threads(last - first + 1);
  std::iota(threads.begin(), threads.end(), first);
  return threads;
}

/// A fault of kernel.cu:40 in block (0, 2, 0), thread (5, 0, 0).
Fault fault_of(FaultKind kind, Fields fields = {}) {
  Fault fault(kind, std::move(fields));
  fault.place = {"kernel.cu", 40};
  fault.block = {0, 2, 0};
  fault.thread = {5, 0, 0};
  return fault;
}

Fault used_while_freed() {
  Fault fault = fault_of(FaultKind::kHeapFreedInUse);
  fault.other = OtherAccess({"my.cu", 7}, {3, 0, 0});
  return fault;
}

Fault access_of(FaultKind kind, AccessVerb verb, const Element& element, Fields fields = {}) {
  Fault fault = fault_of(kind, std::move(fields));
  fault.access = Access{verb, 4};
  fault.element = element;
  return fault;
}

Fault with_other(Fault fault, AccessVerb verb) {
  fault.other = OtherAccess({"kernel.cu", 33}, {31, 0, 0});
  fault.other->verb = verb;
  return fault;
}

Fault of_another_block(Fault fault) {
  fault.other->block = Index{1, 2, 0};
  return fault;
}

ThreadGroup group_of_threads(const std::vector<unsigned>& threads, WaitKind wait, unsigned line,
                             Fields missing = {}) {
  return {.block = {0, 2, 0},
          .threads = threads,
          .first = {threads.front(), 0, 0},
          .wait = wait,
          .missing = std::move(missing),
          .place = {"kernel.cu", line}};
}

Fault barrier_of(FaultKind kind, const std::vector<ThreadGroup>& groups, Fields fields) {
  Fault fault = fault_of(kind, std::move(fields));
  fault.groups = groups;
  return fault;
}

const Element kTile = {
    .space = MemorySpace::kShared, .array = "sA", .indices = {1, 0}, .extents = {8, 32}};
const Element kMatrix = {.space = MemorySpace::kGlobal,
                         .array = "C",
                         .indices = {480},
                         .extents = {15, 32},
                         .columns = 32};
const Element kArray = {
    .space = MemorySpace::kGlobal, .array = "in", .indices = {-1}, .extents = {100}};
const std::string kHere = " at kernel.cu:40, block (0, 2, 0)";
const std::string kThread = ", thread (5, 0, 0)";

struct Sample {
  Fault fault;
  std::string text;
};

std::vector<Sample> accesses() {
  using Kind = FaultKind;
  const std::string does = "thread (5, 0, 0) ";
  Fault between = with_other(access_of(Kind::kRaceBetweenBlocks, AccessVerb::kStore, kMatrix),
                             AccessVerb::kLoad);
  between.other->block = Index{1, 2, 0};
  Fault lane =
      with_other(access_of(Kind::kRaceInGlobal, AccessVerb::kCopyTo, kMatrix), AccessVerb::kStore);
  lane.other->same_thread = true;
  Fault index = fault_of(Kind::kIndexOutOfBounds, {{"index", 8}, {"array_type", "float [8]"}});
  index.element = Element{.space = MemorySpace::kShared, .array = "sA", .expression = "sA[m + 1]"};
  Fault shuffle = fault_of(
      Kind::kUndefinedShuffle,
      {{"function", "__shfl_sync"}, {"lane", 31}, {"why", "not-in-mask"}, {"mask", 0xFFFF}});
  shuffle.element = kMatrix;
  Fault update =
      with_other(access_of(Kind::kRaceInGlobal, AccessVerb::kStore, kArray, {{"updates", true}}),
                 AccessVerb::kStore);
  Fault update_of_blocks = update;
  update_of_blocks.kind = Kind::kRaceBetweenBlocks;
  update_of_blocks.other->block = Index{1, 2, 0};
  Fault atomics = with_other(access_of(Kind::kRaceBetweenBlocks, AccessVerb::kUpdate, kMatrix),
                             AccessVerb::kUpdate);
  atomics.other->block = Index{1, 2, 0};
  Fault update_of_matrix = update;
  update_of_matrix.element = kMatrix;
  const Fields freed = {{"freed_file", "main.cu"}, {"freed_line", 7}};
  Fault unseen = fault_of(Kind::kUseAfterFree, freed);
  unseen.element = kArray;
  Fault object = fault_of(Kind::kMisaligned, {{"type", "'float4'"}, {"multiple", 16}});
  Fault local_object = object;
  object.element = kArray;
  Fields lane_left = {{"function", "__shfl_sync"}, {"lane", 31},
                      {"why", "has-left"},         {"mask", 0xFFFF},
                      {"index_file", "kernel.cu"}, {"index_line", 39}};
  Fault local = fault_of(Kind::kUninitialisedLocal);
  local.element = kMatrix;
  Fault early = access_of(Kind::kBeforePreviousKernel, AccessVerb::kCopyFrom, kMatrix);
  const Fault early_for_any = early;
  early = with_other(early, AccessVerb::kStore);
  early.fields.set("other_work", "produce");
  return {
      {early, "too early: " + does + "copies from C[480]" + kHere +
                  ", and produce at kernel.cu:33, which it has not waited for, may still store it"},
      {early_for_any, "too early: " + does + "copies from C[480]" + kHere +
                          ", and has not waited for the kernel before, which may still use it"},
      {between, "race: " + does + "stores C[480]" + kHere +
                    ", and thread (31, 0, 0) of block (1, 2, 0) loads it at kernel.cu:33; blocks "
                    "run in any order, so one block should compute each element of C"},
      {atomics, "race: " + does + "updates C[480]" + kHere +
                    ", and thread (31, 0, 0) of block (1, 2, 0) updates it at kernel.cu:33; an "
                    "atomic of block scope, such as atomicAdd_block(), is none for another block: "
                    "use one of the device's, such as atomicAdd()"},
      {update_of_matrix,
       "race: thread (5, 0, 0), block (0, 2, 0), and thread (31, 0, 0) both load C[480], change it "
       "and store it at kernel.cu:40: what one of them adds may be lost; one thread should compute "
       "each element of C"},
      {with_other(access_of(Kind::kRaceInShared, AccessVerb::kLoad, kTile), AccessVerb::kStore),
       "race: " + does +
           "loads sA[1][0] at kernel.cu:40, and no barrier separates it from thread (31, 0, 0) "
           "that stores it at kernel.cu:33, block (0, 2, 0)"},
      {update,
       "race: thread (5, 0, 0), block (0, 2, 0), and thread (31, 0, 0) both load in[-1], change it "
       "and store it at kernel.cu:40: what one of them adds may be lost; use atomicAdd() or "
       "another "
       "atomic"},
      {update_of_blocks,
       "race: thread (5, 0, 0), block (0, 2, 0), and thread (31, 0, 0) of block (1, 2, 0) both "
       "load "
       "in[-1], change it and store it at kernel.cu:40: what one of them adds may be lost; use "
       "atomicAdd() or another atomic"},
      {lane, "race: " + does +
                 "copies to C[480] at kernel.cu:40, and no barrier separates it from another lane "
                 "that stores it at kernel.cu:33, block (0, 2, 0)"},
      {access_of(Kind::kMatrixOutOfBounds, AccessVerb::kStore, kMatrix),
       "out of bounds: " + does + "stores C[480], row 15, column 0 (C is 15 x 32)" + kHere},
      {access_of(Kind::kGlobalOutOfBounds, AccessVerb::kLoad, kArray),
       "out of bounds: " + does + "loads in[-1] (in has 100 elements)" + kHere},
      {access_of(Kind::kGlobalOutOfBounds, AccessVerb::kLoad, kArray, lane_left),
       "out of bounds: " + does + "loads in[-1] (in has 100 elements)" + kHere +
           "; the index is computed from what __shfl_sync at kernel.cu:39 got from lane 31, which "
           "has left the kernel"},
      {access_of(Kind::kGlobalOutOfBounds, AccessVerb::kLoad, kArray, {{"why", "local"}}),
       "out of bounds: " + does + "loads in[-1] (in has 100 elements)" + kHere +
           "; the index is computed from a local variable that nothing was stored in"},
      {access_of(Kind::kUseAfterFree, AccessVerb::kLoad, kArray, freed),
       "use after free: " + does + "loads in[-1], which was freed at main.cu:7," + kHere},
      {unseen,
       "use after free: an access to in[-1], which was freed at main.cu:7," + kHere + kThread},
      {access_of(Kind::kHostMemory, AccessVerb::kStore, kArray, {{"memory", "stack"}}),
       "host memory: " + does +
           "stores in[-1], memory on the host's stack: kernels need memory of "
           "cudaMalloc, managed or pinned memory," +
           kHere},
      {access_of(Kind::kHostMemory, AccessVerb::kStore, {}, {{"memory", "heap"}}),
       "host memory: " + does +
           "stores memory on the host's heap (malloc, new, std::vector): kernels need "
           "memory of cudaMalloc, managed or pinned memory," +
           kHere},
      {access_of(Kind::kHostMemory, AccessVerb::kLoad, {},
                 {{"memory", "static"}, {"variable", "table"}}),
       "host memory: " + does +
           "loads the host's variable table: kernels need memory of "
           "cudaMalloc, managed or pinned memory," +
           kHere},
      {object, "misaligned: " + does +
                   "uses an object of type 'float4' at in[-1], whose address is "
                   "not a multiple of 16," +
                   kHere},
      {local_object, "misaligned: " + does +
                         "uses an object of type 'float4' in local memory, whose "
                         "address is not a multiple of 16," +
                         kHere},
      {access_of(Kind::kNoArray, AccessVerb::kUpdate, {}),
       "out of bounds: " + does + "updates an address in no array" + kHere},
      {access_of(Kind::kSharedOutOfBounds, AccessVerb::kCopyFrom, kTile),
       "out of bounds: " + does + "copies from sA[1][0] of shared memory (sA is 8 x 32)" + kHere},
      {access_of(Kind::kDynamicSharedOutOfBounds, AccessVerb::kStore,
                 {.space = MemorySpace::kShared, .array = "tiles", .indices = {32}},
                 {{"bytes", 128}, {"needed_bytes", 132}}),
       "out of bounds: " + does +
           "stores tiles[32] of shared memory: the launch asked for 128 bytes of dynamic shared "
           "memory, and this needs 132," +
           kHere},
      {index, "out of bounds: " + does + "uses index 8 of an array of type float [8] in sA[m + 1]" +
                  kHere},
      {access_of(Kind::kMisaligned, AccessVerb::kLoad, kMatrix),
       "misaligned: " + does + "loads 4 bytes at C[480], which is not a multiple of 4 bytes," +
           kHere},
      {access_of(Kind::kUninitialisedShared, AccessVerb::kLoad, kTile),
       "uninitialised: " + does + "loads sA[1][0], which no thread of the block has written," +
           kHere},
      {access_of(Kind::kUninitialisedMatrix, AccessVerb::kLoad, kMatrix),
       "uninitialised: " + does +
           "loads C[480], row 15, column 0 (C is 15 x 32), which nobody has written," + kHere},
      {access_of(Kind::kUninitialisedGlobal, AccessVerb::kLoad, kArray),
       "uninitialised: " + does + "loads in[-1] (in has 100 elements), which nobody has written," +
           kHere},
      {fault_of(Kind::kUninitialisedTexture, {{"function", "tex2D"}, {"array", "image"}}),
       "uninitialised: tex2D reads image, which nobody has written, at kernel.cu:40"},
      {local,
       "uninitialised: C[480] is computed from a local variable that nothing was stored in, and "
       "is stored at kernel.cu:40; a warning of the build may name it: -Wmaybe-uninitialized"},
      {shuffle, "undefined: " + does +
                    "gets from __shfl_sync what lane 31 has, which is not in the mask 0x0000ffff, "
                    "and what is computed from it is in C[480]," +
                    kHere},
      {with_other(access_of(Kind::kCopyInFlight, AccessVerb::kLoad, kTile), AccessVerb::kCopyTo),
       "in flight: " + does + "loads sA[1][0]" + kHere +
           ", but nothing has waited for the copy to it that thread (31, 0, 0) starts at "
           "kernel.cu:33"},
      {with_other(access_of(Kind::kCopyUnfenced, AccessVerb::kCopyTo, kTile), AccessVerb::kStore),
       "unfenced: " + does + "copies to sA[1][0]" + kHere +
           ", and no fence_proxy_async() separates it from thread (31, 0, 0) that stores it at "
           "kernel.cu:33"},
      {with_other(access_of(Kind::kCopyStillReads, AccessVerb::kStore, kTile),
                  AccessVerb::kCopyFrom),
       "still read: " + does + "stores sA[1][0]" + kHere +
           ", but nothing has waited until the copy from it was done that thread (31, 0, 0) starts "
           "at kernel.cu:33"},
      {of_another_block(with_other(access_of(Kind::kRaceInShared, AccessVerb::kCopyTo, kTile),
                                   AccessVerb::kLoad)),
       "race: " + does +
           "copies to sA[1][0] at kernel.cu:40, and no barrier separates it from "
           "thread (31, 0, 0) of block (1, 2, 0) that loads it at kernel.cu:33, block (0, 2, 0)"},
  };
}

/// A wait for more bytes than come.
Fault announced_in_vain() {
  Fault fault = barrier_of(
      FaultKind::kDeadlock,
      {group_of_threads(
          from_to(0, 31), WaitKind::kMbarrier, 40,
          {{"parity", 0}, {"missing_arrivals", 0}, {"arrivals", 1}, {"missing_bytes", 16}})},
      {});
  fault.other = OtherAccess({"kernel.cu", 33}, {31, 0, 0});
  return fault;
}

std::vector<Sample> waits() {
  using Kind = FaultKind;
  const Fields here = {{"arrived", 12}, {"expected", 64}};
  const auto gone = [](const std::vector<unsigned>& threads) {
    return group_of_threads(threads, WaitKind::kGone, 0);
  };
  const auto barrier = [&](const std::vector<unsigned>& threads, unsigned line) {
    return group_of_threads(threads, WaitKind::kSyncthreads, line, here);
  };
  std::vector<unsigned> even, odd;
  for (unsigned thread = 0; thread < 64; thread += 2) {
    even.push_back(thread);
    odd.push_back(thread + 1);
  }
  std::vector<unsigned> edges = from_to(0, 31);
  std::ranges::copy(from_to(96, 127), std::back_inserter(edges));
  Fault cluster = fault_of(Kind::kMissingClusterBarrier);
  cluster.other = OtherAccess({}, {7, 0, 0});
  Fault named =
      fault_of(Kind::kNamedBarrierCount, {{"barrier", 1}, {"threads", 96}, {"other_threads", 64}});
  named.other = OtherAccess({"kernel.cu", 33}, {0, 0, 0});
  Fault shared = fault_of(Kind::kNamedBarrierShared, {{"barrier", 1}});
  shared.other = named.other;
  const Fault not_there = fault_of(Kind::kNamedBarrierNotThere, {{"barrier", 16}, {"threads", 64}});
  return {
      {barrier_of(Kind::kDivergentBarrier, {barrier(even, 40), barrier(odd, 42)},
                  {{"threads", 64}}),
       "divergent barrier: threads 0, 2, ..., 62 wait at the barrier of line 40, and threads 1, "
       "3, ..., 63 wait at the barrier of line 42; all threads of a block must reach the same "
       "one," +
           kHere + kThread},
      {barrier_of(Kind::kMissingBarrier, {barrier(from_to(32, 95), 40), gone(edges)},
                  {{"threads", 128}, {"passed", true}, {"return_line", 39}}),
       "missing barrier: warps 1 and 2 (threads 32-95) wait at the barrier of line 40, but warps 0 "
       "and 3 (threads 0-31, 96-127) have left the kernel; see the return in line 39; GPUs from "
       "Volta on go on without them, older ones need not," +
           kHere + kThread},
      {barrier_of(Kind::kMissingBarrier, {barrier(from_to(2, 63), 40), gone({1})},
                  {{"threads", 64}, {"passed", false}}),
       "missing barrier: threads 2-63 wait at the barrier of line 40, but thread 1 has left the "
       "kernel; all threads of a block must reach it," +
           kHere + kThread},
      {cluster,
       "missing barrier: thread (7, 0, 0) has left the kernel while thread (5, 0, 0) waits at "
       "cluster_sync(), which all threads of the cluster must reach," +
           kHere + kThread},
      {named,
       "thread (5, 0, 0) comes to barrier 1 for 96 threads, but thread (0, 0, 0) waits there for "
       "64, at line 33," +
           kHere + kThread},
      {not_there, "barrier 16 for 64 threads: a block has barriers 0 to 15, each for whole warps," +
                      kHere + kThread},
      {shared,
       "the wrong warps may meet at barrier 1: thread (0, 0, 0) was there in its last round, at "
       "kernel.cu:33, and nothing makes thread (5, 0, 0) come after that: give each group of warps "
       "a number of its own, or put a barrier between the two," +
           kHere + kThread},
      {fault_of(Kind::kGridSyncNotCooperative),
       "grid.sync() in a launch that is not cooperative, so that blocks may wait for others which "
       "never start: launch it with cudaLaunchCooperativeKernel," +
           kHere + kThread},
      {barrier_of(
           Kind::kDeadlock,
           {group_of_threads(
                from_to(0, 31), WaitKind::kMbarrier, 40,
                {{"parity", 0}, {"missing_arrivals", 0}, {"arrivals", 2}, {"missing_bytes", -4}}),
            group_of_threads({32}, WaitKind::kNamedBarrier, 41,
                             {{"barrier", 1}, {"arrived", 12}, {"expected", 64}}),
            group_of_threads({33}, WaitKind::kClusterBarrier, 42,
                             {{"arrived", 12}, {"expected", 64}, {"of_another_block", true}}),
            group_of_threads({34}, WaitKind::kGridBarrier, 43,
                             {{"missing_blocks", 1}, {"blocks", 8}}),
            group_of_threads({35}, WaitKind::kFlag, 44, {{"value", 0}}),
            group_of_threads({36}, WaitKind::kWarpCall, 45, {{"function", "__syncwarp"}}),
            group_of_threads({37}, WaitKind::kSpin, 46)},
           {{"blocks_not_started", 1},
            {"resident_blocks", 8},
            {"threads", 512},
            {"multiprocessors", 2}}),
       "deadlock: nobody can go on: threads 0-31 wait for an mbarrier at kernel.cu:40 (phase "
       "parity 0: 0 of 2 arrivals and 0 bytes are missing, and 4 bytes have come that nobody "
       "announced); thread 32 waits at a named barrier at kernel.cu:41 (barrier 1: 12 of 64 "
       "threads are here); thread 33 waits at cluster_sync at kernel.cu:42 (12 of 64 threads are "
       "here, those of another block are not); thread 34 waits at grid.sync() at kernel.cu:43 (1 "
       "of 8 blocks have not come); thread 35 waits for a flag at kernel.cu:44 (it holds 0); "
       "thread 36 waits in __syncwarp at kernel.cu:45 (for lanes of their warp); thread 37 spins "
       "at kernel.cu:46; blocks that have not started, because those that wait fill the GPU: 1 (it "
       "holds 8 at a time, 4 of 512 threads on each of 2 SMs; LADDER_MULTIPROCESSORS sets how many "
       "SMs there are), first" +
           kHere + kThread},
      {announced_in_vain(),
       "deadlock: nobody can go on: threads 0-31 wait for an mbarrier at kernel.cu:40 (phase "
       "parity 0: 0 of 1 arrivals and 16 bytes are missing); the bytes were announced at "
       "kernel.cu:33 by thread (31, 0, 0), first" +
           kHere + kThread},
      {barrier_of(Kind::kWarpDeadlock,
                  {group_of_threads({0}, WaitKind::kWarpCall, 40,
                                    {{"function", "__syncwarp"}, {"mask", 3}})},
                  {}),
       "deadlock: every thread waits for another one (thread (0, 0, 0) in __syncwarp of line 40 "
       "for mask 0x00000003)" +
           kHere + kThread},
      {fault_of(Kind::kEndlessLoop, {{"seconds", 0.2}, {"traced", true}}),
       "endless loop: for 0.2 s no thread of the block has left the kernel, passed a barrier or "
       "accessed anything new (a slow kernel needs a larger LADDER_HANG_SECONDS); it was stopped" +
           kHere + kThread},
  };
}

/// Kinds whose sentence ends with the place.
std::vector<Sample> stops() {
  using Kind = FaultKind;
  const auto call = [](Kind kind, Fields fields) {
    Fault fault = fault_of(kind, std::move(fields));
    fault.other = OtherAccess({"kernel.cu", 33}, {37, 0, 0});
    return fault;
  };
  const std::vector<std::pair<Fault, std::string>> texts = {
      {fault_of(Kind::kInvalidAddress, {{"address", 0x1234}}), "invalid address 0x1234"},
      {fault_of(Kind::kNullPointer, {{"address", 8}}), "invalid address 0x8 (a null pointer)"},
      {fault_of(Kind::kNoArray), "invalid address: it lies in no array of the kernel"},
      {fault_of(Kind::kOutsideShared, {{"argument", "in_block-object"}}),
       "the object that in_block() maps does not lie in the shared memory of this block,"},
      {fault_of(Kind::kLocalOverrun,
                {{"locals", FieldValue::Words{"acc[4][4]"}}, {"lines", FieldValue::Numbers{12}}}),
       "out of bounds: a store went past the end of the local array acc[4][4], declared"},
      {fault_of(Kind::kBeforeLocals),
       "out of bounds: an access before the start of a local array, and before all that the thread "
       "has on its stack,"},
      {fault_of(Kind::kBehindLocals),
       "out of bounds: an access past the end of a local array, and past all that the thread has "
       "on its stack,"},
      {fault_of(Kind::kMisalignedVector),
       "misaligned vector access (a float4 needs an address that is a multiple of 16), or an "
       "address that cannot exist"},
      {fault_of(Kind::kMisalignedAddress, {{"address", 0x11}}), "misaligned access to 0x11"},
      {fault_of(Kind::kMisalignedArgument, {{"argument", "mbarrier"}, {"multiple", 8}}),
       "misaligned: an mbarrier must be an address that is a multiple of 8,"},
      {fault_of(Kind::kLeadingDimension,
                {{"function", "load_matrix_sync"}, {"elements", 5}, {"multiple", 8}}),
       "load_matrix_sync: the leading dimension is 5 elements; CUDA wants a multiple of 8, which "
       "are 16 bytes,"},
      {fault_of(Kind::kMisalignedMatrix, {{"function", "load_matrix_sync"}, {"bytes", 8}}),
       "load_matrix_sync: CUDA wants the first element at a multiple of 32 bytes; this is 8 bytes "
       "after one,"},
      {fault_of(Kind::kCopyUnfinished),
       "the block has ended while a tma_load still writes into its shared memory: nobody waited "
       "for the one that was started"},
      {fault_of(Kind::kStoreUnfinished),
       "the block has ended while a tma_store may still read its shared memory: no "
       "tma_store_wait_read() has waited for the one that was started"},
      {fault_of(Kind::kClusterArrivedTwice),
       "cluster_arrive() by a thread that has not waited since its last one: cluster_wait() comes "
       "between,"},
      {fault_of(Kind::kClusterNotArrived),
       "cluster_wait() by a thread that has not arrived: cluster_arrive() comes first,"},
      {fault_of(Kind::kWarpWidth, {{"function", "__shfl_sync"}, {"width", 12}}),
       "__shfl_sync is called with width 12; it must be 1, 2, 4, 8, 16 or 32,"},
      {fault_of(Kind::kLaneNotInMask,
                {{"function", "__any_sync"}, {"lane", 0}, {"mask", 0xFFFFFFFE}}),
       "__any_sync is called by lane 0, which is not in its own mask 0xfffffffe,"},
      {call(Kind::kWarpDifferentCalls, {{"function", "__any_sync"},
                                        {"mask", 15},
                                        {"other_function", "__all_sync"},
                                        {"other_mask", 7}}),
       "lanes of one mask must make the same call, but thread (5, 0, 0) waits in __any_sync of "
       "line "
       "40 with mask 0x0000000f, thread (37, 0, 0) in __all_sync of line 33 with mask 0x00000007,"},
      {call(Kind::kLaneAtBarrier, {{"function", "__any_sync"}, {"mask", 15}}),
       "__any_sync waits for thread (37, 0, 0), which is in its mask 0x0000000f but waits at the "
       "barrier of line 33,"},
      {fault_of(Kind::kWarpIncomplete, {{"function", "mma_sync"}, {"lanes", 16}}),
       "mma_sync takes a whole warp, and only 16 of its 32 lanes are there,"},
      {fault_of(Kind::kWarpDifferentMatrices, {{"function", "load_matrix_sync"}}),
       "load_matrix_sync: all lanes of the warp have to name the same matrix, by the same pointer "
       "and leading dimension,"},
      {fault_of(Kind::kMbarrierInvalid),
       "mbarrier used before mbarrier_init, or after its memory was overwritten,"},
      {fault_of(Kind::kMbarrierCount, {{"arrivals", 0}, {"limit", 1048575}}),
       "mbarrier_init with 0 arrivals; it must be 1 to 1048575,"},
      {fault_of(Kind::kMbarrierTwice), "mbarrier_init of memory that is an mbarrier already,"},
      {fault_of(Kind::kMbarrierOverfull, {{"arrivals", 2}, {"missing_bytes", 8192}}),
       "more arrivals at an mbarrier than the 2 of its phase, which still waits for 8192 bytes,"},
      {fault_of(Kind::kMbarrierUnseen),
       "an arrival at an mbarrier though no thread has seen the end of its phase before: PTX wants "
       "a wait for each phase,"},
      {fault_of(Kind::kMbarrierBytes, {{"bytes", -1}, {"limit", 1048575}}),
       "-1 bytes are announced to an mbarrier; a phase takes 0 to 1048575,"},
      {fault_of(Kind::kMbarrierParity, {{"parity", 2}}),
       "mbarrier_wait for parity 2; it is 0 or 1,"},
      {fault_of(Kind::kMbarrierPhaseMissed),
       "an mbarrier completed a second phase before this thread saw the end of the first: a waiter "
       "may lag behind by one phase, and on a GPU may wait forever,"},
      {fault_of(Kind::kMbarrierUnfenced),
       "a copy is to arrive at an mbarrier, and no fence_mbarrier_init() has shown its "
       "initialisation to copies, started"},
      {call(Kind::kMbarrierTooEarly, {}),
       "an mbarrier is used that thread (37, 0, 0) of another warp initialises at kernel.cu:33, "
       "and "
       "nothing makes this warp wait for that: __syncthreads() comes between,"},
      {fault_of(Kind::kMbarrierOverwritten),
       "the memory of an mbarrier was overwritten before the copy arrived that was to arrive at "
       "it, started"},
      {fault_of(Kind::kRegistersNoWarpgroup, {{"threads", 96}}),
       "setmaxnreg is for warpgroups of 128 threads, but the block has 96 threads,"},
      {call(Kind::kRegistersDiffer, {{"registers", 24}, {"other_registers", 40}}),
       "the four warps of a warpgroup must ask setmaxnreg for the same: thread (5, 0, 0) asks for "
       "24 registers, but thread (37, 0, 0) for 40 at line 33,"},
      {fault_of(Kind::kRegistersPartial, {{"threads", 96}}),
       "all four warps of a warpgroup must call setmaxnreg, but only 96 of its 128 threads did,"},
      {fault_of(Kind::kRegistersBeyondSm, {{"registers", FieldValue::Numbers{40, 240, 240}},
                                           {"registers_in_all", 66560},
                                           {"threads", 384},
                                           {"limit", 168}}),
       "setmaxnreg asks for registers that no SM has: the warpgroups end up with 40 + 240 + 240 "
       "per thread, 66560 in all, but a block of 384 threads starts with at most 168 each, 64512 "
       "in all; on a GPU a warpgroup would wait for them forever,"},
      {fault_of(Kind::kWgmmaNoWarpgroup, {{"threads", 96}}),
       "wgmma is for warpgroups of 128 threads, but the block has 96 threads,"},
      {fault_of(Kind::kWgmmaUnfenced),
       "wgmma gets sums that the program has used, and no wgmma_fence() has handed them over "
       "since,"},
      {fault_of(Kind::kWgmmaPartial, {{"products", 4}, {"warp", 2}, {"other_products", 3}}),
       "all four warps of a warpgroup must start the same products: this one started 4, but warp 2 "
       "of its warpgroup 3; on a GPU they wait for each other; the last was started"},
      {fault_of(Kind::kWgmmaUnfinished),
       "the block has ended, and nobody waits for a product of wgmma that was started"},
      {fault_of(Kind::kClusterNoBlock, {{"rank", 2}, {"blocks", 2}}),
       "block 2 is asked for, of a cluster of 2,"},
      {of_another_block(call(Kind::kClusterLeftEarly, {{"copies", true}})),
       "left early: nothing keeps block (1, 2, 0) in the kernel until a box has come to its shared "
       "memory; the last to leave it is thread (37, 0, 0), which last waited at kernel.cu:33. End "
       "with cluster_sync(). The box is sent"},
      {of_another_block(call(Kind::kClusterLeftEarly, {{"copies", false}})),
       "left early: nothing keeps block (1, 2, 0) in the kernel until this block has arrived at "
       "its mbarrier; the last to leave it is thread (37, 0, 0), which last waited at "
       "kernel.cu:33. End with cluster_sync(). The arrival is"},
      {fault_of(Kind::kClusterMbarrierUnknown, {{"copies", true}}),
       "a box is to arrive at an mbarrier of another block that is not initialised yet: "
       "cluster_sync() has to come between,"},
      {of_another_block(call(Kind::kClusterMbarrierUnknown, {{"copies", false}})),
       "a thread arrives at an mbarrier of block (1, 2, 0), and no cluster_sync() separates it "
       "from thread (37, 0, 0) that initialises it at kernel.cu:33,"},
      {fault_of(Kind::kMulticastBlocks, {{"mask", 5}, {"blocks", 2}}),
       "tma_load_multicast to the blocks of mask 0x00000005, in a cluster of 2,"},
      {fault_of(Kind::kClusterBlockLeft, {{"rank", 1}}),
       "in_block() asks for block 1 of the cluster, which has left the kernel: its shared memory "
       "is no more,"},
      {fault_of(Kind::kStackOverflow),
       "stack overflow: local variables and calls of one thread need more than 64 KiB"},
      {fault_of(Kind::kDivisionByZero),
       "integer division by zero (a GPU goes on with an undefined value)"},
      {fault_of(Kind::kIllegalInstruction), "__trap() or an instruction unknown to this CPU"},
      {fault_of(Kind::kIllegalInstruction, {{"box_column", 5}, {"multiple", 4}}),
       "illegal instruction: a box begins at column 5, and the copy engine takes multiples of 16 "
       "bytes alone, here of 4 elements"},
      {fault_of(Kind::kIllegalInstruction, {{"box_row", -6}}),
       "illegal instruction: a box is stored from row -6 on, and the copy engine stores none that "
       "begins above its matrix"},
      {fault_of(Kind::kIllegalInstruction, {{"box_column", -8}}),
       "illegal instruction: a box is stored from column -8 on, and the copy engine stores none "
       "that begins to the left of its matrix"},
      {fault_of(Kind::kAssertion, {{"expression", "x > 0"}}), "assertion failed: x > 0"},
      {fault_of(Kind::kHostFunctionPointer,
                {{"function", "add"}, {"taken_file", "my.cu"}, {"taken_line", 9}}),
       "a kernel calls add by an address that the host took at my.cu:9, and on a GPU that is no "
       "address of device code: take it on the device, such as in a __device__ variable, and copy "
       "it from there with cudaMemcpyFromSymbol, or make the function a template argument. It is "
       "called"},
      {fault_of(Kind::kHostFunctionPointer, {{"function", "add"}}),
       "a kernel calls add by an address that the host took, and on a GPU that is no address of "
       "device code: take it on the device, such as in a __device__ variable, and copy it from "
       "there with cudaMemcpyFromSymbol, or make the function a template argument. It is called"},
      {fault_of(Kind::kHostObject, {{"class", "Square"}}),
       "a kernel calls a virtual function of an object of Square that the host made, and its table "
       "of virtual functions is the host's: let a kernel make the object with new, or with "
       "placement new in this memory. The call is"},
      {fault_of(Kind::kException, {{"exception", "out of ideas"}}),
       "the C++ exception \"out of ideas\" left the kernel"},
      {fault_of(Kind::kTextureNone, {{"function", "tex2D"}}),
       "tex2D reads what is no texture object,"},
      {fault_of(Kind::kTextureDestroyed, {{"function", "tex2D"}}),
       "tex2D reads a texture object that was destroyed,"},
      {fault_of(Kind::kTextureFreed, {{"function", "tex2D"}, {"array", "image"}}),
       "tex2D reads a texture of image, which was freed,"},
      {fault_of(Kind::kTextureFunction, {{"function", "tex2D"}, {"texture_is_linear", true}}),
       "tex2D reads CUDA arrays and pitch2D; linear memory takes tex1Dfetch,"},
      {fault_of(Kind::kTextureFunction, {{"function", "tex1Dfetch"}, {"texture_is_linear", false}}),
       "tex1Dfetch reads linear memory, and this texture is a CUDA array or pitch2D,"},
      {fault_of(Kind::kTextureDimensions, {{"function", "tex2D"}, {"dimensions", 3}}),
       "tex2D reads a texture of 3 dimensions,"},
      {fault_of(Kind::kTextureType, {{"function", "tex2D"}, {"texture_gives_floats", true}}),
       "tex2D asks for integers, and the texture gives floats,"},
      {fault_of(Kind::kSurfaceNone, {{"function", "surf2Dread"}}),
       "surf2Dread is given what is no surface object,"},
      {fault_of(Kind::kSurfaceDestroyed, {{"function", "surf2Dread"}}),
       "surf2Dread is given a surface object that was destroyed,"},
      {fault_of(Kind::kSurfaceFreed, {{"function", "surf2Dread"}, {"array", "image"}}),
       "surf2Dread is given a surface of image, which was freed,"},
      {fault_of(Kind::kSurfaceDimensions, {{"function", "surf2Dread"}, {"dimensions", 3}}),
       "surf2Dread is given a surface of 3 dimensions,"},
      {fault_of(Kind::kSurfaceMisaligned, {{"function", "surf2Dread"}, {"x", 3}, {"bytes", 4}}),
       "surf2Dread is given byte 3 for an element of 4 bytes: x counts bytes, in whole elements,"},
      {fault_of(Kind::kSurfaceOutOfBounds, {{"function", "surf2Dread"},
                                            {"x", 64},
                                            {"y", 2},
                                            {"array", "image"},
                                            {"rows", 8},
                                            {"row_bytes", 64}}),
       "surf2Dread is out of bounds: byte 64 of row 2; image has 8 rows of 64 bytes,"},
      {fault_of(Kind::kHeapFree),
       "free() or delete of memory that is not taken, or is freed already,"},
      {used_while_freed(),
       "free() or delete of memory that thread (3, 0, 0) uses at my.cu:7, and nothing orders the "
       "two: all threads that use it have to pass a barrier first. It is freed"},
      {fault_of(Kind::kDynamicParallelism, {{"kernel", "child"}}),
       "a kernel launches a kernel, and the glass box has no dynamic parallelism: launch child "
       "from the host"},
      {fault_of(Kind::kDeviceRuntimeCall, {{"function", "cudaMalloc"}}),
       "a kernel calls cudaMalloc, and the glass box has no dynamic parallelism: call malloc()"},
      {fault_of(Kind::kWaitsForHost, {{"array", "flag"}}),
       "a kernel waits until the host writes flag, and the glass box runs it to its end before the "
       "host goes on: write it before the launch"},
  };
  std::vector<Sample> samples;
  for (const auto& [fault, text] : texts)
    samples.push_back({fault, text + kHere + kThread});
  return samples;
}

std::vector<Sample> launches() {
  using Kind = FaultKind;
  using Numbers = FieldValue::Numbers;
  const std::vector<std::pair<Fault, std::string>> texts = {
      {{Kind::kLaunchExtentZero, {{"what", "grid"}, {"extents", Numbers{0, 1, 1}}}},
       "the grid is (0, 1, 1); every extent must be at least 1"},
      {{Kind::kLaunchExtentTooLarge,
        {{"what", "block"}, {"extents", Numbers{1025, 1, 1}}, {"limits", Numbers{1024, 1024, 64}}}},
       "the block is (1025, 1, 1); CUDA allows at most (1024, 1024, 64)"},
      {{Kind::kLaunchTooManyThreads,
        {{"extents", Numbers{32, 33, 1}}, {"threads", 1056}, {"limit", 1024}}},
       "a block of (32, 33, 1) has 1056 threads; CUDA allows at most 1024"},
      {{Kind::kLaunchBounds, {{"extents", Numbers{32, 8, 1}}, {"threads", 256}, {"limit", 128}}},
       "a block of (32, 8, 1) has 256 threads; the kernel's __launch_bounds__ allow at most 128: "
       "launch smaller blocks, or raise the bound"},
      {{Kind::kLaunchDynamicShared, {{"bytes", 232449}, {"limit", 232448}}},
       "232449 bytes of dynamic shared memory; a block has at most 232448 (227 KiB)"},
      {{Kind::kLaunchStaticShared, {{"bytes", 49156}, {"limit", 49152}}},
       "__shared__ arrays of 49156 bytes; ptxas allows 49152 (48 KiB), and more only as dynamic "
       "shared memory"},
      {{Kind::kLaunchClusterSize, {{"blocks", 16}, {"limit", 8}}},
       "a cluster of 16 blocks; CUDA allows 1 to 8"},
      {{Kind::kLaunchClusterGrid, {{"grid", Numbers{6, 1, 1}}, {"cluster", Numbers{4, 1, 1}}}},
       "the grid, (6, 1, 1), is no multiple of a cluster of (4, 1, 1) blocks"},
      {{Kind::kLaunchCooperativeTooLarge,
        {{"blocks", 161}, {"limit", 160}, {"multiprocessors", 5}}},
       "a cooperative grid of 161 blocks; all of them must fit the GPU at once, whose 5 SMs have "
       "room for 160 such blocks (see set_multiprocessors() and LADDER_MULTIPROCESSORS)"},
      {{Kind::kLaunchClusterDeclared,
        {{"cluster", Numbers{2, 1, 1}}, {"declared", Numbers{4, 1, 1}}}},
       "a cluster of (2, 1, 1) blocks; the kernel's __cluster_dims__ are (4, 1, 1)"},
      {{Kind::kLaunchClusterExtentZero, {{"cluster", Numbers{0, 1, 1}}}},
       "a cluster of (0, 1, 1) blocks; every extent is at least 1"},
      {{Kind::kLaunchInGraph, {{"blocks", 0}, {"threads", 2048}, {"limit", 1024}}},
       "no graph takes a grid of 0 blocks of 2048 threads; a block has 1 to 1024"},
      {{Kind::kLaunchSharedNotAllowed, {{"bytes", 65536}}},
       "65536 bytes of dynamic shared memory; more than 48 KiB take cudaFuncSetAttribute(kernel, "
       "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) before the launch"},
      {{Kind::kLaunchInKernel}, "a kernel launches a kernel"},
      {{Kind::kUnsupportedCpu},
       "emulated kernels need a CPU with AVX2, FMA and F16C (Intel since 2013, AMD since 2015); "
       "this one lacks them"},
  };
  std::vector<Sample> samples;
  for (const auto& [fault, text] : texts)
    samples.push_back({fault, "launch refused: " + text});
  return samples;
}

/// Work in streams and graphs, and the host.
std::vector<Sample> orders() {
  const Element a = {.array = "a"};
  const auto order_of = [&](FaultKind kind, AccessVerb other, const Fields& more) {
    Fault fault = fault_of(kind, {{"other_work", "produce"},
                                  {"other_work_kind", "kernel"},
                                  {"other_stream", "p"},
                                  {"from_byte", 0},
                                  {"bytes", 128}});
    for (const auto& [name, value] : more.all())
      fault.fields.set(name, value);
    fault.element = a;
    return with_other(fault, other);
  };
  const auto work = [](const char* name, const char* kind, const char* stream) {
    return Fields{{"work", name}, {"work_kind", kind}, {"stream", stream}, {"verb", "load"}};
  };
  Fields nodes = work("consume", "kernel", "");
  nodes.set("other_stream", "");
  nodes.set("bytes", 1);
  Fields used = work("consume", "kernel", "c");
  used.set("other_work", "cudaFreeAsync");
  used.set("other_work_kind", "free");
  Fields taken = work("consume", "kernel", "c");
  taken.set("other_work", "cudaMallocAsync");
  taken.set("other_work_kind", "allocation");
  return {
      {order_of(FaultKind::kRaceBetweenStreams, AccessVerb::kStore, work("consume", "kernel", "c")),
       "race: consume in stream c loads a (bytes 0 to 127) at kernel.cu:40, and nothing orders it "
       "with produce in stream p at kernel.cu:33, which stores it"},
      {order_of(FaultKind::kRaceBetweenNodes, AccessVerb::kStore, nodes),
       "race: consume loads a (byte 0) at kernel.cu:40, and no edge of the graph orders it with "
       "produce at kernel.cu:33, which stores it"},
      {order_of(FaultKind::kHostReadsTooEarly, AccessVerb::kStore, {}),
       "too early: the host reads a at kernel.cu:40, and has not waited for produce in stream p at "
       "kernel.cu:33, which may still store it"},
      {order_of(FaultKind::kHostWritesTooEarly, AccessVerb::kLoad, {}),
       "too early: the host writes a at kernel.cu:40, and has not waited for produce in stream p "
       "at kernel.cu:33, which may still load it"},
      {order_of(FaultKind::kFreedInUse, AccessVerb::kStore, work("cudaFreeAsync", "free", "c")),
       "freed in use: cudaFreeAsync in stream c frees a at kernel.cu:40, and nothing makes it wait "
       "for produce in stream p at kernel.cu:33, which uses it"},
      {order_of(FaultKind::kFreedInUse, AccessVerb::kStore, used),
       "freed in use: cudaFreeAsync in stream p frees a at kernel.cu:33, and nothing makes it wait "
       "for consume in stream c at kernel.cu:40, which uses it"},
      {order_of(FaultKind::kUsedBeforeAllocated, AccessVerb::kStore, taken),
       "too early: consume in stream c uses a at kernel.cu:40, and nothing makes it wait for "
       "cudaMallocAsync in stream p at kernel.cu:33, which takes it"},
  };
}

std::vector<Sample> all_samples() {
  std::vector<Sample> all;
  for (const auto& samples : {accesses(), waits(), stops(), launches(), orders()})
    std::ranges::copy(samples, std::back_inserter(all));
  return all;
}

TEST(EmulatorFaultWording, Sentences) {
  for (const Sample& sample : all_samples())
    EXPECT_EQ(text_of(sample.fault), sample.text) << code_of(sample.fault.kind);
}

TEST(EmulatorFaultWording, EveryKindHasOne) {
  std::set<FaultKind> seen;
  for (const Sample& sample : all_samples())
    seen.insert(sample.fault.kind);
  for (const FaultKindFacts& facts : kFaultKinds)
    EXPECT_TRUE(seen.contains(facts.kind)) << facts.code << " has no sample here";
}

TEST(EmulatorFaultWording, AnErrorSaysIt) {
  const Fault fault = fault_of(FaultKind::kDivisionByZero);
  EXPECT_EQ(KernelError(fault).what(), text_of(fault));
}

TEST(EmulatorFaultWording, SeveralLocals) {
  const Fault fault =
      fault_of(FaultKind::kLocalOverrun, {{"locals", FieldValue::Words{"larger[16]", "smaller[8]"}},
                                          {"lines", FieldValue::Numbers{12, 13}}});
  EXPECT_EQ(text_of(fault),
            "out of bounds: a store went past the end of one of these local variables: larger[16] "
            "(line 12), smaller[8] (line 13); the first is declared" +
                kHere + kThread);
}

TEST(EmulatorFaultWording, ManyGroupsAreCounted) {
  std::vector<ThreadGroup> groups;
  for (unsigned thread = 0; thread < 14; ++thread)
    groups.push_back(group_of_threads({thread}, WaitKind::kSpin, thread));
  groups[13].block = {9, 0, 0};
  const std::string text = text_of(barrier_of(FaultKind::kDeadlock, groups, {}));
  EXPECT_NE(text.find("block (0, 2, 0) thread 11 spins at kernel.cu:11; and 2 more groups of "
                      "threads, first at"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace ladder::emulator
