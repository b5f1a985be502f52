"""Blocks of code, constants and facts: they follow the sources, and name what is not there."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from bench.rungs import rung_named, rung_of, rung_table
from docs.report.page_blocks import counters as counters_blocks
from docs.report.page_blocks import excerpts
from docs.report.recorded import FigureError
from tests import SOURCES
from tests.docs.report.report_test import report

KERNEL = """\
namespace ladder::sample {

template <int BM>
__global__ void kernel(int K) {
  constexpr int kHalf = BM / 2;  // as many rows as warps

  // -- Where this thread works ---------------------------------------------------------------
  int row = 0;

  if (row == 0) {
    // -- Producer ------------------------------------------------------------------------------
    row = 1;

#pragma unroll 1
    for (;;) {
    }
  } else {
    row = 2;
  }

  // -- Epilogue: C = alpha*acc + beta*C --------------------------------------------------------
  constexpr int kLocal = 3;
  row = 3;
}

}  // namespace ladder::sample
"""


class SectionsTest(unittest.TestCase):
    """What belongs to a titled section."""

    def setUp(self):
        self.sections = {s.title: s for s in excerpts.sections(KERNEL)}

    def test_a_section_ends_where_the_next_begins(self):
        lines = self.sections["Where this thread works"].lines
        self.assertEqual(lines[1:], ("  int row = 0;", "", "  if (row == 0) {"))

    def test_a_section_ends_with_the_braces_around_it(self):
        self.assertEqual(self.sections["Producer"].lines[-1], "    }")
        self.assertEqual(self.sections["Epilogue: C = alpha*acc + beta*C"].lines[-1], "  row = 3;")

    def test_lines_move_to_the_left_and_pragmas_stay_there(self):
        lines = excerpts.moved_left(self.sections["Producer"].lines)
        self.assertEqual(lines[1:], ["row = 1;", "", "#pragma unroll 1", "for (;;) {", "}"])

    def test_constants_of_a_section_are_its_own(self):
        self.assertEqual(
            excerpts.constants_of(KERNEL), [("kHalf", "BM / 2", "as many rows as warps")]
        )


class PageTest(unittest.TestCase):
    """Each test works on a copy of sources and results with one page."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for folder in ("bench/results", "common/devices", "ladder"):
            shutil.copytree(SOURCES / folder, self.root / folder)
        for lesson in self.root.glob("ladder/*/README.md"):
            lesson.unlink()
        (self.root / "README.md").write_text("no blocks\n")
        self.page = self.root / "docs" / "chapters" / "page.md"
        self.page.parent.mkdir(parents=True)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, *markers):
        """A page with these blocks."""
        self.page.write_text(
            "".join(f"<!-- begin {m} -->\n<!-- end {m.split()[0]} -->\n\n" for m in markers)
        )

    def filled(self, *markers):
        """The text of a page with these blocks, which the report must know how to write."""
        self.write(*markers)
        code, text = report(self.root)
        self.assertEqual(code, 0, text)
        self.assertEqual(report(self.root, "--check"), (0, ""))
        return self.page.read_text()

    def refused(self, marker):
        """What the report says of a block that it cannot write."""
        self.write(marker)
        code, text = report(self.root)
        self.assertEqual(code, 1)
        self.assertIn(f"docs/chapters/page.md: <!-- begin {marker} -->: ", text)
        return text

    def change(self, path, old, new):
        """Replaces text in a file of the copy; the page must be stale then."""
        path = self.root / path
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))
        code, text = report(self.root, "--check")
        self.assertEqual(code, 1)
        self.assertIn("docs/chapters/page.md is stale: run make report", text)

    def test_code_is_what_stands_in_the_kernel(self):
        text = self.filled("code ladder/03_shared_tile/kernel.cuh: Shared tiles and registers")
        self.assertIn(
            "```cuda\n// -- Shared tiles and registers\n__shared__ float sA[BM][BK];  // (BM,", text
        )
        self.change("ladder/03_shared_tile/kernel.cuh", "float acc = 0.0f;", "float acc = 1.0f;")

    def test_a_lesson_names_its_own_files(self):
        self.page = self.root / "ladder/03_shared_tile/README.md"
        text = self.filled("code kernel.cuh: Epilogue", "diff", "constants", "card")
        self.assertIn("// -- Epilogue: C = alpha*acc + beta*C\nif (row >= M", text)
        self.assertIn("[02_coalesced](../02_coalesced/kernel.cuh)", text)
        self.assertIn("| `BK` | `64` | Two elements of either tile per thread: half", text)
        self.assertIn("| Builds on | [02 coalesced](../02_coalesced/README.md) |", text)

    def test_wrong_names_are_refused_with_the_right_ones(self):
        kernel = "ladder/03_shared_tile/kernel.cuh"
        self.assertIn(f"there is no file {kernel}x", self.refused(f"code {kernel}x: Epilogue"))
        self.assertIn(
            f"{kernel} has no section 'Prologue'; it has Where this thread works; Shared tiles "
            "and registers; Main loop over K; Epilogue: C = alpha*acc + beta*C",
            self.refused(f"code {kernel}: Prologue"),
        )
        self.assertIn("no titled section", self.refused("code README.md: Epilogue"))
        self.assertIn("write 'code FILE: TITLE'", self.refused(f"code {kernel}"))
        self.assertIn("there is no rung 77; there are 00, 01", self.refused("diff 77"))
        self.assertIn("the block needs a rung", self.refused("constants"))
        self.assertIn("'three' is no number of a rung", self.refused("card three"))
        self.assertIn("takes no arguments", self.refused("ladder 03"))
        self.assertIn("no name of a block; there are", self.refused("luck"))

    def test_one_wrong_block_does_not_stop_the_others(self):
        self.write("luck", "card 03")
        self.assertEqual(report(self.root)[0], 1)
        self.assertIn("| Block tile | 32 x 32 of C |", self.page.read_text())

    def test_a_block_without_an_end_is_named(self):
        self.page.write_text("<!-- begin card 03 -->\n")
        code, text = report(self.root)
        self.assertEqual(code, 1)
        self.assertIn("page.md: 'begin' without an 'end' on a line of its own: card", text)

    def test_a_constant_makes_its_pages_stale(self):
        self.assertIn("| `kThreads` | `(BM / TM) * (BN / TN)` = 256 |", self.filled("constants 04"))
        self.change("ladder/04_register_tile/launch.cu", "int TM = 8;", "int TM = 4;")

    def test_a_line_of_the_rung_below_makes_the_diff_stale(self):
        text = self.filled("diff 03")
        self.assertIn("@@ Where this thread works @@\n   const int col", text)
        self.assertIn("\n+    __syncthreads();\n", text)
        self.assertNotIn("namespace", text)
        self.assertNotIn("tparam", text)
        self.change("ladder/02_coalesced/kernel.cuh", "float acc = 0.0f;", "float acc = 1.0f;")

    def test_a_recorded_number_makes_its_pages_stale(self):
        text = self.filled("profile 03")
        self.assertIn("run 03 --size 4096 --device gpu --no-timing", text)
        path = "bench/results/nvidia-h200/profile_4096.json"
        counters = json.loads((self.root / path).read_text())["benchmarks"]
        name = counters_blocks.BUSY[0][1]
        busy = next(kernel for kernel in counters if kernel["rung"] == 3)["metrics"][name]
        self.change(path, f'"{name}": {busy}', f'"{name}": 7.0')

    def test_the_rung_table_makes_its_pages_stale(self):
        self.filled("card 03")
        self.change("bench/results/rungs.json", "stage tiles in shared memory", "other words")

    def test_the_first_rung_has_no_diff(self):
        self.assertIn("all of its lines are new", self.filled("diff 01"))

    def test_a_change_is_the_diff_of_one_section(self):
        self.page = self.root / "ladder/03_shared_tile/README.md"
        text = self.filled("change Epilogue", "change Main loop over K")
        self.assertIn("<!-- begin change Epilogue -->\n```diff\n", text)
        self.assertIn("+    __syncthreads();\n", text)
        self.assertNotIn("@@", text)

    def test_a_section_without_a_change_is_refused(self):
        self.assertIn("elsewhere write 'diff 03'", self.refused("change Epilogue"))
        self.page.write_text("")
        self.page = self.root / "ladder/03_shared_tile/README.md"
        self.write("change Prologue")
        code, text = report(self.root)
        self.assertEqual(code, 1)
        self.assertIn("nothing changes in 'Prologue'; it has Where this thread works; Shar", text)


class FactsTest(unittest.TestCase):
    """What is computed for the card of a rung."""

    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCES)

    def test_the_whole_table_is_read(self):
        folders = sorted(path.name for path in pathlib.Path("ladder").glob("[0-9][0-9]_*"))
        folders.remove("24_many_gpus")  # has a program of its own
        self.assertEqual([rung.folder for rung in rung_table().values()], folders)
        self.assertIsNone(rung_of(1).builds_on)
        self.assertEqual(rung_of(13).needs, "compute capability 9.0, 10.0, 10.3 or 12.0")
        with self.assertRaises(FigureError):
            rung_of(99)

    def test_values_are_those_of_the_kernel(self):
        self.assertEqual(rung_of(10).values()["TN"], 16)
        self.assertEqual(excerpts.value_of(rung_of(4), "kThreads"), 256)
        self.assertIsNone(excerpts.value_of(rung_named("every_shape"), "BM"))

    def test_a_plan_that_is_not_recorded_comes_from_the_program_or_is_named(self):
        rung = rung_named("every_shape")
        self.assertEqual(rung.plan((512, 512, 512))["tiles"], 128)
        with self.assertRaisesRegex(FigureError, "has no plan of rung 14 for 5 x 4 x 4"):
            rung.plan((5, 4, 4))


if __name__ == "__main__":
    unittest.main()
