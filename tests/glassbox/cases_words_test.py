"""Headers, words and limits that programs need; see case_table."""

import unittest

from tests.glassbox.case_table import Case, tests_of

CASES = [
    Case("complex_header", output="no error\n"),
    Case("hgemm", output="4\n"),
    Case("pointer_attributes", output="2\n"),
    Case("device_variable_read_on_the_host", output="0\n"),
    Case("device_variable_read_on_the_host", options="-D SOUND", output="32\n"),
    Case("cyc"),
    Case("dev", output="ok\n"),
    Case("ld", output="cudaSuccess\n"),
    Case("ld", options="-D N=131000", output="cudaSuccess\n"),
    Case("stk", output="cudaSuccess\ncudaSuccess\n"),
]

Cases = tests_of(CASES, "One test for each.")

if __name__ == "__main__":
    unittest.main()
