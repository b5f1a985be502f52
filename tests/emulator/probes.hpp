// SPDX-License-Identifier: MIT
/// \file  tests/emulator/probes.hpp
/// \brief Host functions that launch one small kernel each. Free of CUDA's types.
#pragma once

#include <array>
#include <cstddef>

namespace ladder::probes {

using Extents = std::array<unsigned, 3>;

// -- grid_probes.cu ----------------------------------------------------------------------------
/// Each thread writes threadIdx, blockIdx, blockDim, gridDim (12 numbers) at its place.
void write_indices(Extents grid, Extents block, unsigned* out);
/// Each thread adds 1 to its own element.
void count_visits(Extents grid, Extents block, std::size_t dynamic_shared_bytes, int* visits);
/// Sums 1/(i+1+block) in a fixed order per block: a value that shows any reordering.
void harmonic_sums(unsigned blocks, float* out);

// -- shared_memory_probes.cu -------------------------------------------------------------------
void reverse_static(unsigned blocks, int threads, const int* in, int* out);
void reverse_dynamic(int threads, const int* in, int* out);
void reverse_dynamic_doubles(int threads, const double* in, double* out);
void reverse_dynamic_template(int threads, const short* in, short* out);
/// Copies its static and dynamic shared memory out without having written it, then spoils both.
void read_unwritten(unsigned blocks, float* fixed, float* dynamic);
/// Address of dynamic shared memory modulo 1024.
void dynamic_alignment(unsigned* out);
/// Addresses of float arrays modulo 16, and of arrays with alignments of 256 and 128 modulo those.
void static_alignment(unsigned* out);
/// Writes and reads the last of `bytes` bytes of dynamic shared memory.
void touch_last_dynamic_byte(std::size_t bytes, int* out);
/// Static arrays of a kernel and of two instances of a template: do they overlap?
void two_arrays(int* out);

// -- barrier_probes.cu -------------------------------------------------------------------------
void vote_at_barriers(int threads, const int* predicates, int* count, int* all, int* any);
void rotate_through_shared(int threads, int steps, int* out);
void divergent_barrier(int threads);
/// Threads before `first` and from `end` on leave; the others count the odd ones of them, and vote.
void votes_of_who_is_left(int threads, int first, int end, int* count, int* all);
void barrier_of_each_warp(int threads);
void spin_for_a_missing_barrier(int* flag);
void divergent_in_block(unsigned blocks, unsigned first_bad);
/// Each thread comes by once more than the one before it: how many are there the i-th time?
void barrier_in_loop_of_unequal_length(int threads, int* present);

// -- header_probes.cu --------------------------------------------------------------------------
/// out[0..7]: sums of 16 numbers each; out[8..11]: how many of 32 are positive.
void sums_by_groups(const float* in, float* out);

// -- warp_probes.cu ----------------------------------------------------------------------------
/// out[4 * thread + {0,1,2,3}] = shfl, up, down, xor of `in`; threads outside mask write nothing.
void shuffle_ints(unsigned threads, unsigned mask, int width, int operand, const int* in, int* out);
void shuffle_types(unsigned mask, double* doubles, long long* longs, float* halves);
void vote(unsigned threads, unsigned mask, const int* predicates, unsigned* out);
void match(unsigned mask, const int* in, unsigned* any, unsigned* all, int* equal);
void reduce(unsigned mask, const int* in, int* out, unsigned* bits);
void halves_of_a_warp(int* out);
void chain_of_masks(int* out);
void active_mask(unsigned* out);
void sum_of_partial_warp(unsigned threads, float* out);
void lane_not_in_mask();
void lanes_leave(int* out);
void lane_at_barrier();
void different_functions();
void different_masks();
void ring_of_masks();
void bad_width();
/// Of 96 threads, each takes a number, waits for its warp, and takes another.
void take_numbers(int* first, int* second);
/// Lane 0 says that its warp is done, before the other lanes have read; then another warp writes.
void released_too_early(int* out);

// -- atomic_probes.cu --------------------------------------------------------------------------
/// 256 threads change six words by atomics of the block's and of the system's scope.
void scoped_atomics(int* out);
/// Each thread adds 20 times: -1, +3 and -1, 5e9, 0.5, its number.
void add_from_all(unsigned blocks, unsigned threads, int* i, unsigned* u, unsigned long long* ull,
                  float* f, double* d);
void min_max_from_all(unsigned blocks, unsigned threads, int* out, unsigned* unsigned_out);
void bits_from_all(unsigned* out);
void increments(unsigned threads, unsigned limit, unsigned* counters, unsigned* olds);
void exchange_chain(unsigned blocks, unsigned threads, unsigned* slot, unsigned* taken);
void spin_lock(unsigned blocks, unsigned threads, unsigned* lock, int* counter);
void wait_for_last_thread(int* flag, int* out);
void wait_for_lower_block(unsigned blocks, int* flags);

// -- vector_probes.cu --------------------------------------------------------------------------
void copy_float4(int count, const float* in, float* out);
void scale_halves(int count, const float* in, float* out);
/// Reverses 32 numbers through shared float4, __half2 and __nv_bfloat16: 3 * 32 results.
void reverse_in_shared(const float* in, float* out);

// -- fault_probes.cu ---------------------------------------------------------------------------
void write_null(unsigned blocks, unsigned bad_block, unsigned bad_thread);
void read_wild(const float* address, float* out);
void copy_misaligned(const float* in, float* out);
void divide(int divisor, int* out);
void trap();
void overflow_stack(float* out);
/// Thread 3 stores `count` numbers in an array of 16; *out = the last of them if it is there.
void fill_array(int count, float* out);
/// The same with a second array of 8, or on the host.
void fill_two_arrays(int count, float* out);
void fill_downwards(size_t count, float* out);
void fill_array_of_host(int count, float* out);
void copy_bytes_to_null();
void endless_loop(unsigned bad_thread);
void endless_spin(int* flag);
void endless_shuffle();
void slow_but_passing(int rounds, int* out);

// -- exception_probes.cpp ----------------------------------------------------------------------
void throw_exception(unsigned bad_thread);
void throw_number();
void launch_from_kernel();
void end_thread_by_unwinding();              ///< pthread_exit()
void end_thread_by_itself();                 ///< the system call
void fill_static_48_kib(float* out);         ///< one 1.0
void fill_static_beyond_48_kib(float* out);  ///< the same, with an array one float larger

}  // namespace ladder::probes
