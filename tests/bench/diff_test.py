"""make diff shows what a rung changes in the one that it builds on, and builds nothing for it."""

import os
import subprocess
import unittest

from docs.report import rung_diff
from tests import SOURCES


def make_diff(*arguments):
    """(exit code, output, errors)"""
    calm = {name: text for name, text in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--no-print-directory", "diff", *arguments],
        cwd=SOURCES,
        env=calm,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class DiffTest(unittest.TestCase):
    """Rungs with a base, and what has none."""

    def test_it_compares_kernel_and_launch_with_those_of_the_base(self):
        code, text, errors = make_diff("RUNG=05")
        self.assertEqual((code, errors), (0, ""))
        for file in ("kernel.cuh", "launch.cu"):
            self.assertIn(f"--- a/ladder/04_register_tile/{file}", text)
            self.assertIn(f"+++ b/ladder/05_vector_access/{file}", text)

    def test_it_shows_code_and_no_comment_on_a_file_or_its_interface(self):
        _, text, _ = make_diff("RUNG=02")
        changed = [line for line in text.splitlines() if line[0] in "+-"]
        added = [line[1:].strip() for line in changed if line[0] == "+" and line[:3] != "+++"]
        self.assertEqual(
            added[:2],
            [
                "const int row = blockIdx.y * BM + threadIdx.y;",
                "const int col = blockIdx.x * BN + threadIdx.x;",
            ],
        )
        for rung in ("RUNG=02", "RUNG=05", "RUNG=11"):
            _, text, _ = make_diff(rung)
            self.assertNotRegex(text, r"(?m)^[-+](?:///|#include)")

    def test_a_line_that_is_wider_than_a_terminal_goes_on_below(self):
        for rung in ("RUNG=02", "RUNG=03", "RUNG=17"):
            lines = make_diff(rung)[1].splitlines()
            self.assertLessEqual(max(map(len, lines)), 80, rung)
        self.assertEqual(
            rung_diff.folded("+    " + "word, " * 20),
            ["+    " + " ".join(["word,"] * 12), "+        " + " ".join(["word,"] * 8)],
        )
        self.assertEqual(rung_diff.folded("-"), ["-"])
        heading = "+++ b/" + "folder/" * 20 + "kernel of many.cuh"
        self.assertEqual(rung_diff.folded(heading), [heading])

    def test_a_file_that_the_base_lacks_is_new_as_a_whole(self):
        _, text, _ = make_diff("RUNG=11")
        added = list((SOURCES / "ladder/11_producer_warps").glob("producer.cuh"))
        self.assertEqual(text.count("--- /dev/null"), len(added))

    def test_a_rung_without_a_base_is_refused(self):
        for rung in ("RUNG=01", "RUNG=00", "RUNG=77", "RUNG="):
            code, text, errors = make_diff(rung)
            self.assertEqual((code, text), (2, ""))
            self.assertIn("make diff RUNG=NN: NN is one of 02 03 04", errors)


if __name__ == "__main__":
    unittest.main()
