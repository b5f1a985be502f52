"""Sums long chains of products in FP32, in several orders, and files their errors as JSON.

    python3 -m bench.record.rounding            write bench/results/rounding.json
    python3 -m bench.record.rounding --check    compute again and compare

The seed is fixed, so that every digit agrees.

FP32 is made of Python's FP64: a product of two FP32 numbers is exact there, so that one rounding
makes an FFMA (but for rare double roundings). Errors are against math.fsum, which is exact.
"""

import argparse
import json
import math
import random
import struct
import sys

from bench import SOURCES, program, results_file
from bench.output_file import output_path, write_whole

RECORD = SOURCES / "bench" / "results" / "rounding.json"
LENGTHS = (64, 256, 1024, 4096, 16384)
PRODUCTS = 1 << 18  # of all trials of one length, at most
UNIT = 2.0**-24
SEED = 1
PACKED = struct.Struct("f")


def fp32(x):
    """x, rounded to FP32."""
    return PACKED.unpack(PACKED.pack(x))[0]


def tf32(x):
    """An FP32 number, rounded to 10 bits of fraction, ties to even."""
    if x == 0.0:
        return 0.0
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * 2048), exponent - 11)


def normal(numbers):
    """A number with mean 0 and variance 1, the same in every Python: a sum of 12 uniform ones."""
    return fp32(sum(numbers.random() for _ in range(12)) - 6.0)


def chain(a, b):
    """One fused multiply-add after the other, as a rung does it."""
    acc = 0.0
    for x, y in zip(a, b):
        acc = fp32(x * y + acc)
    return acc


def unfused(a, b):
    """The product rounded, then the sum rounded."""
    acc = 0.0
    for x, y in zip(a, b):
        acc = fp32(fp32(x * y) + acc)
    return acc


def parts(a, b, count=8):
    """`count` chains of neighbouring k, added at the end: split-K."""
    size = -(-len(a) // count)
    acc = 0.0
    for first in range(0, len(a), size):
        acc = fp32(acc + chain(a[first : first + size], b[first : first + size]))
    return acc


def backwards(a, b):
    """The chain from the last k to the first."""
    return chain(a[::-1], b[::-1])


def rounded_inputs(a, b):
    """Products of TF32 inputs, added in FP32: what a tensor core is given."""
    return chain([tf32(x) for x in a], [tf32(x) for x in b])


WAYS = {
    "chain": chain,
    "unfused": unfused,
    "parts": parts,
    "backwards": backwards,
    "tf32": rounded_inputs,
}


def root_mean_square(values):
    """The size of errors of either sign."""
    return math.sqrt(sum(value * value for value in values) / len(values))


def experiment(length, positive):
    """{way: error} for one length, in units of u*S, S = sqrt(sum (a*b)^2); u*sum |a*b| beside."""
    numbers = random.Random(f"{SEED} {length} {positive}")
    trials = min(512, PRODUCTS // length)
    errors = {way: [] for way in WAYS}
    largest, ratios, differing = {way: 0.0 for way in WAYS}, [], 0
    for _ in range(trials):
        a = [normal(numbers) for _ in range(length)]
        b = [normal(numbers) for _ in range(length)]
        if positive:
            a, b = [abs(x) for x in a], [abs(x) for x in b]
        products = [x * y for x, y in zip(a, b)]
        exact = math.fsum(products)
        scale = math.sqrt(math.fsum(p * p for p in products))
        ratios.append(math.fsum(abs(p) for p in products) / scale)
        results = {way: function(a, b) for way, function in WAYS.items()}
        differing += results["parts"] != results["chain"]
        for way, result in results.items():
            error = abs(result - exact) / (UNIT * scale)
            errors[way].append(error)
            largest[way] = max(largest[way], error)
    return {
        "k": length,
        "positive": positive,
        "trials": trials,
        "error": {way: round(root_mean_square(found), 4) for way, found in errors.items()},
        "largest": {way: round(value, 4) for way, value in largest.items()},
        "sum_over_scale": round(sum(ratios) / trials, 4),
        "parts_differ": differing,
    }


def main():
    """Writes or checks the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=output_path, default=RECORD)
    parser.add_argument("--check", action="store_true", help="compare with the record")
    options = parser.parse_args()
    data = {
        "context": {"seed": SEED, "unit_roundoff": UNIT},
        "benchmarks": [experiment(k, positive) for positive in (False, True) for k in LENGTHS],
    }
    if options.check:
        if data != results_file.read(RECORD):
            sys.exit(f"rounding.py: the errors are not those of {RECORD}")
        print(f"{len(data['benchmarks'])} experiments as recorded")
        return
    write_whole(options.out, json.dumps(data, indent=1) + "\n")
    print(f"wrote {options.out}")


if __name__ == "__main__":
    program.run(main)
