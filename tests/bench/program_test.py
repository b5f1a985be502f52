"""bench/program.py, output_file.py: output that cannot be written, interrupts, all or none."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from bench.output_file import OutputError, write_all
from tests import SOURCES

CLIMB = "bench/results/nvidia-h200/climb_burst_4096.json"
# What each program can do at once, without a GPU or a compiler.
QUICK = {
    "docs.report.rung_diff": ["05"],
    "bench.benchmark.compare": [CLIMB, CLIMB],
    "bench.benchmark.ablate": ["list"],
    "docs.report.maths": ["11"],
    "classroom.lesson": ["03"],
    "docs.figures.draw": ["--words", "sm"],
}


def modules():
    """All programs of bench and docs."""
    found = []
    for folder in ("bench", "docs"):
        for path in sorted((SOURCES / folder).rglob("*.py")):
            if '__name__ == "__main__"' in path.read_text():
                found.append((".".join(path.relative_to(SOURCES).with_suffix("").parts), path))
    return found


def run(module, arguments, output):
    """(exit code, standard error) with standard output at a path, or closed (None)."""
    redirected = f">{output}" if output else ">&-"
    command = f"exec {sys.executable} -m {module} {' '.join(arguments)} {redirected}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=SOURCES, stderr=subprocess.PIPE, text=True, check=False
    )
    return done.returncode, done.stderr


class OutputTest(unittest.TestCase):
    """What a program says reaches its reader, or the program fails."""

    def test_every_program_runs_in_the_frame(self):
        for module, path in modules():
            with self.subTest(module):
                if module == "bench.benchmark.ablations":  # part of the build, and prints nothing
                    continue
                self.assertIn("program.run(main)", path.read_text())

    def test_output_that_cannot_be_written_is_an_error(self):
        for module, arguments in QUICK.items():
            for output in ("/dev/full", None):
                with self.subTest(module, output=output):
                    code, said = run(module, arguments, output)
                    self.assertEqual(code, 2, said)
                    self.assertRegex(said, r"^\w+\.py: cannot write standard output: .+\n$")

    def test_a_rung_that_is_not_there_is_bad_usage(self):
        for module, more in (
            ("docs.report.rung_diff", ()),
            ("docs.report.maths", ()),
            ("classroom.lesson", ()),
            ("classroom.starters", ("/dev/null/no",)),
            ("classroom.student start", ()),
        ):
            with self.subTest(module):
                code, said = run(module, ["77", *more], "/dev/null")
                self.assertEqual(code, 2, said)
                self.assertIn("12", said, "it names the rungs that are there")

    def test_a_reader_that_leaves_ends_the_program_quietly(self):
        done = subprocess.run(
            [
                "bash",
                "-c",
                f"{sys.executable} -m classroom.lesson 03 | true; " "echo ${PIPESTATUS[0]}",
            ],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertIn(done.stdout, ("141\n", "0\n"))  # 0: it had written all before
        self.assertEqual(done.stderr, "")

    def test_an_interrupt_has_no_traceback(self):
        program = (
            "import time\nfrom bench import program\n"
            "program.run(lambda: (print('ready', flush=True), time.sleep(30)))\n"
        )
        for number, wanted in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = subprocess.Popen(
                [sys.executable, "-c", program],
                cwd=SOURCES,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            process.stdout.readline()
            process.send_signal(number)
            _, said = process.communicate(timeout=20)
            self.assertEqual((process.returncode, said), (wanted, ""))


class FilesTest(unittest.TestCase):
    """Several files, all or none."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for name in ("a", "b"):
            (self.root / name).mkdir()
            (self.root / name / "old").write_text(f"old {name}")

    def tearDown(self):
        self.folder.cleanup()

    def names(self):
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*"))

    def test_all_are_replaced_and_none_marks_what_goes(self):
        write_all({self.root / "a/old": "new", self.root / "b/old": None, self.root / "a/new": "x"})
        self.assertEqual(self.names(), ["a", "a/new", "a/old", "b"])
        self.assertEqual((self.root / "a/old").read_text(), "new")

    def test_where_one_cannot_be_made_none_is(self):
        for bad in ("c/new", "b"):  # no such folder; a folder
            texts = {self.root / "a/old": "new", self.root / "a/new": "new", self.root / bad: "new"}
            with self.assertRaisesRegex(OutputError, f"cannot write {self.root}/{bad}: "):
                write_all(texts)
            self.assertEqual(self.names(), ["a", "a/old", "b", "b/old"])
            self.assertEqual((self.root / "a/old").read_text(), "old a")

    def test_where_one_cannot_take_its_place_the_others_go_back(self):
        real = pathlib.Path.replace

        def replace(path, target):
            if path.name == "new" and target == (self.root / "b/old").resolve():
                raise OSError(28, os.strerror(28))
            return real(path, target)

        pathlib.Path.replace = replace
        try:
            with self.assertRaisesRegex(OutputError, "b/old: No space left on device"):
                write_all(
                    {
                        self.root / "a/old": "new",
                        self.root / "a/more": "new",
                        self.root / "b/old": "new",
                    }
                )
        finally:
            pathlib.Path.replace = real
        self.assertEqual(self.names(), ["a", "a/old", "b", "b/old"])
        self.assertEqual((self.root / "a/old").read_text(), "old a")

    def test_an_interrupt_leaves_nothing_half_made(self):
        program = (
            "import pathlib, sys\nfrom bench import program\n"
            "from bench.output_file import write_whole\n"
            "def main():\n"
            "    print('ready', flush=True)\n"
            "    while True:\n"
            "        write_whole(pathlib.Path(sys.argv[1]), 'x' * 1000000)\n"
            "program.run(main)\n"
        )
        path = self.root / "a" / "result"
        for number in (signal.SIGINT, signal.SIGTERM):
            for wait in (0.0, 0.01, 0.02, 0.035, 0.05):
                process = subprocess.Popen(
                    [sys.executable, "-c", program, path],
                    cwd=SOURCES,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                process.stdout.readline()
                time.sleep(wait)
                process.send_signal(number)
                _, said = process.communicate(timeout=20)
                self.assertEqual((process.returncode, said), (128 + number, ""))
                self.assertFalse([name for name in self.names() if re.search("unfinished", name)])
                if path.exists():
                    self.assertEqual(len(path.read_text()), 1000000)


if __name__ == "__main__":
    unittest.main()
