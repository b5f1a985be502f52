"""toolchain.py: verdicts follow what nvcc made, and what is missing is said.

The stages are those of the record; nvcc_stages_test.py runs them.
"""

import argparse
import copy
import json
import subprocess
import sys
import unittest
from unittest import mock

from bench import results_file
from bench.labs import toolchain
from bench.record.nvcc_stages import RECORD
from bench.record.sass_order import Loop
from tests import SOURCES

KEPT = [
    "scale.ptx",
    "scale.sm_90.cubin",
    "scale.fatbin",
    "scale.cudafe1.stub.c",
    "scale.cudafe1.cpp",
]


def verdicts(claims):
    """{row: verdict}"""
    return {claim["row"]: claim["verdict"] for claim in claims}


def loop(rung, counts):
    """A Loop with these instructions."""
    return Loop(rung, "", "90", 100, 0, 0, 0, sum(counts.values()), counts, [])


class StageTest(unittest.TestCase):
    """What the record's stages decide, and what a change of them changes."""

    def setUp(self):
        self.stages = copy.deepcopy(results_file.read(RECORD))

    def verdict(self, row, kept=None):
        """The verdict on a row by these stages."""
        return verdicts(toolchain.stage_claims(self.stages, kept or KEPT))[row]

    def test_recorded_stages(self):
        found = verdicts(toolchain.stage_claims(self.stages, KEPT))
        self.assertEqual(
            found,
            {
                "R200": "holds",
                "R201": "condition",
                "R202": "condition",
                "R203": "holds",
                "R204": "holds",
                "R205": "holds",
                "R207": "wrong",
            },
        )

    def test_a_missing_stage_or_file_is_seen(self):
        without_ptx = [name for name in KEPT if "ptx" not in name]
        self.assertEqual(self.verdict("R200", without_ptx), "wrong")
        self.stages["steps"].reverse()
        self.assertEqual(self.verdict("R200"), "wrong")
        self.stages["phases"][3]["bytes"] = None
        self.assertEqual(self.verdict("R203"), "wrong")
        archive = next(row for row in self.stages["suffixes"] if row["suffix"] == "a")
        archive["tools"] = ["gcc"]
        self.assertEqual(self.verdict("R204"), "wrong")
        self.stages["separate"][4]["status"] = 1
        self.assertEqual(self.verdict("R205"), "wrong")

    def test_an_older_default(self):
        default = next(row for row in self.stages["architectures"] if not row["options"])
        default["compiles"] = ["compute_52"]
        self.assertEqual(self.verdict("R207"), "holds")

    def test_differences_from_the_record_are_named(self):
        other = copy.deepcopy(self.stages)
        other["steps"].pop()
        found = {f["key"]: f for f in toolchain.stage_findings(other, self.stages, KEPT)}
        self.assertEqual(found["differing_groups"]["value"]["value"], 1)
        self.assertIn("steps", found["differing_groups"]["how"])
        same = {f["key"]: f for f in toolchain.stage_findings(self.stages, self.stages, KEPT)}
        self.assertEqual(same["differing_groups"]["value"]["value"], 0)

    def test_kernels(self):
        found = verdicts(toolchain.kernel_claims(self.stages))
        self.assertEqual(found, {"R115": "holds", "R224": "condition"})
        for kernel in self.stages["registers"]["kernels"]:
            kernel["stack"] = kernel["spill_stores"] = 0
        found = verdicts(toolchain.kernel_claims(self.stages))
        self.assertEqual(found, {"R115": "wrong", "R224": "wrong"})


class LoopTest(unittest.TestCase):
    """What the machine code of two loops decides."""

    def test_wide_loads(self):
        scalar = loop(4, {"LDG": 8, "FFMA": 512, "other": 193})
        findings, claims = toolchain.loop_findings([scalar, loop(5, {"LDG.128": 2, "FFMA": 512})])
        self.assertEqual(verdicts(claims), {"R122": "holds"})
        found = {f["key"]: f["value"]["value"] for f in findings}
        self.assertAlmostEqual(found["ffma_share_04"], 100 * 512 / 713)
        self.assertEqual(found["local_05"], 0)
        spilled = loop(5, {"LDG": 2, "LDG.128": 2, "LDL": 3, "STL.64": 1, "FFMA": 512})
        findings, claims = toolchain.loop_findings([scalar, spilled])
        self.assertEqual(verdicts(claims), {"R122": "wrong"})
        self.assertEqual({f["key"]: f for f in findings}["local_05"]["value"]["value"], 4)


class MissingToolTest(unittest.TestCase):
    """Without nvcc, and without nvdisasm."""

    def test_without_nvcc_the_report_says_how_to_get_it(self):
        command = [sys.executable, "-m", "bench.labs.toolchain", "--nvcc", "no-such-nvcc"]
        done = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=True)
        report = json.loads(done.stdout)
        self.assertEqual(report["claims"], [])
        self.assertIsNone(report["findings"][0]["value"])
        self.assertIn("install the CUDA toolkit", report["findings"][0]["how"])

    def test_without_nvdisasm_machine_code_stays_open(self):
        stages = results_file.read(RECORD)
        with (
            mock.patch.object(toolchain, "record_stages", return_value=stages),
            mock.patch.object(toolchain, "kept_files", return_value=KEPT),
        ):
            report = toolchain.report(argparse.Namespace(nvcc=sys.executable, nvdisasm="missing"))
        self.assertEqual(verdicts(report["claims"])["R122"], "pending")
        self.assertEqual(verdicts(report["claims"])["R200"], "holds")


if __name__ == "__main__":
    unittest.main()
