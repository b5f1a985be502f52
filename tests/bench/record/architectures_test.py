"""architectures.py: what ptxas says is summed up rightly, and the record has every rung's line."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench import results_file
from bench.record import architectures
from bench.record.cuda_tools import InputError
from bench.record.nvcc_text import read_ptxas
from bench.rungs import own_rungs
from docs.report.page_blocks import nvcc
from tests import SOURCES

RECORD = "bench/results/nvcc/architectures.json"
PTXAS = """ptxas info    : Compiling entry function '_Z1av' for 'sm_120a'
    72 bytes stack frame, 64 bytes spill stores, 60 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers
ptxas info    : Compiling entry function '_Z1bv' for 'sm_120a'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers
"""


class SummaryTest(unittest.TestCase):
    """Several kernels are one line."""

    def test_kernels_are_added_up(self):
        self.assertEqual(
            architectures.summary(11, "120a", read_ptxas(PTXAS)),
            {
                "rung": 11,
                "architecture": "120a",
                "kernels": 2,
                "most_registers": 168,
                "kernels_that_spill": 1,
                "spill_store_bytes": 64,
                "spill_load_bytes": 60,
            },
        )

    def test_nothing_compiled_is_an_error(self):
        with self.assertRaisesRegex(InputError, "no kernel of rung 11"):
            architectures.summary(11, "120a", [])


class ProgramTest(unittest.TestCase):
    """The whole program, with a script for nvcc."""

    def run_with(self, script):
        """(exit code, errors, the file's path)"""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        fake = folder / "nvcc"
        fake.write_text(f"#!/bin/sh\n{script}\n")
        fake.chmod(0o755)
        (folder / "said").write_text(PTXAS)
        out = folder / "out.json"
        done = subprocess.run(
            [sys.executable, "-m", "bench.record.architectures", "--out", out, "--nvcc", fake],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr, out

    def test_each_rung_is_compiled_for_each_of_its_architectures(self):
        code, errors, out = self.run_with(
            '[ "$1" = --version ] && echo "release 13.0, V13.0.88" && exit\n'
            'cat "$(dirname "$0")/said"'
        )
        self.assertEqual((code, errors), (0, ""))
        lines = results_file.read(out, results_file.form_of(RECORD))["benchmarks"]
        self.assertEqual(
            [(line["rung"], line["architecture"]) for line in lines],
            [
                (rung.number, name)
                for rung in own_rungs().values()
                if rung.architecture_specific
                for name in rung.architectures
            ],
        )
        self.assertEqual({line["spill_store_bytes"] for line in lines}, {64})

    def test_a_failing_compiler_is_quoted(self):
        code, errors, out = self.run_with('echo "no such architecture" >&2; exit 1')
        self.assertEqual(code, 2)
        self.assertIn("no such architecture", errors)
        self.assertFalse(out.exists())


class RecordTest(unittest.TestCase):
    """The committed file."""

    def test_it_has_a_line_for_each_architecture_of_each_rung(self):
        lines = results_file.read(SOURCES / RECORD)["benchmarks"]
        self.assertEqual(
            [(line["rung"], line["architecture"]) for line in lines],
            [(rung.number, name) for rung, name in architectures.wanted()],
        )

    def test_the_page_shows_each_line(self):
        block = nvcc.architectures_block()
        for line in results_file.read(SOURCES / RECORD)["benchmarks"]:
            self.assertIn(f"`sm_{line['architecture']}`", block)
            if line["kernels_that_spill"]:
                self.assertIn(f"{line['spill_store_bytes']} bytes", block)


if __name__ == "__main__":
    unittest.main()
