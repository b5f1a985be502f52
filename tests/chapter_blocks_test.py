#!/usr/bin/env python3
"""Blocks of the chapters: what they compute from cards, probes, waves and machine code."""

import os
import pathlib
import sys
import unittest

SOURCES = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCES / "bench"))

from blocks import machine, probes, sass  # noqa: E402
from recorded import FigureError  # noqa: E402


def rows_of(text):
    """{first cell: other cells} of a Markdown table."""
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    return {first.strip(): [cell.strip() for cell in rest] for first, *rest in lines[2:]}


class ChapterBlocksTest(unittest.TestCase):
    """All blocks read below the root of the sources."""

    def setUp(self):
        os.chdir(SOURCES)

    def test_stripes_and_bands_share_panels(self):
        panels, at_once = machine.wave_panels(6, 16384)
        self.assertEqual((at_once, len(panels)), (264, 63))
        self.assertEqual(set(panels[:-1]), {131}, "three rows of tiles and all columns")
        panels, _ = machine.wave_panels(7, 16384)
        self.assertEqual(panels[0], 16 + 17)
        self.assertEqual(sum(machine.wave_panels(7, 1024)[0]), 8 + 8, "one wave holds all")

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


if __name__ == "__main__":
    unittest.main()
