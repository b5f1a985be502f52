"""Blocks of pages: what they compute from cards, probes, waves, machine code and its orders."""

import os
import pathlib
import unittest
import unittest.mock

from bench.rungs import rung_named
from docs.report.page_blocks import counters, hot_and_cold, machine, near_product, probes, sass
from docs.report.page_blocks.orders import cycles_block, orders_block
from docs.report.page_blocks.place import Place
from docs.report.recorded import FigureError, NotRecordedError
from docs.report.recorded_orders import order, ranked, rungs
from docs.report.rung_figures import NOT_YET, value
from tests import SOURCES

LESSON = Place(pathlib.Path("ladder/12_stream_k/README.md"), 12)
CHAPTER = Place(pathlib.Path("docs/chapters/registers.md"), None)


def rows_of(text):
    """{first cell: other cells} of a Markdown table."""
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    return {first.strip(): [cell.strip() for cell in rest] for first, *rest in lines[2:]}


class HotAndColdTest(unittest.TestCase):
    """Hit rates of hot and cold data: a formula, and caches that are counted."""

    def test_the_formula_is_that_of_an_lru_cache(self):
        self.assertAlmostEqual(hot_and_cold.che(60), 0.92, delta=0.005)
        for capacity in hot_and_cold.CAPACITIES:
            with self.subTest(capacity):
                lru = hot_and_cold.counted(capacity, lru=True)
                self.assertAlmostEqual(lru, hot_and_cold.che(capacity), delta=0.01)
                self.assertLess(hot_and_cold.counted(capacity, lru=False), lru)

    def test_a_cache_that_holds_all_misses_nothing(self):
        everything = hot_and_cold.HOT + hot_and_cold.COLD
        for lru in (True, False):
            self.assertGreater(hot_and_cold.counted(everything, lru), 0.999)


class ChapterBlocksTest(unittest.TestCase):
    """All blocks read below the root of the sources."""

    def setUp(self):
        os.chdir(SOURCES)

    def test_stripes_and_bands_share_panels(self):
        by_rows, by_bands = rung_named("double_buffer"), rung_named("wave_swizzle")
        panels = machine.wave_panels(by_rows, 16384)
        self.assertEqual(len(panels), 63)
        self.assertEqual(set(panels[:-1]), {131}, "three rows of tiles and all columns")
        self.assertEqual(machine.wave_panels(by_bands, 16384)[0], 16 + 17)
        self.assertEqual(sum(machine.wave_panels(by_bands, 1024)), 8 + 8, "one wave holds all")

    def test_energies_of_bytes_follow_from_three_copies(self):
        watts, near, far = 200.0, 0.09, 0.03
        copies = [
            (share, rate, watts / rate + near + share * far)
            for share, rate in ((0.0, 4200.0), (0.5, 3900.0), (1.0, 2500.0))
        ]
        for found, wanted in zip(near_product.parts_of_energy(copies), (watts, near, far)):
            self.assertAlmostEqual(found, wanted, places=6)
        rows = rows_of(near_product.near_product_block())
        far_rate = float(rows["from the far side"][0].removesuffix(" GB/s"))
        far_watts = float(rows["power of the far bytes"][0].removesuffix(" W"))
        joules = float(rows["a far byte takes more"][0].removesuffix(" J/GB"))
        self.assertAlmostEqual(far_watts, far_rate * joules, delta=1)

    def test_a_rung_without_a_profile_shows_what_the_emulator_counted(self):
        number = rung_named("bf16_mma").number
        lesson = Place(pathlib.Path("ladder/16_bf16_mma/README.md"), number)
        missing = unittest.mock.patch.object(counters, "profile", side_effect=NotRecordedError)
        with missing:
            text = counters.profile_block(lesson, "")
        self.assertIn(f"What it counts on an H200 is {NOT_YET}.", text)
        self.assertIn("sm__pipe_tensor_cycles_active", text)
        self.assertNotIn("sm__pipe_fma", text)
        rows = rows_of(text)
        (loads,) = next(cells for name, cells in rows.items() if "op_shared_ld" in name)
        # For each 16 of K, and one step ahead, 8 loads in each of the 8 warps of 512 blocks.
        self.assertEqual(loads, f"{512 * 8 * 8 * (4096 // 16 + 1):,}")
        untraced = unittest.mock.patch.object(counters, "trace", side_effect=NotRecordedError)
        with missing, untraced:
            self.assertNotIn("emulator", counters.profile_block(lesson, ""))

    def test_ridges_are_peak_over_bandwidth(self):
        rows = rows_of(machine.ridges_block(None, ""))
        h200 = rows["[H200 SXM](../../common/devices/h200.json)"]
        self.assertEqual(h200, ["4814", "66.9", "14", "111", "222", "83"])
        t4 = rows["[T4](../../common/devices/t4.json)"]
        self.assertEqual(t4[3:5], ["", ""], "no TF32 and no BF16")
        drained = rows_of(machine.drain_block(None, ""))
        self.assertEqual(drained["[H200 SXM](../../common/devices/h200.json)"][-1], "31 ms")

    def test_probes_are_found_by_what_they_show(self):
        rows = rows_of(probes.counted_block(None, "strides"))
        self.assertEqual(rows["stride 8: 32 bytes apart"][:3], ["1", "32", "8"])
        rows = rows_of(probes.counted_block(None, "shared_strides"))
        self.assertEqual(rows["2"], ["2", "4", "8"])
        for name in probes.COUNTED:
            self.assertIn("Counted on NVIDIA H200", probes.counted_block(None, name))
        with self.assertRaisesRegex(FigureError, "counted: name one of shared_strides, strides"):
            probes.counted_block(None, "stride")

    def test_machine_code_has_every_view(self):
        rows = rows_of(sass.sass_block(None, "orders"))
        self.assertEqual(rows["rung 05"][-2], "0", "load, wait, store")
        self.assertGreater(int(rows["rung 06"][-2]), 200)
        self.assertEqual(rows["rung 06, registers for 3 blocks"][-2], "0")
        rows = rows_of(sass.sass_block(None, "registers"))
        self.assertEqual(rows["rung 03"][-2:], ["2", "64"])
        for view in sass.SASS:
            self.assertIn("Compiled by nvcc", sass.sass_block(None, view))
        self.assertIn("for (int k = 0;", sass.sass_block(None, "inner"))
        with self.assertRaisesRegex(FigureError, "sass: name one of inner, orders"):
            sass.sass_block(None, "")

    def test_orders_are_named_as_in_the_ranking(self):
        text = orders_block(LESSON, "as written; worst; 11: as written; 11: rows up, columns up")
        fence, head, *lines, end = text.splitlines()
        self.assertEqual((fence, end), ("```text", "```"))
        self.assertTrue(head.startswith("cycles/FFMA  instr  FFMA  LDS"), head)
        names = [line.split("  ")[-1] for line in lines]
        worst = ranked(12)[-1][0]
        other = ["(rung 11, as written)", "rung 11, rows up, columns up"]
        self.assertEqual(names, ["(as written)", worst, *other])
        for line, name in zip(lines, ("as written", "worst"), strict=False):
            counts = order(12, name)[1]
            self.assertEqual(line.split()[:2], [f"{counts.cycles:.4f}", f"{counts.instructions}"])
        self.assertEqual(order(12, "best"), order(12, order(12, "best")[0]))
        self.assertEqual(orders_block(CHAPTER, "10: best").splitlines()[1], head)

    def test_orders_that_there_are_not(self):
        for place, wrong in ((LESSON, ""), (LESSON, "worst;"), (CHAPTER, "worst")):
            with self.assertRaisesRegex(FigureError, "is no order such as '10: as written'"):
                orders_block(place, wrong)
        with self.assertRaisesRegex(FigureError, "has no order 'sideways': name one of best, wor"):
            orders_block(LESSON, "sideways")
        with self.assertRaisesRegex(NotRecordedError, "no rung 03: run python3 -m bench.rec"):
            orders_block(LESSON, "03: worst")

    def test_no_rung_is_faster_than_its_loop(self):
        rows = rows_of(cycles_block(CHAPTER, ""))
        self.assertEqual(list(map(int, rows)), rungs())
        measured = {rung: cells for rung, cells in rows.items() if NOT_YET not in cells}
        self.assertGreater(len(measured), 6)
        for rung, (instructions, computed, took, more) in measured.items():
            self.assertLessEqual(float(instructions), float(computed), rung)
            self.assertLess(float(computed), float(took), rung)
            self.assertAlmostEqual(
                float(more.strip("+ %")) / 100, float(took) / float(computed) - 1, 2
            )

    def test_the_gain_that_machine_code_promises(self):
        below, own = (order(rung, "as written")[1].cycles for rung in (10, 11))
        self.assertEqual(value("11:order_gain", 8), f"{below / own:.2f}")

    def test_figures_of_an_order(self):
        counts = order(12, "as written")[1]
        self.assertEqual(value("order_three_fresh", 12), f"{counts.three_fresh}")
        self.assertEqual(value("12:order_instructions", 8), f"{counts.instructions:,}")
        self.assertEqual(value("order_cycles", 12), f"{counts.cycles:.3f}")
        self.assertEqual(value("order_peak", 12), f"{100 / counts.cycles:.0f} %")
        worst, plain = (order(12, name)[1] for name in ("worst", "rows up, columns up"))
        self.assertEqual(value("order_cycles_worst", 12), f"{worst.cycles:.3f}")
        name = "order_peak_rows_up_columns_up"
        self.assertEqual(value(name, 12), f"{100 / plain.cycles:.0f} %")
        self.assertRegex(value("order_compiler", 12), r"nvcc [\d.]+")
        with self.assertRaisesRegex(FigureError, "'order_luck' is no name of a figure"):
            value("order_luck", 12)
        with self.assertRaisesRegex(FigureError, "has no order 'sideways'"):
            value("order_peak_sideways", 12)


if __name__ == "__main__":
    unittest.main()
