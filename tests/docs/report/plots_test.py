"""docs/report/plots.py: the pictures show the recorded results, all of them and nothing else."""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from docs.figures.shapes import text_width
from docs.report.label_places import Room, meets_box, meets_segment
from docs.report.plot_paper import full_layout
from docs.report.plots import PLOTS
from docs.report.recorded import known_shapes, protocol_for
from docs.report.svg import GAP, STYLE, spread
from tests import SOURCES
from tests.contrast import contrast

RESULTS = pathlib.Path("bench/results/nvidia-h200")
FIGURES = pathlib.Path("docs/figures")
NAMES = tuple(PLOTS)
SVG = "{http://www.w3.org/2000/svg}"


def run(program, root, *arguments, hash_seed="0"):
    """Runs a script of bench on a folder; returns (exit code, standard output and error)."""
    done = subprocess.run(
        [sys.executable, "-m", f"docs.report.{program}", "--root", root, *arguments],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )
    return done.returncode, done.stdout + done.stderr


def made_up_roofs(context):
    """Roofs that nobody measured."""
    values = {"ffma": 64.25, "fed_ffma": 58.5, "dram_copy": 4100.0, "dram_memcpy": 4000.0}
    entries = [
        {"name": name, "value": value}
        for name, value in {**values, "l2_read": 7000.0, "shared_read": 33000.0}.items()
    ]
    return {"context": context, "benchmarks": entries}


def made_up_benchmark(context, ratios, shapes):
    """Five samples for each rung and shape; the middle one is the rung's ratio."""
    rows = {"00_cublas": 1.0, "best_cublaslt": 0.99, **ratios}
    entries = []
    for _, (m, n, k), _ in shapes:
        protocol = protocol_for((m, n, k))
        for name, ratio in rows.items():
            entries += [
                {
                    "run_type": "iteration",
                    "run_name": f"{name}/{m}x{n}x{k}/{protocol}",
                    "tflops": 50 * ratio,
                    "ratio_to_best": ratio * noise,
                }
                for noise in (0.1, 1.0, 1.0, 1.0, 9.0)
            ]
    return {"context": {**context, "cublas": "130100"}, "benchmarks": entries}


class PlotsTest(unittest.TestCase):
    """Each test works on a copy of the results and the pictures."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for folder in (
            *(SOURCES / RESULTS.parent).glob("nvidia-*"),
            *(SOURCES / RESULTS.parent).glob("simulated_*"),
        ):
            shutil.copytree(folder, self.root / RESULTS.parent / folder.name)
        (self.root / FIGURES).mkdir(parents=True)
        for name in NAMES:
            shutil.copy(SOURCES / FIGURES / f"{name}.svg", self.root / FIGURES)
        self.climb = json.loads((self.root / RESULTS / "climb_burst_4096.json").read_text())

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, results):
        """Files results as if they had been recorded."""
        (self.root / RESULTS / name).write_text(json.dumps(results))

    def remove_later_recordings(self):
        """Leaves what was recorded before there was a benchmark."""
        for path in [
            *(self.root / RESULTS).glob("benchmark_*.json"),
            *(self.root / RESULTS).glob("roofs.json"),
        ]:
            path.unlink()

    def record_all(self, ratios=None):
        """Makes up what a run on a GPU would record."""
        self.remove_later_recordings()
        context = self.climb["context"]
        ratios = ratios or {"06_double_buffer": 0.9, "14_every_shape": 1.0625}
        self.write("roofs.json", made_up_roofs(context))
        self.write("benchmark_all.json", made_up_benchmark(context, ratios, known_shapes()))
        code, text = run("plots", self.root)
        self.assertEqual(code, 0, text)

    def picture(self, name):
        """A picture as a tree."""
        return ElementTree.parse(self.root / FIGURES / f"{name}.svg").getroot()

    def words(self, name):
        """All text that a picture shows."""
        return [text.text for text in self.picture(name).iter(f"{SVG}text")]

    def test_committed_pictures_are_current(self):
        code, text = run("plots", self.root, "--check")
        self.assertEqual(code, 0, text)

    def test_an_edited_picture_is_stale_and_is_rewritten(self):
        path = self.root / FIGURES / "staircase.svg"
        path.write_text(path.read_text().replace("4096", "4097"))
        code, text = run("plots", self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("docs/figures/staircase.svg is stale: run make report", text)
        self.assertEqual(run("plots", self.root)[0], 0)
        self.assertEqual(run("plots", self.root, "--check")[0], 0)

    def test_what_is_not_recorded_is_left_out_and_named(self):
        self.remove_later_recordings()
        code, text = run("plots", self.root)
        self.assertEqual(code, 0)
        self.assertIn("no ratio_by_size.svg: bench/results/nvidia-h200/benchmark_*.json", text)
        self.assertIn("no roofline.svg: bench/results/nvidia-h200/roofs.json is not there", text)
        self.assertIn("staircase.svg is not complete: no measured roof", text)
        left = {path.stem for path in (self.root / FIGURES).iterdir()}
        self.assertEqual(left, set(NAMES) - {"ratio_by_size", "all_shapes", "roofline"})

    def test_a_picture_without_results_is_stale(self):
        self.record_all()
        self.remove_later_recordings()
        code, text = run("plots", self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("roofline.svg is stale", text)
        code, text = run("plots", self.root)
        self.assertEqual(code, 0)
        self.assertIn("removed docs/figures/roofline.svg", text)
        self.assertFalse((self.root / FIGURES / "roofline.svg").exists())

    def test_the_staircase_shows_every_rung_libraries_and_roofs(self):
        for entry in self.climb["benchmarks"]:
            if entry["rung"] == 7:
                entry.update(tflops=53.25, ratio_to_best=1.04)
        self.write("climb_burst_4096.json", self.climb)
        self.record_all()
        words = self.words("staircase")
        for entry in self.climb["benchmarks"]:
            if entry["rung"]:
                self.assertIn(f"{entry['tflops']:.1f}", words)
                self.assertIn(f"{entry['rung']:02}", words)
        self.assertIn("53.2", words)
        self.assertIn("104 %", words)
        tflops = {entry["name"]: entry["tflops"] for entry in self.climb["benchmarks"]}
        self.assertIn(f"cuBLAS {tflops['00_cublas']:.1f}", words)
        self.assertIn(f"best cublasLt {tflops['best_cublaslt']:.1f}", words)
        self.assertIn("FP32 peak 66.9", words)
        self.assertIn("measured FFMA 64.2", words)
        self.assertTrue(any("H200" in word and "burst protocol" in word for word in words))

    def record_tensor_cores(self):
        """Adds made-up entries in TF32 and BF16 to the climb, libraries included."""
        known = {entry["name"]: entry for entry in self.climb["benchmarks"]}
        for precision, rung, name, tflops in (
            ("TF32", 15, "15_tf32_mma", 200.5),
            ("BF16", 16, "16_bf16_mma", 400.5),
        ):
            for like, number, called, speed in (
                ("00_cublas", 0, f"00_cublas_{precision.lower()}", 2 * tflops),
                ("10_wide_tile", rung, name, tflops),
                ("best_cublaslt", None, f"best_cublaslt_{precision.lower()}", 2 * tflops + 1),
            ):
                entry = {**known[like], "name": called, "rung": number, "precision": precision}
                self.climb["benchmarks"].append({**entry, "tflops": speed, "ratio_to_best": 0.25})
        self.write("climb_burst_4096.json", self.climb)

    def test_tensor_cores_have_a_staircase_of_their_own_below_that_of_fp32(self):
        (self.root / RESULTS.parent / "nvidia-h100" / "climb_burst_4096.json").unlink()
        self.record_all()
        before = self.words("staircase")
        height = float(self.picture("staircase").get("height"))
        self.record_tensor_cores()
        code, text = run("plots", self.root)
        self.assertEqual(code, 0, text)
        for name in ("staircase", "staircase_narrow"):
            words = self.words(name)
            for word in ("TF32 peak 535.3", "BF16 peak 1070.5", "cuBLAS TF32 401.0"):
                self.assertIn(word, words, name)
            self.assertIn("best cublasLt BF16 802.0", words)
            self.assertTrue(any("200.5" in word for word in words))
            self.assertTrue(any("25 %" in word for word in words))
        words = self.words("staircase")
        kept = [word for word in before if not word.startswith("%")]
        self.assertEqual([word for word in kept if word not in words], [])
        self.assertGreater(float(self.picture("staircase").get("height")), height)
        self.assertIn("tensor cores: TF32, BF16", words)
        self.assertFalse(any("mma" in word for word in self.words("roofline")))

    def test_the_staircase_for_phones_shows_the_same(self):
        words, narrow = self.words("staircase"), self.words("staircase_narrow")
        shares = {word for text in narrow for word in re.findall(r"\d+ %", text)}
        self.assertEqual(shares, {word for word in words if re.fullmatch(r"\d+ %", word)})
        for entry in self.climb["benchmarks"]:
            if entry["rung"]:
                self.assertIn(entry["name"].replace("_", " "), narrow)
                self.assertTrue(any(f"{entry['tflops']:.1f}" in text for text in narrow))
        self.assertLessEqual(float(self.picture("staircase_narrow").get("width")), 400)

    def test_every_shape_has_a_bar_that_says_who_is_faster(self):
        self.record_all({"14_every_shape": 1.25})
        drawn = made_up_benchmark(
            self.climb["context"],
            {"14_every_shape": 0.8},
            [(0, (64, 64, 4 + 4 * i), 0) for i in range(7)],
        )
        drawn["benchmarks"] += made_up_benchmark(
            self.climb["context"], {"14_every_shape": 2.0}, [(0, (64, 128, 64), 0)]
        )["benchmarks"]
        drawn["context"]["date"] = "2099-01-01T00:00:00Z"  # newer than another GPU's
        self.write("drawn_shapes.json", drawn)
        self.assertEqual(run("plots", self.root)[0], 0)
        words = " ".join(self.words("all_shapes"))
        count = len(known_shapes())
        self.assertIn(f"{count} of {count} shapes chosen by hand", words)
        self.assertIn("1 of 8 shapes drawn at random", words)
        self.assertIn("7 behind, the slowest 0.80x", words)
        styles = [bar.get("class") for bar in self.picture("all_shapes").iter(f"{SVG}rect")]
        self.assertEqual((styles.count("f0"), styles.count("f1")), (count + 1, 7))

    def test_labels_of_the_roofline_cross_nothing(self):
        for made_up in (False, True):
            if made_up:
                self.record_all()
            picture = self.picture("roofline")
            labels = [
                (one.text, label_box(one))
                for one in picture.iter(f"{SVG}text")
                if one.get("class") != "title" and float(one.get("y")) < 480
            ]
            lines = [
                (style, start, end)
                for one in picture.iter(f"{SVG}polyline")
                for style in [one.get("class")]
                if style != "rule"
                for points in [[tuple(map(float, p.split(","))) for p in one.get("points").split()]]
                for start, end in zip(points, points[1:], strict=False)
            ]
            dots = [
                tuple(float(one.get(key)) for key in ("cx", "cy"))
                for one in picture.iter(f"{SVG}circle")
            ]
            self.assertGreater(min(len(labels), len(lines), len(dots)), 15)
            for i, (words, box) in enumerate(labels):
                for other, other_box in labels[:i]:
                    self.assertFalse(meets_box(box, other_box), f"{words} / {other}")
                for style, *line in lines:
                    if style == "lead" and math.dist(*line) < 80:
                        continue  # leads from a dot to its label
                    self.assertFalse(meets_segment(box, *line), f"{words} / {style} {line}")
                for x, y in dots:
                    self.assertFalse(meets_box(box, (x - 4, y - 4, x + 4, y + 4)), words)

    def test_ratios_are_medians_and_every_shape_has_a_dot(self):
        self.record_all()
        notes = [title.text for title in self.picture("ratio_by_size").iter(f"{SVG}title")]
        for _, shape, _ in known_shapes():
            start = " x ".join(str(extent) for extent in shape) + ", "
            self.assertIn("1.062", [note for note in notes if note.startswith(start)][0], notes)
        self.assertIn("06 double buffer, 4096: 0.900", notes)
        self.assertIn("14 every shape, 512: 1.062", notes)
        words = self.words("ratio_by_size")
        for name in ("squares", "small", "off by", "tall", "wide", "deep", "llm"):
            self.assertIn(name, words)

    def test_a_library_that_always_loses_keeps_its_line_in_the_picture(self):
        self.record_all({"14_every_shape": 1.5})
        height = float(self.picture("ratio_by_size").get("height"))
        lines = self.picture("ratio_by_size").iter(f"{SVG}polyline")
        dashed = [line for line in lines if "dashed" in line.get("class")]
        self.assertEqual(len(dashed), 2)
        for line in dashed:
            self.assertLess(float(line.get("points").split()[0].split(",")[1]), height - 60)

    def test_the_roofline_takes_bytes_from_the_profile(self):
        profile = json.loads((self.root / RESULTS / "profile_4096.json").read_text())
        for kernel in profile["benchmarks"]:
            if kernel["rung"] == 3:
                kernel["metrics"]["dram__bytes_read.sum"] = 2 * 4096**3 / 20 - 1e6
                kernel["metrics"]["dram__bytes_write.sum"] = 1e6
                kernel["metrics"]["lts__t_sectors_srcunit_tex.sum"] = 2 * 4096**3 / 32 / 8
        self.write("profile_4096.json", profile)
        self.record_all()
        notes = [title.text for title in self.picture("roofline").iter(f"{SVG}title")]
        shared_tile = [note for note in notes if note.startswith("03 shared tile")]
        self.assertIn("20.0 FLOP per byte of DRAM", " ".join(shared_tile))
        self.assertIn("8.0 FLOP per byte of L2", " ".join(shared_tile))
        words = " ".join(self.words("roofline"))
        for roof in ("HBM 4.10 TB/s", "L2 7.00 TB/s", "FFMA 64.2", "FFMA fed by LDS 58.5"):
            self.assertIn(roof, words)

    def test_a_rung_without_a_profile_is_named(self):
        profile = json.loads((self.root / RESULTS / "profile_4096.json").read_text())
        profile["benchmarks"] = [kernel for kernel in profile["benchmarks"] if kernel["rung"] != 5]
        self.write("profile_4096.json", profile)
        self.record_all()
        text = run("plots", self.root, "--check")[1]
        self.assertIn(
            "roofline.svg is not complete: profile_4096.json lacks 05_vector_access", text
        )
        self.assertNotIn("05 vector access", self.words("roofline"))

    def test_benchmarks_of_two_machines_are_refused(self):
        self.record_all()
        other = made_up_benchmark(self.climb["context"], {"06_double_buffer": 1.0}, known_shapes())
        other["context"]["device"] = "Made Up 1"
        self.write("benchmark_other.json", other)
        code, text = run("plots", self.root)
        self.assertEqual(code, 1)
        self.assertIn("benchmark_other.json has another device", text)

    def test_a_row_that_failed_is_refused(self):
        self.record_all()
        ratios = {"14_every_shape": 1.0}
        results = made_up_benchmark(self.climb["context"], ratios, known_shapes())
        results["benchmarks"][-1].update(error_occurred=True, error_message="wrong: NaN")
        self.write("benchmark_all.json", results)
        code, text = run("plots", self.root)
        self.assertEqual(code, 1)
        self.assertIn("wrong: NaN", text)

    def test_the_same_results_give_the_same_bytes(self):
        self.record_all()
        before = [(self.root / FIGURES / f"{name}.svg").read_bytes() for name in NAMES]
        shutil.rmtree(self.root / FIGURES)
        self.assertEqual(run("plots", self.root, hash_seed="1")[0], 0)
        after = [(self.root / FIGURES / f"{name}.svg").read_bytes() for name in NAMES]
        self.assertEqual(before, after)

    def test_pictures_have_titles_and_words_for_those_who_cannot_see(self):
        self.record_all()
        for name in NAMES:
            picture = self.picture(name)
            self.assertEqual(picture.get("role"), "img")
            self.assertGreater(len(picture.find(f"{SVG}title").text), 20)
            self.assertGreater(len(picture.find(f"{SVG}desc").text), 80)

    def test_words_stay_inside_the_picture(self):
        self.record_all()
        for name in NAMES:
            picture = self.picture(name)
            for text in picture.iter(f"{SVG}text"):
                width = text_width(text.text or "", text.get("class") or "")
                share = {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor"), 0.0)
                left = float(text.get("x")) - share * width
                self.assertGreaterEqual(left, 0, text.text)
                self.assertLessEqual(left + width, float(picture.get("width")) + 1, text.text)
                self.assertLess(float(text.get("y")), float(picture.get("height")), text.text)


class LayoutTest(unittest.TestCase):
    """Full chips: SMs that are switched off get the group whose turn it is at their place."""

    def test_missing_sms_take_their_turn(self):
        # Full chip: pairs in turn to three groups, 12 SMs; 8 and 9 are off.
        whole = [number // 2 % 3 for number in range(12)]
        present = [number for number in range(12) if number not in (8, 9)]
        seen = [(sm, whole[number]) for sm, number in enumerate(present)]
        there, off = full_layout(seen, [8, 9])
        self.assertEqual([number for number, _ in there], present)
        self.assertEqual(dict(there) | dict(off), dict(enumerate(whole)))


class PlacesTest(unittest.TestCase):
    """Where labels find room."""

    def test_a_label_takes_the_first_place_that_is_free(self):
        room = Room(0, 0, 200, 100)
        at_once = [(10, 50, 0), (100, 50, 0)]
        self.assertEqual(room.take("words", at_once), (10, 50))
        self.assertEqual(room.take("words", at_once), (100, 50))
        self.assertIsNone(room.take("words", at_once))
        self.assertIsNone(room.take("words", [(190, 90, 0)]), "outside of the frame")

    def test_lines_and_dots_are_in_the_way(self):
        room = Room(0, 0, 200, 100)
        room.add_line([(0, 0), (200, 100)])
        self.assertIsNone(room.take("words", [(90, 50, 0)]))
        self.assertEqual(room.take("words", [(20, 60, 0)]), (20, 60))
        room.add_dot(130, 40)
        self.assertIsNone(room.take("words", [(110, 45, 0)]))
        self.assertFalse(meets_segment((0, 0, 10, 10), (11, 0), (11, 10)))
        self.assertFalse(meets_segment((0, 0, 10, 10), (20, 5), (30, 5)))
        self.assertTrue(meets_segment((0, 0, 10, 10), (5, 5), (6, 6)))


class StyleTest(unittest.TestCase):
    """What all pictures share."""

    def test_colours_can_be_read_on_their_ground_light_and_dark(self):
        light, dark = (
            dict(re.findall(r"--(\w+): (#\w{6})", part))
            for part in STYLE.split("@media (prefers-color-scheme: dark)")
        )
        for colours in (light, dark):
            for name in ("ink", "soft", "s0", "s1", "s2", "s3"):
                self.assertGreater(contrast(rgb(colours[name]), rgb(colours["ground"])), 4.5, name)
            self.assertGreater(contrast(rgb(colours["on"]), rgb(colours["s0"])), 4.5)

    def test_labels_move_apart_and_no_further(self):
        self.assertEqual(spread([100, 300], 0, 400), [100, 300])
        self.assertEqual(spread([100, 100], 0, 400), [100 - GAP / 2, 100 + GAP / 2])
        self.assertEqual(spread([0, 0, 0], 0, 400), [0, GAP, 2 * GAP])
        self.assertEqual(spread([400, 400], 0, 400), [400 - GAP, 400])
        places = spread([90, 100, 101, 102, 130], 0, 400)
        self.assertTrue(all(b - a >= GAP - 1e-9 for a, b in zip(places, places[1:], strict=False)))

    def test_the_shapes_are_those_of_the_benchmark(self):
        self.assertIn(
            ("squares", (4096, 4096, 4096), "the size that everybody quotes"), known_shapes()
        )

    def test_the_front_page_shows_the_staircase_on_its_first_screen(self):
        page = (SOURCES / "README.md").read_text()
        first_screen = "\n".join(page.splitlines()[:20])
        match = re.search(r"!\[([^\]]+)\]\((docs/figures/staircase\.svg)\)", first_screen)
        self.assertIsNotNone(match, "README.md shows no staircase in its first 20 lines")
        self.assertTrue((SOURCES / match[2]).exists())
        self.assertIn("cuBLAS", match[1])

    def test_every_picture_that_pages_show_is_there(self):
        for page in [SOURCES / "README.md", *(SOURCES / "docs").glob("*.md")]:
            for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text()):
                self.assertTrue((page.parent / path).exists(), f"{page.name}: {path}")


def label_box(text):
    """(left, top, right, bottom) of words in a picture: rather too narrow than too wide."""
    width = 7.0 * len(text.text)
    share = {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor"), 0.0)
    left, y = float(text.get("x")) - share * width, float(text.get("y"))
    return (left, y - 13, left + width, y + 3)


def rgb(colour):
    """(red, green, blue) of #rrggbb"""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


if __name__ == "__main__":
    unittest.main()
