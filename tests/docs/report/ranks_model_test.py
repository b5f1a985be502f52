"""The model of the time on many ranks finds the numbers of made-up machines, and its tables show them.

python3 -m tests.docs.report.ranks_model_test
"""

import json
import pathlib
import tempfile
import unittest
from unittest import mock

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


def recorded(sample, size):
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
    form |= {"m": size, "n": size, "k": size, "precision": "FP32", "rung": "12_stream_k"}
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

    def record(self, *sizes):
        """Files as build/many_gpus writes them."""
        for size in sizes:
            path = self.folder / f"bench/results/gpu/many_gpus_{size}.json"
            path.write_text(json.dumps(recorded(made_up(size), size)), encoding="utf-8")

    def test_without_recordings(self):
        for block in many_gpus.BLOCKS.values():
            with self.assertRaises(NotRecordedError):
                block()

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


if __name__ == "__main__":
    unittest.main()
