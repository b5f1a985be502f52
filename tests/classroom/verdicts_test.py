"""Every verdict has a meaning, and every chapter that it names is there.

    python3 -m tests.classroom.verdicts_test
"""

import re
import unittest

from bench import results_file
from bench.rungs import own_rungs
from classroom import verdicts
from tests import SOURCES

GALLERY = SOURCES / "bench/results/emulator/gallery.json"
SAYING = (
    "emulator/run/launch.cpp",
    "emulator/run/grid_plan.cpp",
    "common/verify.cpp",
    "common/wrong_pattern.cpp",
    "ladder/program/rung_names.cpp",
    "ladder/program/rung_trace.cpp",
    "ladder/program/small_problems.cpp",
)

RACE = """\
03 shared_tile    WRONG, 1 hazard
- race: thread (0, 0, 0) loads sA[0][0] at work/03_shared_tile/kernel.cuh:53,
  and no barrier separates it from another lane that stores it at
  work/03_shared_tile/kernel.cuh:43, block (0, 0, 0) (524,288 times)
65536 of 65536 elements are wrong. The first is C[0][0] of block tile (0, 0):
  got 0, expected 23.2944144. Pattern: all of them 0; every element is wrong.
"""
LOCAL = """\
03 shared_tile    WRONG, 1 hazard
- out of bounds: a store went past the end of the local array tile[4][4],
  declared at work/03_shared_tile/kernel.cuh:40, block (0, 0, 0), thread
  (0, 0, 0)
"""
EDGE = """\
03 shared_tile    WRONG, no hazards
  right for this problem, but wrong for a small one of integers (M = 69, N = 33,
  K = 81, alpha = -2, beta = 0.5): 33 of 2277 elements are wrong. The first is
  C[0][32] of block tile (1, 0): got 1, expected 2. Pattern: all in column 32, the
  last tile column (is the guard in N right?).
"""


class VerdictsTest(unittest.TestCase):
    """What a student reads below a verdict."""

    def setUp(self):
        self.rung = own_rungs()[3]
        self.folder = SOURCES / self.rung.path

    def text(self, output):
        """The meanings as one line."""
        return " ".join(" ".join(verdicts.meanings(output, self.folder, self.rung)).split())

    def test_chapters_and_headings_exist(self):
        for path, heading in verdicts.readings():
            lessons = [rung.path / "README.md" for rung in own_rungs().values()]
            for page in lessons if path == verdicts.LESSON else [path]:
                self.assertIn(heading, verdicts.headings(page), page)

    def test_every_hazard_of_the_gallery_has_a_meaning(self):
        reported = [
            message
            for row in results_file.read(GALLERY)["benchmarks"]
            for message in row["reported"]
        ]
        self.assertGreater(len(reported), 60)
        for message in reported:
            self.assertNotEqual(self.text(f"- {message}\n"), "", message)

    def test_the_program_still_says_what_has_a_meaning(self):
        literals = re.compile(r'"((?:[^"\\]|\\.)*)"')
        said = "".join(
            literal for path in SAYING for literal in literals.findall((SOURCES / path).read_text())
        ).replace("{}", "N")
        for row in (*verdicts.CASES, *verdicts.RESULTS):
            for words in row[0].split("|") if "(" not in row[0] else [row[0]]:
                self.assertRegex(said, words)

    def test_hazards_come_before_results(self):
        lines = verdicts.meanings(RACE, self.folder, self.rung)
        text = " ".join(lines)
        self.assertIn("kernel.cuh:53: ", text)
        self.assertIn("kernel.cuh:43: ", text)
        self.assertIn('Read "A race" in docs/chapters/debugging.md.', text)
        self.assertNotIn("never added up", text)
        for line in lines:
            self.assertLessEqual(len(line), 80)

    def test_many_hazards_are_cut_short(self):
        hazard = RACE.splitlines(keepends=True)[1:4]
        lines = verdicts.shortened("".join([*hazard * 7, "right\n"]))
        self.assertEqual("\n".join(lines).count("- race"), verdicts.MOST_HAZARDS)
        self.assertEqual(lines[-2:], ["- and 3 more", "right"])
        self.assertEqual("\n".join(verdicts.shortened(RACE)) + "\n", RACE)

    def test_an_edge_is_told_from_a_wrong_loop(self):
        text = self.text(EDGE)
        self.assertIn("The kernel is right where tiles fit the matrix exactly", text)
        self.assertIn("Only the last tile is wrong", text)
        self.assertIn('Read "Edge cases" in ladder/03_shared_tile/README.md.', text)

    def test_a_local_array_is_told_from_a_matrix(self):
        text = self.text(LOCAL)
        self.assertIn("kernel.cuh:40: ", text)
        self.assertIn("A loop stores more into an array of the thread's own", text)
        self.assertNotIn("matrix", text)

    def test_a_right_kernel_needs_no_meaning(self):
        right = "03 shared_tile    right, no hazards\nExact too on small ragged problems.\n"
        self.assertEqual(self.text(right), "")


if __name__ == "__main__":
    unittest.main()
