"""docs/figures/opening.py: the first page's trace is what the emulator recorded of two kernels."""

import copy
import json
import os
import re
import unittest
from unittest import mock

from bench import results_file
from docs.figures import opening
from docs.report.recorded import FigureError
from tests import SOURCES

RUNGS = (1, 2)


class OpeningTest(unittest.TestCase):
    """What stands in place of <!-- opening 01 02 -->."""

    @classmethod
    def setUpClass(cls):
        """Reads files below the root."""
        os.chdir(SOURCES)
        cls.steps = json.loads(opening.STEPS_FILE.read_text())
        cls.text = opening.block(RUNGS)

    def sides(self):
        """The two sides, as text."""
        return re.findall(r"<section.*?</section>", self.text, re.S)

    def test_the_picture_is_the_first_step_of_k(self):
        for side, rung in zip(self.sides(), RUNGS, strict=True):
            step = self.steps[f"{rung:02}"][:2]
            self.assertEqual([load["array"] for load in step], ["A", "B"])
            total = sum(load["sectors"] for load in step)
            self.assertEqual(side.count('class="sent"'), total)
            self.assertIn(f'class="count">{total}</text>', side)
            self.assertEqual(side.count('class="lane"'), opening.LANES)
            words = sum(len(set(load["addresses"])) for load in step)
            self.assertEqual(side.count('class="read"'), words)

    def test_the_script_gets_all_loads(self):
        data = json.loads(re.search(r"<script[^>]*>(.*?)</script>", self.text)[1])
        for side, rung in zip(data["sides"], RUNGS, strict=True):
            loads = self.steps[f"{rung:02}"]
            self.assertEqual(
                [(one["array"], one["sectors"], one["addresses"]) for one in side["loads"]],
                [(one["array"], one["sectors"], one["addresses"]) for one in loads],
            )
        lanes = range(opening.LANES)
        self.assertEqual(data["sides"][0]["results"], [[lane, 0] for lane in lanes])
        self.assertEqual(data["sides"][1]["results"], [[0, lane] for lane in lanes])

    def test_the_lines_that_differ_are_those_of_the_sources(self):
        for side, rung in zip(self.sides(), RUNGS, strict=True):
            source = opening.code_of(rung)
            lines = re.findall(r'<span class="number">(\d+)</span> (.*?)(?:\n|</code>)', side)
            self.assertEqual(len(lines), 2)
            for number, line in lines:
                self.assertEqual(re.sub("</?mark>", "", line), source[int(number)])
                self.assertEqual(len(re.findall(r"<mark>threadIdx\.[xy]</mark>", line)), 1)

    def changed(self, change):
        """Draws a recording with a change in it."""
        steps = copy.deepcopy(self.steps)
        change(steps)
        with mock.patch.object(results_file, "read", return_value=steps):
            return opening.block(RUNGS)

    def test_what_was_not_counted_is_not_drawn(self):
        with self.assertRaisesRegex(FigureError, "33 sectors were counted"):
            self.changed(lambda steps: steps["01"][0].update(sectors=33))

        def far_away(steps):
            steps["01"][0]["addresses"][31] = 32 * opening.ROW

        with self.assertRaisesRegex(FigureError, "not in the corner"):
            self.changed(far_away)

    def test_rungs_that_differ_in_more_are_refused(self):
        with self.assertRaisesRegex(FigureError, "differ in more than some lines"):
            opening.changed_lines((2, 3))
        with self.assertRaisesRegex(FigureError, "differ in more than words"):
            opening.marked("row = 1;", "row = 1 + 1;")
        steps = copy.deepcopy(self.steps)
        steps["02"][0]["line"] = 25
        with self.assertRaisesRegex(FigureError, "not in one and the same line"):
            opening.loop_line(RUNGS, steps)


if __name__ == "__main__":
    unittest.main()
