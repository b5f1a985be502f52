"""Chapters on the craft: quoted errors exist, evidence of claims exists, tools' output is read."""

import json
import os
import re
import signal
import subprocess
import unittest

from bench.record import cuda_gdb, gallery_reports, rounding
from docs.report import recorded
from docs.report.judged_again import claims_of
from docs.report.page_blocks import claims
from tests import SOURCES

CHAPTERS = SOURCES / "docs" / "chapters"
# In the shape that NVIDIA's manual shows.
TRANSCRIPT = """[Thread debugging using libthread_db enabled]
(cuda-gdb) run
[New Thread 0x7ffff0000000 (LWP 12)]
CUDA Exception: Warp Misaligned Address
Thread 1 "gallery_debug" received signal CUDA_EXCEPTION_6, Warp Misaligned Address.
[Switching focus to CUDA kernel 0, grid 1, block (1,0,0), thread (32,0,0), device 0, sm 2, warp 1, \
lane 0]
0x00007 in float4_at_offset_one<<<(2,1,1),(64,1,1)>>> () at /home/me/tests/gallery/misaligned.cu:23
(cuda-gdb) print i
$1 = 96
(cuda-gdb) info cuda lanes
"""


def joined_literals():
    """All strings of the sources; neighbouring literals are one string."""
    text = []
    for folder, pattern in (
        ("ladder", "*.[ch]pp"),
        ("common", "*.[ch]*"),
        ("common", "*.cu"),
        ("emulator", "*.[ch]*"),
        ("glassbox", "*.[ch]*"),
        ("bench", "*.py"),
        ("classroom", "*.py"),
        ("docs", "*.py"),
    ):
        for path in sorted((SOURCES / folder).rglob(pattern)):
            if "__pycache__" in path.parts:
                continue
            text.append(re.sub(r'"\s*\n?\s*f?"', "", path.read_text()))
    for name in ("Makefile", ".ci/install", ".ci/moved", ".ci/cuda", ".ci/pip"):
        text.append((SOURCES / name).read_text())
    return " ".join(re.sub(r"\s+", " ", part) for part in text)


def quoted_errors(page):
    """Texts of the sections whose errors are the project's own."""
    sections = re.split(r"^## ", page, flags=re.M)
    found = []
    for section in sections:
        title = section.splitlines()[0]
        if title in (
            "From make",
            "From the ladder",
            "Reports of the emulator",
            "From the scripts and the book",
        ):
            found += re.findall(r"^### `(.+?)`", section, re.M)
        elif title == "When a result is wrong":
            found += re.findall(r"^\| `(.+?)` \|", section, re.M)
    return found


class TroubleshootingTest(unittest.TestCase):
    """The page's texts are those of the programs."""

    def test_every_quoted_error_occurs_in_the_sources(self):
        sources = joined_literals()
        errors = quoted_errors((CHAPTERS / "troubleshooting.md").read_text())
        self.assertGreater(len(errors), 35)
        for error in errors:
            for piece in error.split("..."):
                piece = re.sub(r"\s+", " ", piece).strip()
                with self.subTest(error=error, piece=piece):
                    self.assertTrue(piece in sources, "no source says so")  # they are long


class WrittenFilesTest(unittest.TestCase):
    """What a page has you write does not show up in `git status`."""

    @unittest.skipUnless((SOURCES / ".git").exists(), "this is no clone")
    def test_git_ignores_it(self):
        pages = [*SOURCES.glob("*.md"), *SOURCES.glob("*/*.md"), *SOURCES.glob("*/*/*.md")]
        named = re.compile(r"(?:OUT=|--html |--json |--out )([a-z][\w./-]*\.\w+)")
        written = {name for page in pages for name in named.findall(page.read_text())}
        written = {name for name in written if not name.startswith("bench/results/")}
        self.assertGreaterEqual(len(written), 3)
        for name in {*written, "rung06.ncu-rep", ".predictions.json"}:
            done = subprocess.run(["git", "-C", SOURCES, "check-ignore", "-q", name], check=False)
            self.assertEqual(done.returncode, 0, name)


class ClaimsTest(unittest.TestCase):
    """Every claim has evidence that exists; what is pending has no verdict."""

    def setUp(self):
        self.claims = json.loads((CHAPTERS / "claims.json").read_text())

    def test_there_are_many_and_each_is_told_once(self):
        self.assertGreaterEqual(len(self.claims), 200)
        self.assertEqual(len({row["claim"] for row in self.claims}), len(self.claims))

    def test_verdict_or_what_is_missing(self):
        for row in self.claims:
            with self.subTest(row["claim"]):
                self.assertIn(row["verdict"], (None, "holds", "condition", "wrong"))
                self.assertEqual(row["verdict"] is None, "needs" in row)
                self.assertTrue(row["because"] and row["who"] and row["evidence"])

    def test_evidence_exists(self):
        for row in self.claims:
            for evidence in row["evidence"]:
                if not evidence["at"].startswith("https://"):
                    with self.subTest(row["claim"]):
                        self.assertTrue((SOURCES / evidence["at"]).exists(), evidence["at"])

    def test_page_and_labs_agree(self):
        """What a lab decides is the page's verdict, too. If it can't, another record may."""
        verdicts = {}
        recorded = set()  # claims with a record that is no lab's
        for row in self.claims:
            at = [
                evidence["at"].partition("bench/results/nvidia-")[2] for evidence in row["evidence"]
            ]
            for name in row.get("rows", ()):
                verdicts.setdefault(name, set()).add(row["verdict"] or "pending")
                if any(each and "/lab_" not in each for each in at):
                    recorded.add(name)
        given = {}  # of all cards
        for path in sorted((SOURCES / "bench/results").glob("nvidia-*/lab_*.json")):
            for claim in claims_of(json.loads(path.read_text())):
                given.setdefault((claim["row"], claim["claimed"]), set()).add(claim["verdict"])
        for (row, claimed), of_cards in given.items():
            with self.subTest(claimed, row=row):
                self.assertIn(row, verdicts, "the page does not have it")
                decided = of_cards - {"pending", "simulated"}
                if len(decided) > 1:  # it depends on the card
                    decided = {"condition"}
                if decided or row not in recorded:
                    self.assertLessEqual(decided or {"pending"} & of_cards, verdicts[row])

    def test_blocks_that_stay_are_judged_by_what_was_timed(self):
        """Data that a kernel keeps in L2 by staying need no window."""
        recorded = json.loads((SOURCES / "bench/results/nvidia-h100/kv_pipeline.json").read_text())
        attention = {each["name"]: each.get("attention_us") for each in recorded["benchmarks"]}
        kept = attention["persistent"] < 1.05 * attention["persistent_window"]
        row = next(row for row in self.claims if "R035" in row.get("rows", ()))
        self.assertEqual(row["verdict"], "holds" if kept else "wrong")

    def test_counts_add_up(self):
        legend, by_text, of_groups = claims.claims_count_block().split("\n\n")
        self.assertIn("✗ wrong", legend)
        for table in (of_groups, by_text):
            rows = [re.findall(r"\| (\d+)(?= \|)", line) for line in table.splitlines()[2:]]
            counted = [[int(number) for number in row] for row in rows]
            *parts, everything = counted
            self.assertEqual([sum(column) for column in zip(*parts, strict=True)], everything)
            self.assertEqual(everything[-1], len(self.claims))
            for row in counted:
                self.assertEqual(sum(row[:-1]), row[-1])
        page = claims.claims_block()
        for group, place in re.findall(r"\[(.+?)\]\(#(.+?)\)", of_groups):
            self.assertIn(f"\n\n## {group}\n\n", f"\n\n{page}")
            self.assertEqual(claims.anchor(group), place)
        self.assertEqual(claims.anchor("L2: two sides"), "l2-two-sides")
        for text in claims.TEXTS:
            self.assertIn(f"\n| {text} |", by_text)

    def test_figures_are_computed_from_recordings(self):
        results = SOURCES / "bench" / "results"
        read = {
            entry["name"]: entry["value"]
            for entry in json.loads((results / "nvidia-h100/roofs.json").read_text())["benchmarks"]
        }
        self.assertEqual(claims.filled_in("{h100 l2_read}"), f"{read['l2_read']:,.0f}")
        ratio = read["l2_read"] / read["dram_memcpy"]
        self.assertAlmostEqual(
            float(claims.filled_in("{ratio h100:l2_read h100:dram_memcpy}")), ratio, delta=0.01
        )
        self.assertEqual(claims.filled_in("{card l2_bytes b200}"), "132,644,864")
        self.assertEqual(claims.filled_in("{sass 6 FFMA inner}"), "512")
        self.assertEqual(claims.filled_in("{loop copy stores}"), "4")
        drain = claims.filled_in("{drain card:dram_bytes:h100 card:dram_bytes_per_second:h100}")
        self.assertEqual(drain, "25.4 ms")
        steps = [f"lab:tlb_reach:tlb_{level}_miss_cycles" for level in (1, 2)]
        total = float(claims.filled_in(f"{{sum cycles {' '.join(steps)}}}").split()[0])
        self.assertAlmostEqual(total, sum(map(claims.number, steps)), delta=1)
        for wrong in (
            "{h100 no_such_roof}",
            "{ratio roof:l2_read speed:of_light}",
            "{ratio lab:set_aside:nothing_protected_bytes roof:l2_read}",
            "{sass 6 FFMA no_such_change}",
        ):
            with self.subTest(wrong), self.assertRaises(recorded.FigureError):
                claims.filled_in(wrong)

    def test_figures_come_from_recordings(self):
        self.assertEqual(claims.probe("global_load_4B_stride_32", "sectors"), "32")
        with self.assertRaises(recorded.FigureError):
            claims.probe("no_such_probe", "sectors")
        self.assertIn(
            "](coalescing.md)",
            claims.link({"text": "coalescing", "at": "docs/chapters/coalescing.md"}),
        )


class CudaGdbTest(unittest.TestCase):
    """Transcripts of cuda-gdb's batch mode."""

    def test_commands_are_marked(self):
        script = cuda_gdb.script_of(("run", "print i"))
        self.assertIn("echo (cuda-gdb) print i\\n\nprint i\n", script)

    def test_session_is_cut_at_the_marks_and_cleaned(self):
        steps = cuda_gdb.read_session(TRANSCRIPT)
        self.assertEqual([step["command"] for step in steps], ["run", "print i", "info cuda lanes"])
        self.assertEqual(steps[1]["output"], ["$1 = 96"])
        self.assertEqual(steps[2]["output"], [])
        self.assertNotIn("New Thread", " ".join(steps[0]["output"]))
        self.assertTrue(steps[0]["output"][-1].endswith("at misaligned.cu:23"))

    def test_long_output_is_shortened(self):
        text = "(cuda-gdb) info cuda warps\n" + "row\n" * 40
        output = cuda_gdb.read_session(text)[0]["output"]
        self.assertEqual(len(output), cuda_gdb.KEPT_LINES + 1)
        self.assertIn("26 lines more", output[-1])

    def test_exception_and_focus(self):
        self.assertEqual(
            cuda_gdb.stopped_by(TRANSCRIPT), "CUDA_EXCEPTION_6, Warp Misaligned Address"
        )
        self.assertEqual(cuda_gdb.focus_of(TRANSCRIPT)["thread"], "(32,0,0)")
        self.assertIsNone(cuda_gdb.stopped_by("[Inferior 1 exited normally]"))
        self.assertIsNone(cuda_gdb.focus_of(""))

    def test_the_program_below_a_wrapper_is_found(self):
        with subprocess.Popen(["sh", "-c", "sleep 30; true"]) as wrapper:
            try:
                for _ in range(200):
                    found = cuda_gdb.descendants(wrapper.pid)
                    if "sleep" in found.values():
                        break
                self.assertIn("sleep", found.values())
                self.assertNotIn(wrapper.pid, found)
            finally:
                for number in cuda_gdb.descendants(wrapper.pid):
                    os.kill(number, signal.SIGTERM)
                wrapper.kill()


class RoundingTest(unittest.TestCase):
    """FP32 made of FP64 rounds as FP32 does, and the record can be made again."""

    def test_roundings(self):
        self.assertEqual(rounding.fp32(1 + 2.0**-24), 1.0)
        self.assertEqual(rounding.fp32(1 + 3 * 2.0**-24), 1 + 2.0**-22)
        self.assertEqual(rounding.tf32(1 + 2.0**-11), 1.0)
        self.assertEqual(rounding.tf32(-(1 + 2.0**-10)), -(1 + 2.0**-10))

    def test_a_product_is_not_rounded_in_a_chain(self):
        a, b = [1 + 2.0**-12, 1 + 2.0**-11], [1 + 2.0**-12, -1.0]
        self.assertEqual(rounding.chain(a[::-1], b[::-1]), 2.0**-24)
        self.assertEqual(rounding.unfused(a[::-1], b[::-1]), 0.0)

    def test_parts_cover_every_product(self):
        ones = [1.0] * 13
        self.assertEqual(rounding.parts(ones, ones, 4), 13.0)

    def test_short_experiments_are_as_recorded(self):
        known = json.loads(rounding.RECORD.read_text())["benchmarks"]
        for positive in (False, True):
            made = rounding.experiment(64, positive)
            self.assertIn(json.loads(json.dumps(made)), known)


class VocabularyTest(unittest.TestCase):
    """Many terms, in order, each with a link to a page that exists."""

    def test_terms(self):
        text = (CHAPTERS / "vocabulary.md").read_text()
        entries = re.findall(r"^### ([^\n]+)\n\n(.+?)\n(?=\n#)", text, re.M | re.S)
        terms = [term for term, _ in entries]
        self.assertGreaterEqual(len(terms), 60)
        self.assertEqual(terms, sorted(terms, key=str.lower))
        for term, entry in entries:
            with self.subTest(term):
                link = re.search(r"\]\(([^)#\s]+)(?:#[\w-]+)?\)\.$", entry)
                self.assertTrue(link, entry)
                self.assertTrue((CHAPTERS / link[1]).exists(), link[1])
                self.assertGreaterEqual(entry.count(". "), 1)


class GalleryReportsTest(unittest.TestCase):
    """GoogleTest's JSON becomes rows."""

    def test_only_tests_with_reports_count(self):
        tests = {
            "testsuites": [
                {
                    "testsuite": [
                        {
                            "name": "IsExplained/total",
                            "reported": "reported:\n  race: a\n  race: b",
                        },
                        {"name": "Other/total"},
                    ]
                }
            ]
        }
        self.assertEqual(
            gallery_reports.reports_of(tests),
            [{"name": "total", "reported": ["race: a", "race: b"]}],
        )


if __name__ == "__main__":
    unittest.main()
