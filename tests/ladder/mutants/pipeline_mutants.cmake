# Mistakes in the pipelines of rungs 09 to 13.

# -- cp.async --------------------------------------------------------------------------------------
add_mutant(
  copy_wait_missing 09_async_copy TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n    __syncthreads();"
  "__syncthreads();")
add_mutant(
  copy_wait_too_lax 09_async_copy TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n    __syncthreads();"
  "ptx::cp_async_wait<STAGES - 1>();\n    __syncthreads();")
add_mutant(
  copy_barrier_missing 09_async_copy TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n    __syncthreads();"
  "ptx::cp_async_wait<STAGES - 2>();")
add_mutant(
  copy_into_stage_being_read 09_async_copy TRACED
  "fetch(stage == 0 ? STAGES - 1 : stage - 1, k0"
  "fetch(stage, k0")
add_mutant(
  wide_copy_wait_missing 10_wide_tile TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n        __syncthreads();"
  "__syncthreads();")
add_mutant(
  wide_copy_wait_too_lax 10_wide_tile TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n        __syncthreads();"
  "ptx::cp_async_wait<STAGES - 1>();\n        __syncthreads();")
add_mutant(
  wide_copy_barrier_missing 10_wide_tile TRACED
  "ptx::cp_async_wait<STAGES - 2>();\n        __syncthreads();"
  "ptx::cp_async_wait<STAGES - 2>();")
add_mutant(
  wide_copy_into_stage_being_read 10_wide_tile TRACED
  "fetch(stage == 0 ? STAGES - 1 : stage - 1, k0"
  "fetch(stage, k0")

# -- mbarriers and boxes ---------------------------------------------------------------------------
add_mutant(
  full_wait_missing 11_producer_warps TRACED
  "    ptx::mbarrier_wait(&next->full, phase);\n"
  "")
add_mutant(
  producer_parity_wrong 11_producer_warps TRACED
  "int phase = 1;"
  "int phase = 0;")
add_mutant(
  consumer_parity_wrong 11_producer_warps TRACED
  "int phase = 0;"
  "int phase = 1;")
add_mutant(
  empty_wait_missing 11_producer_warps TRACED
  "ptx::mbarrier_wait(&stage->empty, phase);\n    if (lane"
  "if (lane")
add_mutant(
  empty_wait_for_the_first_stage 11_producer_warps TRACED
  "ptx::mbarrier_wait(&stage->empty, phase);\n    if (lane"
  "ptx::mbarrier_wait(&stages->empty, phase);\n    if (lane")
add_mutant(
  too_many_bytes_expected 11_producer_warps TRACED
  "sizeof stage->B);"
  "sizeof stage->A + sizeof stage->B);")
add_mutant(
  too_few_bytes_expected 11_producer_warps TRACED
  "sizeof stage->B);"
  "sizeof stage->B / 2);")
add_mutant(
  empty_arrival_missing 11_producer_warps TRACED
  "if (lane == 0) ptx::mbarrier_arrive(&stage->empty);"
  "")
add_mutant(
  full_count_too_high 11_producer_warps TRACED
  ".full, 2);"
  ".full, 3);")
add_mutant(
  full_count_too_low 11_producer_warps TRACED
  ".full, 2);"
  ".full, 1);")
add_mutant(
  box_coordinates_swapped 11_producer_warps TRACED
  "map_b, k0, col0,"
  "map_b, col0, k0,")

# -- Blocks that share tiles -----------------------------------------------------------------------
add_mutant(
  flag_not_reset 12_stream_k TRACED
  "*flag = 0;"
  "")
add_mutant(
  flag_seen_by_one_thread 12_stream_k TRACED
  "  ptx::barrier_sync<1, kConsumers>();\n  constexpr"
  "  constexpr")
add_mutant(
  k_tile_left_out 12_stream_k TRACED
  "end(rank < 0 ? 0 : split.start_of(rank + 1))"
  "end(rank < 0 ? 0 : split.start_of(rank + 1) - 1)")
add_mutant(
  k_tile_counted_twice 12_stream_k TRACED
  "position(rank < 0 ? 0 : split.start_of(rank))"
  "position(rank < 1 ? 0 : split.start_of(rank) - 1)")
add_mutant(
  waits_for_itself 12_stream_k TRACED
  "&flags[blockIdx.x - peer]"
  "&flags[blockIdx.x - (peer - 1)]")
add_mutant(
  whole_tile_left_out 12_stream_k TRACED
  "next_tile < split.first_split"
  "next_tile + 1 < split.first_split")
add_mutant(
  tile_stored_by_every_peer 12_stream_k TRACED
  "if (part.begin > 0) {  // a peer"
  "if (part.begin > split.k_tiles) {  // a peer")
add_mutant(
  zeros_behind_the_last_missing 12_stream_k TRACED
  "  if (part.begin == 0) {\n    Stage* const stage"
  "  if (part.begin < 0) {\n    Stage* const stage")

# -- and their warps too ---------------------------------------------------------------------------
add_mutant(
  tree_flag_not_reset 13_small_products TRACED CONFIGURATION "64 x 64"
  "*flag = 0;"
  "")
add_mutant(
  tree_flag_seen_by_one_thread 13_small_products TRACED CONFIGURATION "64 x 64"
  "  ptx::barrier_sync<1, kConsumers>();\n  constexpr"
  "  constexpr")
add_mutant(
  tree_k_tile_left_out 13_small_products TRACED CONFIGURATION "64 x 64"
  "end(rank < 0 ? 0 : split.start_of(rank + 1))"
  "end(rank < 0 ? 0 : split.start_of(rank + 1) - 1)")
add_mutant(
  tree_k_tile_counted_twice 13_small_products TRACED CONFIGURATION "64 x 64"
  "position(rank < 0 ? 0 : split.start_of(rank))"
  "position(rank < 1 ? 0 : split.start_of(rank) - 1)")
add_mutant(
  tree_waits_for_itself 13_small_products TRACED CONFIGURATION "64 x 64"
  "&flags[blockIdx.x - peer * step]"
  "&flags[blockIdx.x - (peer - 1) * step]")
add_mutant(
  tree_ends_early 13_small_products TRACED CONFIGURATION "64 x 64"
  "step *= kFanIn) {"
  "step *= 1024) {")
add_mutant(
  sums_barrier_missing 13_small_products TRACED CONFIGURATION "64 x 64"
  "    ptx::barrier_sync<1, kConsumers>();\n    for (int m = 0; m < kRows; ++m) {"
  "    for (int m = 0; m < kRows; ++m) {")
add_mutant(
  sums_overwritten 13_small_products TRACED CONFIGURATION "64 x 64"
  "    ptx::barrier_sync<1, kConsumers>();\n  }\n}"
  "  }\n}")

# -- Warps and clusters that share K ---------------------------------------------------------------
add_mutant(
  small_wait_missing 13_small_products TRACED CONFIGURATION "32 x 32, small"
  "    ptx::cp_async_wait<STAGES - 2>();\n    __syncwarp();"
  "    __syncwarp();")
add_mutant(
  small_wait_too_lax 13_small_products TRACED CONFIGURATION "32 x 32, small"
  "    ptx::cp_async_wait<STAGES - 2>();\n    __syncwarp();"
  "    ptx::cp_async_wait<STAGES - 1>();\n    __syncwarp();")
add_mutant(
  lanes_not_awaited 13_small_products TRACED CONFIGURATION "32 x 32, small"
  "    __syncwarp();  // all lanes' copies"
  "    // all lanes' copies")
add_mutant(
  small_copy_into_stage_being_read 13_small_products TRACED CONFIGURATION "32 x 32, small"
  "fetch(stage == 0 ? STAGES - 1 : stage - 1);"
  "fetch(stage);")
add_mutant(
  sums_over_stages_being_read 13_small_products TRACED CONFIGURATION "32 x 32, small"
  "  __syncwarp();  // all stages of this warp"
  "  // all stages of this warp")
add_mutant(
  warps_not_awaited 13_small_products TRACED CONFIGURATION "32 x 32, small"
  "    __syncthreads();\n  } else {\n    ptx::cluster_sync();"
  "  } else {\n    ptx::cluster_sync();")
add_mutant(
  cluster_sync_missing_before_reading 13_small_products TRACED CONFIGURATION "16 x 32, cluster of 2"
  "} else {\n    ptx::cluster_sync();"
  "} else {\n    __syncthreads();")
add_mutant(
  cluster_sync_missing_at_the_end 13_small_products TRACED CONFIGURATION "16 x 32, cluster of 2"
  "if constexpr (CLUSTER > 1) ptx::cluster_sync();  // the others"
  "// the others")

# -- Little K --------------------------------------------------------------------------------------
add_mutant(
  thin_wait_missing 13_small_products TRACED CONFIGURATION "64 x 64, thin"
  "    ptx::cp_async_wait<STAGES - 2>();\n    __syncthreads();  // all copies"
  "    __syncthreads();  // all copies")
add_mutant(
  thin_wait_too_lax 13_small_products TRACED CONFIGURATION "64 x 64, thin"
  "    ptx::cp_async_wait<STAGES - 2>();\n    __syncthreads();  // all copies"
  "    ptx::cp_async_wait<STAGES - 1>();\n    __syncthreads();  // all copies")
add_mutant(
  thin_barrier_missing 13_small_products TRACED CONFIGURATION "64 x 64, thin"
  "    __syncthreads();  // all copies"
  "    // all copies")
add_mutant(
  thin_copy_into_stage_being_read 13_small_products TRACED CONFIGURATION "64 x 64, thin"
  "fetch(stage == 0 ? STAGES - 1 : stage - 1, k0"
  "fetch(stage, k0")
add_mutant(
  thin_read_behind_the_end_of_k 13_small_products TRACED CONFIGURATION "64 x 64, thin"
  "const int depth = min(kDepth, K - k0);"
  "const int depth = kDepth;")
add_mutant(
  thin_guard_missing_m 13_small_products TRACED CONFIGURATION "64 x 64, thin"
  "if (row >= M || col >= N) continue;"
  "if (col >= N) continue;")
