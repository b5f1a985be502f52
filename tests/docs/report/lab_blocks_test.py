"""Blocks, values and charts of the labs' pages: what they say of the recorded reports."""

import json
import os
import pathlib
import re
import shutil
import statistics
import tempfile
import unittest
from unittest import mock

from bench import results_file
from docs.report import chart, judged_again, recorded, recorded_labs, rung_figures
from docs.report.chart import Axis, Chart, Curve
from docs.report.page_blocks import claims, labs, memory_programs
from docs.report.recorded import FigureError, MissingFileError, NotRecordedError
from docs.report.svg import Scale
from tests import SOURCES


def cells(text):
    """[cells] of each row of a Markdown table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


class RecordedLabTest(unittest.TestCase):
    """Each test works on a copy of the recorded reports."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name) / recorded.RESULTS
        shutil.copytree(SOURCES / recorded.RESULTS, self.results)
        self.addCleanup(os.chdir, pathlib.Path.cwd())
        os.chdir(folder.name)

    def change(self, name, edit):
        """Edits a recorded report in place."""
        path = self.results / f"lab_{name}.json"
        report = json.loads(path.read_text())
        edit(report)
        path.write_text(json.dumps(report))

    def test_findings_are_shown_with_unit_and_interval(self):
        rows = {row[0]: row[1:] for row in cells(labs.lab_findings_block(None, "latency"))}
        self.assertRegex(rows["L1 latency"][0], r"^\d+ cycles$")
        self.assertRegex(rows["L1 capacity"][0], r"^\d+ KiB \(\d+ KiB to \d+ KiB\)$")

    def test_sizes_of_two_cards_share_a_name(self):
        for names, shown in (
            (("passes over 32.1 GiB", "passes over 17.9 GiB"), "passes over 32.1 / 17.9 GiB"),
            (("old words", "new words"), "new words"),
            (("in L1 over 2", "over L1 of 3"), "in L1 over 2 / over L1 of 3"),
        ):
            self.assertEqual(labs.name_of([{"name": name} for name in names]), shown)

    def test_what_was_not_found_is_said(self):
        self.change("latency", lambda report: report["findings"][0].update(value=None))
        found = cells(labs.lab_findings_block(None, "latency"))[0]
        self.assertEqual(found[1], "not found")
        with self.assertRaisesRegex(FigureError, "'l1_cycles' was not found"):
            rung_figures.value("lab:latency:l1_cycles", None)

    def test_claims_get_their_verdict(self):
        verdicts = [row[1] for row in cells(labs.lab_claims_block(None, "latency"))]
        self.assertEqual(verdicts, ["✗ wrong", "✗ wrong"])
        self.change("latency", lambda report: report["claims"][0].update(verdict="holds"))
        self.assertEqual(cells(labs.lab_claims_block(None, "latency"))[0][1], "✓ holds")

    def test_misses_are_counted_where_the_tlb_ends(self):
        def edit(report):
            report["series"][0]["points"] = [
                {"x": x * 2**30, "samples": [8, 10, 12]} for x in (32, 64, 128)
            ]

        self.change("random_sampling", edit)
        self.assertEqual(cells(labs.tlb_misses_block()), [["128 GiB", "10.0", "50.0 %", "5.00"]])

    def test_values_have_parts(self):
        def edit(report):
            report["findings"][0].update(
                key="mask", unit="bytes", value={"value": 43008, "low": 2048, "high": 3 << 20}
            )

        self.change("l2_sides", edit)
        shown = {
            part: rung_figures.value(f"lab:l2_sides:mask{part}", None)
            for part in ("", ":low", ":high", ":plain", ":hex")
        }
        self.assertEqual(
            shown,
            {"": "42 KiB", ":low": "2 KiB", ":high": "3 MiB", ":plain": "43008", ":hex": "0xa800"},
        )

    def test_what_there_is_not_is_named(self):
        for name, words in (
            ("lab:latency:no_such", "has no finding 'no_such'; there are l1_cycles"),
            ("lab:lateness:l1_cycles", "there is no lab 'lateness'; the labs are device_card"),
            ("lab:latency:l1_cycles:most", "'most' is no part"),
            ("lab:latency", "should be lab:NAME:FINDING"),
        ):
            with self.subTest(name), self.assertRaisesRegex(FigureError, words):
                rung_figures.value(name, None)
        (self.results / "lab_sectors.json").unlink()
        with self.assertRaisesRegex(MissingFileError, "lab_sectors.json is not there"):
            labs.lab_findings_block(None, "sectors")

    def test_a_lab_that_only_another_card_has_run_speaks_for_that_card(self):
        other = self.results.with_name("nvidia-h100") / "lab_sectors.json"
        other.parent.mkdir(exist_ok=True)
        told = rung_figures.value("lab:sectors:l1_fetch_bytes", None)
        (self.results / "lab_sectors.json").rename(other)
        self.assertEqual(rung_figures.value("lab:sectors:l1_fetch_bytes", None), told)
        other.unlink()
        with self.assertRaises(NotRecordedError):
            rung_figures.value("lab:sectors:l1_fetch_bytes", None)

    def test_a_verdict_that_is_none_is_refused(self):
        self.change("latency", lambda report: report["claims"][0].update(verdict="perhaps"))
        with self.assertRaisesRegex(
            results_file.ResultsError, r"claims\[0\].verdict is \"perhaps\", and should be one of"
        ):
            labs.lab_claims_block(None, "latency")


class PagesTest(unittest.TestCase):
    """The pages under docs/labs."""

    def test_every_lab_has_a_page_with_what_it_found(self):
        for lab in recorded_labs.labs():
            page = (SOURCES / "docs" / "labs" / f"{lab['name']}.md").read_text()
            with self.subTest(lab["name"]):
                self.assertIn(f"make lab LAB={lab['name']}", page)
                self.assertIn("## Exercises", page)
                block = page.partition(f"<!-- begin lab_findings {lab['name']} -->")[2]
                files = (SOURCES / recorded.RESULTS.parent).glob(f"*/lab_{lab['name']}.json")
                if any(files):
                    self.assertIn("[lab_", block.partition("<!-- end")[0])
                elif block:
                    self.assertIn("Not recorded yet", block.partition("<!-- end")[0])


class CoalescingPageTest(unittest.TestCase):
    """What the page says of strides in its own words."""

    def test_time_follows_the_fullest_bank_and_not_the_counted_wavefronts(self):
        counted = {6: 3, 12: 6, 24: 12, 48: 25}
        as_fast_as = {6: 2, 12: 4, 24: 8, 48: 16}
        for card in ("nvidia-h200", "nvidia-h100"):
            path = SOURCES / "bench/results" / card / "lab_coalescing.json"
            curves = {
                series["name"]: {
                    point["x"]: statistics.median(point["samples"]) for point in series["points"]
                }
                for series in json.loads(path.read_text())["series"]
            }
            passes, rates = curves["passes of 4 bytes per lane"], curves["L1, 4 bytes per lane"]
            self.assertEqual({stride: round(passes[stride]) for stride in counted}, counted)
            for stride, other in as_fast_as.items():
                self.assertAlmostEqual(rates[stride] / rates[other], 1, delta=0.08, msg=card)


class NumberTest(unittest.TestCase):
    """How figures are written."""

    def test_three_digits(self):
        shown = [
            recorded_labs.plain_number(value)
            for value in (0, 0.2718, 4.4739, 32.009, 280.66, 9215.6, 24)
        ]
        self.assertEqual(shown, ["0", "0.272", "4.47", "32", "281", "9216", "24"])

    def test_units(self):
        for value, unit, words in (
            (244_855, "bytes", "239 KiB"),
            (512, "bytes", "512 bytes"),
            (9215.6, "GB/s", "9.22 TB/s"),
            (375, "GB/s", "375 GB/s"),
            (66, "", "66"),
            (1, "cycles", "1 cycle"),
            (1.04, "cycles", "1.04 cycles"),
            (45.1, "10^9/s", "45.1 billion per second"),
        ):
            self.assertEqual(recorded_labs.with_unit(value, unit), words)


class TwoCardsTest(unittest.TestCase):
    """On a copy of what both cards recorded."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folders = {}
        for card in recorded_labs.CARDS:
            path = recorded.RESULTS.with_name(f"nvidia-{card}")
            self.folders[card] = pathlib.Path(folder.name) / path
            shutil.copytree(SOURCES / path, self.folders[card])
        self.addCleanup(os.chdir, pathlib.Path.cwd())
        os.chdir(folder.name)

    def change(self, card, edit):
        """Edits the latencies of a card in place."""
        path = self.folders[card] / "lab_latency.json"
        report = json.loads(path.read_text())
        edit(report)
        path.write_text(json.dumps(report))

    def test_findings_stand_side_by_side(self):
        text = labs.lab_findings_block(None, "latency")
        self.assertTrue(text.startswith("| what | H200 | H100 | how (H100) |"))
        row = next(row for row in cells(text) if row[0] == "L2 latency")
        self.assertRegex(row[1], r"^\d+ cycles")
        self.assertRegex(row[2], r"^\d+ cycles")
        self.assertIn("nvidia-h200/lab_latency.json", text)
        self.assertIn("nvidia-h100/lab_latency.json", text)

    def test_what_one_card_lacks_is_left_open(self):
        self.change("h200", lambda report: report["findings"].pop(0))
        row = next(r for r in cells(labs.lab_findings_block(None, "latency")) if "L1 lat" in r[0])
        self.assertEqual(row[1], "")
        self.assertNotEqual(row[2], "")

    def test_other_sizes_keep_their_names(self):
        names = [row[0] for row in cells(labs.lab_findings_block(None, "random_sampling"))]
        passes = [name for name in names if "passes over" in name]
        self.assertTrue(
            all(re.search(r"over [\d.]+ / [\d.]+ GiB", name) for name in passes), passes
        )

    def test_verdicts_that_differ_have_their_card(self):
        self.change("h100", lambda report: report["claims"][0].update(verdict="holds"))
        rows = cells(labs.lab_claims_block(None, "latency"))
        self.assertEqual(rows[0][1], "H200: ✗ wrong<br>H100: ✓ holds")
        self.assertEqual(rows[1][1], "✗ wrong")

    def test_one_card_alone_has_no_columns(self):
        shutil.rmtree(self.folders["h100"])
        self.assertTrue(labs.lab_findings_block(None, "latency").startswith("| what | found |"))
        self.assertEqual(cells(labs.lab_claims_block(None, "latency"))[0][1], "✗ wrong")

    def test_a_figure_moves_or_does_not(self):
        moves = {cells[0]: moves for moves, cells in labs.compared_rows()}
        self.assertTrue(moves["[L2](device_card.md)"])
        self.assertFalse(moves["[L2 latency](latency.md)"])
        self.change("h100", lambda report: report["findings"][2]["value"].update(value=400))
        moves = {cells[0]: moves for moves, cells in labs.compared_rows()}
        self.assertTrue(moves["[L2 latency](latency.md)"])

    def test_claims_name_the_other_card(self):
        self.change("h100", lambda report: report["findings"][2]["value"].update(value=400))
        figure = "{both latency l2_cycles}"
        self.assertIn("cycles (H100: 400 cycles)", claims.filled_in(f"After {figure}."))
        said = claims.filled_in("{both sectors l1_fetch_bytes} and {both sectors l2_fetch_bytes}.")
        self.assertEqual(said, "32 bytes and 64 bytes. An H100 shows the same.")
        for other in ("An H100 has", "{card sms} SMs and"):  # what is not of both cards
            said = claims.filled_in(f"{other} {{both sectors l1_fetch_bytes}}.")
            self.assertTrue(said.endswith("32 bytes (H100: the same)."), said)

    def test_claims_have_changes_and_sizes_of_each_card(self):
        self.assertRegex(
            claims.filled_in("{change near_memory@h100 reverse_order_200_percent}"),
            r"^-[\d.]+ % \(-[\d.]+ to -[\d.]+\)$",
        )
        self.assertEqual(claims.filled_in("{passed weights}"), "120 MiB (H100: 100 MiB)")
        self.assertEqual(claims.filled_in("{passed array}"), "16.25 MiB (H100: 13.54 MiB)")
        self.assertEqual(claims.filled_in("{lines_of_a_stride}"), "1024")

    def test_programs_have_figures(self):
        plain, window = (
            float(memory_programs.pipeline(way, "attention").split()[0])
            for way in ("plain", "window")
        )
        saved = float(memory_programs.pipeline("saved", "attention").split()[0])
        self.assertAlmostEqual(saved, 100 * (1 - window / plain), delta=0.6)
        self.assertEqual(memory_programs.strides("slice", 1200), "100")
        answers = memory_programs.torch_side_aware_block()
        self.assertIn("| both under torch.compile | right |", answers)
        self.assertRegex(answers, r"\| copy by side-aware \| [\d.]+ TB/s \(")
        recorded = memory_programs.results_file.read(
            memory_programs.FOLDER / "torch_side_aware.json"
        )
        recorded["benchmarks"][0]["right"] = False
        with mock.patch.object(memory_programs.results_file, "read", return_value=recorded):
            self.assertIn("**wrong**", memory_programs.torch_side_aware_block())
        with self.assertRaisesRegex(FigureError, "no array of 5 MiB"):
            memory_programs.aside("gbps", "5", "most")


def made_up(points, **axes):
    """A chart of one curve."""
    return Chart(
        "made-up",
        "A title",
        "a source",
        [Curve("curve", points)],
        axes.get("x", Axis("size", "bytes", logarithmic=True)),
        axes.get("y", Axis("time", "ms")),
        axes.get("marks", []),
    )


def points_of(drawing):
    """[(x, y)] of the curve's line in a drawing."""
    line = next(each for each in drawing.elements if 'class="line l0"' in each)
    pairs = re.search(r'points="([^"]*)"', line)[1].split()
    return [tuple(map(float, pair.split(","))) for pair in pairs]


class JudgedAgainTest(unittest.TestCase):
    """Verdicts from what a run measured, by the rules that labs have now."""

    def claims_of(self, name, edit=lambda _: None):
        report = json.loads((SOURCES / f"bench/results/nvidia-h100/lab_{name}.json").read_text())
        edit({each["key"]: each["value"] for each in report["findings"]})
        return judged_again.claims_of(report)

    def test_what_no_real_cache_counted_is_no_verdict(self):
        verdicts = {each["row"]: each["verdict"] for each in self.claims_of("raster_orders")}
        self.assertEqual({verdicts[row] for row in ("R035", "R233", "R234")}, {"simulated"})
        self.assertEqual(verdicts["R230"], "wrong")

    def test_the_clock_decides_on_chunks(self):
        for ms, verdict in ((100, "condition"), (500, "wrong")):
            claim = self.claims_of(
                "raster_orders", lambda found, ms=ms: found["chunked_ms"].update(value=ms)
            )[0]
            self.assertEqual((claim["row"], claim["verdict"]), ("R033", verdict))
            self.assertIn(f"takes {ms} ms", claim["because"])
            self.assertEqual(claim["again"], verdict != "condition")

    def test_chunks_without_a_clock_get_no_verdict(self):
        path = SOURCES / "bench/results/nvidia-h100/lab_raster_orders.json"
        report = json.loads(path.read_text())
        report["findings"] = [f for f in report["findings"] if not f["key"].endswith("_ms")]
        self.assertEqual(judged_again.claims_of(report)[0]["verdict"], "simulated")

    def test_two_passes_gain_at_all_sizes_some_or_none(self):
        def every(low, high):
            return lambda found: [
                value.update(low=low, high=high)
                for key, value in found.items()
                if key.startswith("input_evict")
            ]

        self.assertEqual(self.claims_of("near_memory")[-1]["verdict"], "condition")
        for low, high, verdict in ((-3, -1, "holds"), (-1, 1, "pending"), (1, 2, "wrong")):
            claim = self.claims_of("near_memory", every(low, high))[-1]
            self.assertEqual((claim["row"], claim["verdict"]), ("R068", verdict))


class ChartTest(unittest.TestCase):
    """Scales, ticks and marks."""

    def test_curves_keep_their_proportions(self):
        places = points_of(chart.drawn(made_up([(1024, 1), (2048, 2), (4096, 4)])))
        self.assertAlmostEqual(places[1][0] - places[0][0], places[2][0] - places[1][0], delta=0.2)
        self.assertAlmostEqual(
            2 * (places[0][1] - places[1][1]), places[1][1] - places[2][1], delta=0.2
        )

    def test_a_mark_stands_at_its_value(self):
        drawing = chart.drawn(made_up([(1024, 1), (2048, 2), (4096, 4)], marks=[(2048, "here")]))
        line = next(each for each in drawing.elements if "soft-line dashed" in each)
        self.assertIn(f'points="{points_of(drawing)[1][0]:.1f}'.rstrip("0").rstrip("."), line)
        self.assertIn("Marked: here.", drawing.description)

    def test_ticks_are_round_and_leave_room(self):
        self.assertEqual(
            [chart.round_step(most, 5) for most in (4, 9, 12, 40, 900)], [1, 2, 2.5, 10, 200]
        )
        scale = Scale((1024, 1 << 30), (0, 400), logarithmic=True)
        ticks = chart.log_ticks(1024, 1 << 30, scale, "bytes")
        self.assertGreater(len(ticks), 3)
        for one, other in zip(ticks, ticks[1:], strict=False):
            self.assertGreater(scale(other) - scale(one), 60)

    def test_shares_end_at_100_percent(self):
        share = chart.axes(made_up([(1024, 0), (2048, 100)], y=Axis("hits", "%")), 0, 400, 5)
        self.assertEqual(share[2], (0, 100))
        time = chart.axes(made_up([(1024, 0), (2048, 100)]), 0, 400, 5)
        self.assertGreater(time[2][1], 100)

    def test_phones_get_a_picture_of_their_width(self):
        with mock.patch.object(chart, "broken", wraps=chart.broken) as broken:
            drawing = chart.drawn(made_up([(1, 1), (2, 2)]), chart.NARROW)
        self.assertEqual(drawing.width, chart.NARROW)
        self.assertTrue(all(call.args[1] < chart.NARROW for call in broken.call_args_list))


if __name__ == "__main__":
    unittest.main()
