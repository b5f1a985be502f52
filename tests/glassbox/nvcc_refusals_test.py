"""What g++ compiles and nvcc refuses is not run: one finding at the line, and exit code 2."""

import os
import shutil
import unittest
from unittest import mock

from tests.glassbox.case_table import CASES
from tests.glassbox.own_program import in_main, outcome

KERNEL = "__global__ void kernel(int* a) {{ {body} }}\n"
LAUNCH = "int* a;\ncudaMallocManaged(&a, 128);\nkernel<<<1, 1>>>(a);\ncudaFree(a);"

# {file and options: (code, line)}
CODES = {
    ("host_function_in_a_kernel",): ("host-function-in-device-code", 14),
    ("host_function_in_a_kernel", "-D", "HOST_VARIABLE"): ("host-variable-in-device-code", 12),
    ("kernel_that_returns_a_value",): ("kernel-returns-a-value", 8),
}


def installed():
    """The front ends of this machine, and none."""
    has_nvcc = shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")
    return ["none", *["clang"] * bool(shutil.which("clang++")), *["nvcc"] * bool(has_nvcc)]


def with_front_end(name, source, *words, **more):
    """As outcome(), with this front end."""
    with mock.patch.dict(os.environ, LADDER_FRONT_END=name):
        return outcome(source, *words, **more)


class NvccRefusalsTest(unittest.TestCase):
    """With each front end that is installed."""

    def test_refused_at_the_line(self):
        """By each of them, with the same codes."""
        for front_end in installed():
            for (file, *options), expected in CODES.items():
                with self.subTest(file=file, options=options, front_end=front_end):
                    source = (CASES / f"{file}.cu").read_text()
                    result = with_front_end(front_end, source, *options, verb=["check"])
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertEqual(result.stdout, "")
                    found = [(one["code"], one["line"]) for one in result.found["findings"]]
                    self.assertEqual(found, [expected], result.stderr)

    @unittest.skipUnless("nvcc" in installed(), "asks nvcc")
    def test_which_nvcc_refuses(self):
        """What one toolkit has another may not: the finding names the compiler that was asked."""
        source = in_main("k<<<1, 1>>>();", "__global__ void k() { try {} catch (...) {} }")
        (found,) = with_front_end("nvcc", source, verb=["check"]).found["findings"]
        self.assertRegex(found["fields"]["compiler"], r"^nvcc \d+\.\d+$")
        self.assertTrue(found["message"].startswith(found["fields"]["compiler"]), found["message"])

    def test_sound_twins_run(self):
        """And the report says who checked them."""
        for front_end in installed():
            for file in {file for file, *_ in CODES}:
                with self.subTest(file=file, front_end=front_end):
                    source = (CASES / f"{file}.cu").read_text()
                    result = with_front_end(front_end, source, "-D", "SOUND", verb=["check"])
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(result.found["findings"], [])
                    self.assertEqual(result.found["front_end"].split()[0], front_end)

    def test_an_option_of_nvcc(self):
        """Is a note: the program runs."""
        program = in_main(
            LAUNCH + 'printf("ran");',
            "constexpr int two(int x) { return 2 * x; }\n"
            + KERNEL.format(body="a[0] = two(a[1]);"),
        )
        for front_end in set(installed()) - {"none"}:
            with self.subTest(front_end=front_end):
                result = with_front_end(front_end, program, verb=["run"])
                self.assertEqual((result.returncode, result.stdout), (0, "ran"), result.stderr)
                (note,) = result.found["findings"]
                self.assertEqual(
                    (note["code"], note["level"], note["line"]), ("nvcc-option-needed", "note", 3)
                )
                self.assertEqual(note["fields"]["option"], "--expt-relaxed-constexpr")

    def test_a_front_end_that_is_not_there(self):
        """Is named."""
        result = with_front_end("icc", "int main() {}\n")
        self.assertEqual(result.returncode, 2)
        self.assertIn("LADDER_FRONT_END", result.stderr)


if __name__ == "__main__":
    unittest.main()
