"""Grades of whole folders for the tests that ask for them."""

import concurrent.futures
import json
import os
import pathlib
import tempfile

from bench import SOURCES
from bench.rungs import rung_of
from classroom import grade as grader
from classroom.starters import write_to
from tests.schemas import faults

SECRET = b"of the tests"
ALL = os.environ.get("LADDER_TEST_ALL")


def on_all_cores(function, things):
    """[function(thing)] in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, things))


def grade_of(files, number):
    """The grade of a folder with these files."""
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room, "work", rung_of(number).folder)
        write_to(folder, files)
        return grader.grade(folder, number, SECRET)


def fatal(grade):
    """[(kind, sentence)] of what makes the score 0."""
    return [(flag["kind"], flag["message"]) for flag in grade["flags"] if flag["fatal"]]


class SchemaMixin:
    """Compares grades with the published schema."""

    schema = json.loads((SOURCES / "classroom/grade_schema.json").read_text())

    def assert_grade(self, grade):
        """A grade follows the schema, and its points add up."""
        self.assertEqual(faults(grade, self.schema), [])
        if not fatal(grade):
            total = sum(part["points"] or 0 for part in grade["parts"])
            self.assertAlmostEqual(grade["score"], total)
        for part in grade["parts"]:
            tests = sum(test["points"] for test in part["tests"])
            self.assertAlmostEqual(part["points"] or 0, tests)

    def assert_full(self, rung, grade):
        """All points, and no flag."""
        with self.subTest(rung.label):
            self.assert_grade(grade)
            self.assertEqual((grade["score"], grade["flags"]), (80, []), grader.text_of(grade))
