"""bench/record/fit_sizes.py: its cuts are those of the rung, and it picks what is fast."""

import json
import unittest

import numpy as np

from bench import SOURCES
from bench.record import fit_sizes

SMS = 132
SHAPES = [(m, n, k) for m in (60, 500, 3000) for n in (64, 600, 2500) for k in (64, 900, 5000)]
CLUSTERS = [(1, 1), (2, 1), (1, 2), (4, 2)]


class FitSizesTest(unittest.TestCase):
    def setUp(self):
        self.text = (SOURCES / fit_sizes.SIZES).read_text()
        self.sizes = fit_sizes.sizes_of(self.text)
        self.times = fit_sizes.times_of(self.text)

    def made_up(self, times):
        """A record of all sizes that take what the model says with these times."""
        rows = [(shape, [(n, c, 1.0) for n in self.sizes for c in CLUSTERS]) for shape in SHAPES]
        record = fit_sizes.Record(self.sizes, rows, SMS)
        record.us = record.microseconds(times)
        return record

    def test_all_times_are_read_and_written(self):
        self.assertEqual(len(self.times), len(self.sizes) + 4 + len(fit_sizes.CONSTANTS))
        self.assertEqual(self.sizes["256 x 128"], (256, 128, 64))
        longer = fit_sizes.with_times(self.text, 2 * self.times)
        self.assertEqual(fit_sizes.sizes_of(longer), self.sizes)
        np.testing.assert_allclose(fit_sizes.times_of(longer), 2 * self.times, rtol=1e-3)

    def test_few_tiles_can_be_shared_and_full_rounds_cannot(self):
        square = self.sizes["64 x 64"]
        self.assertEqual(len(fit_sizes.cuts(square, (1, 1), (64 * SMS, 64, 4096), SMS)), 1)
        alone, *shared = fit_sizes.cuts(square, (1, 1), (64, 64, 4096), SMS)
        self.assertEqual(alone[:3], (0, 64, 64))
        self.assertEqual(alone[-1], 0)
        self.assertGreater(len(shared), 1)
        for _, _, share, _, pieces in shared:  # together they are all k tiles
            self.assertGreaterEqual(share * pieces, 64)

    def test_clusters_ask_for_fewer_lines_and_ragged_rows_lie_in_two(self):
        square = self.sizes["64 x 64"]
        self.assertEqual(fit_sizes.lines(square, (1, 1), (640, 640, 64)), [128, 0])
        self.assertEqual(fit_sizes.lines(square, (2, 1), (640, 640, 64)), [96, 0])
        self.assertEqual(fit_sizes.lines(square, (1, 2), (640, 640, 72)), [64, 32])
        self.assertEqual(fit_sizes.lines(square, (1, 1), (640, 1000, 72)), [0, 126.5])
        self.assertEqual(fit_sizes.lines(square, (1, 1), (32, 640, 64)), [96, 0])

    def test_it_picks_what_made_up_times_call_fast(self):
        random = np.random.default_rng(1)
        record = self.made_up(self.times * np.exp(0.2 * random.normal(size=len(self.times))))
        before = record.picked_over_fastest(self.times)
        after = record.picked_over_fastest(fit_sizes.fit(record, self.times, rounds=400))
        self.assertGreater(before, 1.01)
        self.assertLess(after, 1 + (before - 1) / 2)

    def test_the_right_times_pick_the_fastest(self):
        record = self.made_up(self.times)
        self.assertEqual(record.picked_over_fastest(self.times), 1)
        self.assertEqual(record.distance(self.times), record.bend(self.times))

    def test_times_to_multiply_lie_near_a_line(self):
        record = self.made_up(self.times)
        straight = self.times.copy()
        straight[: len(self.sizes)] = 0.1 + 0.4 * record.line[:, 1]
        self.assertAlmostEqual(record.bend(straight), 0)
        straight[3] *= 2
        self.assertGreater(record.bend(straight), 1e-3)

    def test_the_recorded_shapes_get_a_size_that_is_nearly_the_fastest(self):
        recorded = json.loads((SOURCES / fit_sizes.RECORD).read_text())
        record = fit_sizes.Record(self.sizes, fit_sizes.rows_of(recorded), SMS)
        self.assertLess(record.picked_over_fastest(self.times), 1.05)


if __name__ == "__main__":
    unittest.main()
