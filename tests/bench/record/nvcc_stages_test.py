"""nvcc_stages.py: what nvcc prints is read rightly, and each stage makes what it is said to.

The second half needs nvcc and is skipped, with the reason, where there is none.
"""

import json
import shutil
import subprocess
import sys
import unittest

from bench.record import nvcc_samples, nvcc_stages
from bench.record.nvcc_text import (
    compiled_for,
    defined_macros,
    read_images,
    read_ptxas,
    read_steps,
    sections_of,
)
from docs.report.page_blocks import nvcc
from tests import SOURCES

SAVED = (SOURCES / "tests/bench/record/data/nvcc_dryrun.txt").read_text()
PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4tilePf' for 'sm_80'
ptxas info    : Function properties for _Z4tilePf
    64 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 64 bytes cumulative stack size, 8192 bytes smem
ptxas info    : Compiling entry function '_Z4nextv' for 'sm_80'
ptxas info    : Used 4 registers
"""
SECTIONS = """  [ 9] .nv_fatbin   PROGBITS        0000000000000000 000500 000e30 00   A  0   0  8
  [12] .text._Z5scaleifPf PROGBITS        0000000000000000 000600 000200 00  AX  3   8 128
"""


class TextTest(unittest.TestCase):
    """Saved output of nvcc 13.0 for -arch=sm_90a."""

    def test_steps_are_in_order_and_named_by_purpose(self):
        tools = [step["tool"] for step in read_steps(SAVED)]
        self.assertEqual(
            tools,
            [
                "gcc",
                "cudafe++",
                "gcc",
                "cicc",
                "ptxas",
                "gcc",
                "cicc",
                "ptxas",
                "fatbinary",
                "gcc",
                "nvlink",
                "fatbinary",
                "gcc",
                "g++",
            ],
        )
        first, last = read_steps(SAVED)[0], read_steps(SAVED)[-1]
        self.assertEqual(first["for"], "preprocess for the host")
        self.assertEqual(last["for"], "link the program")

    def test_files_lose_folders_and_numbers_of_processes(self):
        ptxas = [step for step in read_steps(SAVED) if step["tool"] == "ptxas"][-1]
        self.assertEqual(ptxas["arch"], "sm_90a")
        self.assertEqual(ptxas["reads"], ["scale.compute_90a.ptx"])
        self.assertEqual(ptxas["writes"], ["scale.compute_90a.sm_90a.cubin"])

    def test_sm_90a_is_compiled_for_plain_90_too(self):
        self.assertEqual(sorted(compiled_for(SAVED)), ["compute_90", "compute_90a"])
        self.assertEqual(
            read_images(SAVED), ["PTX compute_90", "machine code sm_90a", "PTX compute_90a"]
        )

    def test_report_of_ptxas(self):
        tile, following = read_ptxas(PTXAS)
        self.assertEqual(
            tile,
            {
                "kernel": "_Z4tilePf",
                "arch": "sm_80",
                "registers": 40,
                "barriers": 1,
                "stack": 64,
                "spill_stores": 12,
                "spill_loads": 20,
                "shared": 8192,
            },
        )
        self.assertEqual((following["registers"], following["stack"]), (4, 0))

    def test_nothing_is_read_from_other_text(self):
        self.assertEqual(read_steps("nvcc fatal   : Unsupported gpu architecture 'sm_52'"), [])
        self.assertEqual(read_ptxas("ptxas fatal   : Unresolved extern function"), [])
        self.assertEqual(read_images(""), [])

    def test_sections_and_macros(self):
        self.assertEqual(sections_of(SECTIONS), {".nv_fatbin": 3632, ".text._Z5scaleifPf": 512})
        self.assertEqual(
            defined_macros('"__NVCC__" = 1\n"__CUDA_ARCH__" = __CUDA_ARCH__\n'),
            {"__NVCC__": "1", "__CUDA_ARCH__": None},
        )


class RecordTest(unittest.TestCase):
    """The recorded file holds what the page says of it."""

    def setUp(self):
        self.data = json.loads(nvcc_stages.RECORD.read_text())

    def test_every_phase_made_its_file(self):
        self.assertEqual(len(self.data["phases"]), len(nvcc_samples.PHASES))
        for row in self.data["phases"]:
            self.assertIsNotNone(row["bytes"], row["phase"])

    def test_sources_are_those_of_the_script(self):
        self.assertEqual(self.data["sources"], nvcc_samples.SOURCES)

    def test_every_block_can_be_written(self):
        sys_path = nvcc.RECORD
        nvcc.RECORD = nvcc_stages.RECORD
        self.addCleanup(setattr, nvcc, "RECORD", sys_path)
        for name, block in nvcc.BLOCKS.items():
            self.assertTrue(block(None), name)


@unittest.skipUnless(
    shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc"), "there is no nvcc here"
)
class CompilerTest(unittest.TestCase):
    """All stages, run."""

    def test_stages_are_as_recorded(self):
        nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
        version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True)
        recorded = json.loads(nvcc_stages.RECORD.read_text())["context"]["nvcc"]
        if f"V{recorded}" not in version.stdout:
            self.skipTest(f"the record is of nvcc {recorded}, here is another")
        done = subprocess.run(
            [sys.executable, "-m", "bench.record.nvcc_stages", "--check"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
