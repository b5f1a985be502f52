"""Rungs as they are have all points.

python3 -m tests.classroom.reference_grades_test
"""

import unittest
import unittest.mock

from bench.rungs import rung_table
from classroom import grade as grader
from classroom.kernel_library import BUILD
from classroom.starters import whole
from tests.classroom.grading import ALL, SchemaMixin, grade_of, on_all_cores
from tests.parts import own_part

MOST_KERNELS = 13  # the rung whose dozens of kernels take by far the longest


class ReferenceGradesTest(SchemaMixin, unittest.TestCase):
    """Rungs of the table: half of them, or all of them in `make test-all` and CI."""

    def test_every_reference_has_all_points(self):
        """As this build has compiled it."""
        rungs = [rung for rung in rung_table().values() if rung.tile]
        if not ALL:
            rungs = [rung for rung in rungs if rung.number != MOST_KERNELS][::2]
        rungs = own_part(rungs)
        lib = BUILD / "lib"
        built = {"plain": lib / "libemulated_rungs.so", "traced": lib / "libtraced_rungs.so"}
        with unittest.mock.patch.object(grader, "build_libraries", lambda *_, **__: built):
            grades = on_all_cores(lambda r: grade_of(whole(r), r.number), rungs)
        for rung, grade in zip(rungs, grades, strict=True):
            self.assert_full(rung, grade)


if __name__ == "__main__":
    unittest.main()
