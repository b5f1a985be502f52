"""report.py: pages hold the figures of the recorded results, or it says which do not."""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from bench.record.emulator_trace import traced_at
from bench.rungs import rung_named, rung_of, rung_table
from docs.report import by_hand, wavefronts
from docs.report.maths import maths_block
from docs.report.rung_figures import bounds
from tests import ROOMS, SOURCES

PROBES = pathlib.Path("tests/fidelity/probes_h200.csv")
BOXES = "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"


def report(root, *arguments):
    """Runs the report on a folder; returns (exit code, output)."""
    done = subprocess.run(
        [sys.executable, "-m", "docs.report.report", "--root", root, *arguments],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


class ReportTest(unittest.TestCase):
    """Each test works on a copy of the pages and the results."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for folder in ROOMS:
            shutil.copytree(SOURCES / folder, self.root / folder)
        shutil.copy(SOURCES / "README.md", self.root)
        self.page = self.root / "ladder" / "03_shared_tile" / "README.md"

    def tearDown(self):
        self.folder.cleanup()

    def edit(self, old, new):
        """Replaces text in the page of rung 03."""
        text = self.page.read_text()
        self.assertIn(old, text)
        self.page.write_text(text.replace(old, new, 1))

    def test_pages_are_current(self):
        self.assertEqual(report(self.root, "--check"), (0, ""))

    def test_a_figure_typed_by_hand_is_stale_and_is_rewritten(self):
        self.edit("<!-- value gain_4096 -->", "<!-- value gain_4096 -->9")
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("ladder/03_shared_tile/README.md is stale: run make report", text)
        self.assertEqual(report(self.root)[0], 0)
        self.assertEqual(report(self.root, "--check"), (0, ""))

    def test_a_table_edited_by_hand_is_stale(self):
        self.edit("| 8192 |", "| 8193 |")
        self.assertEqual(report(self.root, "--check")[0], 1)

    def test_an_unknown_name_is_refused(self):
        self.edit("value gain_4096 -->", "value luck_4096 -->")
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("'luck_4096' is no name of a figure", text)

    def test_a_figure_at_the_beginning_of_a_line_is_refused(self):
        self.edit("That is <!-- value gain_4096", "That is\n<!-- value gain_4096")
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("a line begins with '<!-- value'", text)

    def test_a_missing_recording_is_named(self):
        (self.root / "bench/results/nvidia-h200/climb_burst_8192.json").unlink()
        code, text = report(self.root)
        self.assertEqual(code, 1)
        self.assertIn("climb_burst_8192.json is not there", text)

    def test_a_rung_counts_as_not_recorded_until_it_is(self):
        results = self.root / "bench/results"
        recorded = {
            path: path.read_text()
            for kind in ("climb", "profile")
            for path in results.glob(f"nvidia-*/{kind}_*.json")
        }
        whole = self.page.read_text()
        self.assertNotIn("| 4096 | not recorded yet |", whole)
        for path, text in recorded.items():
            document = json.loads(text)
            document["benchmarks"] = [b for b in document["benchmarks"] if b["rung"] != 3]
            path.write_text(json.dumps(document))
        self.assertEqual(report(self.root)[0], 0)
        self.assertEqual(report(self.root, "--check"), (0, ""))
        text = self.page.read_text()
        self.assertIn("| 4096 | not recorded yet |", text)
        self.assertIn("<!-- value gain_4096 -->not recorded yet<!-- /value -->", text)
        self.assertIn("Issue slots and time are not recorded yet.", text)
        for path, text in recorded.items():
            path.write_text(text)
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("ladder/03_shared_tile/README.md is stale", text)
        self.assertEqual(report(self.root)[0], 0)
        self.assertEqual(self.page.read_text(), whole)

    def test_a_rung_that_is_recorded_at_one_size_alone_shows_that_one(self):
        path = self.root / "bench/results/nvidia-h200/climb_burst_8192.json"
        document = json.loads(path.read_text())
        document["benchmarks"] = [b for b in document["benchmarks"] if b["rung"] != 3]
        path.write_text(json.dumps(document))
        self.assertEqual(report(self.root)[0], 0)
        text = self.page.read_text()
        self.assertRegex(text, r"\| 4096 \| \d+\.\d+ ms")
        self.assertIn("| 8192 | not recorded yet |", text)
        self.assertRegex((self.root / "README.md").read_text(), r"03 shared_tile.*not recorded yet")

    def test_kernels_stand_side_by_side(self):
        path = self.root / "bench/results/nvidia-h200/profile_4096.json"
        document = json.loads(path.read_text())
        for entry in document["benchmarks"]:
            if entry["rung"] == 0:  # of eight wavefronts per FFMA one is a conflict
                ffma = entry["metrics"]["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] / 32
                entry["metrics"]["memory_l1_wavefronts_shared"] = 8 * ffma
                entry["metrics"]["memory_l1_wavefronts_shared_ideal"] = 7 * ffma
        path.write_text(json.dumps(document))
        page = self.root / "docs/chapters/why_cublas_loses.md"
        self.assertEqual(report(self.root)[0], 0)
        text = page.read_text()
        self.assertIn("| M = N = K = 4096 | cuBLAS | 08 | 09 | 10 | 11 | 12 |", text)
        self.assertIn("| shared wavefronts per FFMA | 8.000 | 0.", text)
        self.assertIn("| of these, bank conflicts | 12.5 % | 0.0 % |", text)
        document["benchmarks"] = [b for b in document["benchmarks"] if b["rung"] != 9]
        path.write_text(json.dumps(document))
        self.assertEqual(report(self.root)[0], 0)
        self.assertIn("profile_4096.json has no rung 9", page.read_text())

    def test_orders_counted_anew_make_their_lessons_stale(self):
        path = self.root / "bench/results/sass/orders.json"
        document = json.loads(path.read_text())
        for entry in document["benchmarks"]:
            if entry["order"] == "(as written)":
                entry["three_fresh"] += 1
        path.write_text(json.dumps(document))
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        for lesson in ("08_warp_tile", "09_async_copy", "10_wide_tile", "12_stream_k"):
            self.assertIn(f"ladder/{lesson}/README.md is stale: run make report", text)

    def test_orders_typed_by_hand_are_stale(self):
        for lesson in ("08_warp_tile", "12_stream_k"):
            page = self.root / "ladder" / lesson / "README.md"
            whole = page.read_text()
            line = next(line for line in whole.splitlines() if line.endswith("  (as written)"))
            page.write_text(whole.replace(line, line.replace(" 0  (as", " 8  (as")))
            code, text = report(self.root, "--check")
            self.assertEqual(code, 1)
            self.assertIn(f"ladder/{lesson}/README.md is stale", text)
            self.assertEqual(report(self.root)[0], 0)
            self.assertEqual(page.read_text(), whole)

    def test_another_tile_makes_its_lesson_stale(self):
        facts = self.root / "bench/results/rungs.json"
        text = facts.read_text()
        old = '"template":{"BM":128,"BN":256,"BK":8,"WM":64,"WN":64,"TM":8,"TN":16,"STAGES":3'
        self.assertIn(old, text)
        facts.write_text(text.replace(old, old.replace('"TN":16', '"TN":8')))
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("ladder/10_wide_tile/README.md is stale", text)


class MathsTest(unittest.TestCase):
    """docs/report/maths.py: the lines of a lesson at any size."""

    def maths(self, *arguments, **environment):
        """(exit code, standard output, errors) of the program."""
        done = subprocess.run(
            [sys.executable, "-m", "docs.report.maths", *arguments],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **environment},
        )
        return done.returncode, done.stdout, done.stderr

    def test_it_prints_what_the_lesson_has(self):
        for number, folder in (("03", "03_shared_tile"), ("16", "16_bf16_mma")):  # of either GPU
            code, text, errors = self.maths(number)
            self.assertEqual((code, errors), (0, ""))
            page = (SOURCES / "ladder" / folder / "README.md").read_text().replace("**", "")
            lesson = re.search(r"<!-- begin maths -->\n(.*?)<!-- end maths -->", page, re.S)[1]
            self.assertEqual(text.split(), lesson.split())
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertEqual(len(re.findall(r"^\d\. ", text, re.M)), 4)

    def test_it_says_what_is_missing_at_another_size(self):
        self.assertEqual(self.maths("03", "--size", "2048")[0], 0)
        code, text, errors = self.maths("03", "--size", "3000")
        self.assertEqual(code, 1)
        self.assertIn("At M = N = K = 3000", text)
        self.assertIn("line 2 lacks ncu's count of wavefronts", errors)
        self.assertIn("profile_3000.json is not there", errors)
        self.assertIn("line 4 lacks the measured time", errors)

    def test_it_refuses_what_it_cannot_compute(self):
        self.assertIn("rung 00 is a library", self.maths("00")[2])
        self.assertIn("there is no rung 77; there are 00, 01", self.maths("77")[2])
        self.assertIn("is no size", self.maths("03", "--size", "0")[2])
        code, _, errors = self.maths("01", LADDER_EMULATOR="no_such_library")
        self.assertEqual(code, 2)
        self.assertRegex(errors, "the emulator counts wavefronts: run make build .*no_such_library")


class ByHandTest(unittest.TestCase):
    """docs/report/by_hand.py: what lessons count by hand agrees with hardware and adds up."""

    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCES)

    def test_wavefronts_of_global_loads_are_those_that_hardware_counts(self):
        lines = [line for line in (SOURCES / PROBES).read_text().splitlines() if line[0] != "#"]
        probes = {row["probe"]: row for row in csv.DictReader(lines)}
        counter = "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum"
        for floats, strides in (
            (1, (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32)),
            (4, (1, 2, 4, 8, 16, 24, 32)),
        ):
            for stride in strides:
                counted = probes[f"global_load_{4 * floats}B_stride_{stride}"][counter]
                words = [lane * stride * floats for lane in range(32)]
                found = by_hand.global_wavefronts(words, floats)
                self.assertEqual(found, int(counted), (floats, stride))

    def test_wavefronts_of_copies_come_from_the_emulator(self):
        rows = [lane // 8 * 1024 + lane % 8 for lane in range(32)]
        columns = [lane % 8 * 32 + lane // 8 for lane in range(32)]
        self.assertEqual(wavefronts.copy_wavefronts(rows, list(range(32))), 4)
        self.assertEqual(wavefronts.copy_wavefronts(rows, columns), 11)

    def test_wavefronts_of_rungs_are_near_those_that_hardware_counts(self):
        recorded = json.loads((SOURCES / "bench/results/nvidia-h200/profile_4096.json").read_text())
        for entry in recorded["benchmarks"]:
            if entry["rung"] == 0:
                continue
            count = by_hand.by_hand(entry["rung"], 4096)["wavefronts"]
            passed = entry["metrics"]["l1tex__data_pipe_lsu_wavefronts.sum"] / (4096**3 / 32)
            self.assertAlmostEqual(count / passed, 1, delta=0.04, msg=entry["name"])

    def test_wavefronts_on_tensor_cores_are_near_those_that_are_counted(self):
        """By the emulator; where tensor cores read shared memory themselves, by an H100."""
        recorded = json.loads((SOURCES / "bench/results/emulator/traces.json").read_text())
        profile = json.loads((SOURCES / "bench/results/nvidia-h100/profile_4096.json").read_text())
        on_gpu = {
            entry["rung"]: entry["metrics"]["l1tex__data_pipe_lsu_wavefronts.sum"]
            for entry in profile["benchmarks"]
        }
        counted = []
        for entry in recorded["benchmarks"]:
            rung = rung_of(entry["rung"])
            if not rung.tensor_cores or entry["m"] != 4096:
                continue
            products = 4096**3 / 32
            count = by_hand.by_hand(rung.number, 4096)["wavefronts"] * products
            if entry["metrics"].get(BOXES):
                self.assertAlmostEqual(count / on_gpu[rung.number], 1, delta=0.1, msg=rung.label)
            else:  # copies past the end of K are counted, but not by hand
                passed = entry["metrics"]["memory_l1_wavefronts_shared"]
                self.assertAlmostEqual(count / passed, 1, delta=0.01, msg=rung.label)
            counted.append(rung.number)
        expected = [number for number in traced_at()[4096] if rung_of(number).tensor_cores]
        self.assertEqual(counted, expected)

    def test_bounds_follow_the_precision(self):
        """With registers as if the rungs had been profiled."""
        found = {}
        names = ("wide_tile", "tf32_mma", "bf16_mma")
        fp32, tf32, bf16 = numbers = [rung_named(name).number for name in names]
        for number in numbers:
            hand = {**by_hand.by_hand(number, 4096), "blocks": 1}
            with unittest.mock.patch("docs.report.rung_figures.by_hand", return_value=hand):
                found[number] = dict(bounds(number, 4096))
        pipe = found[fp32]["FP32 pipe"]
        self.assertAlmostEqual(found[tf32]["tensor cores"], pipe / 8)
        self.assertAlmostEqual(found[bf16]["tensor cores"], pipe / 16)
        for number in (tf32, bf16):  # 44 wavefronts in 32 cycles
            ratio = found[number]["L1 and shared memory"] / found[number]["tensor cores"]
            self.assertAlmostEqual(ratio, 44 / 32)

    def test_bytes_follow_the_precision(self):
        for name, expected in (
            ("tf32_mma", "load 4MNK(1/128 + 1/256) = 3.22 GB"),
            ("tf32_mma", "384 floats per k for 65536 FLOP: 42.7 FLOP per byte"),
            ("bf16_mma", "load 2MNK(1/128 + 1/256) = 1.61 GB"),
            ("bf16_mma", "384 elements per k for 65536 FLOP: 85.3 FLOP per byte"),
        ):
            self.assertIn(expected, maths_block(rung_named(name).number, 4096))

    def test_lanes_of_a_warp(self):
        self.assertEqual(by_hand.lane_wavefronts(16), (2, 4))  # rung 07
        self.assertEqual(by_hand.lane_wavefronts(4), (2, 4))  # rung 08: fewer floats, no fewer
        # Zig-zag: a neighbour has the same row, the neighbour's neighbour the same column.
        rows = [lane >> 1 & 1 | lane >> 1 & 2 | lane >> 2 & 4 for lane in range(32)]
        columns = [lane & 1 | lane >> 2 & 2 for lane in range(32)]
        self.assertEqual(len(set(zip(rows, columns))), 32)
        self.assertEqual(by_hand.wavefronts([row * 4 for row in rows]), 2)
        self.assertEqual(by_hand.wavefronts([column * 4 for column in columns]), 2)

    def test_shares_cover_every_k_tile_once(self):
        stream_k = [rung for rung in rung_table().values() if rung.precision == "FP32"]
        plans = [plan for rung in stream_k for plan in rung.plans if plan["ranks"]]
        self.assertGreater(len(plans), 10)
        for plan in plans:
            starts = by_hand.starts_of(plan)
            left = plan["tiles"] - plan["whole_tiles"]
            self.assertEqual((starts[0], starts[-1]), (0, left * plan["k_tiles"]), plan)
            lengths = {end - start for start, end in zip(starts, starts[1:])}
            self.assertLessEqual(max(lengths) - min(lengths), 1)

    def test_parts_that_do_not_begin_with_their_tile_are_added_by_a_peer(self):
        # Three tiles of 4 k tiles among shares of 3: 3 | 1 + 2 | 2 + 1 | 3.
        self.assertEqual(by_hand.partial_tiles([0, 3, 6, 9, 12], 4), [(3, 4), (6, 8), (9, 12)])
        # One tile of 8 k tiles: the middle goes to the beginning as well.
        self.assertEqual(by_hand.partial_tiles([0, 3, 6, 8], 8), [(3, 6), (6, 8)])
        self.assertEqual(by_hand.partial_tiles([0, 4, 8, 12], 4), [])

    def test_partial_tiles_of_stream_k_are_counted(self):
        count = by_hand.by_hand(12, 4096)
        self.assertIn(
            "132 ranks share the other 116 tiles, 59392 k tiles of 8: at most 450 each. They add "
            "up 131 partial tiles of 128 KiB, 17 MB in all.",
            count["more"],
        )
        self.assertAlmostEqual(count["waves"], 132 * (3 * 512 + 450) / (512 * 512))
        # At 512 more ranks would only add more: 64 SMs have 8 k tiles each, and 68 have none.
        self.assertAlmostEqual(by_hand.by_hand(12, 512)["waves"], 132 / 64)

    def test_a_rung_that_chooses_counts_what_its_model_picks(self):
        for rung in rung_table().values():
            if rung.precision != "FP32":  # counts by boxes, whatever the size
                continue
            for plan in rung.plans if len(rung.configurations) > 1 else ():
                if len(set(plan["shape"])) > 1:
                    continue
                count = by_hand.by_hand(rung.number, plan["shape"][0])
                configuration = rung.configuration(plan["configuration"])
                self.assertEqual(count["tile"], (configuration["BM"], configuration["BN"]))
                self.assertRegex(
                    count["more"], rf"The (model picks|rule takes) {plan['configuration']}\."
                )


if __name__ == "__main__":
    unittest.main()
