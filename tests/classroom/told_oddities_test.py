"""What a grader cannot take is told in a sentence, by check and submit before it is handed in.

python3 -m tests.classroom.told_oddities_test
"""

import unittest

from classroom.kernel_library import sources_of
from tests.classroom.classroom import Classroom
from tests.classroom.grading import ALL, on_all_cores
from tests.classroom.oddities import APART, TOLD
from tests.classroom.oddities_test import grade_of


class ToldOdditiesTest(unittest.TestCase):
    """grade(), check and submit."""

    def test_what_cannot_be_taken_is_told(self):
        """In a sentence that names the line and what to write, and is no accusation."""
        oddities = TOLD if ALL else TOLD[:4]
        for oddity, grade in zip(oddities, on_all_cores(grade_of, oddities), strict=True):
            with self.subTest(oddity.name):
                [test] = grade["parts"][0]["tests"]
                said = " ".join(test["message"].split())
                self.assertIn(oddity.said, said)
                self.assertRegex(said, r"(?:kernel\.cuh|launch\.cu):\d+")
                self.assertNotRegex(said, "(?i)cheat")

    def test_check_and_submit_say_what_grade_says(self):
        """Before anything is handed in."""
        [told] = [each for each in TOLD if each.name == "<iostream>"]
        counter = ("constexpr int BN = 32;", "int calls = 0;\nconstexpr int BN = 32;")
        used = ("    const dim3 grid", "    if (++calls > 99) return;\n    const dim3 grid")
        with Classroom() as room:
            folder = room.write(2, *told.edits)
            code, said = room.student("check", 2)
            self.assertEqual(code, 1, said)
            self.assertIn("A grader does not run this", said)
            self.assertIn(told.said, said)
            code, said = room.student("submit", 2)
            self.assertEqual(code, 0, said)
            self.assertIn(told.said, said)
            for path in sources_of(folder):
                path.unlink()
            room.write(2, counter, used)
            code, said = room.student("check", 2)
            self.assertEqual(code, 1, said)
            self.assertIn("calls keeps its value", said)
            for path in sources_of(folder):
                path.unlink()
            for name, data in next(o for o in APART if "UTF-16 with" in o.name).files().items():
                (folder / name).write_bytes(data)
            code, said = room.student("check", 2)
            self.assertEqual(code, 0, said)


if __name__ == "__main__":
    unittest.main()
