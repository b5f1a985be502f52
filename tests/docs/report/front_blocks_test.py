"""docs/report/page_blocks/front.py: what the first page shows is what programs counted and said."""

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

    def test_the_race_names_lines_that_are_shown(self):
        text = front.race_block(HOME, "barrier_missing_after_use")
        first, code = re.search(r"// \S+, line (\d+)\n(.*?)\n```", text, re.S).groups()
        lines = {str(i): line for i, line in enumerate(code.splitlines(), int(first))}
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
