"""Counts of drawn systems come out of GoogleTest's JSON, and the page's table is made of them."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench.record import drawn_systems
from docs.report.page_blocks import labs
from tests import SOURCES

TESTS = {
    "testsuites": [
        {
            "testsuite": [
                {
                    "name": "A",
                    "tally: Latency of L1: family": "GPUs",
                    "tally: Latency of L1: recovered": "7",
                    "tally: Latency of L1: not_found": "2",
                    "tally: Latency of L1: wrong": "1",
                    "tally: Latency of L1: width_percent": "3.14159",
                    "tally: Names: family": "curves",
                    "tally: Names: recovered": "10",
                    "tally: Names: not_found": "0",
                    "tally: Names: wrong": "0",
                },
                {"name": "B"},
            ]
        }
    ]
}
L1 = {
    "name": "Latency of L1",
    "family": "GPUs",
    "systems": 10,
    "recovered": 7,
    "not_found": 2,
    "wrong": 1,
    "width_percent": 3.1,
}


class TalliesTest(unittest.TestCase):
    """What the test's JSON says."""

    def test_counts_are_read(self):
        first, second = drawn_systems.tallies_of(TESTS, 10)
        self.assertEqual(first, L1)
        self.assertIsNone(second["width_percent"])

    def test_others_counts_stay(self):
        rows = drawn_systems.merged([L1, {**L1, "name": "A"}], [{**L1, "wrong": 0}])
        self.assertEqual([(row["name"], row["wrong"]) for row in rows], [("A", 1), (L1["name"], 0)])

    def recorded(self, program, known=None):
        """(exit code, what the file has afterwards) with a program in place of the labs' test."""
        with tempfile.TemporaryDirectory() as folder:
            script, out = pathlib.Path(folder) / "tests", pathlib.Path(folder) / "counts.json"
            script.write_text(f"#!{sys.executable}\nimport sys\n{program}")
            script.chmod(0o755)
            if known:
                out.write_text(json.dumps({"benchmarks": known}))
            words = ("-m", "bench.record.drawn_systems", "--out", out, "--program", script)
            done = subprocess.run(
                [sys.executable, *map(str, words), "--draws", "10"],
                cwd=SOURCES,
                env=os.environ,
                capture_output=True,
                text=True,
                check=False,
            )
            kept = json.loads(out.read_text())["benchmarks"] if out.exists() else None
            return done.returncode, kept

    def test_a_wrong_answer_is_recorded_and_fails(self):
        write = f"open(sys.argv[-1].split('json:')[1], 'w').write({json.dumps(TESTS)!r})\n"
        code, rows = self.recorded(write, [{**L1, "name": "Other"}])
        self.assertEqual(code, 1)
        self.assertEqual([row["name"] for row in rows], ["Latency of L1", "Names", "Other"])

    def test_a_program_that_ends_early_changes_nothing(self):
        code, rows = self.recorded("sys.exit('no such test')\n", [L1])
        self.assertEqual((code, rows), (1, [L1]))


class RecordTest(unittest.TestCase):
    """What is recorded, and the page."""

    def setUp(self):
        self.rows = json.loads((SOURCES / "bench/results/drawn_systems.json").read_text())[
            "benchmarks"
        ]

    def test_nothing_is_wrong(self):
        for row in self.rows:
            with self.subTest(row["name"]):
                self.assertEqual(row["wrong"], 0)
                self.assertGreater(row["recovered"], 0)

    def test_the_page_has_every_count(self):
        page = (SOURCES / "docs/labs/how_sure.md").read_text()
        self.assertIn(labs.drawn_systems_block(), page)
        for row in self.rows:
            cells = [row[key] for key in ("systems", "recovered", "not_found", "wrong")]
            counts = " | ".join(map(str, cells))
            self.assertIn(f"| {row['name']} | {row['family']} | {counts} |", page)

    def test_every_analysis_that_is_tested_is_recorded(self):
        names = set()
        for path in (SOURCES / "tests/bench/labs").glob("*_test.cpp"):
            words = path.read_text().replace("\n", " ")
            for part in words.split("Tally ")[1:]:
                names.add(part.split('"')[1])
        self.assertEqual(names, {row["name"] for row in self.rows})


if __name__ == "__main__":
    unittest.main()
