# Mistakes in the pipelines of rungs 09, 10 and 11.

# -- cp.async --------------------------------------------------------------------------------------
add_mutant(
  copy_wait_missing 09_async_copy TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n        __syncthreads();"
  "__syncthreads();")
add_mutant(
  copy_wait_too_lax 09_async_copy TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n        __syncthreads();"
  "ptx::cp_async_wait<STAGES - 1>();\n        __syncthreads();")
add_mutant(
  copy_barrier_missing 09_async_copy TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n        __syncthreads();"
  "ptx::cp_async_wait<STAGES - 2>();")
add_mutant(
  copy_into_stage_being_read 09_async_copy TRACED
  "copy(stage == 0 ? STAGES - 1 : stage - 1, k0"
  "copy(stage, k0")

# -- mbarriers and boxes ---------------------------------------------------------------------------
add_mutant(
  full_wait_missing 10_producer_warps TRACED
  "    ptx::mbarrier_wait(&next->full, phase);\n"
  "")
add_mutant(
  producer_parity_wrong 10_producer_warps TRACED
  "int phase = 1;"
  "int phase = 0;")
add_mutant(
  consumer_parity_wrong 10_producer_warps TRACED
  "int phase = 0;"
  "int phase = 1;")
add_mutant(
  empty_wait_missing 10_producer_warps TRACED
  "ptx::mbarrier_wait(&slice->empty, phase);\n      if (lane"
  "if (lane")
add_mutant(
  empty_wait_for_the_first_slice 10_producer_warps TRACED
  "ptx::mbarrier_wait(&slice->empty, phase);\n      if (lane"
  "ptx::mbarrier_wait(&slices->empty, phase);\n      if (lane")
add_mutant(
  too_many_bytes_expected 10_producer_warps TRACED
  "sizeof slice->B);"
  "sizeof slice->A + sizeof slice->B);")
add_mutant(
  too_few_bytes_expected 10_producer_warps TRACED
  "sizeof slice->B);"
  "sizeof slice->B / 2);")
add_mutant(
  empty_arrival_missing 10_producer_warps TRACED
  "if (lane == 0) ptx::mbarrier_arrive(&slice->empty);"
  "")
add_mutant(
  full_count_too_high 10_producer_warps TRACED
  ".full, 2);"
  ".full, 3);")
add_mutant(
  full_count_too_low 10_producer_warps TRACED
  ".full, 2);"
  ".full, 1);")
add_mutant(
  box_coordinates_swapped 10_producer_warps TRACED
  "map_b, k0, col0,"
  "map_b, col0, k0,")

# -- Blocks that share tiles -----------------------------------------------------------------------
add_mutant(
  flag_not_reset 11_stream_k TRACED WAY "64 x 64"
  "*flag = 0;"
  "")
add_mutant(
  flag_seen_by_one_thread 11_stream_k TRACED WAY "64 x 64"
  "  ptx::barrier_sync<1, kConsumers>();\n  constexpr"
  "  constexpr")
add_mutant(
  round_left_out 11_stream_k TRACED WAY "64 x 64"
  "end(sharer < 0 ? 0 : division.start_of(sharer + 1))"
  "end(sharer < 0 ? 0 : division.start_of(sharer + 1) - 1)")
add_mutant(
  round_counted_twice 11_stream_k TRACED WAY "64 x 64"
  "position(sharer < 0 ? 0 : division.start_of(sharer))"
  "position(sharer < 1 ? 0 : division.start_of(sharer) - 1)")
add_mutant(
  waits_for_itself 11_stream_k TRACED WAY "64 x 64"
  "&flags[blockIdx.x - other * step]"
  "&flags[blockIdx.x - (other - 1) * step]")
add_mutant(
  tree_ends_early 11_stream_k TRACED WAY "64 x 64"
  "step *= kFanIn) {"
  "step *= 1024) {")
add_mutant(
  sums_barrier_missing 11_stream_k TRACED WAY "64 x 64"
  "ptx::barrier_sync<1, 32 * kWarps>();\n    for (int m = 0; m < kRows; ++m) {"
  "for (int m = 0; m < kRows; ++m) {")
add_mutant(
  sums_overwritten 11_stream_k TRACED WAY "64 x 64"
  "    ptx::barrier_sync<1, 32 * kWarps>();\n  }\n}"
  "  }\n}")

# -- Warps and clusters that share K ---------------------------------------------------------------
add_mutant(
  small_wait_missing 11_stream_k TRACED WAY "32 x 32, small"
  "    ptx::cp_async_wait<kSmallStages - 2>();\n"
  "")
add_mutant(
  small_wait_too_lax 11_stream_k TRACED WAY "32 x 32, small"
  "ptx::cp_async_wait<kSmallStages - 2>();"
  "ptx::cp_async_wait<kSmallStages - 1>();")
add_mutant(
  lanes_not_awaited 11_stream_k TRACED WAY "32 x 32, small"
  "    __syncwarp();  // all lanes' copies"
  "    // all lanes' copies")
add_mutant(
  small_copy_into_slice_being_read 11_stream_k TRACED WAY "32 x 32, small"
  "copy(stage == 0 ? kSmallStages - 1 : stage - 1);"
  "copy(stage);")
add_mutant(
  sums_over_slices_being_read 11_stream_k TRACED WAY "32 x 32, small"
  "  __syncwarp();  // all slices of this warp"
  "  // all slices of this warp")
add_mutant(
  warps_not_awaited 11_stream_k TRACED WAY "32 x 32, small"
  "    __syncthreads();\n  } else {\n    ptx::cluster_sync();"
  "  } else {\n    ptx::cluster_sync();")
add_mutant(
  cluster_sync_missing_before_reading 11_stream_k TRACED WAY "32 x 32, cluster of 2"
  "} else {\n    ptx::cluster_sync();"
  "} else {\n    __syncthreads();")
add_mutant(
  cluster_sync_missing_at_the_end 11_stream_k TRACED WAY "32 x 32, cluster of 2"
  "if constexpr (CLUSTER > 1) ptx::cluster_sync();  // the others"
  "// the others")
