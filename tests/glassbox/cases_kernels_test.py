"""Cases of what a kernel does wrong in its own block, and how it is launched."""

import unittest

from tests.glassbox.case_table import Case, tests_of, twins

RACE = "race-in-shared-memory"
CASES = [
    *twins("epilogue_reuse", f"{RACE} 25-20 buffer"),
    *twins("gemv_loop_reuse", f"{RACE} 11-15 part"),
    *twins("tile_loop", f"{RACE} 13-15 tile", f"{RACE} 15-13 tile"),
    Case("tile_loop", words=("1",)),
    *twins("barrier_of_some_warps", "divergent-barrier 15"),
    *twins(
        "row_sum_no_syncwarp",
        f"{RACE} 19-15 v",
        f"{RACE} 20-19 v",
        f"{RACE} 21-20 v",
        f"{RACE} 22-21 v",
        f"{RACE} 23-22 v",
    ),
    *twins("return_before_barrier", "missing-barrier 18"),
    *twins("mask_of_half_a_warp", "warp-lane-not-in-mask 10"),
    *twins("tile_collective_in_a_branch", "warp-lane-at-barrier 37-40"),
    Case("tile_collective_in_a_branch", "-D ANOTHER_CALL", ("warp-different-calls 30-31",)),
    Case("tile_collective_in_a_branch", "-D COALESCED", ("warp-different-calls 34-35",)),
    *(
        Case("tile_collective_in_a_branch", f"-D {option}")
        for option in ("OWN_GROUP", "BOTH", "LEFT")
    ),
    *twins("product_of_short_warp", "undefined-shuffle 13 b"),
    *twins("async_wait_too_early", "copy-in-flight 24-12 tile", "copy-in-flight 24-18 tile"),
    *twins("register_array_overflow", "index-out-of-bounds 12 sums", "index-out-of-bounds 15 sums"),
    *twins("grid_too_high", "launch-extent-too-large 15"),
    *twins("tile_too_large", "launch-too-many-threads 37"),
    *twins(
        "dynamic_shared_bytes",
        "out-of-bounds-dynamic-shared 9 s",
        "out-of-bounds-dynamic-shared 10 s",
        "out-of-bounds-dynamic-shared 14 s",
    ),
    *twins("float4_odd_rows", "misaligned-access 13 d_in"),
    *twins("bytes_of_neighbours", f"{RACE} 8-10 s", f"{RACE} 10-8 s", f"{RACE} 13-10 s"),
    *twins(
        "bitonic_sort",
        *(f"{RACE} {lines} s" for lines in ("13-15", "13-16", "15-13", "15-16", "16-13", "16-15")),
        f"{RACE} 16-16 s",
    ),
    *twins(
        "swapped_buffers",
        *(f"{RACE} {lines} s" for lines in ("13-9", "13-15", "15-9", "15-15", "18-15")),
    ),
]

Cases = tests_of(CASES, "Shared memory, barriers, warps, launches.")

if __name__ == "__main__":
    unittest.main()
