"""Honest oddities from end to end cost nothing.

python3 -m tests.classroom.oddities_test
"""

import pathlib
import tempfile
import unittest

from bench.rungs import rung_of
from classroom import grade as grader
from classroom.kernel_library import build_libraries
from classroom.rules import source_faults
from tests.classroom.grading import ALL, on_all_cores
from tests.classroom.oddities import APART, TOGETHER, TOLD, Oddity
from tests.parts import own_part

FEWEST = 40
FULL = 80
QUICK = ("UTF-16 without a mark", "a header of one's own, notes, a copy", "BLAS's quick return")


def side_by_side():
    """One kernel with all that can stand together. Each edit keeps the text that it looks for."""
    return Oddity("together", tuple(edit for each in TOGETHER for edit in each.edits))


def folder_with(oddity, room):
    """Its files in a folder of a room whose name has blanks."""
    folder = pathlib.Path(room, "my class", "02_coalesced")
    folder.mkdir(parents=True)
    for name, data in oddity.files().items():
        (folder / name).write_bytes(data)
    return folder


def grade_of(oddity):
    """Its grade."""
    with tempfile.TemporaryDirectory() as room:
        return grader.grade(folder_with(oddity, room), 2, b"of the tests")


class OdditiesTest(unittest.TestCase):
    """grade() and source_faults() of oddities."""

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(TOGETHER) + len(APART) + len(TOLD), FEWEST)

    def test_what_is_not_wrong_costs_nothing(self):
        """All points and no flag."""
        apart = [each for each in APART if ALL or each.name in QUICK]
        oddities = own_part([side_by_side(), *apart])
        for oddity, grade in zip(oddities, on_all_cores(grade_of, oddities), strict=True):
            with self.subTest(oddity.name):
                self.assertEqual(
                    (grade["score"], grade["flags"]), (FULL, []), grader.text_of(grade)
                )

    def test_all_of_it_compiles(self):
        """What is graded together, or not at all now: by itself, with no fault of the sources."""

        def faults_of(oddity):
            with tempfile.TemporaryDirectory() as room:
                folder = folder_with(oddity, room)
                faults = source_faults(folder, rung_of(2), pathlib.Path(room, "out"))
                build_libraries(folder, rung_of(2), pathlib.Path(room, "out"), ("plain",))
                return faults

        oddities = own_part(TOGETHER if ALL else APART)
        for oddity, found in zip(oddities, on_all_cores(faults_of, oddities), strict=True):
            with self.subTest(oddity.name):
                self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
