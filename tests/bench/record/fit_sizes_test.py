"""bench/record/fit_sizes.py: its cuts are those of the rung, and it picks what is fast."""

import json
import pathlib
import unittest

from bench import SOURCES
from bench.record import fit_sizes

SMS = 132
FACTORS = (1, 1, 1, 1, 0.8, 1.2, 0.7, 1.1, 0.9, 0.7, 1.2)  # the first sizes keep their times
TIMES = [  # made up
    times * factor
    for (*_, times), factor in zip(
        fit_sizes.sizes_of((SOURCES / fit_sizes.SIZES).read_text()), FACTORS, strict=True
    )
]
SHAPES = [(m, n, k) for m in (60, 500, 3000) for n in (64, 600, 2500) for k in (64, 900, 5000)]


class FitSizesTest(unittest.TestCase):
    def setUp(self):
        self.sizes = fit_sizes.sizes_of((SOURCES / fit_sizes.SIZES).read_text())
        self.cuts = [[fit_sizes.ways(s, shape, SMS) for s in self.sizes] for shape in SHAPES]

    def test_all_sizes_are_read(self):
        self.assertEqual(len(self.sizes), 11)
        for *_, times in self.sizes:
            self.assertEqual(len(times), len(fit_sizes.TIMES))

    def test_few_tiles_can_be_shared_and_full_rounds_cannot(self):
        square = next(s for s in self.sizes if s[1:5] == (64, 64, 1, 1))
        self.assertGreater(len(fit_sizes.ways(square, (64, 64, 4096), SMS)), 1)
        self.assertEqual(len(fit_sizes.ways(square, (64 * SMS, 64, 4096), SMS)), 1)
        alone, *shared = fit_sizes.ways(square, (64, 64, 4096), SMS)
        self.assertEqual(alone[:3], (0, 64, 64))
        self.assertEqual(alone[-1], 0)
        for _, _, share, _, _, pieces in shared:  # together they are all k tiles
            self.assertGreaterEqual(share * pieces, 64)

    def test_rows_that_are_no_whole_lines_take_longer_to_load(self):
        square = next(s for s in self.sizes if s[1:5] == (64, 64, 1, 1))
        lines = [
            fit_sizes.ways(square, (640, n, k), SMS)[0][3] for n in (640, 648) for k in (64, 72)
        ]
        self.assertEqual(lines, [1, 1.5, 1.5, 2])

    def test_it_picks_what_made_up_times_call_fast(self):
        rows = [
            [fit_sizes.microseconds(of, t) for of, t in zip(shape, TIMES)] for shape in self.cuts
        ]
        before = fit_sizes.picked_over_fastest(self.cuts, [t for *_, t in self.sizes], rows)
        _, after = fit_sizes.fit(self.sizes, self.cuts, rows)
        self.assertLessEqual(after, before)
        self.assertLess(after, 1.03)

    def test_what_was_not_timed_is_not_picked(self):
        rows = [
            [fit_sizes.microseconds(of, t) for of, t in zip(shape, TIMES)] for shape in self.cuts
        ]
        for row in rows:
            row[0] = None
        score = fit_sizes.picked_over_fastest(self.cuts, TIMES, rows)
        self.assertGreaterEqual(score, 1)
        self.assertLess(score, 1.001)

    def test_the_recorded_shapes_get_a_size_that_is_nearly_the_fastest(self):
        record = json.loads(pathlib.Path(SOURCES / fit_sizes.RECORD).read_text())
        order = [record["context"]["configurations"].index(name) for name, *_ in self.sizes]
        rows = [[row["us"][at] for at in order] for row in record["benchmarks"]]
        shapes = [(row["m"], row["n"], row["k"]) for row in record["benchmarks"]]
        cuts = [[fit_sizes.ways(s, shape, SMS) for s in self.sizes] for shape in shapes]
        self.assertLess(
            fit_sizes.picked_over_fastest(cuts, [t for *_, t in self.sizes], rows), 1.05
        )


if __name__ == "__main__":
    unittest.main()
