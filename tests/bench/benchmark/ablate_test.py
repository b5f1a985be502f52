"""ablate.py: edits match the rungs as they are; the block shows what is recorded."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from bench.benchmark import ablate, ablations
from bench.benchmark.ablations import ABLATIONS
from bench.copies import source_of
from docs.report.page_blocks import ablations as ablations_block
from docs.report.page_blocks.place import Place
from docs.report.recorded import RESULTS, NotRecordedError
from tests import SOURCES

LESSON = Place(pathlib.Path("ladder/14_every_shape/README.md"), 14)
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def run(*arguments):
    """Runs the script; returns (exit code, standard output and error)."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.benchmark.ablate", *arguments],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def code(**more):
    """Machine code of a main loop."""
    values = {
        "registers": 168,
        "stack_bytes": 0,
        "spill_store_bytes": 0,
        "spill_load_bytes": 0,
        "instructions": 1096,
        "ffma": 1024,
        "lds_128": 48,
        "three_fresh": 51,
        "cycles_per_ffma": 1.166,
        **more,
    }
    return ablate.MachineCode(**values)


def entry(name, taken_away, ratio, size=4096):
    """A line of a results file that nobody measured."""
    return {
        "name": name,
        "rung": 14,
        "taken_away": taken_away,
        "verified": not taken_away,
        "m": size,
        "n": size,
        "k": size,
        "time_ms": 2.5 / ratio,
        "tflops": 55.0 * ratio,
        "ratio_to_unchanged": ratio,
        "ratio_to_best": 1.08 * ratio,
    }


class EditsTest(unittest.TestCase):
    """Sources of copies."""

    def test_copies_differ_from_their_rung_and_note_their_kernel(self):
        names = [entry.id for entry in ABLATIONS]
        self.assertEqual(len(names), len(set(names)))
        for entry in ABLATIONS:
            source = source_of(entry.copy)
            with self.subTest(entry.id):
                self.assertNotEqual(source, source_of(ablate.unchanged(entry.rung).copy))
                self.assertEqual(source.count("bench::launch_and_note(resources, kernel<"), 1)
                for _, replacement in entry.edits:
                    self.assertIn(replacement, source)

    def test_the_table_lists_all_copies(self):
        for entry in ABLATIONS:
            self.assertIn(f"ablation_{entry.id}::run", ablations.table())

    def test_bad_names_are_refused(self):
        for arguments in (["source"], ["source", "14_nothing"], ["count", "nothing"]):
            exit_code, text = run(*arguments)
            self.assertEqual(exit_code, 2, text)
            self.assertIn("ablate.py:", text)


class MachineCodeTest(unittest.TestCase):
    """A copy keeps what was not taken away."""

    def test_missing_arithmetic_and_missing_loads_are_named(self):
        idle, stay = (ablations.ablation(f"14_{n}") for n in ("idle_producers", "operands_stay"))
        self.assertEqual(ablate.complaint(idle, code(), code()), "")
        self.assertEqual(ablate.complaint(stay, code(lds_128=0), code()), "")
        self.assertIn("896 FFMA", ablate.complaint(idle, code(ffma=896), code()))
        self.assertIn("0 LDS.128", ablate.complaint(idle, code(lds_128=0), code()))
        self.assertIn("48 LDS.128", ablate.complaint(stay, code(), code()))

    def test_the_record_has_all_copies(self):
        recorded = json.loads((SOURCES / ablations_block.SASS).read_text())["benchmarks"]
        rungs = sorted({entry.rung for entry in ABLATIONS})
        self.assertEqual(
            sorted(entry["name"] for entry in recorded),
            sorted([entry.id for entry in ABLATIONS] + [f"{rung:02}_unchanged" for rung in rungs]),
        )
        for entry in ABLATIONS:
            found = next(line for line in recorded if line["name"] == entry.id)
            self.assertEqual(found["taken_away"], entry.taken_away)
            self.assertEqual(found["ffma"], 1024)

    @unittest.skipUnless(NVCC, "there is no nvcc")
    def test_the_compiler_keeps_the_loop(self):
        beside = NVCC and shutil.which("nvdisasm", path=str(pathlib.Path(NVCC).resolve().parent))
        if not (shutil.which("nvdisasm") or beside):
            self.skipTest("there is no nvdisasm")
        exit_code, text = run("count", "14_idle_operands_stay")
        self.assertEqual(exit_code, 0, text)
        self.assertIn("14_unchanged", text)


class BlockTest(unittest.TestCase):
    """Each test has its own results."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.before = os.getcwd()
        os.chdir(self.folder.name)
        RESULTS.mkdir(parents=True)
        ablations_block.SASS.parent.mkdir()

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()

    def record_times(self, *entries):
        """Writes a file as the program does."""
        context = {
            "device": "Made Up 1",
            "cuda_driver": "13.0",
            "protocol": "burst",
            "sm_clock_mhz": {"median": 1980},
        }
        (RESULTS / "ablations.json").write_text(
            json.dumps({"context": context, "benchmarks": entries})
        )

    def record_code(self):
        """Writes a file as `count --out` does."""
        lines = [
            {"name": name, "rung": 14, "taken_away": taken_away, **vars(code())}
            for name, taken_away in (("14_unchanged", "nothing"), ("14_less", "a part"))
        ]
        ablations_block.SASS.write_text(
            json.dumps({"context": {"compiler": "nvcc 13.0"}, "benchmarks": lines})
        )

    def test_nothing_recorded(self):
        with self.assertRaisesRegex(NotRecordedError, "make ablate"):
            ablations_block.ablations_block(LESSON, "")

    def test_machine_code_alone(self):
        self.record_code()
        text = ablations_block.ablations_block(LESSON, "")
        self.assertIn("| a part | 168 | 0 | 1096 | 48 | 51 | 1.166 |", text)
        self.assertIn("not recorded yet", text)
        self.assertIn("make ablate", text)
        with self.assertRaises(NotRecordedError):
            ablations_block.ablations_block(LESSON, "09")

    def test_times_beside_machine_code(self):
        self.record_code()
        library = {"name": "00_cublas", "rung": None, "m": 4096, "taken_away": None}
        self.record_times(
            library,
            entry("14_every_shape", None, 1.0),
            entry("14_less", "a part", 1.1),
            entry("14_other", "another part", 0.95),
            entry("14_less", "a part", 1.2, 8192),
        )
        text = ablations_block.ablations_block(LESSON, "")
        self.assertIn("| nothing: the rung as it is | 2.500 | 55.00 | +0.0 % | 108.0 % |", text)
        self.assertIn("| a part | 2.273 | 60.50 | +10.0 % | 118.8 % | 0 | 1096 | 1.166 |", text)
        self.assertIn("| another part | 2.632 | 52.25 | -5.0 % | 102.6 % |", text)
        self.assertLess(text.index("at 4096"), text.index("at 8192"))
        self.assertIn("Made Up 1", text)
        self.assertNotIn("not recorded", text)

    def test_the_script_prints_its_list(self):
        with contextlib.redirect_stdout(io.StringIO()):
            exit_code, text = run("list")
        self.assertEqual(exit_code, 0)
        self.assertEqual(len(text.splitlines()), len(ABLATIONS))


if __name__ == "__main__":
    unittest.main()
