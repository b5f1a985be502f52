"""bench/labs/fused_matmul.py times like the project's burst protocol, and says what it needs.

python3 -m tests.bench.labs.fused_matmul_test
"""

import sys
import unittest
from unittest import mock

from bench.labs import fused_matmul


class MadeUpTorch:
    """Events, of which every launch takes 2 ms, and another rank that is half as fast."""

    def __init__(self):
        self.launched = 0
        self.cuda = self
        self.ReduceOp = mock.Mock()

    def Event(self, enable_timing):  # noqa: N802  torch's name
        assert enable_timing
        event = mock.Mock()

        def record():
            event.at = self.launched

        event.record = record
        event.elapsed_time = lambda end: 2.0 * (end.at - event.at)
        return event

    def synchronize(self):
        """Nothing runs."""

    def barrier(self):
        """All ranks are here."""

    def tensor(self, values, device):
        assert device == "cuda"
        slowest = mock.Mock()
        slowest.item = lambda: 2 * values[0]
        return slowest

    def all_reduce(self, tensor, op):
        """The other rank takes twice as long: see tensor()."""


class FusedMatmulTest(unittest.TestCase):
    """What can be had without a GPU."""

    def test_a_burst(self):
        torch = MadeUpTorch()

        def launch():
            torch.launched += 1

        with mock.patch.object(fused_matmul.time, "sleep") as rest:
            found = fused_matmul.burst_ms(torch, torch, launch)
        self.assertEqual(found, [4.0] * fused_matmul.ROUNDS)
        self.assertEqual(rest.call_count, fused_matmul.ROUNDS)
        warm_ups = 1 + fused_matmul.ROUNDS
        self.assertEqual(torch.launched, warm_ups + fused_matmul.ROUNDS * fused_matmul.LAUNCHES)

    def said_with(self, torch):
        """What the program ends with, if this is PyTorch."""
        with (
            mock.patch.dict(sys.modules, {"torch": torch}),
            mock.patch.object(sys, "argv", ["fused_matmul"]),
            self.assertRaises(SystemExit) as ended,
        ):
            fused_matmul.main()
        return str(ended.exception)

    def test_without_pytorch(self):
        self.assertIn("PyTorch", self.said_with(None))

    def test_with_one_gpu(self):
        torch = mock.Mock()
        torch.cuda.device_count.return_value = 1
        self.assertIn("two GPUs", self.said_with(torch))


if __name__ == "__main__":
    unittest.main()
