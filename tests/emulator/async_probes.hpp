// SPDX-License-Identifier: MIT
/// \file  tests/emulator/async_probes.hpp
/// \brief Host functions that launch one small kernel each, of what common/ptx offers. Free of
///        CUDA's types.
#pragma once

#include <cstddef>

#include "common/bfloat16.hpp"
#include "common/ptx/swizzle.hpp"

namespace ladder::probes {

// -- copy_probes.cu ----------------------------------------------------------------------------
/// out = the vectors of `in` in reverse order, by way of shared memory; zeros from `inside` on.
void copy_through_shared(int vector, unsigned threads, int inside, const float* in, float* out);
/// Five rows of four: what has arrived before any wait and after waits for 3, 2, 1, 0.
void watch_groups_arrive(const float* in, float* out);
void copy_to_odd_address(const float* in);
void copy_from_odd_address(const float* in);
void copy_to_global(const float* in, float* out);
void copy_beyond_shared(const float* in);
void copy_from_null();

/// A box of a matrix, which may stick out of it.
struct Box {
  const float* matrix;
  int matrix_rows;
  int matrix_columns;
  int rows;
  int columns;
  int row;
  int column;
};
void check_map(const float* matrix, int rows, int columns, int box_rows, int box_columns);
void check_bf16_map(const bfloat16* matrix, int rows, int columns, int box_rows, int box_columns,
                    ptx::Swizzle swizzle);
/// The same of any elements, with a swizzle.
template <class T>
struct RawBox {
  const T* matrix;
  int matrix_rows;
  int matrix_columns;
  int rows;
  int columns;
  ptx::Swizzle swizzle;
  int row;
  int column;
};
/// \param out  the box's bytes as they lie in shared memory, at a multiple of 1024
void copy_raw_box(const RawBox<float>& box, unsigned char* out);
void copy_raw_box(const RawBox<bfloat16>& box, unsigned char* out);
void copy_box(const Box& box, unsigned threads, float* out);
/// out[0], out[1]: the first element before and after the wait.
void read_box_too_early(const float* four, float* out);
void copy_box_to_odd_address(const float* four);
void copy_box_beyond_shared(const float* four);
void copy_box_without_barrier(const float* four);
void leave_before_box_arrives(const float* four);
void copy_box_to_unfenced_barrier(const float* four);
/// Sums the columns of a (4 * slices, 64) matrix through a ring of three buffers.
void sum_columns_by_producer(const float* matrix, int slices, float* out);

// -- mbarrier_probes.cu ------------------------------------------------------------------------
/// Half of the threads passes 1000 * i + thread to the other half, in reverse order.
void hand_over(unsigned threads, int count, int* out);
enum class MbarrierMisuse {
  kArriveBeforeInit,
  kWaitBeforeInit,
  kOverwritten,
  kCopied,
  kInitTwice,
  kInitForNobody,
  kInLocalMemory,
  kTooManyArrivals,
  kOddParity,
  kOvertaken,
  kUnseenPhase,
};
void misuse_mbarrier(MbarrierMisuse misuse);
/// Two teams of 64 threads; the second makes twice as many steps.
void rotate_in_teams(int steps, int* out);
void disagree_at_named_barrier();
void move_registers(unsigned threads, int* out);
void take_too_many_registers();
void move_registers_apart();
void move_registers_of_three_warps();
void wait_for_each_other(const float* four);
void bytes_nobody_announced(const float* four);
void one_lane_waits(int* out);

// -- block_wait_probes.cu ----------------------------------------------------------------------
/// sums[i] = i + sums[i + 1], where each block waits for the next one.
void sum_from_the_last(unsigned blocks, unsigned* flags, int* sums);
void meet_as_grid(unsigned blocks, int rounds, unsigned* arrived, unsigned* phase, int* out,
                  std::size_t shared_bytes = 64 * sizeof(int));
/// The same with blocks of 1024 threads, two of them a cluster.
void meet_as_clusters(unsigned blocks, int rounds, unsigned* arrived, unsigned* phase, int* out);
void wait_by_atomic(unsigned blocks, int* flags, int* order);
/// *out = how often the flag was seen unset, at most 3000 times.
void look_and_go_on(const unsigned* flag, int* out);
/// out[i] = *theirs, once somebody outside of the grid has set the flag.
void wait_for_another_process(unsigned blocks, const unsigned* flag, const int* theirs, int* out);
void wait_for_ever(unsigned blocks, const unsigned* flag);
void wait_for_the_last(unsigned blocks, unsigned threads, unsigned* flag);
int count_multiprocessors();
void write_ranks(unsigned blocks, unsigned cluster, unsigned* out);
void rotate_in_cluster(unsigned blocks, unsigned cluster, int rounds, int* out);
void map_beyond_cluster();
void read_after_leaving(unsigned* flag);
void leave_before_cluster_sync();
void one_block_leaves();

}  // namespace ladder::probes
