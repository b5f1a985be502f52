"""Cases of arrays: their names, freed ones, the host's memory, what nobody wrote."""

import unittest

from tests.glassbox.case_table import Case, tests_of, twins

BLOCKS = "race-between-blocks"
CASES = [
    Case("name1", found=(f"{BLOCKS} 4-4 b", f"{BLOCKS} 4-4 c",
                         "never-freed 6 a", "never-freed 6 b", "never-freed 6 c")),
    Case("uaf", found=("use-after-free 3 p",)),
    Case("dfree", found=("out-of-bounds-global 3 p",)),
    Case("leak", found=("never-freed 2 p",)),
    *twins("host_pointer", "host-memory-in-kernel 5 x"),
    Case("hostmem", found=("host-access 6 d",), exit_code=139),
    Case("hostmem", words=("1",), found=("host-access 7 d",), exit_code=139),
    Case("hostmem", words=("1", "2"), found=("host-access 8 d",), exit_code=139),
    Case("taint", found=("uninitialised-local 2 b", "undefined-shuffle 3 b")),
    Case("argmax_e"),
    Case("f4pad"),
    *twins("histogram_without_atomics", f"{BLOCKS} 11-11 d_bins",
           "race-in-global-memory 11-11 d_bins"),
]  # fmt: skip

Cases = tests_of(CASES, "Global memory.")

if __name__ == "__main__":
    unittest.main()
