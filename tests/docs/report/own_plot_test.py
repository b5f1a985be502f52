"""docs/report/own_plot.py: the curves of a lab as SVG and PNG, recorded ones or your own."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from docs.report import own_plot, plot_labs, recorded_labs
from tests import SOURCES

RESULTS = SOURCES / "bench" / "results" / "nvidia-h200"


def run(*arguments, **environment):
    """(exit code, both streams) of the program."""
    done = subprocess.run(
        [sys.executable, "-m", "docs.report.own_plot", *map(str, arguments)],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout + done.stderr


class OwnPlotTest(unittest.TestCase):
    """What is drawn, and what is refused."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def own(self, lab, change):
        """The recorded report of a lab, changed, in a file."""
        report = json.loads((RESULTS / f"lab_{lab}.json").read_text())
        report["context"] = {"device": "made up"}
        change(report)
        path = self.folder / "mine.json"
        path.write_text(json.dumps(report))
        return path

    @unittest.skipUnless(shutil.which("rsvg-convert"), "needs rsvg-convert, of librsvg2-bin")
    def test_recorded_curves_become_two_files(self):
        code, said = run("--lab", "shared_memory", "--out", self.folder)
        self.assertEqual(code, 0, said)
        for name in ("lab_shared_memory", "lab_multiply_adds"):
            recorded = (SOURCES / "docs" / "figures" / f"{name}.svg").read_text()
            self.assertEqual((self.folder / f"{name}.svg").read_text(), recorded)
            png = (self.folder / f"{name}.png").read_bytes()
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(struct.unpack(">I", png[16:20])[0], own_plot.WIDTH)

    def test_a_converter_without_variables_gets_colours(self):
        svg = str(plot_labs.picture(plot_labs.latency, plot_labs.chart.WIDTH))
        self.assertIn("var(--s0)", svg)
        plain = own_plot.light(svg)
        self.assertNotIn("var(", plain)
        self.assertNotIn("@media", plain)
        self.assertIn("stroke: #0b5fc0", plain)
        self.assertEqual(plain.count("{"), plain.count("}"))

    def test_own_curves_have_own_names_and_no_mark_of_another_gpu(self):
        def change(report):
            for curve in report["series"]:
                curve["name"] = curve["name"].replace("TLB of 55", "TLB of 7")
                for point in curve["points"]:
                    point["samples"] = [5 for _ in point["samples"]]

        with recorded_labs.instead_of_recorded(self.own("tlb_sharing", change)) as lab:
            svg = str(plot_labs.picture(own_plot.charts_of(lab)[0], plot_labs.chart.WIDTH))
        self.assertIn("TLB of 7", svg)
        self.assertIn("made up", svg)
        self.assertNotIn("H200", svg)
        with recorded_labs.instead_of_recorded(self.own("interference", lambda _: None)) as lab:
            self.assertNotIn("set aside:", str(plot_labs.picture(plot_labs.interference, 1000)))
        self.assertIn("set aside:", str(plot_labs.picture(plot_labs.interference, 1000)))
        self.assertEqual(recorded_labs.OWN, {}, "what is recorded counts again")

    def test_no_curve_leaves_its_axes(self):
        """A card whose loads are faster than those of the recorded one has a lower axis."""

        def change(report):
            for curve in report["series"]:
                for point in curve["points"]:
                    point["samples"] = [sample / 3 for sample in point["samples"]]

        with recorded_labs.instead_of_recorded(self.own("tlb_reach", change)) as lab:
            svg = str(plot_labs.picture(own_plot.charts_of(lab)[0], plot_labs.chart.WIDTH))
        bottom = max(float(y) for y in re.findall(r'class="axis" points="[^,]+,([\d.]+)', svg))
        curves = re.findall(r'class="line l\d" points="([^"]+)"', svg)
        lowest = max(float(pair.split(",")[1]) for curve in curves for pair in curve.split())
        self.assertLess(lowest, bottom)

    @unittest.skipUnless(shutil.which("rsvg-convert"), "needs rsvg-convert, of librsvg2-bin")
    def test_what_cannot_be_drawn_is_refused(self):
        mine = self.own("latency", lambda _: None)
        lacks = self.folder / "lacks.json"
        lacks.write_text(mine.read_text().replace('"series"', '"serious"'))
        for arguments, says in (
            ((), "name a lab"),
            (("--lab", "latencies"), "there is no lab 'latencies'"),
            (("--lab", "toolchain"), "lab 'toolchain' has no curves"),
            (("--lab", "sectors", "--json", mine), "is of lab latency, not of sectors"),
            (("--json", self.folder / "none.json"), "cannot be read"),
            (("--json", SOURCES / "README.md"), "is no JSON"),
            (("--json", lacks), "series"),
            (("--lab", "latency", "--out", self.folder / "none"), "there is no folder"),
        ):
            with self.subTest(arguments):
                code, said = run(*arguments)
                self.assertEqual(code, 2, said)
                self.assertIn(says, said)
                self.assertNotIn("Traceback", said)

    def test_without_the_converter_there_is_an_svg_and_its_package_is_named(self):
        code, said = run("--lab", "latency", "--out", self.folder, PATH=str(self.folder))
        self.assertEqual(code, 0, said)
        self.assertIn("apt-get install librsvg2-bin", said)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["lab_latency.svg"])

    def test_two_reports_give_two_drawings(self):
        mine = self.own("latency", lambda _: None)
        other = mine.with_name("other.json")
        other.write_text(mine.read_text())
        for report in (mine, other):
            code, said = run("--json", report, "--out", self.folder, PATH=str(self.folder))
            self.assertEqual(code, 0, said)
        names = sorted(path.name for path in self.folder.glob("*.svg"))
        self.assertEqual(names, ["mine_latency.svg", "other_latency.svg"])


if __name__ == "__main__":
    unittest.main()
