"""docs/widgets/formulas.js says what the emulator, the device cards and the roofline say.

    export LADDER_WIDGET_CASES=build/tests/widget_cases
    build/python/bin/python -m tests.docs.widgets.widget_formulas_test

widget_cases.cpp prints the cases of a seed, which LADDER_SEED repeats. The worked tables of the
pages are checked too.
"""

import json
import os
import random
import re
import subprocess
import sys
import unittest

from tests import SOURCES
from tests.docs.widgets.widget_site import PAGES, WIDGETS, WidgetSite, plain


def setUpModule():
    """The pages in a browser."""
    global book
    book = WidgetSite()


def tearDownModule():
    """Ends the browser."""
    book.close()


class FormulasTest(unittest.TestCase):
    """formulas.js against the C++ that the emulator, the cards and the roofline use."""

    @classmethod
    def setUpClass(cls):
        """The cases."""
        cls.seed = os.environ.get("LADDER_SEED") or str(random.randrange(2**32))
        command = [os.environ["LADDER_WIDGET_CASES"], cls.seed]
        printed = subprocess.run(command, capture_output=True, check=True, text=True)
        cls.cases = json.loads(printed.stdout)
        book.open("tiles")

    def compare(self, name, script):
        """Every case of a formula: `script` maps a case to an object with some of its keys."""
        cases = self.cases[name]
        self.assertGreaterEqual(len(cases), 200)
        found = book.formula(f"return arguments[0].map((one) => ({script}))", cases)
        for case, got in zip(cases, found, strict=True):
            wanted = {key: case[key] for key in got}
            self.assertEqual(got, wanted, f"LADDER_SEED={self.seed}: {case}")

    def test_sectors_and_lines(self):
        """request_shape.cpp: global_shape()."""
        self.compare(
            "coalescing",
            "((r) => ({sectors: r.sectors.length, lines: r.lines.length, ideal: r.ideal}))"
            "(F.coalescing(one))",
        )

    def test_wavefronts(self):
        """request_shape.cpp: shared_load_shape() and shared_store_shape()."""
        self.compare(
            "wavefronts",
            "((r) => ({wavefronts: r.wavefronts, ideal: r.ideal}))"
            "(F.wavefronts({...one, mask: one.lanes}))",
        )
        conflicts = [one for one in self.cases["wavefronts"] if one["wavefronts"] > one["ideal"]]
        self.assertGreater(len(conflicts), 50)

    def test_occupancy(self):
        """device_card.cpp: blocks_per_sm() and deciding_limit()."""
        self.compare(
            "occupancy",
            "((r) => ({blocks: r.blocks, limit: r.limit}))(F.occupancy(cards[one.card], one))",
        )
        limits = {one["limit"] for one in self.cases["occupancy"]}
        self.assertLessEqual({"threads", "blocks", "registers", "shared memory"}, limits)

    def test_roofline(self):
        """roofline.hpp, bit by bit."""
        self.compare(
            "roofline",
            "((flops, bytes, card) => ({flops, bytes, tflops: F.attainableTflops("
            "card.fp32_tflops, card.dram_bytes_per_second * 1e-9, flops / bytes)}))"
            "(F.flops(one), F.compulsoryBytes(one, one), cards[one.card])",
        )

    def test_waves(self):
        """The order of rung 07, and what misses in the emulator's cache."""
        self.compare(
            "waves",
            "((w) => ((r) => ({waves: w.waves, tiles: r.tiles.length, first: r.tiles[0],"
            "last: r.tiles.at(-1), panels_a: r.panelsA.length, panels_b: r.panelsB.length,"
            "read: r.asked, missed: r.read}))(F.waveOf({...w, band: one.band, wave: one.wave,"
            "atOnce: one.at_once, BM: one.bm, BN: one.bn, k: 1, bytes: 1})))"
            "(F.tileWaves({m: one.m, n: one.n, BM: one.bm, BN: one.bn, atOnce: one.at_once}))",
        )

    def test_words_of_shared_arrays(self):
        """Where elements lie, by the index computations of rungs 05 and 08."""
        lanes = range(32)
        layout = {"padding": 4, "rowLength": 128, "swizzle": "none", "width": 4}
        for changes, words in (
            ({"access": "transpose", "width": 1}, [n % 2 * 4 * 132 + n // 2 for n in lanes]),
            ({"access": "operandA", "laneColumns": 4}, [lane // 4 * 4 for lane in lanes]),
            ({"access": "operandB", "laneColumns": 4}, [lane % 4 * 4 for lane in lanes]),
            ({"access": "column"}, [lane * 132 for lane in lanes]),
            ({"access": "row"}, [lane * 4 for lane in lanes]),
            ({"access": "row", "rowLength": 32}, [lane // 8 * 36 + lane % 8 * 4 for lane in lanes]),
            ({"access": "column", "swizzle": "float4"}, [n * 132 + n % 8 * 4 for n in lanes]),
            ({"access": "column", "swizzle": "word", "width": 1}, [n * 132 + n for n in lanes]),
        ):
            found = book.formula("return F.sharedWords(arguments[0])", {**layout, **changes})
            self.assertEqual(found, words, changes)

    def test_data_is_that_of_cards_and_results(self):
        """docs/widgets/data.js is not stale."""
        done = subprocess.run(
            [sys.executable, "-m", "docs.report.widget_data", "--check"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)


class TablesTest(unittest.TestCase):
    """What stands on the pages where scripts are off."""

    def rows(self, name):
        """The rows of a page's worked table, as texts."""
        static = re.search(r"<noscript.*?</noscript>", (WIDGETS / f"{name}.md").read_text(), re.S)
        lines = [line for line in static[0].splitlines() if line.startswith("| ")]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]
        self.assertGreaterEqual(len(rows), 4)
        return rows

    def test_coalescing(self):
        """Inputs, then sectors, lines and the share that is used."""
        book.open("coalescing")
        for row in self.rows("coalescing"):
            size, stride, offset, lanes, *wanted = row
            case = {"bytes": int(size), "stride": int(stride), "offset": 4 * int(offset)}
            found = book.formula(
                "const r = F.coalescing(arguments[0]); return [`${r.sectors.length}`,"
                "`${r.lines.length}`, `${100 * r.efficiency} %`]",
                {**case, "lanes": int(lanes)},
            )
            self.assertEqual(found, wanted, row)

    def test_banks(self):
        """Inputs, then wavefronts and their ideal."""
        book.open("banks")
        for row in self.rows("banks"):
            length, padding, access, width, *wanted = row
            layout = {"rowLength": int(length), "padding": int(padding), "access": access}
            found = book.formula(
                "const words = F.sharedWords(arguments[0]); const r = F.wavefronts({"
                "offsets: words.map((w) => 4 * w), bytes: 4 * arguments[0].width});"
                "return [`${r.wavefronts}`, `${r.ideal}`]",
                {**layout, "width": int(width), "swizzle": "none"},
            )
            self.assertEqual(found, wanted, row)

    def test_tiles(self):
        """Inputs, then what the tile asks for and how it covers 4096 x 4096."""
        book.open("tiles")
        columns = list(zip(*self.rows("tiles"), strict=True))
        self.assertEqual(len(columns), 5)  # what, and four rungs
        for row in columns[1:]:
            extents = re.findall(r"\d+", " ".join(row[:5]))
            names = ("BM", "BN", "BK", "TM", "TN", "stages", "padding", "registers")
            tile = dict(zip(names, map(int, extents), strict=True))
            found = book.formula(
                "const one = arguments[0]; const t = F.blockTile(one); const o = F.occupancy("
                "cards.h200, {...t, registers: one.registers}); const w = F.tileWaves({...one,"
                "m: 4096, n: 4096, atOnce: 132 * o.blocks}); return [`${t.threads}`,"
                "`${t.shared}`, `${+t.intensity.toPrecision(3)}`, `${o.blocks}`, o.limit,"
                "`${w.waves}`, `${+(100 * w.lastShare).toPrecision(3)} %`]",
                {**tile, "bytes": 4},
            )
            self.assertEqual(found, list(row[5:]), row)

    def test_waves(self):
        """Size and order, then the first wave and the sum of all."""
        book.open("waves")
        for row in self.rows("waves"):
            band = re.search(r"bands of (\d+)", row[1])
            order = {"rows": int(row[0]) // 128, "band": int(band[1]) if band else 1}
            found = book.formula(
                "const one = {...arguments[0], columns: arguments[0].rows, atOnce: 264, BM: 128,"
                "BN: 128, k: 128 * arguments[0].rows, bytes: 4}; const all = F.allWaves(one);"
                "const r = F.waveOf({...one, wave: 0}); return [`${all.waves}`,"
                "`${r.panelsA.length}`, `${r.panelsB.length}`,"
                "`${(100 * r.hitRate).toFixed(1)} %`, window.ladderWidget.decimalBytes(all.read)]",
                order,
            )
            self.assertEqual([plain(text) for text in found], row[2:], row)

    def test_tables_show_without_scripts(self):
        """And no form that does nothing."""
        book.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            for name in PAGES:
                book.browser.get(book.address(name))
                shown = "img" if name == "roofline" else "td"
                self.assertTrue(book.find(f"noscript {shown}").is_displayed(), name)
                self.assertEqual(book.count(".widget *"), 0)
        finally:
            book.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


if __name__ == "__main__":
    unittest.main()
