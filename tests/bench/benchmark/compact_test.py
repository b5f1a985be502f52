"""bench/benchmark/compact.py: nothing is lost, and what cannot be compacted is refused.

python3 -m tests.bench.benchmark.compact_test
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench.benchmark import compact
from tests import SOURCES

WRITTEN = SOURCES / "tests" / "bench" / "benchmark" / "data" / "benchmark_small.json"
RECORDED = SOURCES / "bench" / "results" / "nvidia-h200"


def samples(results):
    """The entries of samples, without those of means."""
    return [entry for entry in results["benchmarks"] if entry["run_type"] == "iteration"]


class CompactTest(unittest.TestCase):
    """A file that Google Benchmark wrote, compacted and expanded."""

    def setUp(self):
        self.results = json.loads(WRITTEN.read_text())

    def test_every_sample_comes_back(self):
        text = compact.text_of(compact.compact(self.results))
        entries = compact.expanded(json.loads(text))["benchmarks"]
        wanted = samples(self.results)
        self.assertEqual([e["run_name"] for e in entries], [e["run_name"] for e in wanted])
        for entry, original in zip(entries, wanted):
            for key in ("real_time", "cpu_time", "spread", "launches_per_sample", "sm_mhz"):
                self.assertEqual(entry[key], original[key], key)

    def test_what_is_left_out_follows_from_the_times(self):
        rows = [
            {
                "name": f"{name}/512x256x64/graph",
                "ms": ms,
                "power_w": 200.0,
                "sm_mhz": [1, 2],
                "cpu_time": 0.5,
                "spread": 0.1,
                "launches_per_sample": 20,
                "roof_tflops": 8.0,
            }
            for name, ms in (
                ("00_cublas", [4.0, 6.0]),
                ("best_cublaslt", [3.0, 3.0]),
                ("05_vector_access", [2.0, 4.0]),
            )
        ]
        results = {"context": {"device": "a GPU"}, "rows": rows}
        entries = compact.expanded(results)["benchmarks"]
        last = entries[-1]
        self.assertEqual((last["ratio_to_cublas"], last["ratio_to_best"]), (1.5, 0.75))
        self.assertAlmostEqual(last["tflops"], 2 * 512 * 256 * 64 / 4e-3 * 1e-12)
        self.assertAlmostEqual(last["share_of_measured_roof"], last["tflops"] / 8)
        again = compact.compact({"context": results["context"], "benchmarks": entries})
        self.assertEqual(again, results)

    def test_a_row_is_compared_in_its_own_precision(self):
        rows = [
            {
                "name": f"{name}/512x256x64/graph",
                "ms": [ms],
                "power_w": 200.0,
                "sm_mhz": 1,
                "cpu_time": 0.5,
                "spread": 0.1,
                "launches_per_sample": 20,
            }
            | precision
            for name, ms, precision in (
                ("00_cublas", 8.0, {}),
                ("best_cublaslt", 6.0, {}),
                ("00_cublas_bf16", 1.0, {"precision": "BF16"}),
                ("best_cublaslt_bf16", 0.5, {"precision": "BF16"}),
                ("05_vector_access", 16.0, {}),
                ("15_bf16", 2.0, {"precision": "BF16"}),
            )
        ]
        results = {"context": {"device": "a GPU"}, "rows": rows}
        entries = compact.expanded(results)["benchmarks"]
        ratios = [(entry["ratio_to_cublas"], entry["ratio_to_best"]) for entry in entries[4:]]
        self.assertEqual(ratios, [(0.5, 0.375), (0.5, 0.25)])
        self.assertEqual([entry.get("label") for entry in entries[4:]], [None, "BF16"])
        again = compact.compact({"context": results["context"], "benchmarks": entries})
        self.assertEqual(again, results)

    def test_the_compact_form_stays_as_it_is(self):
        once = compact.compact(self.results)
        self.assertEqual(compact.compact(once), once)
        self.assertLess(len(compact.text_of(once)), WRITTEN.stat().st_size / 3)

    def test_a_row_that_failed_is_refused(self):
        broken = copy.deepcopy(self.results)
        broken["benchmarks"][0] |= {"error_occurred": True, "error_message": "it is wrong"}
        with self.assertRaisesRegex(compact.FormError, "it is wrong"):
            compact.compact(broken)

    def test_recorded_files_are_compact(self):
        for name in ("benchmark_all.json", "benchmark_again.json"):
            self.assertLess((RECORDED / name).stat().st_size, 200_000, name)
            self.assertIn("rows", json.loads((RECORDED / name).read_text()), name)

    def test_the_command_says_what_it_cannot_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            for text in (None, "{}", "no JSON"):
                if text is not None:
                    path.write_text(text)
                run = subprocess.run(
                    [sys.executable, "-m", "bench.benchmark.compact", path, f"{folder}/out.json"],
                    capture_output=True,
                    text=True,
                    cwd=SOURCES,
                    check=False,
                )
                self.assertEqual(run.returncode, 2)
                self.assertIn(str(path), run.stderr)


if __name__ == "__main__":
    unittest.main()
