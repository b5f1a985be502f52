"""A starter has the points for what builds, and nobody takes it for a cheat.

python3 -m tests.classroom.starter_grades_test
"""

import unittest

from bench.rungs import rung_table
from classroom import grade as grader
from classroom.starters import starter
from tests.classroom.grading import ALL, SchemaMixin, fatal, grade_of, on_all_cores
from tests.parts import own_part

MOST_OF_A_STARTER = 10


class StarterGradesTest(SchemaMixin, unittest.TestCase):
    """Rungs of the table: every fourth, or all of them in `make test-all` and CI."""

    def test_every_starter_has_at_most_ten(self):
        """It builds, and no more."""
        rungs = [rung for rung in rung_table().values() if rung.tile]
        rungs = own_part(rungs if ALL else rungs[2::4])
        grades = on_all_cores(lambda r: grade_of(starter(r), r.number), rungs)
        for rung, grade in zip(rungs, grades, strict=True):
            with self.subTest(rung.label):
                self.assert_grade(grade)
                self.assertLessEqual(grade["score"], MOST_OF_A_STARTER, grader.text_of(grade))
                self.assertEqual(grade["parts"][0]["points"], 10, grader.text_of(grade))
                self.assertEqual(fatal(grade), [])
        again = grade_of(starter(rungs[0]), rungs[0].number)
        self.assertEqual(again["parts"], grades[0]["parts"], "the same secret, another grade")


if __name__ == "__main__":
    unittest.main()
