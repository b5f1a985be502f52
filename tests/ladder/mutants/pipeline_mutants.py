"""Mistakes in the pipelines of rungs 09 to 14: the table that mutants.py makes copies of."""

from bench.copies import Copy

TABLE = "tests/ladder/mutants/pipeline_mutants.py"

WAIT, LAX = "ptx::cp_async_wait<STAGES - 2>();", "ptx::cp_async_wait<STAGES - 1>();"
SYNC = "__syncthreads();"


def mutants_of(rung, configuration="", edits=(), table=TABLE):
    """Copies of a rung: {name: (text, replacement)}. configuration: where the rung chooses."""
    return (
        Copy(f"mutant_{name}", rung, (edit,), configuration, table=table)
        for name, edit in edits.items()
    )


PIPELINE_MUTANTS = (
    # -- cp.async
    *mutants_of(
        "09_async_copy",
        edits={
            "copy_wait_missing": (f"{WAIT}\n    {SYNC}", SYNC),
            "copy_wait_too_lax": (f"{WAIT}\n    {SYNC}", f"{LAX}\n    {SYNC}"),
            "copy_barrier_missing": (f"{WAIT}\n    {SYNC}", WAIT),
            "copy_into_stage_being_read": (
                "fetch(stage == 0 ? STAGES - 1 : stage - 1, k0",
                "fetch(stage, k0",
            ),
        },
    ),
    *mutants_of(
        "10_wide_tile",
        edits={
            "wide_copy_wait_missing": (f"{WAIT}\n        {SYNC}", SYNC),
            "wide_copy_wait_too_lax": (f"{WAIT}\n        {SYNC}", f"{LAX}\n        {SYNC}"),
            "wide_copy_barrier_missing": (f"{WAIT}\n        {SYNC}", WAIT),
            "wide_copy_into_stage_being_read": (
                "fetch(stage == 0 ? STAGES - 1 : stage - 1, k0",
                "fetch(stage, k0",
            ),
        },
    ),
    # -- mbarriers and boxes
    *mutants_of(
        "11_producer_warps",
        edits={
            "full_wait_missing": ("    ptx::mbarrier_wait(&next->full, phase);\n", ""),
            "producer_parity_wrong": ("int phase = 1;", "int phase = 0;"),
            "consumer_parity_wrong": ("int phase = 0;", "int phase = 1;"),
            "empty_wait_missing": (
                "ptx::mbarrier_wait(&stage->empty, phase);\n    if (lane",
                "if (lane",
            ),
            "empty_wait_for_the_first_stage": (
                "ptx::mbarrier_wait(&stage->empty, phase);\n    if (lane",
                "ptx::mbarrier_wait(&stages->empty, phase);\n    if (lane",
            ),
            "too_many_bytes_expected": ("sizeof stage->B);", "sizeof stage->A + sizeof stage->B);"),
            "too_few_bytes_expected": ("sizeof stage->B);", "sizeof stage->B / 2);"),
            "empty_arrival_missing": ("if (lane == 0) ptx::mbarrier_arrive(&stage->empty);", ""),
            "full_count_too_high": (".full, 2);", ".full, 3);"),
            "full_count_too_low": (".full, 2);", ".full, 1);"),
            "box_coordinates_swapped": ("map_b, k0, col0,", "map_b, col0, k0,"),
        },
    ),
    # -- Blocks that share tiles
    *mutants_of(
        "12_stream_k",
        edits={
            "flag_not_reset": ("*flag = 0;", ""),
            "flag_seen_by_one_thread": (
                "  ptx::barrier_sync<1, kConsumers>();\n  constexpr",
                "  constexpr",
            ),
            "k_tile_left_out": (
                "end(rank < 0 ? 0 : split.start_of(rank + 1))",
                "end(rank < 0 ? 0 : split.start_of(rank + 1) - 1)",
            ),
            "k_tile_counted_twice": (
                "position(rank < 0 ? 0 : split.start_of(rank))",
                "position(rank < 1 ? 0 : split.start_of(rank) - 1)",
            ),
            "waits_for_itself": ("&flags[blockIdx.x - peer]", "&flags[blockIdx.x - (peer - 1)]"),
            "whole_tile_left_out": (
                "next_tile < split.first_split",
                "next_tile + 1 < split.first_split",
            ),
            "tile_stored_by_every_peer": (
                "if (part.begin > 0) {  // a peer",
                "if (part.begin > split.k_tiles) {  // a peer",
            ),
            "zeros_behind_the_last_missing": (
                "  if (part.begin == 0) {\n    Stage* const stage",
                "  if (part.begin < 0) {\n    Stage* const stage",
            ),
        },
    ),
    # -- and their warps too
    *mutants_of(
        "14_every_shape",
        "64 x 64",
        edits={
            "tree_flag_not_reset": ("*flag = 0;", ""),
            "tree_flag_seen_by_one_thread": (
                "  ptx::barrier_sync<1, kConsumers>();\n  constexpr",
                "  constexpr",
            ),
            "tree_k_tile_left_out": (
                "end(rank < 0 ? 0 : split.start_of(rank + 1))",
                "end(rank < 0 ? 0 : split.start_of(rank + 1) - 1)",
            ),
            "tree_k_tile_counted_twice": (
                "position(rank < 0 ? 0 : split.start_of(rank))",
                "position(rank < 1 ? 0 : split.start_of(rank) - 1)",
            ),
            "tree_waits_for_itself": (
                "&flags[blockIdx.x - peer * step]",
                "&flags[blockIdx.x - (peer - 1) * step]",
            ),
            "tree_ends_early": ("step *= kFanIn) {", "step *= 1024) {"),
            "sums_barrier_missing": (
                "    ptx::barrier_sync<1, kConsumers>();\n    for (int m = 0; m < kRows; ++m) {",
                "    for (int m = 0; m < kRows; ++m) {",
            ),
            "sums_overwritten": ("    ptx::barrier_sync<1, kConsumers>();\n  }\n}", "  }\n}"),
        },
    ),
    # -- Warps and clusters that share K
    *mutants_of(
        "14_every_shape",
        "32 x 64",
        edits={
            "small_wait_missing": (f"    {WAIT}\n    __syncwarp();", "    __syncwarp();"),
            "small_wait_too_lax": (
                f"    {WAIT}\n    __syncwarp();",
                f"    {LAX}\n    __syncwarp();",
            ),
            "lanes_not_awaited": (
                "    __syncwarp();  // all lanes' copies",
                "    // all lanes' copies",
            ),
            "small_copy_into_stage_being_read": (
                "fetch(stage == 0 ? STAGES - 1 : stage - 1);",
                "fetch(stage);",
            ),
            "sums_over_stages_being_read": (
                "  __syncwarp();  // all stages of this warp",
                "  // all stages of this warp",
            ),
            "warps_not_awaited": (
                f"  }} else {{\n    {SYNC}\n  }}\n  store_share",
                "  }\n  store_share",
            ),
        },
    ),
    *mutants_of(
        "14_every_shape",
        "32 x 24, clusters",
        edits={
            "cluster_sync_missing_before_reading": (
                "  if constexpr (CLUSTER > 1) {\n    ptx::cluster_sync();",
                f"  if constexpr (CLUSTER > 1) {{\n    {SYNC}",
            ),
            "cluster_sync_missing_at_the_end": (
                "if constexpr (CLUSTER > 1) ptx::cluster_sync();  // the others",
                "// the others",
            ),
        },
    ),
    # -- Little K
    *mutants_of(
        "14_every_shape",
        "64 x 64, thin, 16 of K",
        edits={
            "thin_wait_missing": (
                f"    {WAIT}\n    {SYNC}  // all copies",
                f"    {SYNC}  // all copies",
            ),
            "thin_wait_too_lax": (
                f"    {WAIT}\n    {SYNC}  // all copies",
                f"    {LAX}\n    {SYNC}  // all copies",
            ),
            "thin_barrier_missing": (f"    {SYNC}  // all copies", "    // all copies"),
            "thin_copy_into_stage_being_read": (
                "fetch(ring[stage == 0 ? STAGES - 1 : stage - 1]);",
                "fetch(ring[stage]);",
            ),
            "thin_read_behind_the_end_of_k": ("if (k0 + DEPTH <= K) {", "if (k0 < K) {"),
            "thin_guard_missing_m": (
                "if (row >= M || col >= N) continue;",
                "if (col >= N) continue;",
            ),
        },
    ),
)
