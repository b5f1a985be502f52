"""Blocks of the page about numerics: errors of long sums, simulated and recorded."""

import json
import math
import pathlib
import statistics
import struct
from fractions import Fraction

from bench import SOURCES
from docs.report.page_blocks.markdown import table
from docs.report.page_blocks.measuring import title_of
from docs.report.page_blocks.nvcc import record_at
from docs.report.recorded import climb, load, precision_of, provenance, rungs_of

RECORD = pathlib.Path("bench/results/rounding.json")  # below the root of the sources
TENSOR_SUMS = SOURCES / "tests/common/ptx/tensor_sums_h100.json"
INSTRUCTIONS = {"mma_tf32": "mma, TF32", "mma_bf16": "mma, BF16", "wgmma": "wgmma, BF16"}
CLIMBS = (("graph", 512), ("graph", 1024), ("graph", 2048), ("burst", 4096), ("burst", 8192))


def experiments(positive):
    """The recorded experiments with one kind of numbers."""
    found = record_at(RECORD)["benchmarks"]
    return [entry for entry in found if entry["positive"] == positive]


def rounding_block(*_):
    """Errors for numbers with mean 0, in units of u*S."""
    rows = []
    for entry in experiments(positive=False):
        error, root = entry["error"], math.sqrt(entry["k"])
        rows.append(
            (
                entry["k"],
                f"{error['chain']:.1f}",
                f"{error['chain'] / root:.2f}",
                f"{error['unfused']:.1f}",
                f"{error['backwards']:.1f}",
                f"{error['parts']:.1f}",
                f"{entry['largest']['chain']:.0f}",
                f"{12 * root:.0f}",
                f"{error['tf32']:.0f}",
            )
        )
    heads = (
        "K",
        "chain",
        "/ sqrt(K)",
        "unfused",
        "backwards",
        "8 parts",
        "chain, largest",
        "12 sqrt(K)",
        "TF32",
    )
    trials = [entry["trials"] for entry in experiments(positive=False)]
    return table(heads, rows) + (
        "\n\nRoot mean square of the error in units of u\\*S, of "
        f"{max(trials)} sums (shortest) to {min(trials)} (longest). "
        f"`python3 -m bench.record.rounding`, seed {record_at(RECORD)['context']['seed']}."
    )


def rounding_positive_block(*_):
    """Errors for positive numbers, by both measures."""
    rows = []
    for entry in experiments(positive=True):
        error, root = entry["error"]["chain"], math.sqrt(entry["k"])
        relative = error / entry["sum_over_scale"]
        rows.append(
            (
                entry["k"],
                f"{error:.0f}",
                f"{error / root:.1f}",
                f"{relative:.1f}",
                f"{relative / root:.2f}",
                f"{entry['error']['parts']:.0f}",
                f"{12 * root:.0f}",
            )
        )
    return table(
        (
            "K",
            "chain, in u*S",
            "/ sqrt(K)",
            "chain, in u*sum",
            "/ sqrt(K)",
            "8 parts, in u*S",
            "bound, 12 sqrt(K)",
        ),
        rows,
    )


def recorded_errors_block(*_):
    """The largest error of any element, as a share of the bound, on the GPU."""
    names, cells = {}, {}
    for protocol, size in CLIMBS:
        for rung, entry in rungs_of(climb(size, protocol)).items():
            if entry["error_over_bound"] is None or precision_of(entry) != "FP32":
                continue
            names[rung] = title_of(entry["name"])
            same = entry["difference_to_cublas"] == 0
            cells[rung, size] = f"{entry['error_over_bound']:.2f}" + (" =" if same else "")
    rows = [
        (names[rung], *(cells.get((rung, size), "") for _, size in CLIMBS))
        for rung in sorted(names)
    ]
    return table(("rung", *(str(size) for _, size in CLIMBS)), rows) + (
        f"\n\n`=`: the same bits as cuBLAS. {provenance('climb_burst_4096.json')}; "
        f"seed {load('climb_burst_4096.json')['benchmarks'][0]['seed']}."
    )


def number_of(word):
    """A float, or the BF16 that is its upper half, from hexadecimal digits."""
    return struct.unpack(">f", bytes.fromhex(word.ljust(8, "0")))[0]


def numbers_of(lines):
    """A matrix."""
    return [[number_of(word) for word in line.split()] for line in lines]


def steps_off(exact, got):
    """How far a sum is from the exact one, towards zero, in steps of FP32."""
    step = Fraction(2) ** max(math.frexp(got)[1] - 24, -149)
    return (abs(exact) - abs(Fraction(got))) / step


def tensor_sums_block(*_):
    """What tensor cores made of recorded sums, against the exact ones."""
    record = json.loads(TENSOR_SUMS.read_text())
    rows = []
    for instruction, title in INSTRUCTIONS.items():
        off = []
        for tile in record["tiles"]:
            if tile["instruction"] != instruction or "any bits" in tile["numbers"]:
                continue
            a, b, c, sums = (numbers_of(tile[name]) for name in ("a", "b", "c", "sums"))
            for row, starts, results in zip(a, c, sums):
                for column, start, got in zip(b, starts, results):
                    products = (Fraction(x) * Fraction(y) for x, y in zip(row, column))
                    off.append(steps_off(Fraction(start) + sum(products), got))
        nearest = sum(abs(each) <= Fraction(1, 2) for each in off)
        smaller = sum(each > 0 for each in off)
        rows.append(
            (
                title,
                len(off),
                f"{100 * nearest / len(off):.0f} %",
                f"{100 * smaller / len(off):.0f} %",
                f"{float(statistics.median(off)):.2f}",
                f"{float(max(map(abs, off))):.1f}",
            )
        )
    heads = ("instruction", "sums", "nearest", "too small", "steps, median", "steps, most")
    return table(heads, rows) + (
        "\n\nSums of C and the products of one instruction, against the exact sum. *Nearest*: the "
        "float that rounding would give; *steps*: of FP32, how much smaller the result is. "
        f"{record['gpu']}."
    )


BLOCKS = {
    "tensor_sums": tensor_sums_block,
    "rounding": rounding_block,
    "rounding_positive": rounding_positive_block,
    "recorded_errors": recorded_errors_block,
}
