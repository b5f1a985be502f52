"""Rungs that students hand in as they are have all points.

python3 -m tests.classroom.handed_in_references_test
"""

import unittest

from bench.rungs import rung_of
from classroom.starters import whole
from tests.classroom.grading import ALL, SchemaMixin, grade_of, on_all_cores


class HandedInReferencesTest(SchemaMixin, unittest.TestCase):
    """Compiled by the grader."""

    def test_each_kind_of_folder_has_all_points(self):
        """Those with one file of each kind, with dynamic shared memory, with further headers."""
        rungs = [rung_of(number) for number in ((3, 12, 14) if ALL else (3, 12))]
        grades = on_all_cores(lambda r: grade_of(whole(r), r.number), rungs)
        for rung, grade in zip(rungs, grades, strict=True):
            self.assert_full(rung, grade)


if __name__ == "__main__":
    unittest.main()
