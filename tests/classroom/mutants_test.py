"""Every mutant loses points, in the parts and for the reason that mutants.csv records.

`make test` takes the graded ones and every fourth of the others, `make test-all` and CI take all.
If the record is right as it is now: GRADED_MUTANTS=tests/classroom/mutants.csv python3 -m
tests.classroom.mutants_test
"""

import collections
import concurrent.futures
import csv
import io
import json
import os
import subprocess
import unittest

from bench import SOURCES
from bench.rungs import rung_table
from classroom import points
from classroom.problems import Secret, hidden_tests, memory_runs, visible_tests
from tests.classroom.graded_mutants import GRADED_MUTANTS
from tests.ladder.mutants.subtle_mutants import SUBTLE_MUTANTS
from tests.parts import own_part

RECORD = SOURCES / "tests/classroom/mutants.csv"
PROGRAM = os.environ.get("GRADER_MUTANTS", str(SOURCES / "build/tests/grader_mutants"))
SECRET = b"of the tests"
ALL = os.environ.get("LADDER_TEST_ALL") or os.environ.get("GRADED_MUTANTS")
FEWEST = 40 if ALL else 20
WASTEFUL = (
    "warps_along_columns",
    "operand_from_global_memory",
    "fetched_when_needed",
    "blocks_along_rows",
)
HEAD = ("mutant", "rung", "check", "visible", "hidden", "memory", "why")


def tests_of(rung):
    """All tests of a rung."""
    return [*visible_tests(rung), *hidden_tests(rung, Secret(SECRET, rung))]


def job_of(rung):
    """A job without libraries."""
    return {
        "precision": rung.precision,
        "tile": list(rung.tile),
        "multiple_of": rung.multiple_of,
        "tests": [
            {"id": test.id, "visible": test.visible, "runs": list(test.runs)}
            for test in tests_of(rung)
        ],
        "memory": memory_runs(rung, Secret(SECRET, rung)),
    }


def names_of(copies):
    """As grader_mutants knows them."""
    return [copy.name.removeprefix("mutant_") for copy in copies]


def chosen():
    """Names of the mutants that are judged now."""
    if ALL:
        return names_of((*SUBTLE_MUTANTS, *GRADED_MUTANTS))
    graded = set(names_of(GRADED_MUTANTS))
    rows = list(csv.reader(RECORD.read_text().splitlines()))[1:]
    others = [name for name, *_ in rows if name not in graded]
    return [*sorted(graded), *others[::4]]


def results():
    """What grader_mutants says of each mutant, on two cores."""
    rungs = [rung for rung in rung_table().values() if rung.tile]
    jobs = {rung.folder: job_of(rung) for rung in rungs}
    wanted = json.dumps({"mutants": own_part(chosen()), "jobs": jobs})

    def part(number):
        process = subprocess.run(
            [PROGRAM, str(number), "2"], input=wanted, stdout=subprocess.PIPE, text=True, check=True
        )
        return json.loads(process.stdout)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [result for found in pool.map(part, range(2)) for result in found]


def first_code(test):
    """The code of what was found first, or why there is none."""
    return test["codes"][0]["code"] if test["codes"] else test["data"]["kind"]


def row_of(result):
    """Of the record: points by part, and the codes of what was wrong in how many tests."""
    rung = next(rung for rung in rung_table().values() if rung.folder == result["rung"])
    runs = {test["id"]: test["runs"] for test in result["tests"]}
    flags = points.Flags()
    tests = tests_of(rung)
    visible = points.correctness("visible", [t for t in tests if t.visible], runs, flags)
    hidden = points.correctness("hidden", [t for t in tests if not t.visible], runs, flags)
    memory = (
        points.memory(result["memory"], flags, about=rung.about) if "memory" in result else None
    )
    lost = [test for part in (visible, hidden) for test in part["tests"] if test["points"] == 0]
    why = collections.Counter(first_code(test) for test in lost)
    wasted = [test["id"] for test in (memory or {"tests": []})["tests"] if test["status"] != "pass"]
    words = [f"{code} {times}" for code, times in sorted(why.items())] + wasted
    return [
        result["mutant"],
        result["rung"],
        "yes" if result["check"] else "no",
        visible["points"],
        hidden["points"],
        memory["points"] if memory else "",
        "; ".join(words),
    ]


class MutantsTest(unittest.TestCase):
    """All mutants, judged once."""

    @classmethod
    def setUpClass(cls):
        """Judges them."""
        cls.rows = sorted(map(row_of, results()), key=lambda row: (row[1], row[0]))
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([HEAD, *cls.rows])
        cls.text = text.getvalue()
        if os.environ.get("GRADED_MUTANTS"):
            (SOURCES / os.environ["GRADED_MUTANTS"]).write_text(cls.text)

    def test_each_loses_points(self):
        """None has all 80."""
        self.assertGreaterEqual(len(chosen()), FEWEST)
        self.assertEqual(sorted(row[0] for row in self.rows), sorted(own_part(chosen())))
        for name, _, _, visible, hidden, memory, _why in self.rows:
            with self.subTest(name):
                all_points = (visible, hidden) == (25, 25) and memory in (20, "")
                self.assertFalse(all_points)

    def test_for_the_recorded_reasons(self):
        """Which parts lose how much, and why."""
        names = {name for name, *_ in self.rows} | {HEAD[0]}
        recorded = [row for row in RECORD.read_text().splitlines() if row.split(",")[0] in names]
        self.assertEqual(self.text.splitlines(), recorded, __doc__)

    def test_the_record_has_each_mutant_and_no_other(self):
        """In the order of rungs and names."""
        rows = list(csv.reader(RECORD.read_text().splitlines()))[1:]
        self.assertEqual(rows, sorted(rows, key=lambda row: (row[1], row[0])))
        names = names_of((*SUBTLE_MUTANTS, *GRADED_MUTANTS))
        self.assertEqual(sorted(row[0] for row in rows), sorted(names))

    def test_wasteful_kernels_keep_their_right_results(self):
        """Kernels that are right lose points for memory alone."""
        found = {name: parts for name, _, _, *parts, _why in self.rows}
        self.assertLessEqual(set(WASTEFUL), set(chosen()))
        for name in set(WASTEFUL) & set(found):
            with self.subTest(name):
                visible, hidden, memory = found[name]
                self.assertEqual((visible, hidden), (25, 25))
                self.assertLess(memory, 20)


if __name__ == "__main__":
    unittest.main()
