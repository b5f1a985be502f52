"""The model of the time on many ranks finds the numbers of made-up machines, and its tables show them.

python3 -m tests.docs.report.ranks_model_test
"""

import json
import pathlib
import tempfile
import unittest
from unittest import mock

from docs.figures import ranks_timeline
from docs.report import ranks_prediction
from docs.report.page_blocks import many_gpus
from docs.report.ranks_model import Sample, Way, fitted
from docs.report.recorded import NotRecordedError

RATE = 57e9  # FLOP per ms of a rank
LINK = 390e6  # bytes per ms
LATENCY = 0.03  # ms
WAYS = {"in turn": Way(1, 0), "in pieces": Way(1.06, 0.75), "in the kernel": Way(1.01, 1)}


def made_up(size, ranks=2):
    """What such a machine would measure of a gather."""
    flop, received = 2.0 * size**3, 4.0 * size**2 * (ranks - 1) / ranks
    compute = flop / ranks / RATE
    communication = LATENCY * (ranks - 1) + received / LINK
    steps = {step: way.together(compute, communication) for step, way in WAYS.items()}
    return Sample(ranks, flop, received, flop / RATE, compute, communication, steps)


def recorded(sample, size, precision="FP32"):
    """A results file of it."""
    form = {
        "name": "gather",
        "verdicts": [],
        "measured": {
            "one_gpu": {"time_ms": sample.one_ms, "samples_ms": [sample.one_ms]},
            "compute": {"time_ms": sample.compute_ms, "samples_ms": [sample.compute_ms]},
            "communication": {
                "time_ms": sample.communication_ms,
                "samples_ms": [sample.communication_ms],
            },
            "received_bytes": sample.received_bytes,
            "link_gbps": 350.0,
            "possible": 1.98,
            "steps": [
                {
                    "step": step,
                    "time_ms": ms,
                    "samples_ms": [ms],
                    "speed_up": sample.one_ms / ms,
                    "share_of_possible": 0.9,
                }
                for step, ms in sample.steps_ms.items()
            ],
        },
    }
    form |= {"m": size, "n": size, "k": size, "precision": precision, "rung": "12_stream_k"}
    form |= {"ranks": sample.ranks, "hosts": 1, "links": "NCCL 2.28.9"}
    context = {"device": "a made-up GPU", "cuda_driver": "13.0", "protocol": "burst"}
    return {"context": context, "benchmarks": [form]}


class ModelTest(unittest.TestCase):
    """fitted() on machines that are known."""

    def test_the_numbers_of_a_machine_are_found(self):
        model = fitted([made_up(size) for size in (4096, 8192, 16384)])
        self.assertAlmostEqual(model.flop_per_ms / RATE, 1, places=6)
        self.assertAlmostEqual(model.bytes_per_ms / LINK, 1, places=6)
        self.assertAlmostEqual(model.latency_ms, LATENCY, places=6)
        for step, way in WAYS.items():
            self.assertAlmostEqual(model.ways[step].slower, way.slower, places=6)
            self.assertAlmostEqual(model.ways[step].overlap, way.overlap, places=6)
        self.assertLess(model.error, 1e-6)

    def test_it_foretells_other_numbers_of_ranks(self):
        model = fitted([made_up(size) for size in (4096, 8192)])
        other = made_up(8192, ranks=8)
        for step, ms in other.steps_ms.items():
            found = model.step_ms(step, other.flop, other.received_bytes, 8)
            self.assertAlmostEqual(found / ms, 1, places=6)

    def test_it_says_how_far_it_misses(self):
        odd = made_up(8192)
        slow = {step: 1.2 * ms for step, ms in odd.steps_ms.items()}
        samples = [made_up(4096), made_up(16384)]
        samples.append(Sample(**{**vars(odd), "steps_ms": slow}))
        self.assertGreater(fitted(samples).error, 0.05)

    def test_one_rank_and_mixed_ranks_are_refused(self):
        for samples in ([made_up(4096, 1)], [made_up(4096, 2), made_up(4096, 4)]):
            with self.assertRaises(ValueError):
                fitted(samples)


class BlocksTest(unittest.TestCase):
    """The tables of lesson 24."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(many_gpus, "RESULTS", self.folder / "bench/results"))
        (self.folder / "bench/results/gpu").mkdir(parents=True)

    def record(self, *sizes, ranks=2, precision="FP32"):
        """Files as build/many_gpus writes them."""
        for size in sizes:
            name = f"many_gpus_{ranks}_{precision}_{size}.json"
            results = recorded(made_up(size, ranks), size, precision)
            path = self.folder / "bench/results/gpu" / name
            path.write_text(json.dumps(results), encoding="utf-8")

    def test_without_recordings(self):
        for name, block in many_gpus.BLOCKS.items():
            if name == "many_gpus_timeline":
                self.assertNotIn("![", block())
                continue
            with self.assertRaises(NotRecordedError):
                block()

    def foretell(self, ranks):
        """Writes what ranks_prediction foretells from the recordings that there are."""
        with mock.patch.object(ranks_prediction, "RESULTS", many_gpus.RESULTS):
            foretold = ranks_prediction.predictions(ranks)
        path = many_gpus.RESULTS / many_gpus.PREDICTED_FILE
        path.write_text(json.dumps(foretold), encoding="utf-8")
        return foretold

    def test_foretold_and_measured(self):
        self.record(4096, 8192)
        self.record(4096, 8192, precision="BF16")
        foretold = self.foretell(4)
        self.assertEqual(len(foretold["context"]["fitted_to"]), 4)
        fp32 = [form for form in foretold["benchmarks"] if form["precision"] == "FP32"]
        gather = next(form for form in fp32 if form["name"] == "gather" and form["k"] == 8192)
        sample = made_up(8192, ranks=4)
        for step, ms in sample.steps_ms.items():
            self.assertAlmostEqual(gather["steps"][step]["ms"] / ms, 1, places=6)
        self.assertNotIn("**", many_gpus.predicted_block())
        self.record(8192, ranks=4)
        speed_up = sample.one_ms / sample.steps_ms["in turn"]
        self.assertIn(f"{speed_up:.2f} / **{speed_up:.2f}**", many_gpus.predicted_block())

    def test_what_was_not_timed_is_taken_from_fp32_and_said(self):
        self.record(4096, 8192)
        name = many_gpus.RESULTS / "gpu/many_gpus_2_BF16_8192.json"
        results = recorded(made_up(8192), 8192, "BF16")
        steps = results["benchmarks"][0]["measured"]["steps"]
        steps[:] = [step for step in steps if step["step"] != "in the kernel"]
        name.write_text(json.dumps(results), encoding="utf-8")
        foretold = self.foretell(4)
        self.assertEqual(foretold["context"]["as_in_fp32"]["BF16"], ["in the kernel"])
        self.assertIn("In BF16, in the kernel was not timed", many_gpus.predicted_block())

    def test_speed_ups_and_peers(self):
        self.record(4096)
        entry = {"name": "gather", "m": 4096, "n": 4096, "k": 4096, "precision": "FP32"}
        entry |= {"time_ms": {"fused": 1.0}, "speed_up": {"fused": 1.81}}
        context = {"device": "a made-up GPU", "torch": "2", "nccl": "2", "ranks": 2}
        path = self.folder / "bench/results/gpu/fused_matmul.json"
        path.write_text(json.dumps({"context": context, "benchmarks": [entry]}))
        text = many_gpus.many_gpus_block()
        sample = made_up(4096)
        for ms in sample.steps_ms.values():
            self.assertIn(f"{sample.one_ms / ms:.2f}", text)
        self.assertIn("1.81", text)

    def test_predictions(self):
        self.record(4096, 8192)
        text = many_gpus.model_block()
        self.assertIn("57.0 TFLOP/s", text)
        self.assertIn("390 GB/s", text)
        for ranks in (4, 8, 1024):
            self.assertRegex(text, rf"(?m)^\| {ranks} \|")


class TimelineTest(unittest.TestCase):
    """The figure of what blocks are busy with."""

    def test_shares_of_blocks_that_are_busy(self):
        intervals = [
            [0, "tile", 0, 0, 500],  # of block 0, the first half of the time
            [1, "tile", 1, 0, 1000],
            [1, "wait", 1, 500, 1500],  # what is over, or begins later, holds nothing up
            [1, "fetch", 1, 0, 250],
        ]
        tiles = ranks_timeline.shares(intervals, 1000, ("tile",), ("wait",))
        half = ranks_timeline.BINS // 2
        for found, expected in zip(tiles, [1.0] * half + [0.0] * half, strict=True):
            self.assertAlmostEqual(found, expected)
        travel = ranks_timeline.shares(intervals, 1000, ranks_timeline.TRAVELS)
        self.assertAlmostEqual(sum(travel) / ranks_timeline.BINS, 250 / 1000 / 2)

    def test_the_figure_of_a_recording(self):
        intervals = [[0, "tile", 0, 0, 900], [1, "fetch", 1, 0, 250]]
        entry = {"name": "gather", "m": 8, "n": 8, "k": 8, "precision": "BF16", "ranks": 2}
        entry |= {"links": "NCCL", "columns": ["block"]}
        entry["tracks"] = [{"rank": 0, "intervals": intervals, "dropped": 0}]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "bench/results"
            with mock.patch.object(ranks_timeline, "RESULTS", folder):
                self.assertFalse(ranks_timeline.is_recorded())
                with self.assertRaises(NotRecordedError):
                    ranks_timeline.draw()
                (folder / "gpu").mkdir(parents=True)
                path = folder / "gpu/ranks_timeline_2_bf16_8.json"
                results = {"context": {"device": "a made-up GPU"}, "benchmarks": [entry]}
                path.write_text(json.dumps(results), encoding="utf-8")
                for narrow in (False, True):
                    picture = str(ranks_timeline.draw(narrow))
                    self.assertIn("a made-up GPU", picture)
                    self.assertIn("gather", picture)


if __name__ == "__main__":
    unittest.main()
