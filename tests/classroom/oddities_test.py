"""Honest oddities from end to end: full points, or a clear sentence; check says what grade says."""

import concurrent.futures
import os
import pathlib
import tempfile
import unittest

from bench.rungs import rung_of
from classroom import grade as grader
from classroom.kernel_library import build_libraries, sources_of
from classroom.rules import source_faults
from classroom.source_text import decoded
from tests.classroom.classroom import Classroom
from tests.classroom.oddities import APART, TOGETHER, TOLD, Oddity

ALL = os.environ.get("LADDER_TEST_ALL")
FEWEST = 40
FULL = 80
QUICK = ("UTF-16 without a mark", "a header of one's own, notes, a copy", "BLAS's quick return")


def on_all_cores(function, things):
    """[function(thing)] in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, things))


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
    """grade(), source_faults() and check of oddities."""

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(TOGETHER) + len(APART) + len(TOLD), FEWEST)

    def test_what_is_not_wrong_costs_nothing(self):
        """All points and no flag."""
        apart = [each for each in APART if ALL or each.name in QUICK]
        oddities = [side_by_side(), *apart, *(TOGETHER if ALL else ())]
        for oddity, grade in zip(oddities, on_all_cores(grade_of, oddities), strict=True):
            with self.subTest(oddity.name):
                self.assertEqual(
                    (grade["score"], grade["flags"]), (FULL, []), grader.text_of(grade)
                )

    def test_all_of_it_compiles(self):
        """Where not all of it is graded: as it runs, with no fault of the sources."""

        def faults_of(oddity):
            with tempfile.TemporaryDirectory() as room:
                folder = folder_with(oddity, room)
                faults = source_faults(folder, rung_of(2), pathlib.Path(room, "out"))
                build_libraries(folder, rung_of(2), pathlib.Path(room, "out"), ("plain",))
                return faults

        oddities = [] if ALL else APART
        for oddity, found in zip(oddities, on_all_cores(faults_of, oddities), strict=True):
            with self.subTest(oddity.name):
                self.assertEqual(found, [])

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


class DecodedTest(unittest.TestCase):
    """decoded()"""

    def test_whatever_an_editor_writes(self):
        text = "int größe;\r\n// 和\n"
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
            with self.subTest(encoding):
                self.assertEqual(decoded(text.encode(encoding)), text)
        self.assertEqual(decoded(b"\xef\xbb\xbf"), "")
        self.assertEqual(decoded(b""), "")
        self.assertEqual(decoded(b"a"), "a")
        self.assertEqual(decoded(b"a \xe9 b"), "a \ufffd b")
        self.assertEqual(decoded(b"int a\0;"), "int a\0;")


if __name__ == "__main__":
    unittest.main()
