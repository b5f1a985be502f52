"""bench/record/probes.py --missing: new probes join a file that the same tools have written."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

from bench.record import probes as record_probes

NOTES = ["GPU X, driver 1", "Nsight Compute: 2"]
LISTING = "# compiled by nvcc 13.0\none\ntwo\nthree\n"
HEAD = """\
# What hardware counts for tests/fidelity/probes.cpp, a kernel a line.
# Written by bench/record/probes.py.
# GPU X, driver 1
# Nsight Compute: 2
# compiled by nvcc 13.0
# Unknown there: a, b
"""


class RecordProbesTest(unittest.TestCase):
    """The script with made-up tools."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "probes.csv"
        self.recorded = []
        self.broken = ""  # the probe that ncu does not survive

    def record(self, _program, probes, metrics):
        """Counts 9 of everything."""
        if self.broken in probes:
            record_probes.stop("ncu failed")
        self.recorded += probes
        return [[probe, *[9] * len(metrics)] for probe in probes]

    def run_script(self, *arguments, notes=None, metrics=("m0", "a", "b")):
        """The file that it writes."""
        fakes = {
            "context": lambda: list(notes or NOTES),
            "known_metrics": lambda *_: ["m1", "m2"],
            "output_of": lambda _: LISTING,
            "record": self.record,
            "METRICS": metrics,
            "BATCH": 1,
        }
        argv = ["probes.py", "--out", str(self.out), *arguments]
        with (
            unittest.mock.patch.multiple(record_probes, **fakes),
            unittest.mock.patch.object(sys, "argv", argv),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            record_probes.main()
        return self.out.read_text()

    def test_all_are_recorded_without_missing(self):
        self.out.write_text(f"{HEAD}probe,m0\none,1\n")
        text = self.run_script()
        self.assertEqual(self.recorded, ["one", "two", "three"])
        self.assertTrue(text.endswith("probe,m1,m2\none,9,9\ntwo,9,9\nthree,9,9\n"), text)

    def test_only_missing_ones_are_recorded_by_the_metrics_of_the_file(self):
        self.out.write_text(f"{HEAD}probe,m0\nthree,3\ngone,4\none,1\n")
        text = self.run_script("--missing")
        self.assertEqual(self.recorded, ["two"])
        self.assertEqual(text, f"{HEAD}probe,m0\none,1\ntwo,9\nthree,3\n")

    def test_a_row_with_a_gap_is_recorded_again(self):
        self.out.write_text(f"{HEAD}probe,m0,a\none,1,\ntwo,2,2\nthree,3,3\n")
        text = self.run_script("--missing")
        self.assertEqual(self.recorded, ["one"])
        self.assertEqual(text, f"{HEAD}probe,m0,a\none,9,9\ntwo,2,2\nthree,3,3\n")

    def test_nothing_is_missing(self):
        self.out.write_text(f"{HEAD}probe,m0\none,1\ntwo,2\nthree,3\n")
        self.assertEqual(self.run_script("--missing"), f"{HEAD}probe,m0\none,1\ntwo,2\nthree,3\n")
        self.assertEqual(self.recorded, [])

    def test_what_was_stopped_goes_on(self):
        self.broken = "two"
        with self.assertRaises(SystemExit):
            self.run_script()
        self.assertEqual(self.recorded, ["one"])
        self.broken = ""
        text = self.run_script("--missing", metrics=("m1", "m2"))
        self.assertEqual(self.recorded, ["one", "two", "three"])
        self.assertTrue(text.endswith("probe,m1,m2\none,9,9\ntwo,9,9\nthree,9,9\n"), text)

    def refusal(self, **tools):
        """What the script says when it gives up."""
        with self.assertRaises(SystemExit) as stopped:
            self.run_script("--missing", **tools)
        return str(stopped.exception)

    def test_another_gpu_or_tool_cannot_add_to_a_file(self):
        text = f"{HEAD}probe,m0\none,1\n"
        self.out.write_text(text)
        said = self.refusal(notes=["GPU X, driver 2", NOTES[1]])
        self.assertIn("was not recorded with 'GPU X, driver 2'", said)
        self.assertIn("record all probes, without --missing", said)
        self.assertEqual(self.out.read_text(), text)

    def test_a_file_without_a_metric_of_now_is_recorded_anew(self):
        text = f"{HEAD}probe,m0\none,1\n"
        self.out.write_text(text)
        said = self.refusal(metrics=("m0", "a", "b", "m4", "m5"))
        self.assertIn("was recorded without 2 metrics of now, m4 for one", said)
        self.assertIn("record all probes, without --missing", said)
        self.assertEqual(self.out.read_text(), text)

    def test_there_is_no_file_to_add_to(self):
        self.assertIn("is not there: record all probes, without --missing", self.refusal())


if __name__ == "__main__":
    unittest.main()
