"""Runs a program that measures memory on a GPU and files what it prints.

    RESULTS=bench/results/nvidia-h100
    python3 -m bench.record.memory_programs kv_pipeline --out $RESULTS/kv_pipeline.json
    python3 -m bench.record.memory_programs l2_strides --out $RESULTS/l2_strides.json
    python3 -m bench.record.memory_programs side_boost_rope --out $RESULTS/side_boost_rope.json

--text takes what the program printed before in place of running it, and --beside the report of a
lab that ran on the same GPU: its context then stands for that of this machine.
"""

import argparse
import json
import pathlib
import re

from bench import SOURCES, program, results_file
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import context_of, output_of, stop
from bench.results_forms.gpu import LAB

MIB = 2**20
STEP = re.compile(
    r"(\w+) +right(?:, (\d+) KiB set aside)? +attention ([\d.]+) us, products ([\d.]+) us"
)
OTHER = re.compile(
    r"([\d.]+) MiB set aside: another array of ([\d.]+) MiB is read at (\d+) GB/s, "
    r"a line of it in (\d+), (\d+), (\d+) cycles"
)
ROPE = re.compile(r"(0) of (\d+) pairs are wrong; ([\d.]+) ms, (\d+) GB/s")
STRIDE = re.compile(r"(\d+) bytes: (\d+) GB/s; (\d+) bytes: (\d+) GB/s; [\d.]+ of it")


def step_of(match):
    """One way of the pipeline."""
    way, aside, attention, products = match.groups()
    return {
        "name": way,
        "set_aside_bytes": 1024 * int(aside or 0),
        "attention_us": float(attention),
        "products_us": float(products),
    }


def other_of(match):
    """Another array beside a set-aside."""
    aside, array, rate, *cycles = match.groups()
    return {
        "name": "another array",
        "set_aside_mib": float(aside),
        "array_mib": float(array),
        "gbps": float(rate),
        "line_cycles": dict(zip(("p10", "p50", "p90"), map(int, cycles), strict=True)),
    }


def stride_of(match):
    """A power of two, and the same with a line more."""
    stride, rate, other, other_rate = match.groups()
    return {
        "stride_bytes": int(stride),
        "gbps": float(rate),
        "other_stride_bytes": int(other),
        "other_gbps": float(other_rate),
    }


def turned(match):
    """What the example of side-aware memory says: all right, and how fast."""
    wrong, pairs, ms, rate = match.groups()
    return {
        "name": "rope",
        "pairs": int(pairs),
        "wrong": int(wrong),
        "ms": float(ms),
        "gbps": float(rate),
    }


PROGRAMS = {  # name: (words after it, what its lines are)
    "kv_pipeline": (["32"], {STEP: step_of, OTHER: other_of}),
    "l2_strides": ([], {STRIDE: stride_of}),
    "side_boost_rope": (["tests/common/side_aware/listings/rope.txt"], {ROPE: turned}),
}


def entries_of(name, text):
    """The lines of a program as entries. Each line has to be one."""
    entries = []
    for line in filter(None, map(str.strip, text.splitlines())):
        found = [(form, made) for form, made in PROGRAMS[name][1].items() if form.fullmatch(line)]
        if not found:
            stop(f"{name} printed a line that is no result: {line}")
        form, made = found[0]
        entries.append(made(form.fullmatch(line)))
    if not entries:
        stop(f"{name} printed nothing")
    return entries


def main():
    """Runs it, or reads what it printed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--out", type=output_path, required=True)
    parser.add_argument("--text", type=pathlib.Path, help="what the program printed before")
    parser.add_argument("--beside", type=pathlib.Path, help="a lab's report from the same GPU")
    parser.add_argument("--ladder", default="build/ladder", help="names the GPU and the commit")
    options = parser.parse_args()
    words, _ = PROGRAMS[options.program]
    binary = SOURCES / "build" / options.program
    text = options.text.read_text() if options.text else output_of([str(binary), *words])
    context = (
        results_file.read(options.beside, LAB)["context"]
        if options.beside
        else context_of(options.ladder, "gpu")
    )
    results = {"context": dict(context), "benchmarks": entries_of(options.program, text)}
    write_whole(options.out, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    program.run(main)
