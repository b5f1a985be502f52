// SPDX-License-Identifier: MIT
/// \file  tests/gallery/gallery.hpp
/// \brief Small kernels with one fault each, as learners make them, and sound ones that look alike.
///        Free of CUDA's types.
///
/// In the source of a broken kernel a comment ends the line where the fault shows: `// fault: ` and
/// the words of the table. Lines that take part in it end in `// and here`: the other access of a
/// race, an access that the fault makes wrong too, the end of an endless loop.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "emulator/run/fault.hpp"
#include "emulator/trace/trace.hpp"

namespace ladder::gallery {

// No multiple of 16, so that every tile has an edge; N and K are multiples of 4 as float4 needs.
inline constexpr int kM = 50;
inline constexpr int kN = 72;
inline constexpr int kK = 40;

/// Memory of the machine that runs a kernel: three allocations, of exactly these sizes and aligned
/// to 256 bytes.
struct Arrays {
  const float* A;  ///< (kM, kK) row-major, values_of_a()
  const float* B;  ///< (kK, kN) row-major, values_of_b()
  float* C;        ///< (kM, kN) row-major
};

/// Starts one kernel.
using Launcher = void (*)(const Arrays&);

/// A kernel with a fault, and what a tracer must say about it.
struct Broken {
  const char* name;          ///< of the kernel
  emulator::FaultKind kind;  ///< what must be reported at the marked line
  const char* fault;         ///< as the comment at that line has it
  Launcher run;
  const char* element = "";  ///< how the element's name begins; empty: there may be none
  std::optional<emulator::Index> block = {};     ///< the first with the fault, if one is
  std::optional<emulator::Index> thread = {};    ///< likewise, in that block
  std::optional<emulator::FaultKind> also = {};  ///< what the fault leads to at the marked lines
};

/// A kernel without a fault.
struct Sound {
  const char* name;
  const char* twin;  ///< a broken kernel that does the same thing wrong
  Launcher run;
};

/// All kernels with a fault.
std::span<const Broken> broken_kernels();
/// All kernels without one.
std::span<const Sound> sound_kernels();

/// Whole numbers from -8 to 8, so that sums of products are exact in any order.
std::vector<float> values_of_a();
std::vector<float> values_of_b();

// -- out_of_bounds_global.cu --------------------------------------------------------------------
void rows_of_a_unguarded(const Arrays& arrays);
void rows_of_b_unguarded(const Arrays& arrays);
void store_unguarded(const Arrays& arrays);
void guard_one_too_wide(const Arrays& arrays);
void result_transposed(const Arrays& arrays);
void wrong_leading_dimension(const Arrays& arrays);
void loop_one_too_far(const Arrays& arrays);
void index_wraps(const Arrays& arrays);
void left_of_the_first(const Arrays& arrays);
void right_of_the_last(const Arrays& arrays);
void guard_tests_first_of_three(const Arrays& arrays);

// -- out_of_bounds_shared.cu --------------------------------------------------------------------
void shared_indices_swapped(const Arrays& arrays);
void row_below_the_tile(const Arrays& arrays);
void dynamic_size_in_elements(const Arrays& arrays);
void dynamic_size_of_one_tile(const Arrays& arrays);
void halo_on_one_side(const Arrays& arrays);
void shared_left_of_the_first(const Arrays& arrays);

// -- misaligned.cu ------------------------------------------------------------------------------
void float4_at_offset_one(const Arrays& arrays);
void float4_in_rows_of_fifty(const Arrays& arrays);
void float4_in_padded_row(const Arrays& arrays);
void float2_at_every_element(const Arrays& arrays);
void floats_behind_odd_bytes(const Arrays& arrays);

// -- uninitialised.cu ---------------------------------------------------------------------------
void edge_of_tile_unfilled(const Arrays& arrays);
void sum_of_partial_block(const Arrays& arrays);
void accumulator_never_zeroed(const Arrays& arrays);
void half_of_the_threads_fill(const Arrays& arrays);
void fill_counts_vectors(const Arrays& arrays);
void prologue_missing(const Arrays& arrays);

// -- races.cu -----------------------------------------------------------------------------------
void barrier_missing_after_fill(const Arrays& arrays);
void barrier_missing_after_use(const Arrays& arrays);
void barrier_missing_in_transpose(const Arrays& arrays);
void fills_the_buffer_in_use(const Arrays& arrays);
void last_writer_wins(const Arrays& arrays);
void tree_without_barrier(const Arrays& arrays);
void warp_sum_without_syncwarp(const Arrays& arrays);
void histogram_without_atomics(const Arrays& arrays);
void broadcast_without_barrier(const Arrays& arrays);
void scan_in_place(const Arrays& arrays);
void total_read_too_early(const Arrays& arrays);
void raised_without_swap(const Arrays& arrays);
void mean_overwritten(const Arrays& arrays);

// -- races_global.cu ----------------------------------------------------------------------------
void split_without_atomics(const Arrays& arrays);
void shift_in_place(const Arrays& arrays);
void total_without_atomics(const Arrays& arrays);
void exchange_without_barrier(const Arrays& arrays);
void swap_without_syncwarp(const Arrays& arrays);
void one_cell_for_all(const Arrays& arrays);
void adds_to_what_nobody_wrote(const Arrays& arrays);
void split_with_atomics(const Arrays& arrays);
void split_into_slices(const Arrays& arrays);
void shift_of_a_copy(const Arrays& arrays);
void exchange_behind_barrier(const Arrays& arrays);
void swap_behind_syncwarp(const Arrays& arrays);
void one_flag_for_all(const Arrays& arrays);
void adds_to_what_it_wrote(const Arrays& arrays);

// -- barriers.cu --------------------------------------------------------------------------------
void barrier_of_half_a_warp(const Arrays& arrays);
void barrier_in_both_branches(const Arrays& arrays);
void return_before_barrier(const Arrays& arrays);
void barrier_in_strided_loop(const Arrays& arrays);
void shuffle_without_upper_half(const Arrays& arrays);
void syncwarp_of_half_a_warp(const Arrays& arrays);
void everybody_waits(const Arrays& arrays);
void stride_of_zero(const Arrays& arrays);
void search_without_progress(const Arrays& arrays);

// -- words.cu -----------------------------------------------------------------------------------
void float4_behind_one_float(const Arrays& arrays);
void float2_into_odd_column(const Arrays& arrays);
void sum_beyond_the_mask(const Arrays& arrays);
void sum_of_a_short_warp(const Arrays& arrays);
void ballot_for_a_barrier(const Arrays& arrays);
void shuffle_for_a_barrier(const Arrays& arrays);
void accumulators_never_set(const Arrays& arrays);
void set_in_one_branch(const Arrays& arrays);
void two_warps_return(const Arrays& arrays);
/// C[i] = A[0] + A[1] + A[2] for i < 128.
void four_floats_behind_one(const Arrays& arrays);
/// C[w] = sum of the 16 elements of A from 32*w on, for w < 4.
void sum_of_half_a_warp(const Arrays& arrays);
/// C[0] = sum of the first 32 elements of A, C[1] = sum of the next 16.
void sum_of_lanes_that_exist(const Arrays& arrays);
/// The first 128 elements of C: A's neighbour in the pair where A is positive, else 0.
void ballot_and_barrier(const Arrays& arrays);
/// The first 100 elements of C = A, then 28 zeros.
void set_in_both_branches(const Arrays& arrays);
/// The first 64 elements of C = A in reverse.
void two_warps_wait(const Arrays& arrays);

// -- local_arrays.cu ----------------------------------------------------------------------------
void five_rows_in_a_tile_of_four(const Arrays& arrays);
void line_with_its_padding(const Arrays& arrays);
void tail_of_a_vector_counted_up(const Arrays& arrays);
void tail_longer_than_the_vector(const Arrays& arrays);
void cleared_without_an_end(const Arrays& arrays);
/// C[i] = sum over m < 4 of element (i + m, (i + m) % 4) of A, for i < 32.
void four_rows_in_a_tile_of_four(const Arrays& arrays);
/// C[i] = A[i + 7*i % 100] for i < 32.
void line_without_its_padding(const Arrays& arrays);
/// The first 128 elements of C = A, where the last two of four are 0.
void tail_of_a_vector_cleared(const Arrays& arrays);
/// C[i] = 7*i % 100 for i < 32.
void cleared_to_its_end(const Arrays& arrays);

// -- sound.cu -----------------------------------------------------------------------------------
/// C = A*B
void guarded_gemm(const Arrays& arrays);
/// C = A*B
void double_buffered_gemm(const Arrays& arrays);
/// C = A*B
void two_dynamic_tiles(const Arrays& arrays);
/// The first kM*kK elements of C = A transposed.
void transpose_through_tile(const Arrays& arrays);
/// C (32, 16) = the transposed upper left corner of A.
void transpose_of_halves(const Arrays& arrays);
/// The first kM*kK elements of C = A.
void float4_in_rows_padded_by_four(const Arrays& arrays);
/// The first 512 elements of C = A with groups of four in reverse.
void reverse_of_vectors(const Arrays& arrays);
/// C[i] = A[i-1] + A[i] + A[i+1], where what is outside of A counts as 0.
void stencil_with_halo(const Arrays& arrays);
/// C[b] = sum of the 128 elements of A from 128*b on.
void tree_with_barriers(const Arrays& arrays);
/// C[w] = sum of the 32 elements of A from 32*w on, for the first 1920 elements.
void warp_sum_with_syncwarp(const Arrays& arrays);
/// The same.
void warp_sum_by_shuffles(const Arrays& arrays);
/// C[32*b + v] = how many of A's 128 elements from 128*b on are v - 8.
void histogram_with_atomics(const Arrays& arrays);
/// C[i] = sum of the elements from 128*floor(i/128) to i of A.
void scan_with_two_buffers(const Arrays& arrays);
/// C[b] = sum of squares of (x - mean) over the 64 elements of A from 64*b on.
void mean_read_before_overwritten(const Arrays& arrays);
/// The first 64 elements of C = A in reverse.
void flag_set_before_the_wait(const Arrays& arrays);

// -- order.cu ---------------------------------------------------------------------------------
void beyond_the_array_of_a_file(const Arrays& arrays);
void beyond_the_array_of_a_function(const Arrays& arrays);
void dynamic_of_file_too_small(const Arrays& arrays);
void flag_without_a_fence(const Arrays& arrays);
void flag_without_the_readers_fence(const Arrays& arrays);
void flag_before_the_data(const Arrays& arrays);
void half_reads_the_other_half(const Arrays& arrays);
void sum_read_by_the_other_half(const Arrays& arrays);
void array_of_a_function_used_again(const Arrays& arrays);
void flag_of_two_values(const Arrays& arrays);
void cleared_after_it_was_set(const Arrays& arrays);
void volatile_wait_for_nobody(const Arrays& arrays);

// -- sound_shared.cu --------------------------------------------------------------------------
/// C[b] = sum of the 128 elements of A from 128*b on.
void sum_in_a_function(const Arrays& arrays);
/// C[i] = sum of the 128 elements of A around i, without its own.
void sum_in_a_template(const Arrays& arrays);
/// C[b] = sum of squares of (x - mean) over the 128 elements of A from 128*b on; 0 behind A.
void two_sums_of_one_function(const Arrays& arrays);
/// C[b] = sum of (largest - x) over the 128 elements of A from 128*b on; 0 behind A.
void two_functions_with_arrays(const Arrays& arrays);
/// C[i] = A[i] - A[i-1], where a block of 128 begins with 0.
void array_of_a_member(const Arrays& arrays);
/// C[i] = sum of the elements from 128*floor(i/128) to i of A.
void scan_in_a_function(const Arrays& arrays);
/// C = A with each 128 elements in reverse.
void array_in_a_lambda(const Arrays& arrays);
/// C = A with each 128 elements rotated by 1.
void arrays_of_functions_in_a_table(const Arrays& arrays);
/// C[i] = A[i-1] + A[i] + A[i+1], where what is outside of A counts as 0.
void array_outside_of_functions(const Arrays& arrays);
/// The first 512 elements of C = A with groups of four in reverse.
void vectors_outside_of_functions(const Arrays& arrays);
/// C = A with each 128 elements in reverse.
void dynamic_outside_of_functions(const Arrays& arrays);
/// C[i] = element (5*i + 3) % 128 of the 128 elements of A around i.
void dynamic_in_two_parts(const Arrays& arrays);
/// C[b] = largest of the 128 elements of A from 128*b on.
void structure_in_shared(const Arrays& arrays);
/// C[i] = (largest - A[i]) + sum of that over the 128 elements of A around i.
void softmax_like_rows(const Arrays& arrays);
/// C (32, 48) = the upper left corner of A transposed.
void transpose_in_a_function(const Arrays& arrays);
/// C[v] = how many elements of A are v - 8.
void histogram_by_warps(const Arrays& arrays);
/// C = A with each 128 elements sorted.
void bitonic_sort(const Arrays& arrays);
/// C = A*B
void three_stages(const Arrays& arrays);
/// C[b] = sum of the positive ones of the 128 elements of A from 128*b on.
void compaction_with_counter(const Arrays& arrays);
/// C[b] = sum of the 128 elements of A from 128*b on.
void sum_with_early_exit(const Arrays& arrays);

// -- sound_order.cu ---------------------------------------------------------------------------
/// C[i] = A[(i + 1) % 32] for 96 elements.
void flag_behind_a_fence(const Arrays& arrays);
/// The first 32 elements of C = A in reverse.
void volatile_flag_behind_a_fence(const Arrays& arrays);
/// The first 31 elements of C = A[1] + 1.
void flag_within_a_warp(const Arrays& arrays);
/// C[0] = sum of the first 128 elements of A.
void sum_behind_a_lock(const Arrays& arrays);
/// The first 5 elements of C = A.
void ball_between_two_lanes(const Arrays& arrays);
/// C = 8 times 32 elements of A in reverse.
void ring_of_two_warps(const Arrays& arrays);
/// C[0] = sum of 15 times 128 elements of A; C[1] = 0; C[2 + b] = sum of 128 of them.
void sum_by_the_last_block(const Arrays& arrays);
/// C[i] = sum of the elements up to i of A; behind them sums of blocks, sums up to blocks, states.
void scan_with_look_back(const Arrays& arrays);
/// C[h] = sum of the 16 elements of A from 16*h on.
void sums_of_half_warps(const Arrays& arrays);
/// C[0] = sum of the first 32 elements of A.
void sum_of_the_low_half(const Arrays& arrays);
/// C = A with groups of eight rotated by 1 to 4.
void groups_of_eight_lanes(const Arrays& arrays);
/// C[i] = A[i ^ 1] + A[i ^ 16].
void halves_then_the_warp(const Arrays& arrays);
/// C[i] = -A[i + 16] for the first 16 elements, A[i - 16] for the next.
void syncwarp_in_both_branches(const Arrays& arrays);
/// C[0] = sum of the first 32 elements of A.
void chain_of_lanes(const Arrays& arrays);
/// C[i] = A[i ^ 1] + 1 for 48 elements.
void last_warp_is_not_full(const Arrays& arrays);
/// C[b] = 1 if one of the 128 elements of A from 128*b on is below -7, else 0.
void same_flag_from_many(const Arrays& arrays);
/// C[b] = largest of the 128 elements of A from 128*b on.
void largest_by_compare_and_swap(const Arrays& arrays);
/// C[i] = 8 * sum of A, for i < 128.
void doubles_by_compare_and_swap(const Arrays& arrays);
/// C[0] = largest of the first 1920 elements of A.
void largest_of_all_blocks(const Arrays& arrays);
/// C[i] = A[i] * (A[1] + 3) for 128 elements.
void same_value_from_all(const Arrays& arrays);
/// C[i] = A[i] + A[i + 64] for 64 elements.
void cleared_by_every_warp(const Arrays& arrays);
/// C = A with each 128 elements sorted.
void sorted_until_nothing_moves(const Arrays& arrays);
/// C[17*b + v] = 1 if one of the 128 elements of A from 128*b on is v - 8, else 0.
void marks_of_values(const Arrays& arrays);

// -- order_global.cu -----------------------------------------------------------------------------
void last_block_without_fence(const Arrays& arrays);
void lock_opened_by_a_store(const Arrays& arrays);
void lock_without_fences(const Arrays& arrays);
void fence_of_the_block_only(const Arrays& arrays);
void count_of_the_block_only(const Arrays& arrays);
void race_beside_an_atomic(const Arrays& arrays);
void fence_for_a_barrier(const Arrays& arrays);
void look_back_without_a_fence(const Arrays& arrays);
void last_block_behind_fences(const Arrays& arrays);
void last_block_of_fenced_threads(const Arrays& arrays);
void lock_opened_atomically(const Arrays& arrays);
void fence_for_all_blocks(const Arrays& arrays);
void count_of_all_blocks(const Arrays& arrays);
void barrier_beside_an_atomic(const Arrays& arrays);
void look_back(const Arrays& arrays);

}  // namespace ladder::gallery
