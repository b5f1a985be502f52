"""`check` names a line and what is missing for each kernel of tests/classroom/beginners.py.

python3 -m tests.classroom.beginners_test
"""

import json
import os
import unittest

from bench.rungs import own_rungs
from classroom import student_check, verdicts
from tests.classroom.beginners import BEGINNERS, checked
from tests.classroom.classroom import Classroom

SOME = 5  # of them, where not all are asked for


class BeginnersTest(unittest.TestCase):
    """Each kernel has a room of its own."""

    def test_each_is_told_where_and_what(self):
        every = bool(os.environ.get("LADDER_TEST_ALL"))
        for beginner in BEGINNERS if every else BEGINNERS[:: len(BEGINNERS) // SOME]:
            with self.subTest(beginner.name), Classroom() as room:
                code, screen = checked(room, beginner)
                self.see(beginner, room, code, screen)

    def test_what_is_out_of_bounds_comes_before_the_race_that_it_causes(self):
        [no_guard] = [each for each in BEGINNERS if each.name == "no guard"]
        with Classroom() as room:
            code, screen = checked(room, no_guard)
            self.see(no_guard, room, code, screen)
            [folder] = room.made.iterdir()
            report = json.loads((folder / student_check.FINDINGS).read_text())
        found = verdicts.findings_of(report)
        groups = [each["group"] for each in found if each["family"] == "fault"]
        self.assertEqual(set(groups), {"out-of-bounds", "race"})
        self.assertEqual(groups, sorted(groups))
        self.assertNotIn("atomic", screen)
        self.assertLess(screen.rindex("- out of bounds"), screen.index("- race"))

    def see(self, beginner, room, code, screen):
        """One screen."""
        self.assertNotIn("Well done", screen)
        own = [line for line in screen.splitlines() if str(room.work) not in line]
        self.assertLessEqual(max(map(len, own)), verdicts.COLUMNS, screen)
        [folder] = room.made.iterdir()
        report = json.loads((folder / student_check.FINDINGS).read_text())
        findings = verdicts.findings_of(report)
        codes = [each["code"] for each in findings]
        entry = json.loads((room.work / ".progress.json").read_text())["rungs"][folder.name]
        self.assertEqual("computes" in entry, not beginner.code, entry)
        self.assertNotIn("right", entry)
        self.assertRegex(screen, r"kernel\.cuh:\d+: .")
        self.assertIn(beginner.line, screen)
        if beginner.code:
            self.assertEqual(code, student_check.WRONG, screen)
            self.assertIn(beginner.code, codes)
            [found, *_] = [each for each in findings if each["code"] == beginner.code]
            meaning, _ = verdicts.rows_of(found)[-1]
            self.assertIn(meaning[:40], " ".join(screen.split()))
        else:
            self.assertEqual((code, codes), (student_check.GOOD, []), screen)
            rung = own_rungs()[beginner.rung]
            self.assertFalse(student_check.is_there(rung, report["subjects"][0]))


if __name__ == "__main__":
    unittest.main()
