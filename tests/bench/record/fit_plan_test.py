"""bench/record/fit_plan.py recovers times that are known, and refuses records that it cannot use."""

import json
import pathlib
import tempfile
import unittest

import numpy as np

from bench.record import fit_plan
from bench.results_file import FigureError

# Their times are made up, but each is the fastest somewhere.
TABLE = [
    fit_plan.Configuration("64 x 64", 64, 64, 64, 1, 8),
    fit_plan.Configuration("32 x 64", 32, 64, 64, 2, 0),
    fit_plan.Configuration("16 x 32, clusters", 16, 32, 64, 4, 0),
]
TIMES = {
    "64 x 64": (5.0, 1.5, 1.6, 0.0, 0.5),
    "32 x 64": (1.5, 1.2, 0.9, 0.1, 0.0),
    "16 x 32, clusters": (2.5, 0.3, 0.3, 0.05, 0.1),
}
SHAPES = [(m, n, k) for m in (16, 64, 300, 1000) for n in (32, 256, 1500) for k in (64, 512, 3000)]


def columns():
    """The name of each column, and whose times it has."""
    for c in TABLE:
        for cluster in c.clusters:
            yield c.name + (f" of {cluster}" if cluster > 1 else ""), c, cluster


def us_of(c, cluster, shape, card):
    """What the model expects with the times above."""
    ways = fit_plan.ways(c, shape, card["sms"]["value"])
    dram = fit_plan.dram_us(c, shape, card["dram_bytes_per_second"]["value"] * 1e-6)
    spread = fit_plan.spread_us(c, shape, cluster, card["sms"]["value"])
    return fit_plan.expected_us(ways[cluster], dram, TIMES[c.name]) + spread


def results(device="NVIDIA H200"):
    """A file of times that obey the model."""
    card = fit_plan.card_of(device)
    return {
        "context": {"device": device, "configurations": [name for name, _, _ in columns()]},
        "benchmarks": [
            {
                "name": "x".join(map(str, shape)),
                "m": shape[0],
                "n": shape[1],
                "k": shape[2],
                "us": [us_of(c, cluster, shape, card) for _, c, cluster in columns()],
            }
            for shape in SHAPES
        ],
    }


class FitPlanTest(unittest.TestCase):
    """On made-up records."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "times.json"

    def read(self, recorded):
        """A Record of a file with these results; files are read once, so each has its own."""
        self.path = self.path.with_name(f"{len(list(self.path.parent.iterdir()))}.json")
        self.path.write_text(json.dumps(recorded))
        return fit_plan.read(self.path, TABLE)

    def test_known_times_are_recovered_from_two_gpus(self):
        records = [self.read(results()), self.read(results("NVIDIA H100 80GB HBM3"))]
        times, candidates, roots = fit_plan.fit(TABLE, records)
        slower = candidates.slower[candidates.picked(roots)]
        self.assertLess(slower.mean(), 1.003)
        self.assertLess(slower.max(), 1.05)
        for c in TABLE:  # start and step are in every time
            self.assertAlmostEqual(times[c.name][2] / TIMES[c.name][2], 1, delta=0.15, msg=c.name)
        expected, _, _ = candidates.expected(roots)
        error = np.log(expected / candidates.us)
        self.assertLess(np.sqrt((error**2).mean()), 0.05)

    def test_the_same_records_give_the_same_times(self):
        recorded = results()
        recorded["benchmarks"] = recorded["benchmarks"][:6]
        first, second = (fit_plan.fit(TABLE, [self.read(recorded)])[0] for _ in range(2))
        for name, times in first.items():
            self.assertEqual(list(times), list(second[name]))

    def test_what_was_not_timed_is_guessed(self):
        recorded = results()
        for row in recorded["benchmarks"][::2]:
            row["us"][0] = None
        _, candidates, roots = fit_plan.fit(TABLE, [self.read(recorded)])
        slower = candidates.slower[candidates.picked(roots)]
        self.assertLess(np.nanmean(slower), 1.01)

    def test_faster_dram_is_the_cards_and_not_the_tables(self):
        shape, c = (4000, 4000, 64), TABLE[1]
        h100, h200 = (
            us_of(c, 1, shape, fit_plan.card_of(f"NVIDIA {name}"))
            for name in ("H100 80GB HBM3", "H200")
        )
        self.assertGreater(h100, h200)

    def test_records_that_cannot_be_used_are_refused(self):
        other, cut, unknown = results(), results(), results()
        other["context"]["configurations"] = ["9 x 9"] * 5
        cut["benchmarks"][3]["us"].pop()
        unknown["context"]["device"] = "NVIDIA T1000"
        for recorded, sentence in (
            (other, "no times of any of the rung's configurations; it has 9 x 9"),
            (cut, "16x256x64 has 4 times for 5 configurations"),
            (unknown, "no card of an NVIDIA T1000"),
        ):
            with self.assertRaisesRegex(FigureError, sentence):
                self.read(recorded)

    def test_times_go_into_the_table_and_nowhere_else(self):
        source = (
            "const auto kConfigurations = std::to_array<Configuration>({\n"
            '    stream_k<1, 1, 8, 5>("64 x 64", 1, 2, 3, 4),\n'
            '    small<4, 8, 8, 4, 3, 2>("32 x 64", 1.0, 2.0, 3.0, 4.0),\n'
            '    clusters<4, 4, 4, 4, 4, 4>("16 x 32, clusters", 1, 2, 3, 4, 5),\n'
            '    thin<4, 8, 8, 4, 16, 3, 3>("other", 1, 2, 3, 4),\n});\n'
        )
        written = fit_plan.with_times(source, TIMES)
        for line in (
            'stream_k<1, 1, 8, 5>("64 x 64", 5.000, 1.500, 1.600, 0.500),',
            'small<4, 8, 8, 4, 3, 2>("32 x 64", 1.500, 1.200, 0.900, 0.100),',
            'clusters<4, 4, 4, 4, 4, 4>("16 x 32, clusters", 2.500, 0.300, 0.300, 0.050, 0.100),',
            'thin<4, 8, 8, 4, 16, 3, 3>("other", 1, 2, 3, 4),',
        ):
            self.assertIn(line, written)
        with self.assertRaisesRegex(FigureError, "no line of 16 x 32, clusters"):
            fit_plan.with_times(source.replace("16 x 32", "16 x 36"), TIMES)


if __name__ == "__main__":
    unittest.main()
