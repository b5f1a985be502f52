"""What a submission's table of plans says is not believed.

python3 -m tests.classroom.untrue_plans_test
"""

import concurrent.futures
import dataclasses
import os
import unittest

from bench.rungs import rung_of
from classroom import grade as grader
from classroom.kernel_library import build_libraries
from classroom.problems import Secret, hidden_tests
from classroom.starters import whole, write_to
from tests.classroom.attacks import TABLES
from tests.classroom.oddities import edited
from tests.classroom.own_room import RoomMixin

ALL = os.environ.get("LADDER_TEST_ALL")


class UntruePlansTest(RoomMixin, unittest.TestCase):
    """Of rung 13, which chooses."""

    def test_what_a_table_says_is_not_believed(self):
        """The judge makes no shape of it, and goes on."""
        rung = rung_of(13)
        again = next(t for t in hidden_tests(rung, Secret(b"", rung)) if t.id == "hidden-again")
        around = [each for each in again.runs if each.get("configurations") == "around"]

        def run_of(name):
            write_to(self.room / name / "sources", edited(whole(rung), TABLES[name]))
            libraries = build_libraries(
                self.room / name / "sources", rung, self.room / name / "build", graded=True
            )
            test = dataclasses.replace(again, runs=tuple(around), visible=True)
            job = grader.job_for(rung, [test], Secret(b"", rung), libraries, self.room)
            return grader.judged({**job, "memory": []})["tests"][0]["runs"][-1]

        self.assertEqual(len(around), 1)
        names = list(TABLES if ALL else list(TABLES)[:2])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, run in zip(names, pool.map(run_of, names), strict=True):
                with self.subTest(name):
                    self.assertEqual(run["status"], "failed", run)
                    self.assertIn("plans()", run["message"])


if __name__ == "__main__":
    unittest.main()
