"""Records what tensor cores make of small products, for the emulator to be compared with.

    python3 -m bench.record.tensor_sums --out tests/common/ptx/tensor_sums_h100.json

Each tile is a product of 16 x 8 sums by one instruction. `tensor_sums_gpu` computes it on a Hopper
GPU. Exponents of the inputs are spread more and more widely, which shows how summands are aligned
and cut off; the last tiles have any bits at all, infinities and NaNs among them. All numbers are in
hexadecimal digits: a line of `a` is a row, of `b` a column, of `c` and `sums` a row.
"""

import argparse
import json
import pathlib
import random
import struct
import tempfile

from bench import program
from bench.output_file import output_path, write_whole
from bench.record.ladder_program import output_of, stop
from bench.record.probes import gpu

# Instruction: elements along K, bits of an input that do not count in a float
INSTRUCTIONS = {"mma_bf16": (16, 16), "mma_tf32": (8, 13), "wgmma": (16, 16)}
SPREADS = (0, 2, 6, 12)
ROWS, COLUMNS = 16, 8


def spread_bits(source, spread):
    """Bits of a normal number in FP32, times a power of two."""
    number = source.gauss(0, 1) * 2.0 ** source.randint(-spread, spread)
    return struct.unpack("<I", struct.pack("<f", number))[0]


def lines(make, count, length, unused=0):
    """Numbers as text; BF16 is the upper half of a float, of TF32 the lower bits are zero."""
    shift, digits = (16, 4) if unused == 16 else (0, 8)
    return [
        " ".join(
            f"{(make() >> unused << unused) >> shift:0{digits}x}" for _element in range(length)
        )
        for _line in range(count)
    ]


def tile(instruction, numbers, make, make_c):
    """The inputs of a product."""
    depth, unused = INSTRUCTIONS[instruction]
    return {
        "instruction": instruction,
        "numbers": numbers,
        "a": lines(make, ROWS, depth, unused),
        "b": lines(make, COLUMNS, depth, unused),
        "c": lines(make_c, ROWS, COLUMNS),
    }


def inputs(seed):
    """All tiles."""
    source = random.Random(seed)
    tiles = []
    for instruction in INSTRUCTIONS:
        for spread in SPREADS:
            words = "normal numbers" + (f" times 2^-{spread} to 2^{spread}" if spread else "")

            def make(spread=spread):
                return spread_bits(source, spread)

            tiles.append(tile(instruction, words, make, make))
            if spread == 6:
                tiles.append(tile(instruction, words + ", C is zero", make, lambda: 0))
        # Three numbers of four are zero: the sums of the others are not all NaN.
        tiles.append(
            tile(
                instruction,
                "any bits, or zero",
                lambda: source.choice((0, 0, 0x80000000, source.getrandbits(32))),
                lambda: source.getrandbits(32),
            )
        )
    return tiles


def with_sums(tiles, executable):
    """The same tiles with what this machine's GPU makes of them."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"tiles": tiles}, file)
        file.flush()
        sums = [line.split() for line in output_of([executable, file.name]).splitlines()]
    if len(sums) != len(tiles) or any(len(numbers) != ROWS * COLUMNS for numbers in sums):
        stop(f"{executable} gave {len(sums)} tiles for {len(tiles)}, or not all of their sums")
    return [
        each
        | {"sums": [" ".join(numbers[at : at + COLUMNS]) for at in range(0, len(numbers), COLUMNS)]}
        for each, numbers in zip(tiles, sums)
    ]


def main():
    """Records all tiles."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=output_path, default=pathlib.Path("tests/common/ptx/tensor_sums_h100.json")
    )
    parser.add_argument(
        "--program", default="build/tests/tensor_sums_gpu", help="the program that multiplies"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the random inputs (1)")
    options = parser.parse_args()
    tiles = with_sums(inputs(options.seed), options.program)
    name, driver = gpu()
    result = {"gpu": name, "driver": driver, "tiles": tiles}
    write_whole(options.out, json.dumps(result, indent=1) + "\n")
    print(f"{name}, driver {driver}: {len(tiles)} tiles in {options.out}")


if __name__ == "__main__":
    program.run(main)
