"""bench/record/sass_order.py: main loops are read right, kernels are changed where they should be.

data/nvdisasm_loop.txt is the end of a small kernel, as nvdisasm printed it: a loop with two
loads and 2 x 4 multiply-adds. No compiler for GPUs is needed here.
"""

import json
import subprocess
import sys
import unittest

from bench.copies import copy_as_it_runs, kernel_of, rung_name, source_of
from bench.record import main_loop, sass_order
from tests import SOURCES

RECORDED = SOURCES / "tests/bench/record/data/nvdisasm_loop.txt"
LOOPS = SOURCES / "bench" / "results" / "sass" / "loops.json"
SINGLE = [["LDG.128", 1], ["STS", 2], ["BAR", 1], ["LDS.128", 4], ["FFMA", 64], ["BAR", 1]]
DOUBLE = [
    *(["LDS.128", 4], ["FFMA", 20], ["other", 3], ["LDG.128", 1], ["FFMA", 3], ["LDG.128", 1]),
    *(["FFMA", 30], ["LDL", 2], ["FFMA", 1], ["STS", 1], ["FFMA", 9], ["STS", 1], ["BAR", 1]),
]


class OrderTest(unittest.TestCase):
    """What stands in a loop, and in which order."""

    def test_the_recorded_loop_is_two_loads_and_eight_ffma(self):
        loop = main_loop.innermost_loop(*main_loop.parse(RECORDED.read_text()))
        self.assertEqual(len(loop), 15)
        order = sass_order.order_of(loop)
        self.assertEqual(
            order,
            [["LDS.64", 1], ["other", 2], ["LDS.128", 1], ["other", 2], ["FFMA", 8], ["other", 1]],
        )
        self.assertEqual(sass_order.phases(order), [{"LDS.64": 1, "LDS.128": 1, "FFMA": 8}])

    def test_a_loop_on_tensor_cores_is_found_by_its_hmma(self):
        """Also where an epilogue without a loop has more FFMA."""
        lines = [".L_x_1:"]
        lines += ["        /*0010*/                   LDSM.16.M88.4 R4, [R2] ;"]
        lines += ["        /*0020*/                   HMMA.16816.F32.BF16 R8, R4, R6, R8 ;"] * 2
        lines += ["        /*0040*/              @!P0 BRA `(.L_x_1) ;"]
        lines += ["        /*0050*/                   FFMA R8, R8, R3, R9 ;"] * 20
        loop = main_loop.innermost_loop(*main_loop.parse("\n".join(lines)))
        self.assertEqual(sass_order.order_of(loop), [["LDSM", 1], ["HMMA", 2], ["other", 1]])

    def test_mnemonics(self):
        for text, name in {
            "FFMA R15, R4, R2.reuse, R15": "FFMA",
            "@!P0 LDG.E.128.CONSTANT R4, desc[UR8][R2.64]": "LDG.128",
            "LDGSTS.E.BYPASS.128 [R5], desc[UR8][R2.64]": "LDGSTS.128",
            "BAR.SYNC.DEFER_BLOCKING 0x0": "BAR",
            "STL.64 [R1+0x8], R4": "STL.64",
            "HFMA2.MMA R14, -RZ, RZ, 0, 0": "other",
        }.items():
            self.assertEqual(sass_order.mnemonic(text), name)

    def test_ffma_are_counted_from_load_to_store(self):
        self.assertEqual(sass_order.ffma_between(SINGLE, "LDG", "STS"), 0)
        self.assertEqual(sass_order.ffma_between(DOUBLE, "LDG", "STS"), 31)
        self.assertEqual(sass_order.ffma_between(DOUBLE, "STS", "LDG"), 20, "round the loop")
        self.assertIsNone(sass_order.ffma_between(DOUBLE, "LDGSTS", "BAR"))

    def test_little_work_does_not_part_two_loads(self):
        self.assertEqual(
            sass_order.listing(DOUBLE),
            ["20 FFMA, 4 LDS.128", "3 FFMA, 2 LDG.128", "31 FFMA", "1 STS", "9 FFMA", "1 STS"]
            + ["1 BAR"],
        )


class ChangeTest(unittest.TestCase):
    """Changed copies of kernels."""

    def changed(self, change):
        """Rung 06 as one source, after a change."""
        rung = rung_name(6)
        return source_of(copy_as_it_runs(rung, sass_order.CHANGES[change](kernel_of(rung))))

    def test_only_the_loop_over_k_becomes_inner_products(self):
        changed = self.changed("inner")
        old, new = self.changed("").splitlines(), changed.splitlines()
        same = sum(line in old for line in new)
        self.assertIn("    stage(buffer ^ 1);  // no thread reads it anymore", changed)
        self.assertIn("    fetch(k0 + BK);", changed)
        self.assertNotIn("float rA[TM]", changed)
        self.assertEqual(changed.count("#pragma unroll\n"), 3)
        self.assertEqual(self.changed("inner_rolled").count("#pragma unroll 1\n"), 1)
        self.assertGreater(same, len(new) - 10)

    def test_launch_bounds_get_a_number_of_blocks(self):
        changed = self.changed("3_blocks")
        self.assertIn("__launch_bounds__((BM / TM) * (BN / TN), 3)\n", changed)

    def test_other_rungs_have_no_such_loop(self):
        with self.assertRaises(sass_order.InputError):
            sass_order.CHANGES["inner"](kernel_of(rung_name(5)))


class RecordedTest(unittest.TestCase):
    """The file that pages quote."""

    def test_it_holds_every_kernel(self):
        names = [entry["name"] for entry in json.loads(LOOPS.read_text())["benchmarks"]]
        expected = [
            f"{rung:02}" + "_" * bool(change) + change for rung, change in sass_order.recorded()
        ]
        missing = [name for name in expected if name not in names]
        renew = "python3 -m bench.record.sass_order --out bench/results/sass/loops.json"
        self.assertEqual(missing, [], f"loops.json lacks these: run {renew}")

    def test_what_is_missing_is_named(self):
        done = subprocess.run(
            [sys.executable, "-m", "bench.record.sass_order", "06", "--nvcc", "no_such_nvcc"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 2)
        with self.assertRaisesRegex(sass_order.InputError, "00_cublas has no kernel.cuh"):
            sass_order.compile_loop(0, "", ("nvcc", "nvdisasm"))
        self.assertIn("sass_order.py: cannot find no_such_nvcc: install the CUDA", done.stderr)


if __name__ == "__main__":
    unittest.main()
