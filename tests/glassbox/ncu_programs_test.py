"""Ordinary programs in the glass box: they print what they print on an H200, and count the same.

The programs are in the folder ncu_programs; bench/record/own_programs.py has recorded what Nsight
Compute counts in them.
"""

import pathlib
import tempfile
import unittest

from bench import own_programs, results_file
from tests import SOURCES
from tests.glassbox.own_program import glassbox

# {(program, kernel, counter of own_programs.COMPARED): why the glass box counts otherwise}
BOTH_ARMS = "both arms of a condition load: nvcc loads once, g++ in each"
POPC_INC = "nvcc makes atomicAdd(bin, 1) one instruction that counts the lanes of a bin"
UNROLLED = "nvcc unrolls the loop, and some lanes go around more often"
KNOWN_DIFFERENCES = {
    ("block_scan", "scan", "shared load wavefronts"): BOTH_ARMS,
    ("block_scan", "scan", "shared wavefronts"): BOTH_ARMS,
    ("histogram", "histogram", "shared atomic wavefronts"): POPC_INC,
    ("histogram", "histogram", "shared wavefronts"): POPC_INC,
    ("softmax_rows", "softmax", "global load sectors"): UNROLLED,
    ("softmax_rows", "softmax", "global load lines"): UNROLLED,
    ("softmax_rows", "softmax", "global store sectors"): UNROLLED,
    ("softmax_rows", "softmax", "global store lines"): UNROLLED,
    ("sparse_product", "multiply", "global load requests"): UNROLLED,
    ("sparse_product", "multiply", "global load sectors"): UNROLLED,
    ("sparse_product", "multiply", "global load lines"): UNROLLED,
}

HOW_TO_RECORD = {
    own_programs.COUNTED: "on an H200 with Nsight Compute, "
    "`python3 -m bench.record.own_programs profile FOLDER` writes it",
    own_programs.EMULATED: "`python3 -m bench.record.own_programs trace` writes it",
}


def place_of(launch):
    """What a launch has to have in common."""
    return launch["kernel"], launch["grid"], launch["block"]


class NcuProgramsTest(unittest.TestCase):
    """Each program, in the glass box as it is now."""

    def recorded(self, path):
        """{program: its entry} of a record."""
        where = SOURCES / path
        self.assertTrue(where.exists(), f"the record {path} is missing: {HOW_TO_RECORD[path]}")
        entries = results_file.read(where)["benchmarks"]
        self.assertEqual([entry["name"] for entry in entries], own_programs.names(), path)
        return {entry["name"]: entry for entry in entries}

    def traced(self, name):
        """What the glass box prints and counts."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "found.json")
            source = str(own_programs.source(name))
            words = ["trace", "--gpu", "h200", source, "--json", str(path)]
            result = glassbox(words, folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = results_file.read(path)
        hazards = [hazard for launch in found["subjects"] for hazard in launch["findings"]]
        self.assertEqual((hazards, found["findings"]), ([], []))
        self.assertEqual(
            len(own_programs.traced_in(found)), found["launches"], "launches that are not traced"
        )
        return {"output": result.stdout, "launches": own_programs.launches_of(found)}

    def assert_equal_counts(self, name, counted, launch, differing):
        """Compares a launch; notes the known differences that are there."""
        for counter, (hardware, emulator) in own_programs.compared(counted, launch).items():
            key = (name, launch["kernel"], counter)
            if hardware == emulator:
                continue
            if key in KNOWN_DIFFERENCES:
                differing.add(key)
                continue
            with self.subTest(program=name, kernel=launch["kernel"], counter=counter):
                self.assertEqual(emulator, hardware, "the glass box, and the GPU")

    def test_programs_print_and_count_as_on_the_gpu(self):
        """All launches of all programs."""
        counted = self.recorded(own_programs.COUNTED)
        emulated = self.recorded(own_programs.EMULATED)
        differing = set()
        for name in own_programs.names():
            with self.subTest(program=name):
                traced = self.traced(name)
                self.assertEqual(traced["output"], counted[name]["output"])
                self.assertEqual(
                    (traced["output"], traced["launches"]),
                    (emulated[name]["output"], emulated[name]["launches"]),
                    f"{own_programs.EMULATED} is out of date",
                )
                hardware = counted[name]["launches"]
                self.assertEqual(
                    [place_of(launch) for launch in traced["launches"]],
                    [place_of(launch) for launch in hardware],
                )
                for launch, other in zip(traced["launches"], hardware, strict=True):
                    self.assert_equal_counts(name, other, launch, differing)
        self.assertEqual(differing, set(KNOWN_DIFFERENCES), "known differences that are gone")


if __name__ == "__main__":
    unittest.main()
