"""The guide's rubric is what the grader computes with."""

import subprocess
import sys
import unittest
from unittest import mock

from classroom import points, problems, rubric
from tests import SOURCES


class RubricTest(unittest.TestCase):
    """docs/start/with_a_class.md"""

    def test_the_page_is_up_to_date(self):
        done = subprocess.run(
            [sys.executable, "-m", "classroom.rubric", "--check"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_follows_the_code(self):
        before = rubric.rubric()
        with mock.patch.object(points, "FULL_AT", 1.25):
            self.assertIn("for r <= 1.25", rubric.rubric())
        with mock.patch.object(problems, "HIDDEN", problems.HIDDEN[1:]):
            self.assertNotEqual(rubric.rubric(), before)
        self.assertIn("| together | 100; 80 without a GPU | |", before)
        with mock.patch.object(points, "NO_SPEED_AT", 7):
            self.assertIn("for r >= 7", rubric.rubric())

    def test_tests_have_the_points_of_their_part(self):
        """What the table says about five problems and ten tests adds up."""
        hidden = len(problems.HIDDEN) * problems.HIDDEN_POINTS
        self.assertEqual(hidden, points.MAX_POINTS["hidden"])
        self.assertEqual(points.MAX_POINTS["visible"] % problems.VISIBLE_POINTS, 0)


if __name__ == "__main__":
    unittest.main()
