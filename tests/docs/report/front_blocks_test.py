"""docs/report/page_blocks/front.py: what the first page shows is what programs counted and said."""

import json
import os
import pathlib
import re
import unittest

from docs.report.page_blocks import claims, front
from docs.report.page_blocks.place import Place
from docs.report.recorded import FigureError, NotRecordedError
from docs.report.rung_figures import value
from tests import SOURCES

HOME = Place(pathlib.Path("docs/index.md"), None)


class FrontTest(unittest.TestCase):
    """Blocks of docs/index.md."""

    @classmethod
    def setUpClass(cls):
        """Blocks read files below the root."""
        os.chdir(SOURCES)

    def test_heat_shows_each_line_that_differs_with_its_sectors(self):
        text = front.heat_block(HOME, "01 02")
        counts = json.loads(front.LINES.read_text())
        for rung, folder in ((1, "01_naive"), (2, "02_coalesced")):
            source = (SOURCES / "ladder" / folder / "kernel.cuh").read_text().splitlines()
            for entry in counts[f"{rung:02}"]:
                line = f"{entry['line']:>3} {entry['sectors']:>11,}  "
                self.assertIn(line, text)
                code = source[entry["line"] - 1].strip().replace("<", "&lt;").replace(">", "&gt;")
                self.assertIn(code, text)
        for index in "xy":
            self.assertEqual(text.count(f"threadIdx.{index};"), 2, "each in a row of both")
        heats = [float(heat) for heat in re.findall(r"--heat: ([\d.]+)", text)]
        self.assertEqual((len(heats), max(heats)), (4, 1))
        self.assertIn("17,367,040 sectors", text)

    def test_heat_compares_two(self):
        with self.assertRaises(FigureError):
            front.heat_block(HOME, "01")

    def test_the_race_names_lines_that_are_shown(self):
        text = front.race_block(HOME, "barrier_missing_after_use")
        lines = dict(re.findall(r"^ *(\d+)  (.*)$", text, re.M))
        named = re.findall(r"races\.cu:(\d+)", text)
        self.assertEqual(len(named), 2)
        for number in named:
            self.assertIn("sB[", lines[number])
        source = (SOURCES / "tests" / "gallery" / "races.cu").read_text().splitlines()
        for number, line in lines.items():
            self.assertIn(line.strip(), source[int(number) - 1])
        self.assertNotIn("fault", text, "the reader looks for it")
        with self.assertRaises(FigureError):
            front.race_block(HOME, "no_such_kernel")

    def test_shapes_are_counted_both_ways(self):
        for shapes in ("chosen", "drawn"):
            behind, of, number = value(f"14:behind_{shapes}", None).split()
            level, _, same = value(f"14:level_{shapes}", None).split()
            self.assertEqual((of, number), ("of", same))
            self.assertEqual(int(behind) + int(level), int(number))
            with self.assertRaisesRegex(NotRecordedError, f"the {shapes} shapes have no rung 01_"):
                value(f"01:behind_{shapes}", None)

    def test_verdicts_have_a_sign_words_and_a_class(self):
        for row, wanted in (
            ({"verdict": "wrong"}, '<strong class="verdict wrong">✗ wrong</strong>'),
            (
                {"verdict": None, "needs": "a lab"},
                '<strong class="verdict pending">… pending</strong>: a lab',
            ),
        ):
            self.assertEqual(claims.verdict(row), wanted)


if __name__ == "__main__":
    unittest.main()
