"""A class that is made up by chance is graded whole, though killed half way.

python3 -m tests.classroom.made_up_class_test
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from bench import SOURCES
from bench.rungs import own_rungs
from classroom.grade_all import entries_in
from tests.classroom import made_up_class


class MadeUpClassTest(unittest.TestCase):
    """The whole, small: `make test-all` has it with 60 submissions."""

    def test_the_same_seed_makes_the_same_class(self):
        with tempfile.TemporaryDirectory() as room:
            folders = [pathlib.Path(room, name) for name in ("one", "two")]
            for folder in folders:
                made_up_class.write_class(folder, made_up_class.made_up(60, 1))
            one, two = map(made_up_class.contents, folders)
            self.assertEqual(one, two)
            self.assertEqual(len(entries_in(folders[0], own_rungs())), 60)

    def test_a_small_class_killed_half_way(self):
        done = subprocess.run(
            [sys.executable, "-m", "tests.classroom.made_up_class", "check", "--count", "6"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(re.search(r"Killed when \d of 5 grades were there", done.stdout))


if __name__ == "__main__":
    unittest.main()
