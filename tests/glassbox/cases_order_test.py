"""Cases of many arrays, of order in global memory, and of barriers of some warps."""

import unittest

from tests.glassbox.case_table import Case, tests_of, twins

RACE = "race-in-global-memory"
BLOCKS = "race-between-blocks"
TOO_EARLY = "mbarrier-used-too-early 45-25"
MIRROR = (f"{RACE} 9-19 d_a", f"{RACE} 19-9 d_a")
CASES = [
    *(Case(file) for file in ("r17", "rows2d", "list", "devp")),
    *(Case(file, found=(f"{RACE} 4-4 s",)) for file in ("bfs4", "bfs5")),
    *twins("race_beside_an_atomic", *MIRROR),
    *(Case("race_beside_an_atomic", f"-D {option}", MIRROR) for option in ("ATOMIC", "FENCE")),
    *twins(
        "histogram_without_atomics",
        f"{RACE} 11-11 d_bins updates",
        f"{BLOCKS} 11-11 d_bins updates",
    ),
    *twins("lock_within_a_warp", "endless-loop 11"),
    *twins("last_block", f"{BLOCKS} 30-21 p", output="1000\n"),
    *(Case("home_made_grid_barrier", option) for option in ("", "-D SOUND")),
    *twins("shared_memory_of_a_neighbour", f"{BLOCKS} 19-13 line", f"{BLOCKS} 13-19 line"),
    *twins("mbarrier_used_too_early", TOO_EARLY),
    Case("mbarrier_used_too_early", "-D FENCE", (TOO_EARLY,)),
    *(
        Case("mbarrier_used_too_early", f"-D {option}")
        for option in ("NAMED", "CLUSTER", "FLAG", "ONE_WARP", "TWICE")
    ),
    *twins("named_barrier_shared", "named-barrier-shared 8-8"),
    Case("named_barrier_shared", "-D SIXTEENTH", ("named-barrier-not-there 8",)),
    *(Case("named_barrier_shared", f"-D {option}") for option in ("TURNS", "HANDED_ON", "CHAIN")),
    *twins("lanes_in_their_own_rows", "out-of-bounds-global 8 p#40", output="780\n"),
]

Cases = tests_of(CASES, "Global memory, and barriers of some warps.")

if __name__ == "__main__":
    unittest.main()
