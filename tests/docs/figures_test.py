"""docs/figures: all figures are current, can be read, and say in words what they show."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from bench.rungs import own_rungs, rung_named
from docs.figures import banks, draw, rung_01, tiles
from docs.figures.shapes import NARROW, Picture, request, text_width
from docs.figures.timeline import Timeline
from docs.report import plot_labs, plots
from docs.report.by_hand import by_hand, starts_of
from docs.report.svg import SIZES, STYLE
from docs.report.wavefronts import LANES
from tests import SOURCES

FIGURES = SOURCES / "docs" / "figures"
SVG = "{http://www.w3.org/2000/svg}"
PLOTS = tuple(plots.PLOTS)
CHECKED = (*draw.names(), *plot_labs.PLOTS)  # by each rule below
COLOURED = ("fill", "stroke", "style", "color", "opacity", "font-size")  # attributes


def picture(name):
    """A figure as a tree."""
    return ElementTree.parse(FIGURES / f"{name}.svg").getroot()


def text_height(style=""):
    """(above the base line, below it) in pixels."""
    size = next((SIZES[name] for name in style.split() if name in SIZES), 15)
    return 0.76 * size, 0.22 * size


def box(text):
    """(left, top, right, bottom) that a text takes at most."""
    style = text.get("class") or ""
    width = text_width(text.text, style)
    share = {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor"), 0.0)
    left, base = float(text.get("x")) - share * width, float(text.get("y"))
    above, below = text_height(style)
    return left, base - above, left + width, base + below


def meet(one, other):
    """Whether two boxes share more than a border."""
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > 0.5
        and min(one[3], other[3]) - max(one[1], other[1]) > 0.5
    )


class FiguresTest(unittest.TestCase):
    """What every figure has to keep."""

    def run_draw(self, *arguments):
        """Runs draw.py."""
        return subprocess.run(
            [sys.executable, "-m", "docs.figures.draw", *arguments],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )

    def test_all_are_current(self):
        done = self.run_draw("--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_stale_one_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "docs" / "figures"
            copy.mkdir(parents=True)
            for name in ("ladder", "bench"):
                (pathlib.Path(folder) / name).symlink_to(SOURCES / name)
            shutil.copy(FIGURES / "numerics.svg", copy)
            text = (FIGURES / "sm.svg").read_text()
            (copy / "sm.svg").write_text(text.replace("partition 0", "partition 9"))
            done = self.run_draw("--check", "--root", folder, "sm", "numerics")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(self.run_draw("--root", folder, "sm").returncode, 0)
            self.assertEqual((copy / "sm.svg").read_text(), text)
        self.assertIn("docs/figures/sm.svg", done.stderr)
        self.assertNotIn("numerics", done.stderr)

    def test_an_unknown_one_is_refused(self):
        done = self.run_draw("nothing")
        self.assertIn("no figure nothing", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_every_file_has_a_program(self):
        files = {path.stem for path in FIGURES.glob("*.svg")}
        self.assertEqual(files, {*draw.names(), *PLOTS})

    def test_words_for_those_who_cannot_see(self):
        for name in CHECKED:
            tree = picture(name)
            self.assertEqual(tree.get("role"), "img", name)
            labels = tree.get("aria-labelledby").split()
            for label, tag in zip(labels, ("title", "desc"), strict=True):
                element = tree.find(f"{SVG}{tag}")
                self.assertEqual(element.get("id"), label, name)
            self.assertGreater(len(tree.find(f"{SVG}title").text), 20, name)
            self.assertGreater(len(tree.find(f"{SVG}desc").text), 100, name)

    def test_names_are_unique_among_all_figures(self):
        found = [
            element.get("id")
            for name in (*draw.names(), *PLOTS)
            for element in picture(name).iter()
            if element.get("id")
        ]
        self.assertEqual(len(found), len(set(found)))

    def test_no_text_meets_another_or_leaves_the_picture(self):
        for name in CHECKED:
            tree = picture(name)
            width, height = float(tree.get("width")), float(tree.get("height"))
            texts = [(text.text, box(text)) for text in tree.iter(f"{SVG}text")]
            for i, (words, one) in enumerate(texts):
                place = f"{name}: {words}"
                self.assertGreaterEqual(one[0], 0, place)
                self.assertGreaterEqual(one[1], 0, place)
                self.assertLessEqual(one[2], width, place)
                self.assertLessEqual(one[3], height, place)
                for other_words, other in texts[:i]:
                    self.assertFalse(meet(one, other), f"{place} / {other_words}")

    def test_shapes_stay_in_the_picture(self):
        for name in CHECKED:
            tree = picture(name)
            width, height = float(tree.get("width")), float(tree.get("height"))
            for rect in tree.iter(f"{SVG}rect"):
                x, y = float(rect.get("x", 0)), float(rect.get("y", 0))
                self.assertGreaterEqual(min(x, y), 0, name)
                self.assertGreater(float(rect.get("width")), 0, name)
                self.assertGreater(float(rect.get("height")), 0, name)
                self.assertLessEqual(x + float(rect.get("width")), width + 0.1, name)
                self.assertLessEqual(y + float(rect.get("height")), height + 0.1, name)
            for line in (*tree.iter(f"{SVG}polyline"), *tree.iter(f"{SVG}polygon")):
                for point in line.get("points").split():
                    x, y = map(float, point.split(","))
                    self.assertTrue(0 <= x <= width and 0 <= y <= height, f"{name}: {point}")

    def test_pictures_for_phones_are_narrow(self):
        """Each rung has one; words go on below each other, and bars keep at least a number."""
        narrow = [name for name in draw.names() if name.endswith(draw.NARROW)]
        self.assertLessEqual({f"{name}{draw.NARROW}" for name in draw.of_rungs()}, set(narrow))
        for name in narrow:
            self.assertLessEqual(float(picture(name).get("width")), NARROW, name)
        phone = Picture("a", 9, "A title of words " * 5, "", "", narrow=True)
        self.assertGreater(phone.top, 120)
        desk = Picture("a", 9, "A title", "", "")
        for words, fits in (("tile 12", "12"), ("4: 6 to 8", "4"), ("phase 2, parity 0", "0")):
            self.assertEqual(Timeline(phone, 0, 9, 9).fitting(words, text_width(fits)), fits)
            self.assertEqual(Timeline(desk, 0, 9, 9).fitting(words, text_width(fits)), "")

    def test_colours_and_sizes_come_from_the_style_alone(self):
        known = set(re.findall(r"\.([a-z][\w-]*)", STYLE))
        for name in draw.names():
            for element in picture(name).iter():
                for attribute in COLOURED:
                    self.assertIn(element.get(attribute), (None, "none"), name)
                for style in (element.get("class") or "").split():
                    self.assertIn(style, known, name)
            colours = re.findall(r"#[0-9a-fA-F]{3,8}\b", (FIGURES / f"{name}.svg").read_text())
            self.assertTrue(set(colours) <= set(re.findall(r"#\w{6}", STYLE)), name)

    def test_a_page_that_holds_figures_keeps_its_own_style(self):
        rules = re.sub(r"@media[^{]*\{|\{[^{}]*\}", "\n", STYLE)
        for selector in re.findall(r"[^\s,{}][^,{}\n]*", rules):
            self.assertTrue(selector.startswith(".drawing"), selector)
        for name in (*draw.names(), *PLOTS):
            self.assertEqual(picture(name).get("class"), "drawing", name)

    def test_the_site_switches_between_the_same_colours(self):
        def halves(text, border):
            light, dark = text.split(border)
            return [dict(re.findall(r"--(\w+): (#\w{6})", half)) for half in (light, dark)]

        site = (SOURCES / "docs" / "assets" / "site.css").read_text()
        self.assertEqual(
            halves(site, '[data-md-color-scheme="slate"] .drawing'),
            halves(STYLE, "@media (prefers-color-scheme: dark)"),
        )


class ContentTest(unittest.TestCase):
    """What the figures draw is what kernels and emulator do."""

    def test_wavefronts_are_those_that_the_emulator_counted(self):
        entries = json.loads((FIGURES / "data" / "requests.json").read_text())
        for rung, found in entries.items():
            for entry in found:
                if entry["operation"] in ("shared load", "shared store"):
                    passes = banks.passes(*banks.words_of(entry))
                    self.assertEqual(len(passes), entry["wavefronts"], f"{rung}: {entry}")

    def test_sectors_and_lines_are_those_that_the_emulator_counted(self):
        entries = json.loads((FIGURES / "data" / "requests.json").read_text())
        for found in entries.values():
            for entry in found:
                if not entry["operation"].startswith("global"):
                    continue
                for key, size in (("sectors", 32), ("lines", 128)):
                    touched = {
                        byte // size
                        for address in entry["addresses"]
                        for byte in range(address, address + entry["access_bytes"], 4)
                    }
                    self.assertEqual(len(touched), entry[key], entry)

    def test_rungs_01_and_02_take_the_wavefronts_that_the_lessons_count(self):
        for rung in (1, 2):
            entries = [request(rung, letter, "global load") for letter in "AB"]
            self.assertEqual(sum(map(rung_01.passes, entries)), by_hand(rung, 4096)["wavefronts"])

    def test_lanes_share_a_warp_tile_without_gap_or_overlap(self):
        for rung in own_rungs():
            c = tiles.tile_constants(rung)
            cells = [
                (row, col)
                for lane in range(LANES)
                for rows in [tiles.results_of(rung, lane)]
                for row in rows[0]
                for col in rows[1]
            ]
            self.assertEqual(len(cells), LANES * c["TM"] * c["TN"], rung)
            self.assertEqual(len(cells), len(set(cells)), rung)
            self.assertTrue(all(0 <= row < c["BM"] and 0 <= col < c["BN"] for row, col in cells))

    def test_lanes_read_the_rows_and_columns_that_they_compute(self):
        for rung in (5, 7, 8, 9, 10):
            for array, axis in (("sA", 0), ("sB", 1)):
                words, floats = banks.words_of(request(rung, array, "shared load"))
                for lane in range(LANES):
                    first = tiles.results_of(rung, lane)[axis][:floats]
                    self.assertEqual(words[lane], first[0], (rung, array, lane))

    def test_shares_of_rung_12(self):
        plan = rung_named("stream_k").plan((4096, 4096, 4096))
        left = plan["tiles"] - plan["whole_tiles"]
        self.assertEqual((plan["whole_tiles"], left, len(starts_of(plan))), (396, 116, 133))
        text = (FIGURES / "rung_12.svg").read_text()
        for words in ("116 tiles", "16 SMs idle", "tile 396", "block 131", "450 k tiles"):
            self.assertIn(words, text)

    def test_registers_of_rungs_09_and_10(self):
        text = (FIGURES / "rung_10.svg").read_text()
        for words in ("64 sums", "128 sums", "2 blocks on an SM: 128", "one block on an SM: 255"):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
