"""Which architectures a build compiles Hopper's rungs for: 90a, those of the machine's GPUs, and
those that are asked for; never what the nvcc does not know.

    python3 -m tests.ladder.own_architectures_test      nvcc and nvidia-smi are scripts
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

from tests import SOURCES

TABLE = "90a 100a 103a 120a"
SCRIPT = f"""
cmake_minimum_required(VERSION 3.25)
set(LADDER_CUDA ON)
set(LADDER_HOPPER_AND_BLACKWELL {TABLE})
set(LADDER_ALSO_FOR "{{also}}")
set(CMAKE_CUDA_COMPILER {{nvcc}})
include({SOURCES}/ladder/add_rung.cmake)
message("${{{{LADDER_OWN_ARCHITECTURES}}}}")
"""
CUDA_13 = "sm_75 sm_80 sm_90 sm_100 sm_103 sm_120 sm_121"
CUDA_12_8 = "sm_75 sm_80 sm_90 sm_90a sm_100 sm_100a sm_120"


class OwnArchitecturesTest(unittest.TestCase):
    """What ladder/add_rung.cmake chooses."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def stand_in(self, name, script):
        """A program of the machine."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def choose(self, gpus="", known=CUDA_13, also=""):
        """(exit code, what CMake says)"""
        self.stand_in("nvidia-smi", gpus or 'echo "NVIDIA-SMI has failed: no driver"; exit 9')
        nvcc = self.stand_in("nvcc", f"printf '%s\\n' {known}")
        script = self.folder / "script.cmake"
        script.write_text(SCRIPT.format(also=also, nvcc=nvcc))
        done = subprocess.run(
            ["cmake", "-P", script],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"},
        )
        return done.returncode, " ".join(done.stderr.split())

    def test_without_a_gpu_it_is_hopper(self):
        self.assertEqual(self.choose(), (0, "90a"))

    def test_the_gpus_of_the_machine_are_taken_in(self):
        self.assertEqual(self.choose(gpus="echo 12.0; echo 7.5"), (0, "90a;120a"))
        self.assertEqual(self.choose(gpus="echo 9.0"), (0, "90a"))
        self.assertEqual(self.choose(gpus="echo 10.3"), (0, "90a;103a"))

    def test_a_gpu_that_the_table_does_not_have_adds_nothing(self):
        self.assertEqual(self.choose(gpus="echo 12.1"), (0, "90a"))

    def test_what_is_asked_for(self):
        self.assertEqual(self.choose(also="100a"), (0, "90a;100a"))
        self.assertEqual(self.choose(also="all"), (0, TABLE.replace(" ", ";")))

    def test_an_nvcc_that_does_not_know_a_chip_leaves_it_out(self):
        self.assertEqual(self.choose(also="all", known=CUDA_12_8), (0, "90a;100a;120a"))
        self.assertEqual(self.choose(gpus="echo 10.3", known=CUDA_12_8), (0, "90a"))

    def test_what_cannot_be_had_is_an_error_that_names_what_can(self):
        for also, known in (("121a", CUDA_13), ("103a", CUDA_12_8), ("hopper", CUDA_13)):
            code, said = self.choose(also=also, known=known)
            self.assertEqual(code, 1)
            self.assertIn(f"LADDER_ALSO_FOR={also}", said)
            self.assertIn(TABLE, said)


if __name__ == "__main__":
    unittest.main()
