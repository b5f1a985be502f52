"""Cases of many arrays, and of order in global memory."""

import unittest

from tests.glassbox.case_table import Case, tests_of, twins

CASES = [
    *(Case(file) for file in ("r17", "rows2d", "list", "devp")),
    *twins("lanes_in_their_own_rows", "out-of-bounds-global 8 p#40", output="780\n"),
]  # fmt: skip

Cases = tests_of(CASES, "Global memory.")

if __name__ == "__main__":
    unittest.main()
