"""sanitize.py: runs are filed in their order, however many run at a time; none is lost.

No GPU is needed here: a script stands in for compute-sanitizer and the ladder.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench.record import sanitize
from tests import SOURCES

# compute-sanitizer --tool TOOL LADDER climb ... --json PATH --beta B --m M --n N --k K
FAKE_SANITIZER = """#!{python} -IS
import json, os, pathlib, sys, time
options = dict(zip(sys.argv[1:], sys.argv[2:]))
folder = pathlib.Path({folder!r})
(folder / f"running_{{os.getpid()}}").touch()
# The first runs take longest: they end behind those that begin later.
time.sleep(0.2 if options["--tool"] == "memcheck" else 0.02)
with (folder / "at_a_time").open("a") as file:
    file.write(f"{{len(list(folder.glob('running_*')))}}\\n")
(folder / f"running_{{os.getpid()}}").unlink()
if (options["--tool"], options["--m"], options["--beta"]) == {fails!r}:
    sys.exit("no such device")
wrong = (options["--tool"], options["--m"], options["--beta"]) == {wrong!r}
outcome = "wrong" if wrong else "passed"
pathlib.Path(options["--json"]).write_text(json.dumps(
    {{"context": {{"gpu": "made up"}}, "benchmarks": [{{"name": "01", "outcome": outcome}}]}}))
print("========= ERROR SUMMARY: 0 errors")
"""

ORDER = [
    (tool, *shape, beta)
    for tool in sanitize.TOOLS
    for shape in (*sanitize.SHAPES, *sanitize.FOR_THEM)
    for beta in (0.0, 0.5)
]


def keys(results):
    """Which runs were filed."""
    return [tuple(run[key] for key in ("name", "m", "n", "k", "beta")) for run in results]


class SanitizeTest(unittest.TestCase):
    """Runs the script with a compute-sanitizer of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def sanitize(self, *arguments, fails=None, wrong=None):
        """Returns (the finished process, the filed results)."""
        tool = self.folder / "compute-sanitizer"
        tool.write_text(
            FAKE_SANITIZER.format(
                python=sys.executable, folder=str(self.folder), fails=fails, wrong=wrong
            )
        )
        tool.chmod(0o755)
        out = self.folder / "sanitizer.json"
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "bench.record.sanitize",
                "--out",
                out,
                "--ladder",
                "ladder",
                *arguments,
            ],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"},
        )
        return done, json.loads(out.read_text()) if out.exists() else None

    def at_a_time(self):
        """The most runs that ran at a time."""
        return max(map(int, (self.folder / "at_a_time").read_text().split()))

    def test_one_run_at_a_time_unless_told_otherwise(self):
        done, results = self.sanitize()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.at_a_time(), 1)
        self.assertEqual(keys(results["benchmarks"]), ORDER)
        self.assertEqual(results["context"], {"gpu": "made up"})
        self.assertTrue(all(run["clean"] for run in results["benchmarks"]))

    def test_several_at_a_time_are_filed_and_printed_in_the_same_order(self):
        done, results = self.sanitize("--jobs", "8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(self.at_a_time(), 1)
        self.assertLessEqual(self.at_a_time(), 8)
        self.assertEqual(keys(results["benchmarks"]), ORDER)
        self.assertEqual(
            [line.split()[0] for line in done.stdout.splitlines()], [key[0] for key in ORDER]
        )

    def test_a_run_that_fails_does_not_take_the_others_with_it(self):
        done, results = self.sanitize("--jobs", "4", fails=("memcheck", "77", "0.5"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such device", done.stderr)
        self.assertIn("1 of 48 runs failed", done.stderr)
        lost = ("memcheck", 77, 45, 131, 0.5)
        self.assertEqual(keys(results["benchmarks"]), [key for key in ORDER if key != lost])

    def test_a_wrong_result_is_filed_and_ends_with_1(self):
        done, results = self.sanitize("--jobs", "4", wrong=("racecheck", "129", "0"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            keys(run for run in results["benchmarks"] if not run["clean"]),
            [("racecheck", 129, 300, 4, 0.0)],
        )

    def test_no_run_at_a_time_is_refused(self):
        for number in ("0", "-2", "many"):
            done, results = self.sanitize("--jobs", number)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--jobs", done.stderr)
            self.assertIsNone(results)


if __name__ == "__main__":
    unittest.main()
