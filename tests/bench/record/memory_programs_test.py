"""memory_programs.py: what programs print becomes entries, and nothing else is filed."""

import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from bench import results_file
from bench.record import memory_programs
from tests import SOURCES

PIPELINE = """plain   right  attention 95.3 us, products 4180.1 us
window  right, 32000 KiB set aside  attention 77.6 us, products 4185.1 us
persistent_window  right, 32000 KiB set aside  attention 70.0 us, products 300.5 us
7.8 MiB set aside: another array of 16.0 MiB is read at 7605 GB/s, a line of it in 201, 260, 402 \
cycles
"""
STRIDES = "128 bytes: 1366 GB/s; 256 bytes: 1346 GB/s; 1.01 of it\n"


class MemoryProgramsTest(unittest.TestCase):
    """In a folder of its own."""

    def filed(self, name, text):
        """What is filed of a text."""
        with tempfile.TemporaryDirectory() as folder:
            printed, out = pathlib.Path(folder, "text"), pathlib.Path(folder, "out.json")
            printed.write_text(text)
            words = ["memory_programs.py", name, "--out", str(out), "--text", str(printed)]
            beside = SOURCES / "bench/results/nvidia-h100/lab_sectors.json"
            with mock.patch.object(sys, "argv", [*words, "--beside", str(beside)]):
                memory_programs.main()
            form = results_file.form_of(f"bench/results/x/{name}.json")
            return results_file.in_form(out.read_text(), out, form)

    def test_ways_and_other_arrays_of_the_pipeline(self):
        """With the sizes of what is set aside."""
        results = self.filed("kv_pipeline", PIPELINE)
        self.assertEqual(results["context"]["device"], "NVIDIA H100 80GB HBM3")
        plain, window, persistent, other = results["benchmarks"]
        self.assertEqual((plain["name"], plain["set_aside_bytes"]), ("plain", 0))
        self.assertEqual(window["set_aside_bytes"], 32000 * 1024)
        self.assertEqual((window["attention_us"], window["products_us"]), (77.6, 4185.1))
        self.assertEqual(
            (persistent["name"], persistent["attention_us"]), ("persistent_window", 70)
        )
        self.assertEqual(other["line_cycles"], {"p10": 201, "p50": 260, "p90": 402})
        self.assertEqual((other["set_aside_mib"], other["array_mib"]), (7.8, 16.0))
        self.assertEqual(other["gbps"], 7605)

    def test_strides(self):
        """Each with the one that has a line more."""
        entry = self.filed("l2_strides", STRIDES)["benchmarks"][0]
        self.assertEqual((entry["stride_bytes"], entry["gbps"]), (128, 1366))
        self.assertEqual((entry["other_stride_bytes"], entry["other_gbps"]), (256, 1346))

    def test_the_example_of_side_aware_memory(self):
        """How many pairs it turned, and how fast."""
        text = "0 of 50331648 pairs are wrong; 0.193 ms, 2782 GB/s\n"
        entry = self.filed("side_boost_rope", text)["benchmarks"][0]
        self.assertEqual((entry["pairs"], entry["wrong"], entry["gbps"]), (50331648, 0, 2782))
        with self.assertRaisesRegex(SystemExit, "no result: 7 of"):
            self.filed("side_boost_rope", text.replace("0 of", "7 of", 1))

    def test_what_is_wrong_is_not_filed(self):
        """A way whose result is wrong, and no results."""
        wrong = PIPELINE.replace("plain   right", "plain   WRONG")
        with self.assertRaisesRegex(SystemExit, "no result: plain   WRONG"):
            self.filed("kv_pipeline", wrong)
        with self.assertRaisesRegex(SystemExit, "printed nothing"):
            self.filed("l2_strides", "\n")


if __name__ == "__main__":
    unittest.main()
