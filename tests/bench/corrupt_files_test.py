"""Corrupt, truncated and foreign files of results: every tool says which file is wrong.

The quick part of tests/bench/corrupt_files.py; `make test-all` runs the whole.
"""

import pathlib
import re
import tempfile
import unittest

from bench import results_file
from bench.results_forms import gpu
from tests import SOURCES
from tests.bench import corrupt_files

SEED = 1
CLIMB = "bench/results/nvidia-h200/climb_burst_4096.json"
# One of each kind of reader, and how it is corrupted.
SOME = (
    ("bench/results/nvidia-h200/roofs.json", "empty"),
    ("bench/results/rungs.json", "another tool's"),
    ("common/devices/h200.json", "a list of numbers"),
    ("bench/results/nvidia-h200/benchmark_all.json", "cut in the middle"),
    (CLIMB, "Google Benchmark's"),
)


class CorruptFilesTest(unittest.TestCase):
    """Every recorded file."""

    def test_every_recorded_file_has_a_form_and_is_in_it(self):
        names = corrupt_files.recorded_files()
        self.assertGreater(len(names), 40)
        for name in names[:-1]:
            with self.subTest(name):
                self.assertIsNotNone(results_file.form_of(name))
                results_file.read(SOURCES / name)

    def test_reading_names_the_file_in_a_sentence(self):
        refused = 0
        for name in corrupt_files.recorded_files():
            for done, data in corrupt_files.corruptions(name, 6, SEED):
                with self.subTest(name, done=done, seed=SEED):
                    said = corrupt_files.read_corrupt(name, data)
                    refused += said is not None
                    if done in ("empty", "cut in the middle", "binary", "words", "nested"):
                        self.assertIsNotNone(said)
        self.assertGreater(refused, 400)

    def test_tools_name_the_file_and_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            sandbox = corrupt_files.Sandbox(folder)
            for name, wanted in SOME:
                data = dict(corrupt_files.corruptions(name, 0, SEED))[wanted]
                with sandbox.corrupt(name, data):
                    for tool, arguments in corrupt_files.tools_of(name):
                        with self.subTest(name, done=wanted, tool=tool):
                            code, said = corrupt_files.called(tool, arguments, sandbox.root)
                            corrupt_files.judged(name, code, said)
                            if tool != "docs.report.maths":  # which reads fewer files
                                self.assertNotEqual(code, 0, said)

    def test_the_report_writes_all_files_or_none(self):
        with tempfile.TemporaryDirectory() as folder:
            sandbox = corrupt_files.Sandbox(folder)
            page = sandbox.root / "README.md"
            figure = sandbox.root / "docs" / "figures" / "sm.svg"
            whole = page.read_text(), figure.read_text()
            stale = re.sub("TFLOP/s", "PFLOP/s", whole[0]), "<svg/>"
            page.write_text(stale[0])
            figure.write_text(stale[1])
            with sandbox.corrupt("bench/results/nvidia-h200/roofs.json", b""):
                code, said = corrupt_files.called("docs.everything", [], sandbox.root)
                self.assertEqual(code, 1, said)
                self.assertIn("nothing is written", said)
                self.assertEqual((page.read_text(), figure.read_text()), stale)
            code, said = corrupt_files.called("docs.everything", [], sandbox.root)
            self.assertEqual(code, 0, said)
            self.assertIn("wrote docs/figures/sm.svg", said)
            self.assertEqual(figure.read_text(), whole[1])

    def test_a_message_says_where_in_the_file_and_how_to_get_it_back(self):
        with tempfile.TemporaryDirectory() as folder:
            sandbox = corrupt_files.Sandbox(folder)
            text = (SOURCES / CLIMB).read_text().replace('"tflops": ', '"tflops": -', 1)
            with sandbox.corrupt(CLIMB, text.encode()):
                code, said = corrupt_files.called("docs.everything", ["--check"], sandbox.root)
        self.assertEqual(code, 1)
        self.assertIn(f"{CLIMB}: benchmarks[0].tflops is -", said)
        self.assertIn("should be a number above 0", said)
        self.assertIn(f"git restore {CLIMB}", said)

    def test_a_users_file_is_named_as_its_user_named_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "climb.json"
            path.write_text("{")
            with self.assertRaisesRegex(results_file.ResultsError, f"^{path}: is no JSON.*[^`]$"):
                results_file.read(path, gpu.CLIMB)


if __name__ == "__main__":
    unittest.main()
