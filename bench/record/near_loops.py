"""Counts the instructions that a side-aware kernel spends on each vector of 16 bytes.

    python3 -m bench.record.near_loops
    python3 -m bench.record.near_loops --out bench/results/sass/near_loops.json

Compiles the shipped operations and two headers for compute capability 9.0 as a program does when it
runs, and disassembles the loop of the kernel for arrays that begin a page: the one that loads all
vectors of a batch before it stores any. It needs libside_aware.so, NVRTC and nvdisasm, and no GPU.
"""

import argparse
import ctypes
import json
import pathlib
import re
import sys
import tempfile

from bench import SOURCES, program
from bench.output_file import output_path, write_whole
from bench.record.cuda_tools import (
    GET_NVDISASM,
    InputError,
    find_tool,
    machine_code_context,
    output_of,
)
from bench.record.main_loop import parse

HOPPER = 90
KERNEL = "elementwise_aligned"
LIBRARY = SOURCES / "build" / "lib" / "libside_aware.so"
LISTINGS = SOURCES / "tests" / "common" / "side_aware" / "listings"
SHIPPED = '#include "common/side_aware/operations/{}.cuh"\n'
# Operation, its header or a file that holds it, its struct.
OPERATIONS = (
    *(
        (name, SHIPPED.format(name), f"ladder::side_aware::{struct}")
        for name, struct in (
            ("copy", "Copy"),
            ("scale", "Scale"),
            ("absmax", "AbsMax"),
            ("sum", "Total"),
            ("rope", "Rope"),
        )
    ),
    ("listed_copy", LISTINGS / "memcpy.txt", None),
    ("listed_rope", LISTINGS / "rope.txt", None),
    ("listed_rope_skips_at_once", LISTINGS / "rope_skips_at_once.txt", None),
)


def loads_of(loop):
    """Loads of a whole vector."""
    return sum("LDG." in each.text and ".128" in each.text for each in loop)


def section_of(kernel, disassembly):
    """The lines of one kernel."""
    start = disassembly.find(f".text.{kernel}:")
    if start < 0:
        raise InputError(f"there is no kernel {kernel} in the machine code")
    end = disassembly.find("\n//-----", start)
    return disassembly[start : end if end > 0 else None]


def stream_loop(instructions, labels):
    """The loop with most loads of whole vectors per instruction: the one without edges."""
    loops = []
    for end, instruction in enumerate(instructions):
        branch = re.search(r"\bBRA\b.*?(\.L_x_\d+)", instruction.text)
        begin = labels.get(branch[1], end + 1) if branch else end + 1
        if begin <= end and loads_of(instructions[begin : end + 1]) > 0:
            loops.append(instructions[begin : end + 1])
    if not loops:
        raise InputError("the kernel has no loop that loads vectors of 16 bytes")
    return max(loops, key=lambda loop: loads_of(loop) / len(loop))


def row_of(operation, loop):
    """What is filed of an operation's loop."""
    vectors = loads_of(loop)
    return {
        "name": operation,
        "instructions": len(loop),
        "loads": vectors,
        "stores": sum("STG." in each.text for each in loop),
        "popc": sum(each.text.split()[0] == "POPC" for each in loop),
        "loop": [each.text for each in loop],
    }


class Compiler:
    """The run-time compiler behind libside_aware.so."""

    def __init__(self, path):
        try:
            self.library = ctypes.CDLL(str(path))
        except OSError as error:
            raise InputError(
                f"{path} cannot be loaded ({error}): ninja -C build side_aware"
            ) from error
        for function in (self.library.sideaware_error, self.library.sideaware_compiler):
            function.restype = ctypes.c_char_p

    def name(self):
        """What it calls itself."""
        found = self.library.sideaware_compiler().decode()
        if not found:
            raise InputError(self.library.sideaware_error().decode())
        return found

    def loop(self, header, struct, nvdisasm):
        """The loop of an operation; a header of types and functions has no struct."""
        text = header.read_text() if isinstance(header, pathlib.Path) else header
        with tempfile.TemporaryDirectory() as folder:
            cubin = pathlib.Path(folder) / "loop.cubin"
            failed = self.library.sideaware_write_cubin(
                text.encode(), struct and struct.encode(), HOPPER, str(cubin).encode()
            )
            if failed:
                raise InputError(self.library.sideaware_error().decode())
            disassembly = output_of([nvdisasm, "-c", cubin])
        return stream_loop(*parse(section_of(KERNEL, disassembly)))


def run(options):
    """Prints or files the loops."""
    nvdisasm = find_tool(options.nvdisasm, "nvdisasm", ["/usr/local/cuda/bin"], GET_NVDISASM)
    compiler = Compiler(options.library)
    rows = [
        row_of(operation, compiler.loop(header, struct, nvdisasm))
        for operation, header, struct in OPERATIONS
    ]
    if options.out:
        context = machine_code_context(compiler.name())
        text = json.dumps({"context": context, "benchmarks": rows}, indent=1)
        write_whole(options.out, text + "\n")
        return
    for row in rows:
        print(
            f"{row['name']}: {row['instructions']} instructions for {row['loads']} vectors "
            f"loaded and {row['stores']} stored, {row['instructions'] / row['loads']:.2f} each"
        )


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=pathlib.Path, default=LIBRARY)
    parser.add_argument("--nvdisasm")
    parser.add_argument("--out", type=output_path, help="file the loops here")
    try:
        run(parser.parse_args())
    except InputError as error:
        print(f"near_loops.py: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    program.run(main)
