"""Each starter builds, and its check fails at once.

python3 -m tests.classroom.checked_starters_test
"""

import os
import time
import unittest

from bench.rungs import own_rungs
from tests.classroom.classroom import Classroom
from tests.parts import own_part

ALL = os.environ.get("LADDER_TEST_ALL")
MOST_SECONDS = 60  # for a check of a starter, on a busy machine: none hangs


class CheckedStartersTest(unittest.TestCase):
    """All rungs of the table."""

    def test_each_starter_builds_and_fails_at_once(self):
        """A few of them in `make test`, all of them in `make test-all` and CI."""
        rungs = list(own_rungs().items())
        with Classroom() as room:
            for number, rung in own_part(rungs if ALL else rungs[1::4]):
                self.assertEqual(room.student("start", number)[0], 0)
                began = time.monotonic()
                code, said = room.student("check", number)
                self.assertEqual(code, 1, f"{rung.label}: {said}")
                self.assertRegex(said, rf"{rung.label} +WRONG", rung.label)
                self.assertIn("This is the starter as it was handed out", said, rung.label)
                self.assertLess(time.monotonic() - began, MOST_SECONDS, rung.label)


if __name__ == "__main__":
    unittest.main()
