"""Cheats score 0, and the grade says why.

python3 -m tests.classroom.cheats_test
"""

import re
import unittest

from bench import SOURCES
from classroom import grade as grader
from classroom.allowed import CALLS
from tests.classroom.cheats import CHEATS
from tests.classroom.grading import SchemaMixin, fatal, grade_of, on_all_cores
from tests.parts import own_part

FEWEST_CHEATS = 12
FEWEST_SWITCHES = 9


class CheatsTest(SchemaMixin, unittest.TestCase):
    """Cheats score 0."""

    def test_each_scores_zero_and_says_why(self):
        """A flag of the right kind, with the reason in words."""
        self.assertGreaterEqual(len(CHEATS), FEWEST_CHEATS)
        cheats = own_part(CHEATS)
        grades = on_all_cores(lambda cheat: grade_of(cheat.files(), cheat.rung), cheats)
        for cheat, grade in zip(cheats, grades, strict=True):
            with self.subTest(cheat.name):
                self.assert_grade(grade)
                self.assertEqual(grade["score"], 0, grader.text_of(grade))
                kinds = [kind for kind, _ in fatal(grade)]
                self.assertIn(cheat.kind, kinds, grader.text_of(grade))
                self.assertIn(cheat.said, " ".join(text for _, text in fatal(grade)))

    def test_no_call_sets_the_emulator(self):
        """None of its switches is among the functions that a kernel may use."""
        files = ("settings.hpp", "workspace.hpp", "launch.hpp", "grid_runner.hpp")
        texts = [(SOURCES / "emulator/run" / name).read_text() for name in files]
        switches = {name for text in texts for name in re.findall(r"\b((?:set|clear)_\w+)\(", text)}
        self.assertGreaterEqual(len(switches), FEWEST_SWITCHES)
        for name in switches:
            with self.subTest(name):
                self.assertIsNone(CALLS.fullmatch(f"ladder::emulator::{name}"))


if __name__ == "__main__":
    unittest.main()
