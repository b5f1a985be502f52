"""page_blocks/benchmark.py: the tables hold the recorded benchmark, or say how to record it."""

import json
import os
import tempfile
import unittest

from docs.report.page_blocks.benchmark import BLOCKS
from docs.report.recorded import RESULTS, Benchmark


def samples(name, ratios, tflops=40.0):
    """Samples of a row."""
    return [
        {"run_type": "iteration", "run_name": name, "tflops": tflops, "ratio_to_best": ratio}
        for ratio in ratios
    ]


class BenchmarkTablesTest(unittest.TestCase):
    """Each test records its own benchmark in an empty folder."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.before = os.getcwd()
        os.chdir(self.folder.name)
        RESULTS.mkdir(parents=True)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()

    def record(self, name, rows):
        """Writes a file as the benchmark does."""
        context = {"device": "Made Up 1", "cublas": "130100", "cuda_driver": "13.0"}
        aggregate = {"run_type": "aggregate", "run_name": "14_every_shape/512x512x512/graph"}
        (RESULTS / name).write_text(
            json.dumps({"context": context, "benchmarks": [*rows, aggregate]})
        )

    def test_what_is_not_recorded_names_its_command(self):
        for name, command in (
            ("benchmark", "make bench SHAPES=all"),
            ("ratio_by_size", "make bench SHAPES=all"),
            ("benchmark_shapes", "make bench SHAPES=all"),
        ):
            text = BLOCKS[name](None)
            self.assertIn("Not recorded yet", text)
            self.assertIn(command, text)

    def test_a_set_shows_lowest_geometric_mean_and_highest(self):
        self.record(
            "benchmark_all.json",
            [
                *samples("00_cublas/8192x8192x8192/burst", [1.0], tflops=51.25),
                *samples("best_cublaslt/8192x8192x8192/burst", [1.0], tflops=50.0),
                *samples("14_every_shape/8192x8192x8192/burst", [0.5, 0.8, 3.0]),
                *samples("14_every_shape/4096x4096x4096/burst", [1.25]),
                *samples("06_double_buffer/8192x8192x8192/burst", [0.9]),
            ],
        )
        text = BLOCKS["benchmark"](None)
        self.assertIn("| squares | burst | 2 | 1 | 80.0 % | 100.0 % | 125.0 % |", text)
        self.assertIn("Made Up 1", text)
        self.assertIn("(figures/ratio_by_size.svg)", BLOCKS["ratio_by_size"](None))
        text = BLOCKS["benchmark_shapes"](None)
        self.assertIn("burst | 51.2 | 90.0 % | 80.0 % |", text)
        self.assertIn("| burst |  |  | 125.0 % |", text)

    def test_protocols_are_kept_apart(self):
        rows = samples("14_every_shape/8192x8192x8192/burst", [1.1])
        rows += samples("14_every_shape/8192x8192x8192/sustained", [0.9])
        self.record("benchmark_all.json", rows)
        text = BLOCKS["benchmark"](None)
        self.assertIn("| squares | burst | 1 | 1 | 110.0 % |", text)
        self.assertIn("| squares | sustained | 1 | 0 | 90.0 % |", text)

    def test_files_stand_together_and_shapes_say_what_they_are(self):
        rung = "14_every_shape"
        for name, ratios in (("a", [1.0, 1.0]), ("b", [1.2, 1.2])):
            rows = samples(f"{rung}/512x4096x14336/burst", ratios)
            self.record(f"benchmark_{name}.json", rows)
        self.assertAlmostEqual(Benchmark().ratio(rung, (512, 4096, 14336), "burst"), 1.1)
        text = BLOCKS["benchmark_shapes"](None)
        self.assertIn("| 512 x 4096 x 14336 | Llama 3 8B and Mistral 7B: down | burst |", text)


if __name__ == "__main__":
    unittest.main()
