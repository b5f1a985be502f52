"""Grades in the forms of Gradescope, Classroom 50, JUnit, CSV and Markdown.

python3 -m tests.classroom.adapters_test
"""

import copy
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

from classroom import adapters, points
from tests import SOURCES
from tests.schemas import faults

SHAPE = "M, N, K = 77 x 45 x 131"
RUNNER = {
    "CLASSROOM": "cs1",
    "ASSIGNMENT": "rung-03",
    "SUBMISSION_TAG": "submit/1",
    "COMMIT_URL": "https://example.org/c",
    "RELEASE_URL": "https://example.org/r",
}


def schema(name):
    """The schema with this path below the root."""
    return json.loads((SOURCES / name).read_text())


def grade(parts, flags=(), student="ada"):
    """A grade of these parts and flags."""
    rows = points.Flags()
    for kind, message in flags:
        rows.add(kind, message)
    parts = [*parts, points.speed_not_graded("no GPU")]
    total = round(sum(part["points"] or 0 for part in parts), 2)
    return {
        "schema": adapters.SCHEMA,
        "generated_at": "2026-11-23T01:00:00Z",
        "tool": {"commit": "abc"},
        "machine": {"cpu": "a CPU", "gpu": None, "containment": []},
        "rung": {"number": 3, "name": "shared_tile", "label": "03 shared_tile"},
        "submission": {"student": student, "sha256": "0" * 64},
        "score": 0 if rows.fatal else total,
        "max_score": 80,
        "parts": parts,
        "flags": rows.rows,
        "hints_used": 2,
    }


def judged(right=True, message=""):
    """The parts of a kernel that builds and is right, or not, where the judge looked."""
    visible = [points.row(f"visible-{i}", f"{SHAPE}, test {i}", 5, 5) for i in range(4)]
    visible.append(points.row("visible-4", SHAPE, 5 * right, 5, True, message))
    hidden = [
        points.row(
            "hidden-1",
            "A ragged shape",
            25 * right,
            25,
            False,
            "" if right else "The result is wrong.",
            {"seed": 4711},
        )
    ]
    memory = (
        [points.row("memory-dram", "DRAM", 12.5, 20, True, "160 where the reference has 100")]
        if right
        else []
    )
    return [
        points.builds("It compiles."),
        points.part("visible", visible),
        points.part("hidden", hidden),
        points.part("memory", memory, "" if right else "No points for a wrong result."),
    ]


def broken(lines):
    """The parts of a kernel that does not compile."""
    why = "It does not compile, so nothing else was tested."
    return [points.builds(why, lines), *points.nothing_after(why)]


RIGHT = grade(judged())
WRONG = grade(judged(False, "wrong at row 64, column 3\n<b>`&| \x1b[31m]]></b>"))
BROKEN = grade(broken(["kernel.cuh:38: a `;` is missing", "```", "the rest"]))
CHEAT = grade(judged(), [("forbidden_symbol", "the kernel uses dlopen"), ("hazard", "a race")])
NO_NAME = grade(judged(), student=None)
ALL = {"right": RIGHT, "wrong": WRONG, "broken": BROKEN, "cheat": CHEAT, "no name": NO_NAME}


class AdaptersTest(unittest.TestCase):
    """Every form says what the grade says."""

    def test_the_grades_of_this_test_are_grades(self):
        for name, each in ALL.items():
            self.assertEqual(faults(each, schema("classroom/grade_schema.json")), [], name)

    def test_gradescope_is_as_documented(self):
        for name, each in ALL.items():
            found = json.loads(adapters.as_json(adapters.gradescope(each)))
            wrong = faults(found, schema("tests/classroom/gradescope_schema.json"))
            self.assertEqual(wrong, [], name)
            self.assertEqual(found["score"], each["score"], name)
            self.assertEqual(sum(test["max_score"] for test in found["tests"]), 80, name)
            if name != "cheat":
                self.assertEqual(sum(test["score"] for test in found["tests"]), each["score"], name)
            self.assertEqual(len({test["number"] for test in found["tests"]}), len(found["tests"]))

    def test_gradescope_says_why_a_score_is_0(self):
        found = adapters.gradescope(CHEAT)
        self.assertEqual(found["score"], 0)
        self.assertIn("The score is 0: the kernel uses dlopen", found["output"])
        self.assertNotIn("a race", found["output"])
        self.assertIn("Speed was not graded: no GPU.", adapters.gradescope(BROKEN)["output"])
        self.assertNotIn("It does not compile", adapters.gradescope(BROKEN)["output"])

    def test_gradescope_keeps_the_figures_of_hidden_tests(self):
        text = json.dumps(adapters.gradescope(WRONG))
        self.assertNotIn("4711", text)
        self.assertIn("The result is wrong.", text)
        held = adapters.gradescope(RIGHT, "after_published")["tests"]
        self.assertEqual(
            {test["tags"][0] for test in held if test["visibility"] != "visible"}, {"hidden"}
        )

    def test_the_schema_of_gradescope_is_strict(self):
        found = adapters.gradescope(RIGHT)
        found["tests"][0]["status"] = "pass"
        found["tests"][1]["colour"] = "red"
        found["visibility"] = "shown"
        del found["score"]
        wrong = faults(found, schema("tests/classroom/gradescope_schema.json"))
        self.assertEqual(
            [fault.partition(":")[0] for fault in wrong],
            ["$.tests[0].status", "$.tests[1]", "$.visibility", "$"],
        )

    def test_the_schema_of_grades_is_strict(self):
        """Of the parts: five, in their order, and each a whole one."""
        form = schema("classroom/grade_schema.json")
        for place, spoil in {
            "$.parts[0].id": lambda parts: parts.reverse(),
            "$.parts[3]": lambda parts: parts[3].pop("message"),
            "$.parts": lambda parts: parts.append(parts[4]),
        }.items():
            found = copy.deepcopy(RIGHT)
            spoil(found["parts"])
            self.assertIn(place, [fault.partition(":")[0] for fault in faults(found, form)])

    def test_classroom50_has_exactly_its_fields(self):
        for name, each in ALL.items():
            found = adapters.classroom50(each, RUNNER)
            self.assertEqual(
                set(found),
                {
                    "schema",
                    "classroom",
                    "assignment",
                    "submission",
                    "commit",
                    "release",
                    "review",
                    "datetime",
                    "score",
                    "max-score",
                    "tests",
                },
                name,
            )
            self.assertEqual(found["review"], RUNNER["COMMIT_URL"])
            self.assertEqual((found["score"], found["max-score"]), (each["score"], 80), name)
            self.assertEqual(sum(test["score"] for test in found["tests"]), found["score"], name)
            self.assertEqual(sum(test["max-score"] for test in found["tests"]), 80, name)
            for test in found["tests"]:
                self.assertEqual(set(test), {"test-name", "passed", "score", "max-score"})
        self.assertEqual(
            [test["passed"] for test in adapters.classroom50(RIGHT, RUNNER)["tests"]],
            [True, True, True, False],
        )
        with self.assertRaisesRegex(adapters.NotAGradeError, "CLASSROOM, .*_URL not in the env"):
            adapters.classroom50(RIGHT, {})

    def test_junit_counts_what_it_lists(self):
        root = ElementTree.fromstring(adapters.junit(ALL.values()))
        self.assertEqual(len(root), len(ALL))
        for suite in root:
            cases = suite.findall("testcase")
            self.assertEqual(int(suite.get("tests")), len(cases))
            self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
            self.assertEqual(int(suite.get("skipped")), len(suite.findall("testcase/skipped")))
        right, wrong, unbuilt, cheat, _ = root
        self.assertEqual((right.get("failures"), right.get("name")), ("1", "ada 03 shared_tile"))
        self.assertEqual(
            wrong.find("testcase[@name='" + SHAPE + "']/failure").text,
            "wrong at row 64, column 3\n<b>`&| ?[31m]]></b>",
        )
        self.assertEqual((unbuilt.get("failures"), unbuilt.get("skipped")), ("1", "3"))
        self.assertIn(
            "dlopen", cheat.find("testcase[@name='nothing but a kernel']/failure").get("message")
        )

    def test_no_cell_is_a_formula(self):
        """Whatever it begins with, full-width signs too; figures stay figures."""
        for sign in "=+-@|%\uff1d\uff0b\uff0d\uff20\uff5c\uff05\u2212\ufe62\t\r":
            row = adapters.csv_row(grade(judged(), student=f" {sign}1+1" if sign > " " else sign))
            [cells] = csv.DictReader(io.StringIO(adapters.csv_text([row]), newline=""))
            self.assertEqual(cells["student"][0], "'", repr(sign))
            self.assertNotIn("'", cells["score"])

    def test_a_csv_row_has_every_figure(self):
        formula = grade(judged(), student='=HYPERLINK("x")')
        rows = list(
            csv.DictReader(
                io.StringIO(
                    adapters.csv_text(
                        adapters.csv_row(each) for each in (RIGHT, CHEAT, BROKEN, NO_NAME, formula)
                    )
                )
            )
        )
        self.assertEqual([row["score"] for row in rows], ["72.5", "0", "0", "72.5", "72.5"])
        self.assertEqual(
            [row["student"] for row in rows], ["ada", "ada", "ada", "", '\'=HYPERLINK("x")']
        )
        self.assertEqual(
            rows[0],
            {
                "student": "ada",
                "rung": "03",
                "score": "72.5",
                "max_score": "80",
                "builds": "10",
                "visible": "25",
                "hidden": "25",
                "memory": "12.5",
                "speed": "",
                "hints_used": "2",
                "flags": "",
                "sha256": "0" * 64,
                "generated_at": "2026-11-23T01:00:00Z",
            },
        )
        self.assertEqual(rows[1]["flags"], "forbidden_symbol hazard")

    def test_markdown_cannot_be_left(self):
        text = adapters.markdown(BROKEN)
        self.assertIn("````text\nkernel.cuh:38: a `;` is missing\n```\nthe rest\n````", text)
        self.assertIn("| ✗ | It builds | 0 | 10 |", text)
        self.assertIn("| – | Speed, compared with the reference | – | – |", text)
        named = adapters.markdown(grade(judged(), student="<img src=x>|*"))
        self.assertIn(r"\<img src=x\>\|\*", named)
        self.assertIn("**The score is 0:** the kernel uses dlopen", adapters.markdown(CHEAT))

    def test_the_command_line(self):
        with tempfile.TemporaryDirectory() as room:
            paths = [pathlib.Path(room, f"{i}.json") for i in range(2)]
            for path in paths:
                path.write_text(json.dumps(RIGHT))
            other = pathlib.Path(room, "other.json")
            other.write_text('{"schema": "else"}')
            torn = pathlib.Path(room, "torn.json")
            torn.write_text('{"schema"')
            out = pathlib.Path(room, "results.json")
            for words, code, said in (
                (("csv", *paths), 0, "ada,03,72.5,80,10,25,25,12.5,,2,"),
                (("gradescope", paths[0]), 0, '"stdout_visibility": "hidden"'),
                (("markdown", paths[0]), 0, "## 03 shared\\_tile: 72.5 of 80 points, ada"),
                (("gradescope", paths[0], "--out", out), 0, ""),
                (("gradescope", *paths), 2, "gradescope takes one grade; csv and junit"),
                (("junit", other), 2, "is no grade: its schema is 'else'"),
                (("junit", torn), 2, "is not JSON"),
                (("csv", pathlib.Path(room, "none.json")), 2, "cannot read"),
                (("gradescope", paths[0], "--out", room), 2, "it is a folder"),
            ):
                done = subprocess.run(
                    [sys.executable, "-m", "classroom.adapters", *map(str, words)],
                    cwd=SOURCES,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    check=False,
                )
                self.assertEqual(done.returncode, code, done.stdout)
                self.assertIn(said, done.stdout)
                self.assertNotIn("Traceback", done.stdout)
            self.assertEqual(json.loads(out.read_text())["score"], 72.5)


if __name__ == "__main__":
    unittest.main()
