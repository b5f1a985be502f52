#!/usr/bin/env python3
"""bench/report.py: pages hold the figures of the recorded results, or it says which do not."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).resolve().parent.parent


def report(root, *arguments):
    """Runs the report on a folder; returns (exit code, output)."""
    done = subprocess.run(
        [sys.executable, SOURCES / "bench" / "report.py", "--root", root, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


class ReportTest(unittest.TestCase):
    """Each test works on a copy of the pages and the results."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        shutil.copytree(SOURCES / "bench" / "results", self.root / "bench" / "results")
        shutil.copytree(SOURCES / "docs", self.root / "docs")
        probes = pathlib.Path("tests/fidelity/probes_h200.csv")
        (self.root / probes).parent.mkdir(parents=True)
        shutil.copy(SOURCES / probes, self.root / probes)
        for page in [SOURCES / "README.md", *SOURCES.glob("ladder/*/README.md")]:
            copy = self.root / page.relative_to(SOURCES)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(page, copy)
        self.page = self.root / "ladder" / "03_shared_tile" / "README.md"

    def tearDown(self):
        self.folder.cleanup()

    def edit(self, old, new):
        """Replaces text in the page of rung 03."""
        text = self.page.read_text()
        self.assertIn(old, text)
        self.page.write_text(text.replace(old, new, 1))

    def test_pages_are_current(self):
        self.assertEqual(report(self.root, "--check"), (0, ""))

    def test_a_figure_typed_by_hand_is_stale_and_is_rewritten(self):
        self.edit("<!-- value gain_4096 -->", "<!-- value gain_4096 -->9")
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("ladder/03_shared_tile/README.md is stale: run make report", text)
        self.assertEqual(report(self.root)[0], 0)
        self.assertEqual(report(self.root, "--check"), (0, ""))

    def test_a_table_edited_by_hand_is_stale(self):
        self.edit("| 8192 |", "| 8193 |")
        self.assertEqual(report(self.root, "--check")[0], 1)

    def test_an_unknown_name_is_refused(self):
        self.edit("value gain_4096 -->", "value luck_4096 -->")
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("'luck_4096' is no name of a figure", text)

    def test_a_missing_recording_is_named(self):
        (self.root / "bench/results/nvidia-h200/climb_burst_8192.json").unlink()
        code, text = report(self.root)
        self.assertEqual(code, 1)
        self.assertIn("climb_burst_8192.json is not there", text)


if __name__ == "__main__":
    unittest.main()
