"""The blocks about energy: what they compute of recorded climbs, counters, and a made-up record."""

import json
import os
import unittest
import unittest.mock

from bench import results_file
from bench.results_file import ResultsError
from bench.results_forms.gpu import ENERGY
from bench.rungs import rung_named
from docs.figures import hot_and_rested, sustained_windows
from docs.report.page_blocks import joules
from docs.report.recorded import NotRecordedError
from docs.report.rung_figures import NOT_YET
from tests import SOURCES

MADE_UP = SOURCES / "tests" / "bench" / "benchmark" / "data" / "energy.json"


def rows_of(text):
    """{first cell: other cells} of a Markdown table."""
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    return {first.strip(): [cell.strip() for cell in rest] for first, *rest in lines[2:]}


def hot(ms, watts, size=1000):
    """An entry of a sustained climb."""
    return {"samples_ms": ms, "power_w": {"median": watts}, "m": size}


class JoulesTest(unittest.TestCase):
    """All read below the root of the sources."""

    def setUp(self):
        os.chdir(SOURCES)

    def test_energy_is_power_times_the_mean_of_the_windows(self):
        entry = hot([1.0, 1.0, 4.0], 500.0)
        self.assertAlmostEqual(joules.joules(entry), 1.0)
        self.assertAlmostEqual(joules.picojoules_per_flop(entry), 1.0 / 2e9 * 1e12)

    def test_the_table_is_of_what_was_hot(self):
        rows = rows_of(joules.joules_block())
        ms, watts, _, energy, _ = map(float, rows["22 hopper summit"])
        self.assertAlmostEqual(ms * watts * 1e-3, energy, delta=0.01)
        self.assertGreater(watts, 600)
        self.assertIn("best of cublasLt, BF16", rows)

    def test_the_clock_of_a_launch_is_cycles_over_time(self):
        counted = {"sm__cycles_elapsed.max": 300_000.0, "gpu__time_duration.sum": 200_000.0}

        def profile(rung, _size):
            if rung != rung_named(joules.TENSOR).number:
                raise NotRecordedError("no such profile")
            return counted

        with unittest.mock.patch.object(joules, "profile", side_effect=profile):
            rows = rows_of(joules.launch_clocks_block())
        self.assertEqual(list(rows), ["19 persistent cluster"], "others are left out")
        per_cycle, _, _, mhz = rows["19 persistent cluster"]
        self.assertEqual(mhz, "1500")
        self.assertEqual(per_cycle, f"{2 * 4096**3 / 300_000 / 132:.0f}")

    def test_registers_of_instructions(self):
        of = {name: joules.register_bytes(rung_named(name)) for name in ("stream_k", "wgmma")}
        self.assertEqual(of, {"stream_k": 8.0, "wgmma": 0.25})
        # A, B and two times the sums of m16n8k16: 512 + 256 + 1024 bytes for 4096 FLOP.
        self.assertEqual(joules.register_bytes(rung_named("bf16_mma")), 1792 / 4096)
        self.assertEqual(joules.register_bytes(rung_named("tf32_mma")), 1792 / 2048)

    def test_levels_of_rungs_that_nobody_counted(self):
        rows = rows_of(joules.byte_levels_block())
        self.assertEqual(float(rows["19 persistent cluster"][3]), 250)
        for cells in rows.values():
            if NOT_YET in cells:
                self.assertEqual(cells[:3], [NOT_YET, "", ""])
        with unittest.mock.patch.object(joules, "profile", side_effect=NotRecordedError):
            rows = rows_of(joules.byte_levels_block())
        self.assertNotIn("10 wide tile", rows, "in FP32 only what is counted")
        self.assertEqual(rows["19 persistent cluster"][0], NOT_YET)

    def test_a_lever_tells_how_much_it_saves(self):
        def recording(rung, _size):
            bytes_of = {rung_named("bf16_mma").number: 4e9, rung_named("wgmma").number: 1e9}
            if rung not in bytes_of:
                raise NotRecordedError("no such profile")
            return {"dram__bytes_read.sum": bytes_of[rung], "dram__bytes_write.sum": 1e9}

        saved = joules.lever_row("wgmma", "a lever", 4096, "DRAM", recording)
        self.assertEqual(saved, ("17: a lever", "DRAM", "5.00 GB", "2.00 GB", "-60 %"))
        unknown = joules.lever_row("producer_warpgroup", "another", 16384, "DRAM", recording)
        self.assertEqual(unknown[1:], ("DRAM at 16384", "2.00 GB", NOT_YET, ""))

    def test_what_no_gpu_has_run(self):
        with unittest.mock.patch.object(joules, "climb", return_value={}):
            with self.assertRaisesRegex(NotRecordedError, "no GPU has a climb_sustained_8192.json"):
                joules.joules_block()
        with unittest.mock.patch.object(joules, "profile", side_effect=NotRecordedError):
            with self.assertRaisesRegex(NotRecordedError, "profile_4096.json has none"):
                joules.launch_clocks_block()

    def test_what_is_recorded_in_part_is_left_out(self):
        whole = {"power_w": {}, "sm_clock_mhz": {}, "samples_ms": [1.0], "launches_per_sample": 2}
        entries = {
            1: {**hot([1.0], 600.0), "sm_clock_mhz": {"median": 1}, "launches_per_sample": 2}
        }
        entries |= {i: {**entries[1], name: None} for i, name in enumerate(whole, 2)}
        with unittest.mock.patch.object(joules, "climb", return_value=entries):
            self.assertEqual(joules.hot_entries(), [entries[1]])

    def test_parts_make_the_whole(self):
        rows = rows_of(joules.joules_account_block())
        *parts, whole = (float(cells[0]) for cells in rows.values())
        self.assertAlmostEqual(sum(parts), whole, delta=0.02)
        self.assertEqual(rows["a FLOP"][1], "100 %")
        self.assertTrue(all(part > 0 for part in parts))

    def test_costs_come_from_the_copies_of_each_card(self):
        rows = rows_of(joules.byte_costs_block())
        near = [float(cell.removesuffix(" pJ")) for cell in rows[next(iter(rows))]]
        self.assertEqual(len(near), 2)
        watts, joules_per_gb, _ = joules.copies_of("nvidia-h200")
        self.assertEqual(near[0], round(1e3 * joules_per_gb))
        self.assertEqual(rows["the GPU while it waits"][0], f"{watts:.0f} W")

    def test_inputs_that_nobody_measured(self):
        with unittest.mock.patch.object(joules, "energy_recording", return_value=None):
            rows = rows_of(joules.energy_inputs_block())
            self.assertEqual(list(rows.values()), [[NOT_YET]] * len(joules.INPUTS))
            self.assertIn(NOT_YET, joules.energy_clocks_block())

    def test_a_record_of_energies(self):
        """What bench/benchmark/energy.cpp writes: tests/bench/benchmark/energy_test.cpp."""
        data = results_file.read(MADE_UP, ENERGY)
        with unittest.mock.patch.object(joules, "energy_recording", return_value=data):
            by_kernel = rows_of(joules.energy_inputs_block())
            by_kind = rows_of(joules.energy_clocks_block())
        self.assertEqual(list(by_kernel), ["normal, as everywhere in this book", "all 0"])
        # 696.25 W and 1.5 or 1.625 ms for 2 * 8192^3 FLOP.
        self.assertEqual(by_kernel["normal, as everywhere in this book"][0], "0.99 (0.95 to 1.03)")
        self.assertEqual(by_kernel["all 0"][1], "–", "a counter stood still")
        ms, first, last, watts, *_ = by_kind["all 0"]
        self.assertEqual((ms, first, last), ("0.781 (0.75 to 0.812)", "1800", "1275"))
        self.assertEqual(watts, "696 (696 to 696)")
        counter, readings = by_kind["normal, as everywhere in this book"][-2:]
        self.assertEqual((counter, readings), ("0.99 (0.95 to 1.03)", "0.98 (0.94 to 1.02)"))

    def test_a_record_that_lacks_something_is_refused(self):
        whole = json.loads(MADE_UP.read_text())
        for spoil in (
            lambda data: data["benchmarks"][0].pop("rounds"),
            lambda data: data["benchmarks"][0]["time_ms"].update(value=0),
            lambda data: data["benchmarks"][0]["rounds"][0].update(clocks=[[1.0]]),
            lambda data: data["context"].pop("counted_s"),
        ):
            data = json.loads(json.dumps(whole))
            spoil(data)
            with self.assertRaises(ResultsError):
                results_file.in_form(json.dumps(data), MADE_UP, ENERGY)


class FiguresTest(unittest.TestCase):
    """What both figures compute."""

    def setUp(self):
        os.chdir(SOURCES)

    def test_shares_of_the_burst(self):
        entry = {"name": "x", "samples_ms": [2.0, 4.0, 3.0], "launches_per_sample": 10}
        with unittest.mock.patch.object(hot_and_rested, "rested", return_value={"time_ms": 1.5}):
            slowest, mean, fastest = hot_and_rested.shares(entry)
        self.assertEqual((slowest, mean, fastest), (37.5, 50.0, 75.0))
        rested = unittest.mock.patch.object(
            sustained_windows, "rested", return_value={"time_ms": 1.5}
        )
        with rested:
            points = sustained_windows.points(entry)
        self.assertEqual([share for _, share in points], [75.0, 37.5, 50.0])
        for found, middle in zip((at for at, _ in points), (1.01, 1.04, 1.075), strict=True):
            self.assertAlmostEqual(found, middle)

    def test_what_they_lack_is_named(self):
        with unittest.mock.patch.object(hot_and_rested, "climb", return_value={}):
            with self.assertRaisesRegex(NotRecordedError, "climb_burst_8192.json has no 07_x"):
                hot_and_rested.rested({"name": "07_x"})
        with unittest.mock.patch.object(sustained_windows, "hot_entries", return_value=[]):
            with self.assertRaisesRegex(NotRecordedError, "climb_sustained_8192.json has none of"):
                sustained_windows.draw()


if __name__ == "__main__":
    unittest.main()
