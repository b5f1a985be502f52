"""bench/record/near_loops.py finds the loop of a side-aware kernel, which wastes no instruction.

The recorded loops are checked everywhere. Where nvdisasm, NVRTC and libside_aware.so are there,
they are made again.
"""

import json
import os
import shutil
import unittest

from bench.record import main_loop, near_loops
from bench.record.cuda_tools import InputError
from tests import SOURCES

RECORDED = SOURCES / "bench" / "results" / "sass" / "near_loops.json"
PUBLISHED_COPY = 39  # instructions for four vectors, in the listing that the project page shows


def line(text, word=0):
    """An instruction as nvdisasm -hex prints it."""
    return (
        f"        /*0000*/    {text} ;    /* 0x{word:016x} */\n"
        f"                                /* 0x{word:016x} */\n"
    )


DISASSEMBLY = "".join(
    (
        "//--------------------- .text.elementwise_anywhere ------\n.text.elementwise_anywhere:\n",
        ".L_x_0:\n",
        line("LDG.E.128 R4, desc[UR4][R2.64]"),
        line("LDG.E.128 R8, desc[UR4][R2.64]"),
        line("@P0 BRA `(.L_x_0)"),
        "//--------------------- .text.elementwise_aligned ------\n.text.elementwise_aligned:\n",
        line("LDG.E.128 R4, desc[UR4][R2.64]"),
        ".L_x_1:\n",
        line("IADD3 R4, R4, R4, RZ"),
        ".L_x_2:\n",
        line("POPC R5, R4"),
        line("LDG.E.EF.128 R4, desc[UR4][R2.64]"),
        line("STG.E.128 desc[UR4][R2.64], R4"),
        line("@!P0 BRA `(.L_x_2)"),
        line("LDG.E.U8 R6, desc[UR4][R2.64]"),
        line("@P1 BRA `(.L_x_1)"),
        line("EXIT"),
    )
)


class NearLoopsTest(unittest.TestCase):
    """Reading machine code."""

    def test_the_loop_of_the_stream_is_the_densest(self):
        section = near_loops.section_of(near_loops.KERNEL, DISASSEMBLY)
        loop = near_loops.stream_loop(*main_loop.parse(section))
        self.assertEqual(len(loop), 4)
        self.assertEqual(
            near_loops.row_of("copy", loop),
            {
                "name": "copy",
                "instructions": 4,
                "loads": 1,
                "stores": 1,
                "popc": 1,
                "loop": [each.text for each in loop],
            },
        )

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(InputError, "no kernel elementwise_none"):
            near_loops.section_of("elementwise_none", DISASSEMBLY)
        with self.assertRaisesRegex(InputError, "no loop"):
            near_loops.stream_loop(*main_loop.parse(line("EXIT")))
        with self.assertRaisesRegex(InputError, "ninja -C build side_aware"):
            near_loops.Compiler(SOURCES / "no_such_library.so")


class RecordedLoopsTest(unittest.TestCase):
    """What pages quote."""

    def check(self, rows):
        """The copy spends as little as the published one, and finds the side in four steps."""
        copy = rows["copy"]
        self.assertEqual((copy["loads"], copy["stores"], copy["popc"]), (4, 4, 4))
        self.assertLessEqual(copy["instructions"], PUBLISHED_COPY)
        self.assertEqual(sum("LDG.E.EF.128" in text for text in copy["loop"]), 4)
        for name in ("copy", "rope"):
            listed = rows[f"listed_{name}"]
            self.assertLessEqual(listed["instructions"], rows[name]["instructions"], name)
        for row in rows.values():
            self.assertFalse(
                [text for text in row["loop"] if text.startswith(("LDL", "STL"))],
                f"{row['name']} spills registers",
            )

    def test_the_recorded_loops(self):
        rows = {row["name"]: row for row in json.loads(RECORDED.read_text())["benchmarks"]}
        self.assertEqual(list(rows), [name for name, *_ in near_loops.OPERATIONS])
        self.check(rows)

    def test_the_loops_of_this_tree(self):
        nvdisasm = os.environ.get("LADDER_NVDISASM") or shutil.which("nvdisasm")
        if not nvdisasm or not near_loops.LIBRARY.exists():
            self.skipTest("nvdisasm or libside_aware.so is not there")
        compiler = near_loops.Compiler(near_loops.LIBRARY)
        try:
            compiler.name()
        except InputError as error:
            self.skipTest(str(error))
        self.check(
            {
                name: near_loops.row_of(name, compiler.loop(header, struct, nvdisasm))
                for name, header, struct in near_loops.OPERATIONS
            }
        )


if __name__ == "__main__":
    unittest.main()
