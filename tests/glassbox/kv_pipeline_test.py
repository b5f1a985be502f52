"""bench/programs in the glass box: their kernels are right, and they tell when not."""

import pathlib
import tempfile
import unittest

from tests import SOURCES
from tests.glassbox.own_program import glassbox

PROGRAM = SOURCES / "bench" / "programs" / "kv_pipeline.cu"


def run(text=None, *words):
    """The program, or a text in its place, checked by the glass box."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kv_pipeline.cu")
        path.write_text(text or PROGRAM.read_text())
        return glassbox(["check", path, *words], folder)


class KvPipelineTest(unittest.TestCase):
    """One layer with 16 tokens."""

    def test_all_ways_give_the_right_result_without_hazards(self):
        result = run()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            result.stdout.splitlines(),
            [
                "plain   right",
                "window  right, 32 KiB set aside",
                "fused   right",
                "staying  right",
                "persistent  right",
                "persistent_window  right, 32 KiB set aside",
            ],
        )

    def test_lines_at_strides_are_read_as_they_are(self):
        path = PROGRAM.with_name("l2_strides.cu")
        result = run(path.read_text())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count(" bytes: right\n"), 8)  # 128 bytes to 16 KiB
        result = run(path.read_text().replace("lap) % gridDim.x", "lap)"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("WRONG", result.stdout)

    def test_before_ampere_nothing_is_set_aside(self):
        result = run(None, "--gpu", "t4")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("window  right, 0 KiB set aside", result.stdout)

    def test_a_wrong_kernel_is_told(self):
        text = PROGRAM.read_text()
        for right, wrong, ways in (
            # Of the products that add up, the last one wins.
            ("atomicAdd(&out[column], sum);", "out[column] = sum;", ("fused", "persistent")),
            # Blocks that stay do one part each.
            ("kSplits; item += gridDim.x)", "kSplits; item += 1 << 30)", ("staying",)),
            # The next stage does not wait for attention.
            ("  attend_all(layer, a, row);\n  grid.sync();", "  grid.sync();", ("persistent",)),
        ):
            self.assertEqual(text.count(right), 1)
            result = run(text.replace(right, wrong))
            self.assertEqual(result.returncode, 1)
            for way in ("plain", "window", "fused", "staying", "persistent"):
                verdict = "WRONG" if way in ways else "right"
                self.assertIn(f"\n{way:6}  {verdict}", f"\n{result.stdout}")

    def test_blocks_that_do_not_wait_are_told(self):
        text = PROGRAM.read_text()
        right = "  attend_all(layer, a, row);\n  grid.sync();"
        result = run(text.replace(right, "  attend_all(layer, a, row);"))
        self.assertIn("race", result.stderr)

    def test_bad_words_are_refused(self):
        result = run(None, "--", "-3")
        self.assertEqual(result.returncode, 2)
        self.assertIn("usage: kv_pipeline", result.stderr)


if __name__ == "__main__":
    unittest.main()
