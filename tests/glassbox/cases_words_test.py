"""Headers, words and limits that programs need; see case_table."""

import unittest

from tests.glassbox.case_table import Case, tests_of

CASES = [
    Case("complex_header", output="no error\n"),
    Case("hgemm", output="4\n"),
    Case("pointer_attributes", output="2\n"),
    Case("device_variable_read_on_the_host", output="0\n"),
    Case("device_variable_read_on_the_host", options="-D SOUND", output="32\n"),
    Case("both_sides", output="102 102, -2\n"),
    Case("both_sides", options="-D BROKEN", found=("out-of-bounds-global 37 out",)),
    # What the note is about is no fault.
    Case("both_sides_goto", found=("host-side-of-a-function 6",), output="2\n", exit_code=0),
    Case("cyc"),
    Case("dev", output="ok\n"),
    Case("ld", output="cudaSuccess\n"),
    Case("ld", options="-D N=131000", output="cudaSuccess\n"),
    Case(
        "deep_recursion",
        found=("stack-overflow 10",),
        output="cudaSuccess\n65536\ncudaErrorHardwareStackError\n",
    ),
    Case("deep_recursion", options="-D SOUND", output="cudaSuccess\n65536\ncudaSuccess\n"),
    Case(
        "deep_recursion",
        options="-D SOUND -D TOO_LARGE",
        found=("stack-too-large 21",),
        output="cudaSuccess\n65536\ncudaErrorInvalidValue\n65536\ncudaSuccess\n",
    ),
    Case("stk", output="cudaSuccess\ncudaSuccess\n"),
]

Cases = tests_of(CASES, "One test for each.")

if __name__ == "__main__":
    unittest.main()
