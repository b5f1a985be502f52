// SPDX-License-Identifier: MIT
/// \file  tests/emulator/trace_probes.hpp
/// \brief Host functions that launch one small traced kernel each. Free of CUDA's types. Pointers
///        are to "global memory"; unless said otherwise a grid is one block of one warp.
#pragma once

#include <array>
#include <cstddef>

namespace ladder::trace_probes {

using Extents = std::array<unsigned, 3>;

// -- Lanes that go different ways ---------------------------------------------------------------
/// Lanes 0 to 9 copy in to low, the others in to high: 32 floats each.
void copy_sides(const float* in, float* low, float* high);
/// Both sides of a branch call one inlined function.
void same_function_on_both_sides(const float* a, const float* b, float* out);
/// Lane l takes part in iterations 0 to l/8 of four; in: 128 floats.
void idle_lanes(const float* in, float* out);
/// Lane l loads l + 1 times; in: 1024 floats.
void unequal_loops(const float* in, float* out);
/// Each lane loads `steps` times; every `barrier_every`-th time all threads meet (0: never).
void long_loop(unsigned threads, int steps, int barrier_every, const float* in, float* out);
/// Lane l loads 20 * l times, and stores the sum unless it is 0.
void long_unequal_loops(const float* in, float* out);
/// All lanes load a `steps` times, those of even number b as well.
void two_rates(int steps, const float* a, const float* b, float* out);

// -- Grids, sizes, types ------------------------------------------------------------------------
/// Each thread loads, and stores elsewhere, the int of its number in the grid.
void copy_ints(Extents grid, Extents block, const int* in, int* out);
/// Lane l copies the l-th element of 1, 2, 4, 8 or 16 bytes.
void copy_elements(unsigned bytes, const void* in, void* out);
/// Structs of three floats, of five floats, and of two doubles aligned to 16 bytes.
void copy_float3(const float* in, float* out);
void copy_five_floats(const float* in, float* out);
void copy_two_doubles(const double* in, double* out);
/// 32 halves one by one, then 32 pairs of halves: in, out hold 96 halves of 2 bytes.
void copy_halves(const void* in, void* out);

// -- Atomics ------------------------------------------------------------------------------------
/// All lanes at one address; ints: 4 counters, floats: 1.
void global_atomics(int* ints, float* floats);
void shared_atomics(int* ints, float* floats);
/// Lane l at float l.
void spread_float_atomic(float* floats);
/// Warp 0 waits for a flag that warp 1 sets; out[0] is what warp 1 stored before.
void wait_for_other_warp(int* flag, int* out);

// -- What is no memory access -------------------------------------------------------------------
void local_variables(const int* in, int* out);
void access_nothing();
void constant_table(const int* in, int* out);

// -- Scalar shared loads ------------------------------------------------------------------------
/// Lane l loads `words` (1 to 4) words from word 4 * l + offset on.
void load_run(int words, int offset, float* out);
void run_across_store(float* out);
void run_across_barrier(float* out);
void two_interleaved_runs(float* out);
/// The same instruction begins a run with one address for all lanes, then one with a stride.
void runs_of_two_patterns(float* out);

// -- Bounds -------------------------------------------------------------------------------------
/// Thread 5 of block `bad_block` loads in[index].
void load_at(unsigned blocks, unsigned bad_block, const float* in, long long index, float* out);
/// Each of four blocks (2 by 2) but the first stores beyond C: index `count` + thread for threads
/// from 7 on.
void stores_beyond(long long count, float* C);
/// Of 64 threads, first those of the second warp, then those of the first load beyond in.
void loads_beyond_in_turns(long long count, const float* in, float* out);
/// Lanes below 16 load from a, the others from b.
void two_arrays_in_one_request(const float* a, const float* b, float* out);
/// A float4 starting at float `index`.
void load_wide_at(const float* in, long long index, float* out);
/// Stores one element beyond the shared tile, all others inside; then reads those inside.
void shared_store_beyond(int count, float* out);

// -- Loops --------------------------------------------------------------------------------------
/// Each thread adds up all `count` elements; no barrier.
void sum_in_each_thread(long long count, const float* in, float* out);
/// Looks at four elements until one is not 0.
void loop_over_few(const int* in, int* out);
/// Block 0 waits until block 1 sets the flag.
void wait_for_next_block(int* flag, int* out);

// -- Order within a block -----------------------------------------------------------------------
/// Each thread reads another's element without a barrier between.
/// The same lines race in two arrays.
void races_in_two_arrays(float* out);
/// Stores beyond an array and, in other lines, races in another one.
void race_beside_an_overrun(int count, float* out);
/// out[lane] = what lane 31 has, asked for with this mask by the lanes below 16.
void broadcast_to_half(unsigned mask, float* out);
/// out[thread] is set in threads below count.
void set_below(unsigned count, float* out);
void missing_barrier(unsigned blocks, unsigned threads, float* out);
/// Reads the neighbour's element, meets the warp, then adds to its own: no race.
void exchange_in_warp(float* out);
/// Each of 64 threads stores an element of two bytes and reads that of thread ^ other.
void halves_of_words(unsigned other, unsigned short* out);
/// Takes vectors as arguments: out is 3 for the first 8 threads and 4 for the others.
void vectors_by_value(float* out);
/// Stores in into shared memory that another warp has just cleared; then, in blocks from
/// `bad_block` on, threads wait at different barriers.
void divergent_barrier(unsigned blocks, unsigned bad_block, const float* in, float* out);
/// Four lanes add up integers, and ask lanes 4 to 7 first.
void add_from_beyond_the_mask(unsigned blocks, int* out);
/// In each of 3 blocks, threads before `first` and from `end` on leave before a barrier.
void left_before_barrier(unsigned threads, int first, int end, float* out);
/// Two kernels with shared arrays of other names and a race each.
void race_in_first(float* out);
void race_in_second(float* out);

// -- Kernels that may start while the one before still runs --------------------------------------
/// When threads wait for the kernel before.
enum class WaitsFor { kNothing, kFirst, kFirstOneOfTheBlock, kAfterLoading };
/// Which blocks let the next kernel start, and when.
enum class Launches { kNothing, kBeforeWaiting, kAfterWaiting, kAfterWaitingInBlock1 };
/// Each thread of two blocks copies an element.
void copy_early(WaitsFor waits, Launches launches, const int* in, int* out);

// -- Many blocks --------------------------------------------------------------------------------
/// Tiles of 32 by 8 floats through shared memory; in, out: (rows, 32 * tiles_across). The first
/// block computes for `slow_steps` before it loads.
void copy_tiles(int rows, unsigned tiles_across, int slow_steps, const float* in, float* out);
/// The same, and block 1 loads once more after the barrier.
void copy_tiles_with_late_difference(int rows, unsigned tiles_across, const float* in, float* out);
/// Nothing is loaded before the first barrier.
void barrier_first(unsigned blocks, const float* in, float* out);

// -- Asynchronous copies, and warps that mbarriers and named barriers order ---------------------
/// What is wrong with a probe. Each probe knows some of them.
enum class AsyncFault { kNone, kWaitsForTooFew, kNoBarrier, kFillsTooEarly, kArrivesTooEarly };

/// 64 threads per block sum `tiles` tiles of 64 floats that cp.async brings; three buffers.
void staged_copy(AsyncFault fault, unsigned blocks, int tiles, const float* in, float* out);
/// Stores to a tile that a copy is filling.
void clear_in_flight(const float* in, float* out);
/// Lane l copies the l-th element of 4 or 16 bytes to element `stride` * l; lanes from `inside` on
/// bring zeros.
void copy_with_stride(unsigned bytes, int lanes, int inside, int stride, const float* in,
                      float* out);
/// Eight lanes copy 16 bytes each of an array of so many elements, and add up what arrives.
void copy_in_part(int elements, const float* in, float* out);
/// A producer warp brings `tiles` boxes of (4, 32), two warps sum their elements; two slices.
void boxes(AsyncFault fault, int tiles, const float* in, float* out);
/// Warp 0 stores `tiles` tiles of 32 floats, warp 1 sums them; one slice.
void stored_tiles(AsyncFault fault, int tiles, const float* in, float* out);
/// A box over shared memory that its block has cleared.
void box_over_stores(bool fenced, const float* in, float* out);
enum class ProductFault { kNone, kNoStores, kNoFence, kStoresTooEarly };
/// A warpgroup multiplies what its threads have stored, on tensor cores.
void product_of_stores(ProductFault fault, float* out);
/// The box of (4, 32) at (row, column) of a matrix.
void one_box(int rows, int columns, int row, int column, const float* in, float* out);
/// A warp brings a box, and another one has initialised the mbarrier.
void box_of_another_warp(bool ordered, const float* in, float* out);
/// Two pairs of warps exchange what they stored.
void exchange_in_pairs(AsyncFault fault, float* out);
/// In two blocks of two warps, each thread takes over its neighbour's element within the warp,
/// three times. All threads of a block, or of the cluster, meet between.
void rotate_in_warps(AsyncFault fault, bool of_cluster, float* out);
/// Each of two blocks copies the 32 floats that are in the other's shared memory.
void copy_from_peer(float* out);

}  // namespace ladder::trace_probes
