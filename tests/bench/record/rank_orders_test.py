"""rank_orders.py: orders are complete, machine code is counted right, errors say what to do.

data/nvdisasm_loop.txt is the end of a small kernel, as nvdisasm printed it: a loop with two
loads and 2 x 4 multiply-adds. No compiler for GPUs is needed here: scripts stand in for the tools.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bench.copies import rung_name, source_of
from bench.record import main_loop, rank_orders
from tests import SOURCES

RECORDED = SOURCES / "tests/bench/record/data/nvdisasm_loop.txt"
RESULTS = SOURCES / "bench" / "results" / "sass"
KERNEL = "_ZN6ladder11every_shape6kernelILi2ELi4ELi1ELi8ELi4EEEvN3ptx9TensorMapEiii"
# Keeps its source, and says that all orders but those with columns and rows going up spill.
FAKE_NVCC = """#!/bin/sh
[ "$1" = --version ] && echo "Cuda compilation tools, release 13.0, V13.0.88" && exit
for last; do :; done
folder=$(dirname "$last")
cp "$folder/copy.cu" {kept}
touch "$last"
spills=64
tr -d '\\n ' < "$folder/copy.cu" | grep -qF '++n){{for(intm=0;m<TM;++m){{acc[m][n]+=rA' && spills=0
echo "    0 bytes stack frame, $spills bytes spill stores, 0 bytes spill loads" >&2
echo "ptxas info    : Used 168 registers, used 1 barriers" >&2
"""

COUNTS = [field.name for field in dataclasses.fields(main_loop.Counts)]


def rank(*arguments, **environment):
    """Runs the script; returns (exit code, standard output, standard error)."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.record.rank_orders", *arguments],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout, done.stderr


def counts_of(text):
    """The Counts of a disassembly's innermost loop."""
    return main_loop.count(main_loop.innermost_loop(*main_loop.parse(text)))


class OrdersTest(unittest.TestCase):
    """The loops that take the place of the kernel's."""

    def test_every_order_visits_each_result_once(self):
        product = '0; std::printf("%d,%d ", m, n)'
        rows = "".join(
            order.loops(product, "") + 'std::puts("");\n' for order in rank_orders.ORDERS
        )
        with tempfile.TemporaryDirectory() as name:
            source = pathlib.Path(name) / "orders.cpp"
            source.write_text(
                "#include <cstdio>\nconstexpr int TM = 4;\nconstexpr int TN = 6;\n"
                f"int main() {{\nint acc[TM][TN] = {{}};\n{rows}}}\n"
            )
            subprocess.run(["c++", source, "-o", source.with_suffix("")], check=True)
            lines = subprocess.check_output([source.with_suffix("")], text=True).splitlines()
        visits = {
            str(order): line.split() for order, line in zip(rank_orders.ORDERS, lines, strict=True)
        }
        self.assertEqual(len(visits), 16)
        self.assertEqual(len({tuple(visited) for visited in visits.values()}), 16)
        for name, visited in visits.items():
            expected = sorted(f"{m},{n}" for m in range(4) for n in range(6))
            self.assertEqual(sorted(visited), expected, name)
        self.assertEqual(visits["rows up, columns up"][4:8], ["0,4", "0,5", "1,0", "1,1"])
        self.assertEqual(visits["rows up, columns up and back"][4:8], ["0,4", "0,5", "1,5", "1,4"])
        turn = visits["columns down, rows down and back"]
        self.assertEqual(turn[2:6], ["1,5", "0,5", "0,4", "1,4"])

    def test_an_order_takes_the_place_of_the_loops_and_of_nothing_else(self):
        rung = rung_name(14)
        loops = rank_orders.find_loops(rung)
        made = rank_orders.copies(rung, loops, argparse.Namespace(only="", template=None))
        sources = {name: source_of(copy) for name, copy in made.items()}
        self.assertEqual(len(set(sources.values())), 17)
        before, after = sources.pop(rank_orders.AS_WRITTEN).split(loops[0])
        for name, text in sources.items():
            self.assertTrue(text.startswith(before) and text.endswith(after), name)

    def test_all_rungs_that_pages_quote_have_such_loops(self):
        for rung in rank_orders.recorded():
            loops = rank_orders.find_loops(rung_name(rung))
            self.assertRegex(loops["product"], r"^rA.*\[m\] \* rB.*\[n\]$", rung)


class CountsTest(unittest.TestCase):
    """Parser and counts on the recorded text."""

    def setUp(self):
        self.text = RECORDED.read_text()

    def edited(self, old, new):
        """The recorded text with one place replaced."""
        self.assertEqual(self.text.count(old), 1, old)
        return self.text.replace(old, new)

    def test_the_recorded_loop(self):
        counts = counts_of(self.text)
        self.assertEqual((counts.instructions, counts.ffma, counts.lds), (15, 8, 2))
        self.assertEqual(counts.other, 5)
        self.assertEqual(counts.three_fresh, 2)  # where a's first and second row begin
        self.assertEqual(counts.same_bank, 0)
        self.assertEqual(counts.issue_cycles, 15)
        self.assertEqual(counts.alone_cycles, 25)  # one FFMA pauses for 2 cycles, a load for more
        self.assertEqual(counts.cycles, 15 / 8)

    def test_pauses_of_two_warps_that_take_longer_than_their_instructions(self):
        self.assertEqual(main_loop.Counts(10, 8, 0, 0, 0, 12, 30).cycles, 15 / 8)

    def test_a_register_that_is_not_kept_is_read_again(self):
        counts = counts_of(self.edited("FFMA R14, R5, R2.reuse, R14", "FFMA R14, R5, R2, R14"))
        self.assertEqual(counts.three_fresh, 3)

    def test_a_kept_register_serves_its_own_slot_alone(self):
        counts = counts_of(self.edited("FFMA R14, R5, R2.reuse, R14", "FFMA R14, R2, R5, R14"))
        self.assertEqual(counts.three_fresh, 2 + 1)  # the next finds R2 where it was left before

    def test_two_fresh_registers_of_one_bank(self):
        counts = counts_of(
            self.edited("FFMA R14, R5, R2.reuse, R14", "FFMA R13, R5, R2.reuse, R13")
        )
        self.assertEqual((counts.three_fresh, counts.same_bank), (2, 1))

    def test_only_registers_of_the_thread_are_reads(self):
        counts = counts_of(self.edited("FFMA R15, R4, R2.reuse, R15", "FFMA R15, RZ, UR3, -R15"))
        # The first reads one register; the second finds nothing kept.
        self.assertEqual((counts.three_fresh, counts.same_bank), (2, 0))

    def test_the_shorter_of_two_loops_that_multiply_counts(self):
        outer = self.text.replace(".L_x_0:", "        /*02a0*/  @P1 BRA `(.L_x_9) ;  /* 0x0 */")
        outer = "        /*0000*/  NOP ;  /* 0x0 */\n.L_x_9:\n" + outer
        self.assertEqual(counts_of(outer).instructions, 15)

    def test_a_loop_with_few_of_the_multiply_adds_is_not_the_main_loop(self):
        branch = "        /*0215*/  @P1 BRA `(.L_x_9) ;  /* 0x0 */\n"
        line = "        /*0220*/                   FFMA R14"
        text = self.edited(line, f"{branch}{line}")
        text = text.replace("        /*0210*/", ".L_x_9:\n        /*0210*/")
        self.assertEqual(counts_of(text).ffma, 8)

    def test_code_without_such_a_loop(self):
        with self.assertRaisesRegex(rank_orders.InputError, "no loop with multiply-adds"):
            counts_of(self.edited("@!P0 BRA `(.L_x_1)", "@!P0 BRA `(.L_x_0)"))

    def test_the_fewest_cycles_come_first_and_spills_last(self):
        quick = main_loop.Counts(1100, 1024, 48, 10, 0, 1110, 1200)
        slow = main_loop.Counts(1100, 1024, 48, 300, 0, 1300, 1400)
        spilled = main_loop.Counts(1100, 1024, 48, 0, 0, 1100, 1200, spills=8)
        ranked = sorted([spilled, slow, quick], key=lambda counts: counts.rank)
        self.assertEqual(ranked, [quick, slow, spilled])


class IssueCyclesTest(unittest.TestCase):
    """Cycles of a scheduler for short loops, by the rule of two register banks."""

    def cycles(self, *instructions, pauses=None):
        """Those of a loop; an FFMA is the three registers that it reads, with a ! if kept."""
        loop = [main_loop.Instruction(text(each)) for each in instructions]
        for instruction, pause in zip(loop, pauses or []):
            instruction.pause = pause
        return main_loop.cycles_of(loop, pauses is not None)

    def test_an_instruction_takes_a_cycle(self):
        self.assertEqual(self.cycles("BRA"), 1)
        self.assertEqual(self.cycles("LDS R1", "IADD3 R2", "BRA"), 3)

    def test_two_banks_serve_two_reads_a_cycle(self):
        self.assertEqual(self.cycles(*["2! 4! 6", "2! 4! 8", "2! 4! 10", "2! 4! 12"]), 4)
        self.assertEqual(self.cycles(*["2! 5 8", "2! 7 10", "2! 9 12", "2! 11 14"]), 4)

    def test_three_reads_of_every_ffma_are_three_halves_of_a_cycle(self):
        alternating = ["2 5 8", "3 6 9"]  # banks: even, odd, even; odd, even, odd
        self.assertEqual(self.cycles(*10 * alternating), 30)

    def test_reads_of_one_bank_alone_take_a_cycle_each(self):
        self.assertEqual(self.cycles(*10 * ["2 4 6"]), 30)
        self.assertEqual(self.cycles(*10 * ["2! 4 6"]), 20)

    def test_a_register_that_is_read_twice_is_one_read(self):
        self.assertEqual(self.cycles(*10 * ["2 2 2"]), 10)
        self.assertEqual(self.cycles(*10 * ["2 2 4"]), 20)

    def test_pairs_that_change_banks_from_one_ffma_to_the_next_cost_nothing(self):
        self.assertEqual(self.cycles(*10 * ["2! 4 6", "2! 5 7"]), 20)

    def test_an_ffma_does_not_wait_for_its_own_reads(self):
        """As bursts of FFMAs with three reads among others were timed on an H100."""
        none = 7 * ["RZ RZ RZ"]
        for heavy, late in (("2 4 6", 2), ("2 4 7", 1)):
            self.assertEqual(self.cycles(heavy, *none), 8)
            self.assertEqual(self.cycles(heavy, heavy, *none[1:]), 8 + late)
            self.assertEqual(self.cycles(heavy, heavy, heavy, *none[2:]), 8 + 2 * late)

    def test_kept_registers_outlive_ffmas_that_read_another_bank_there(self):
        """The life of a kept register, as it was timed on an H100 with 4 steps."""
        for between, cycles in (("12 14 16", 12), ("13 14 16", 10), ("RZ 14 16", 10)):
            with self.subTest(between):
                self.assertEqual(self.cycles("2! 4 6", between, "2 8 10", "4 6 8"), cycles)

    def test_a_register_that_is_read_and_not_kept_again_is_gone(self):
        self.assertEqual(self.cycles("2! 4 6", "2 8 10", "2 8 10", "4 6 8"), 3 + 2 + 3 + 3)

    def test_a_register_that_is_written_is_not_kept(self):
        loop = [
            main_loop.Instruction(each)
            for each in ("FFMA R2, R2.reuse, R4, R6", "FFMA R9, R2, R8, R10")
        ]
        self.assertEqual(main_loop.cycles_of(loop, False), 6)

    def test_the_reuse_cache_outlives_one_idle_cycle(self):
        self.assertEqual(self.cycles("2! 4 6", "2 8 10", pauses=[1, 1]), 5)
        self.assertEqual(self.cycles("2! 4 6", "2 8 10", pauses=[2, 1]), 5)
        self.assertEqual(self.cycles("2! 4 6", "2 8 10", pauses=[3, 1]), 6)
        self.assertEqual(self.cycles("2! 4 6", "LDS R1", "2 8 10"), 5)
        self.assertEqual(self.cycles("2! 4 6", "LDS R1", "LDS R1", "2 8 10"), 6)

    def test_pauses_are_read_from_the_upper_half(self):
        """The fifth bit says that the warp stays; without it, it yields for a cycle."""
        for bits, pause in (
            *((0b10001, 1), (0b10100, 4), (0b00100, 4)),
            *((0b00001, 2), (0b10000, 1), (0b11100, 1), (0b11111, 2), (0b01111, 15)),
        ):
            self.assertEqual(main_loop.pause_of(bits << 41), pause)


def text(instruction):
    """Machine code of '2! 5 8', which keeps R2; anything else stays as it is."""
    if not instruction[0].isdigit() and not instruction.startswith("RZ"):
        return instruction
    operands = [
        f"R{each}".replace("!", ".reuse").replace("RRZ", "RZ") for each in instruction.split()
    ]
    return f"FFMA R99, {', '.join(operands)}"


class ScriptTest(unittest.TestCase):
    """The whole script, with scripts in place of nvcc and nvdisasm."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tools = pathlib.Path(self.folder.name)
        self.tool("nvcc", FAKE_NVCC.format(kept=self.tools))
        self.tool("nvdisasm", f"#!/bin/sh\necho .text.{KERNEL}\ncat {RECORDED}\n")

    def tearDown(self):
        self.folder.cleanup()

    def tool(self, name, text):
        """Writes an executable script."""
        path = self.tools / name
        path.write_text(text)
        path.chmod(0o755)

    def rank(self, *arguments):
        """Runs the script with these tools first on the PATH."""
        return rank(*arguments, PATH=f"{self.tools}:{os.environ['PATH']}")

    def test_the_table_its_best_order_and_the_last_line(self):
        code, text, errors = self.rank("13")
        self.assertEqual((code, errors), (0, ""))
        lines = text.splitlines()
        self.assertEqual(lines[0], "13_shared_k: kernel<2, 4, 1, 8, 4> for sm_90a")
        self.assertEqual(len([line for line in lines if line.startswith("     1.8750")]), 17)
        self.assertTrue(lines[2].endswith("0  columns up, rows up"), lines[2])
        self.assertRegex(lines[3], r" 64  ")
        self.assertIn("columns up, rows up:", lines)
        self.assertIn("      acc[m][n] += rA[k % 2][m] * rB[k % 2][n];", lines)
        self.assertIn("a guide and the clock decides", lines[-1])

    def test_what_launch_cu_launches_is_compiled(self):
        only = ("--only", "rows up, columns up and back")
        self.rank("13", *only)
        source = (self.tools / "copy.cu").read_text()
        self.assertIn("launch(kernel<WARPS_M, WARPS_N, WARPS_K, STAGES, BAND>", source)
        self.assertIn('stream_k<2, 4, 1, 8>("128 x 256"', source)
        self.assertNotIn('stream_k<1, 1, 8, 5>("64 x 64"', source)
        self.rank("13", *only, "--template", "1,1,8,3,4")
        self.assertIn("launch(kernel<1,1,8,3,4>", (self.tools / "copy.cu").read_text())

    def test_machine_code_of_two_kernels_is_refused(self):
        self.tool("nvdisasm", f"#!/bin/sh\necho .text.{KERNEL} .text._Z2b\ncat {RECORDED}\n")
        code, _, errors = self.rank("13", "--only", "rows up, columns up and back")
        self.assertEqual(code, 2)
        self.assertIn("shared_k has 2 kernels in machine code, and not one", errors)

    def test_a_file_holds_every_order_in_its_ranking(self):
        path = self.tools / "orders.json"
        code, text, errors = self.rank("13", "08", "--out", path)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(text.splitlines()[-1], f"wrote {path}")
        results = json.loads(path.read_text())
        self.assertEqual(results["context"]["compiler"], "nvcc 13.0.88")
        self.assertEqual(results["context"]["json_schema_version"], 1)
        entries = results["benchmarks"]
        self.assertEqual([entry["rung"] for entry in entries], [13] * 17 + [8] * 17)
        first = {
            "name": "13_columns_up_rows_up",
            "rung": 13,
            "order": "columns up, rows up",
            "arguments": "2, 4, 1, 8, 4",
            "arch": "90a",
            **{"instructions": 15, "ffma": 8, "lds": 2, "three_fresh": 2, "same_bank": 0},
            **{"issue_cycles": 15, "alone_cycles": 25, "spills": 0, "registers": 168},
        }
        self.assertEqual(entries[0], first)
        self.assertEqual({entry["spills"] for entry in entries[1:17]}, {64})
        self.assertIn("13_as_written", [entry["name"] for entry in entries])

    def test_a_file_is_of_whole_rungs_as_they_are_launched(self):
        path = self.tools / "orders.json"
        for option in ("--only=rows up", "--template=1,1,8,3,4"):
            code, _, errors = self.rank("13", option, "--out", path)
            self.assertEqual(code, 2)
            self.assertIn("--out files all orders of the kernels that run", errors)
        self.assertFalse(path.exists())
        self.assertIn("name a rung, for instance 13", self.rank()[2])
        self.assertIn("--template is for one rung", self.rank("12", "13", "--template", "1")[2])

    def test_an_nvcc_without_a_version_is_named(self):
        self.tool("nvcc", "#!/bin/sh\necho hello\n")
        code, _, errors = self.rank("13", "--out", self.tools / "orders.json")
        self.assertEqual(code, 2)
        self.assertRegex(errors, "nvcc --version names no release")

    def test_a_tool_that_is_missing(self):
        code, _, errors = rank("13", "--nvcc", "no_such_nvcc")
        self.assertEqual(code, 2)
        self.assertRegex(errors, "cannot find no_such_nvcc: install the CUDA toolkit")
        code, _, errors = self.rank("13", "--nvdisasm", "no_such_nvdisasm")
        self.assertEqual(code, 2)
        self.assertRegex(
            errors, "cannot find no_such_nvdisasm: .*`pip install nvidia-cuda-nvdisasm"
        )

    def test_what_a_tool_complains_about_is_shown(self):
        self.tool("nvcc", "#!/bin/sh\necho 'kernel.cuh(3): error: no such thing'\nexit 1\n")
        code, _, errors = self.rank("13")
        self.assertEqual(code, 2)
        self.assertIn("nvcc failed:\nkernel.cuh(3): error: no such thing", errors)

    def test_a_kernel_without_such_loops(self):
        code, _, errors = self.rank("03")
        self.assertEqual(code, 2)
        self.assertRegex(errors, "the kernel of ladder/03_shared_tile has 0 pairs of loops")
        self.assertRegex(self.rank("00")[2], "ladder/00_cublas has no kernel.cuh")
        self.assertRegex(self.rank("77")[2], "there is no rung 77")

    def test_an_order_that_there_is_not(self):
        code, _, errors = self.rank("13", "--only", "sideways")
        self.assertEqual(code, 2)
        self.assertIn("no order has 'sideways' in its name; one is called 'rows up", errors)


class RecordedTest(unittest.TestCase):
    """The file that lessons quote."""

    def test_no_launch_is_faster_than_its_loop(self):
        entries, _ = self.recorded("orders.json")
        compared = 0
        for profile in sorted(RESULTS.parent.glob("nvidia-*/profile_4096.json")):
            card = profile.parent.name.removeprefix("nvidia-")
            sms = json.loads((SOURCES / f"common/devices/{card}.json").read_text())["sms"]["value"]
            for launch in json.loads(profile.read_text())["benchmarks"]:
                entry = entries.get(f"{launch['rung']:02}_as_written")
                if not entry:
                    continue
                counts = main_loop.Counts(**{field: entry[field] for field in COUNTS})
                ffma_of_a_scheduler = 4096**3 / 32 / (4 * sms)
                measured = launch["metrics"]["sm__cycles_elapsed.max"] / ffma_of_a_scheduler
                with self.subTest(card=card, rung=launch["rung"]):
                    self.assertGreater(measured, counts.cycles)
                compared += 1
        self.assertGreaterEqual(compared, 10)

    @staticmethod
    def recorded(name):
        """({name: entry}, compiler) of a file of machine code."""
        results = json.loads((RESULTS / name).read_text())
        entries = {entry["name"]: entry for entry in results["benchmarks"]}
        return entries, results["context"]["compiler"]

    def test_it_holds_17_lines_of_each_rung_the_best_first(self):
        entries, _ = self.recorded("orders.json")
        expected = {rank_orders.AS_WRITTEN, *map(str, rank_orders.ORDERS)}
        for rung in rank_orders.recorded():
            found = [entry for entry in entries.values() if entry["rung"] == rung]
            self.assertEqual({entry["order"] for entry in found}, expected)
            counts = [
                main_loop.Counts(**{field: entry[field] for field in COUNTS}) for entry in found
            ]
            self.assertEqual(counts, sorted(counts, key=lambda each: each.rank))

    def test_the_rungs_are_those_that_the_other_files_have(self):
        orders, compiler = self.recorded("orders.json")
        compared = 0
        for file, suffix, fields in (
            ("loops.json", "", ("instructions", "registers")),
            ("ablations.json", "_unchanged", ("instructions", "three_fresh")),
        ):
            others, other_compiler = self.recorded(file)
            if other_compiler != compiler:
                continue
            for rung in rank_orders.recorded():
                other = others.get(f"{rung:02}{suffix}")
                for field in fields if other else ():
                    compared += 1
                    own = orders[f"{rung:02}_as_written"][field]
                    self.assertEqual(own, other[field], f"{file}: {field} of rung {rung:02}")
        self.assertGreater(compared, 0, "files of different compilers")


if __name__ == "__main__":
    unittest.main()
