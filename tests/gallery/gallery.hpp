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

#include "common/emulator/run/kernel_error.hpp"
#include "common/emulator/trace/trace.hpp"

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
  const char* name;           ///< of the kernel
  emulator::HazardKind kind;  ///< what must be reported at the marked line
  const char* fault;          ///< as the comment at that line has it
  Launcher run;
  const char* element = "";  ///< how the element's name begins; empty: there may be none
  std::optional<emulator::KernelError::Index> block = {};   ///< the first with the fault, if one is
  std::optional<emulator::KernelError::Index> thread = {};  ///< likewise, in that block
  std::optional<emulator::HazardKind> also = {};  ///< what the fault leads to at the marked lines
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
void mean_overwritten(const Arrays& arrays);

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

}  // namespace ladder::gallery
