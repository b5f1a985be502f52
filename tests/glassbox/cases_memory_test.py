"""Cases of arrays: their names, freed ones, the host's memory, what nobody wrote."""

import unittest

from tests.glassbox.case_table import Case, tests_of, twins

BLOCKS = "race-between-blocks"
SHARED = "race-in-shared-memory"
CASES = [
    Case(
        "name1",
        found=(
            f"{BLOCKS} 4-4 b updates",
            f"{BLOCKS} 4-4 c updates",
            "never-freed 6 a",
            "never-freed 6 b",
            "never-freed 6 c",
        ),
    ),
    Case("uaf", found=("use-after-free 3 p",)),
    Case("dfree", found=("out-of-bounds-global 3 p",)),
    Case("leak", found=("never-freed 2 p",)),
    *twins("host_static_array", "host-memory-in-kernel 13 weights"),
    Case(
        "host_static_array",
        options="-D COUNTS",
        found=("host-memory-in-kernel 13 counts",),
        output="cudaErrorIllegalAddress\n",
    ),
    Case(
        "host_static_array",
        options="-D STORE",
        found=("host-memory-in-kernel 13 counts", "uninitialised-global 13 out"),
    ),
    Case("host_static_array", options="-D SHIFTS", found=("host-memory-in-kernel 13 shifts",)),
    *twins("host_pointer", "host-memory-in-kernel 5 x"),
    Case("hostmem", found=("host-access 6 d",), exit_code=139),
    Case("hostmem", words=("1",), found=("host-access 7 d",), exit_code=139),
    Case("hostmem", words=("1", "2"), found=("host-access 8 d",), exit_code=139),
    Case("taint", found=("uninitialised-local 2 b", "undefined-shuffle 3 b")),
    *twins("atomics_on_nothing", "uninitialised-global 6 total"),
    Case("argmax_e"),
    Case("f4pad"),
    *twins(
        "histogram_without_atomics",
        f"{BLOCKS} 11-11 d_bins updates",
        "race-in-global-memory 11-11 d_bins updates",
    ),
    *twins(
        "lost_updates",
        f"{SHARED} 14-14 mine updates",
        f"{SHARED} 15-15 sum updates",
        f"{BLOCKS} 22-22 bins updates",
        f"{BLOCKS} 23-23 total updates",
    ),
    *twins("scan_in_place", f"{SHARED} 15-15 s"),
    *twins(
        "freed_arrays",
        "freed-memory 11 b",
        "freed-before 12 b",
        "freed-before 14 pinned",
        "use-after-free 4 a",
    ),
    Case("host_memory"),
    Case("host_memory", words=("1",), found=("host-memory-in-kernel 7 on_stack",)),
    Case("host_memory", words=("2",), found=("host-memory-in-kernel 7 values",)),
    Case("host_memory", words=("3",), found=("host-memory-in-kernel 8",)),
    Case("host_memory", words=("4",), found=("host-memory-in-kernel 7",)),
    *twins("rows_beyond_the_end", "does-not-fit 13 d", "does-not-fit 14 d", "does-not-fit 15 d"),
    *twins("unset_parts", "uninitialised-shared 33 sp", "uninitialised-shared 46 s"),
    *twins("undefined_index", "out-of-bounds-global 12 table index:11"),
    *twins(
        "misaligned_objects",
        *(
            f"misaligned-access {what}"
            for what in ("15 a", "16 a", "17 a", "18 a", "19 s", "22", "27 b")
        ),
    ),
    Case("two_undefined", found=("undefined-shuffle 5 out", "undefined-shuffle 9 out")),
    *twins("rows_and_columns_swapped", "unwritten-elements-copied 27 d_c", exit_code=0),
    Case(
        "array_names",
        found=tuple(
            f"never-freed {name}"
            for name in (
                "10 p",
                "10 layer[2].first",
                "12 a#5",
                "12 b#4",
                "13 c#4",
                "13 z",
                "16 a",
                "16 b",
                "16 c",
                "17 rows",
                "17 rows#2",
                "17 rows#3",
                "17 s.first",
                "17 q->second",
                "18 a#2",
                "18 b#2",
                "18 w[0]",
                "18 w[1]",
                "19 a or b",
                "19 a or b#2",
                "20 c#2",
                "23 a#3",
                "23 b#3",
                "24 a#4",
                "24 c#3",
            )
        ),
    ),
]

Cases = tests_of(CASES, "Global memory.")

if __name__ == "__main__":
    unittest.main()
