"""No program of the classroom reads a sentence: what it decides, it decides by codes.

python3 -m tests.classroom.codes_only_test
"""

import ast
import copy
import json
import unittest
import unittest.mock

from bench.rungs import own_rungs
from classroom import adapters, class_feedback, class_report, points, verdicts
from classroom.problems import Secret, hidden_tests, visible_tests
from tests import SOURCES
from tests.classroom.grade_all_test import made_up_grade
from tests.classroom.grade_all_test import row as row_of_class

# What reads text to decide. Showing it, in lines or shortened, is no reading.
READING = {
    "partition",
    "rpartition",
    "split",
    "rsplit",
    "startswith",
    "endswith",
    "find",
    "rfind",
    "index",
    "count",
    "search",
    "match",
    "fullmatch",
    "findall",
    "finditer",
    "removeprefix",
    "removesuffix",
}
SENTENCES = ("message", "output", "said", "stdout", "stderr")
# Another program's words, and the compiler's own.
OF_THE_COMPILER = {"compiler_messages.py", "kernel_library.py"}


def is_sentence(node):
    """Whether an expression holds a program's sentence, by its name."""
    for part in ast.walk(node):
        name = (
            part.attr
            if isinstance(part, ast.Attribute)
            else part.id
            if isinstance(part, ast.Name)
            else part.value
            if isinstance(part, ast.Constant)
            else ""
        )
        if name in SENTENCES:
            return True
    return False


def readers(text):
    """Lines of a Python source that decide by what a sentence says."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in READING and any(
                is_sentence(each) for each in (node.func.value, *node.args)
            ):
                found.append(node.lineno)
        elif isinstance(node, ast.Compare) and any(
            isinstance(sign, (ast.In, ast.NotIn))
            and is_sentence(right)
            and not isinstance(right, (ast.Set, ast.Tuple, ast.List))
            for sign, right in zip(node.ops, node.comparators, strict=True)
        ):
            found.append(node.lineno)
    return found


def loud(value):
    """The same with every sentence in upper case."""
    if isinstance(value, dict):
        return {
            key: each.upper() if key in ("message", "title", "where_title") else loud(each)
            for key, each in value.items()
        }
    return [loud(each) for each in value] if isinstance(value, list) else value


def silent(value):
    """The same without sentences."""
    if isinstance(value, dict):
        return {key: silent(each) for key, each in value.items() if key != "message"}
    return [silent(each) for each in value] if isinstance(value, list) else value


RACE = {
    "code": "race-in-shared-memory",
    "group": "race",
    "title": "Two threads",
    "places": [{"file": "work/03_shared_tile/kernel.cuh", "line": 53}],
}
EDGE = {
    "code": "nan",
    "group": "wrong-result",
    "title": "NaN",
    "where": "last-tile-row",
    "where_title": "Only the last tile row",
}


def judged(tests):
    """What a judge says of a kernel with a race, and wrong elements where nothing races."""
    ways = (("hazard", RACE), ("wrong", EDGE), ("killed", None), ("right", None))
    found = {}
    for number, test in enumerate(tests):
        status, finding = ways[number % len(ways)]
        run = {"status": status, "findings": [finding] if finding else []}
        if test.visible:
            run["message"] = f"thread ({number}, 0, 0) loads sA[{number}][0]"
        found[test.id] = [run]
    return found


class CodesOnlyTest(unittest.TestCase):
    """With other sentences everything is decided as before."""

    def test_no_source_reads_a_sentence(self):
        for path in sorted((SOURCES / "classroom").glob("*.py")):
            if path.name not in OF_THE_COMPILER:
                self.assertEqual(readers(path.read_text()), [], path.name)

    def test_a_reader_is_seen(self):
        for code in (
            're.search("race", message)',
            'run["message"].partition(": ")',
            '"right" in output',
            'test["message"].startswith("race")',
            'process.stdout.split("x")',
        ):
            self.assertEqual(readers(code), [1], code)
        for code in ("message.splitlines()", 'status in ("message", "output")', "len(message)"):
            self.assertEqual(readers(code), [], code)

    def test_meanings_depend_on_codes(self):
        rung = own_rungs()[3]
        finding = {
            "code": "race-in-shared-memory",
            "family": "fault",
            "level": "error",
            "file": "work/03_shared_tile/kernel.cuh",
            "line": 3,
            "message": "race: thread (0, 0, 0)",
        }
        one, other = (
            verdicts.meanings([each], SOURCES / rung.path, rung)
            for each in (finding, loud(finding))
        )
        self.assertEqual(one, other)
        self.assertNotEqual(one, [])

    def test_points_depend_on_codes(self):
        rung = own_rungs()[3]
        tests = [*visible_tests(rung), *hidden_tests(rung, Secret(b"", rung))]
        runs = judged(tests)
        grades = []
        for each in (runs, {name: loud(found) for name, found in runs.items()}):
            flags = points.Flags()
            parts = [
                points.correctness(name, [t for t in tests if t.visible == visible], each, flags)
                for name, visible in (("visible", True), ("hidden", False))
            ]
            bad = {"status": "hazard", "findings": [RACE], "message": "race: a word"}
            parts.append(points.memory([loud(bad) if each is not runs else bad], flags))
            grades.append([parts, flags.rows])
        self.assertEqual(*map(silent, grades))
        self.assertNotEqual(*grades)
        self.assertEqual(points.codes_of({"findings": [RACE]})[0]["code"], RACE["code"])

    def test_pages_depend_on_codes(self):
        race = ("race: thread (0, 0, 0)", "hazard", [RACE])
        grade = made_up_grade(visible=race, hidden=("The result is wrong.", "wrong", [EDGE]))
        again = loud(grade)
        self.assertEqual(*map(class_report.mistakes_of, (grade, again)))
        pages = [
            class_feedback.feedback("ada", [row_of_class("ada", 3, each)])
            for each in (grade, again)
        ]
        self.assertEqual(*(page.upper() for page in pages))
        for form in (adapters.gradescope, adapters.csv_row):
            self.assertEqual(*(json.dumps(form(each)).upper() for each in (grade, again)))

    def test_old_grades_have_no_codes(self):
        grade = made_up_grade(visible=("race: a word", "hazard"))
        for part in grade["parts"]:
            for each in (part, *part["tests"]):
                each.pop("codes", None)
        before = copy.deepcopy(grade)
        page = class_feedback.feedback("ada", [row_of_class("ada", 3, grade)])
        self.assertIn("race: a word", page)
        class_report.mistakes_of(grade)
        self.assertEqual(before["parts"], grade["parts"])


if __name__ == "__main__":
    unittest.main()
