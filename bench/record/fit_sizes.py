"""Fits the times of rung 22's tile sizes to recorded times of all of them.

    python3 -m bench.record.fit_sizes             prints the table, and how well it picks
    python3 -m bench.record.fit_sizes --write     puts the times into the rung's sizes.hpp, too

`build/benchmark --rungs 22 --configurations bench/results/GPU/size_times.json --shapes ...` records
how long each size takes for many shapes, cut as the times of that day had it. The fit takes those
cuts from the times that stand in sizes.hpp, so record again after `--write` if shapes are cut in
another way. It changes a few times at random as long as each size comes closer to its record, and
then as long as what is picked comes closer to the fastest. The two sizes of 128 x 256 keep their
`tile_us`, `step_us` and `load_us`: which of them is faster is decided by large products, in bursts,
and by a percent. It needs numpy.
"""

import argparse
import functools
import json
import math
import re

import numpy as np

from bench import SOURCES, program
from bench.output_file import write_whole

RECORD = "bench/results/nvidia-h100/size_times.json"
SIZES = "ladder/22_hopper_summit/sizes.hpp"
LINE = re.compile(r'(    Size\{"([^"]*)", (\d+), (\d+), (\d+), (\d+), )([^}]*)(\},)')
TIMES = ("start", "tile", "step", "load", "share", "part")  # microseconds
START, TILE, STEP, LOAD, SHARE, PART = range(len(TIMES))
KEPT = [list(range(len(TIMES)))] * 2 + [[TILE, STEP, LOAD]] * 2  # of the first sizes
ALONE = 2.5  # as in sizes.hpp
PIECES = (2, 3, 4, 6, 8, 12, 16)
ROUNDS = 3000  # changes that are tried
SEED = 22


def sizes_of(text):
    """[(name, BM, BN, rows, columns, times)] of sizes.hpp."""
    return [
        (name, *map(int, numbers), np.array([float(x) for x in times.split(",")]))
        for _, name, *numbers, times, _ in LINE.findall(text)
    ]


def together(blocks, sms):
    """Clusters that run at the same time, as in sizes.hpp."""
    return max(1, sms * 10 // 11 // 4 if blocks == 4 else sms // blocks)


def ways(size, shape, sms):
    """What each cut of a shape takes, without split tiles first: [(full rounds, k tiles of a tile
    there, k tiles of the last round, factor of LOAD in full rounds, in the last one, pieces of a
    split tile or 0)]."""
    _, height, width, rows, columns, _ = size
    boxes = width // 64
    tiles = -(-shape[0] // (rows * height)) * -(-shape[1] // (columns * width))
    most = together(rows * columns, sms)
    whole, rest = divmod(tiles, most)
    k_tiles = max(boxes, -(-shape[2] // 64))
    of_a, of_b = height / columns, width / rows
    lines = (of_a * (1 + (shape[2] % 64 != 0)) + of_b * (1 + (shape[1] % 64 != 0))) / (of_a + of_b)
    found = [(whole, k_tiles, rest and k_tiles, rest / most, 0)]
    padded = -(-k_tiles // boxes) * boxes
    for pieces in PIECES:
        alike = rest * pieces <= most
        almost = whole > 0 and pieces == 2 and rest * 5 <= most * 3
        if rest == 0 or not (alike or almost):
            break
        even = -(-k_tiles // pieces) if alike else -(-rest * padded // most)
        share = -(-even // boxes) * boxes
        if share * (pieces - 1) >= k_tiles:
            continue
        cut = share * pieces if alike and whole == 0 else padded
        found.append((whole, k_tiles, share, -(-rest * cut // share) / most, -(-cut // share)))
    return [
        (whole, k_tiles, last, lines, lines * max(busy, 1 / ALONE), pieces)
        for whole, k_tiles, last, busy, pieces in found
    ]


def microseconds(cuts, times):
    """How long the fastest of some cuts takes."""
    start, tile, step, load, share, part = times
    return min(
        start
        + whole * (tile + k_tiles * max(step, load * lines))
        + (last and tile + last * max(step, load * last_lines))
        + (pieces and share + pieces * part)
        for whole, k_tiles, last, lines, last_lines, pieces in cuts
    )


def picked_over_fastest(cuts, times, rows):
    """Geometric mean of the time of what is picked over the fastest."""
    total = 0
    for of_sizes, us in zip(cuts, rows):
        guess = [microseconds(c, t) if u else math.inf for c, t, u in zip(of_sizes, times, us)]
        total += math.log(us[guess.index(min(guess))] / min(u for u in us if u))
    return math.exp(total / len(rows))


def distance(timed, times):
    """How far times are from [(cuts, microseconds that they took)]."""
    return sum(math.log(microseconds(cuts, times) / us) ** 2 for cuts, us in timed)


def improved(times, kept, rounds, random, cost):
    """Changes one or two times after another as long as that lowers the cost."""
    best, least = times, cost(times)
    for _ in range(rounds):
        few = random.random(best.shape) < 0.3
        changed = best * np.exp(0.2 * few * random.normal(size=best.shape))
        changed[kept] = times[kept]
        now = cost(changed)
        if now < least:
            best, least = changed, now
    return best


def fit(sizes, cuts, rows):
    """(times of each size, how much longer than the fastest what they pick takes)"""
    random = np.random.default_rng(SEED)
    fitted = []
    for i, (*_, now) in enumerate(sizes):
        timed = [(of[i], us[i]) for of, us in zip(cuts, rows) if us[i]]
        kept = KEPT[i] if i < len(KEPT) else []
        fitted.append(
            improved(
                np.maximum(now, 0.02), kept, ROUNDS, random, functools.partial(distance, timed)
            )
        )
    kept = np.zeros((len(sizes), len(TIMES)), bool)
    for i, columns in enumerate(KEPT):
        kept[i, columns] = True
    best = improved(
        np.array(fitted), kept, ROUNDS, random, lambda t: picked_over_fastest(cuts, t, rows)
    )
    return list(best), picked_over_fastest(cuts, best, rows)


def main():
    """Prints the fit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--record", default=RECORD)
    parser.add_argument("--write", action="store_true", help=f"put the times into {SIZES}")
    arguments = parser.parse_args()
    record = json.loads((SOURCES / arguments.record).read_text())
    path = SOURCES / SIZES
    text = path.read_text()
    sizes = sizes_of(text)
    order = [record["context"]["configurations"].index(name) for name, *_ in sizes]
    rows = [[row["us"][at] for at in order] for row in record["benchmarks"]]
    shapes = [(row["m"], row["n"], row["k"]) for row in record["benchmarks"]]
    sms = int(record["context"]["sms"])
    cuts = [[ways(size, shape, sms) for size in sizes] for shape in shapes]
    now = picked_over_fastest(cuts, [times for *_, times in sizes], rows)
    times, then = fit(sizes, cuts, rows)
    for (name, *_), fitted in zip(sizes, times):
        listed = ", ".join(f"{title}_us {us:.3f}" for title, us in zip(TIMES, fitted))
        print(f"{name:20} {listed}")
    library = [row["library_us"] for row in record["benchmarks"]]
    fastest = [min(us for us in row if us) for row in rows]
    ahead = math.exp(sum(math.log(a / b) for a, b in zip(library, fastest)) / len(rows))
    print(f"{len(rows)} shapes: what is picked takes {now:.3f} times as long as the fastest size")
    print(f"now, and {then:.3f} with these times")
    print(f"the fastest size reaches {ahead:.3f} of the best library, geometric mean")
    if arguments.write:
        lines = iter(times)
        write_whole(
            path,
            LINE.sub(
                lambda line: line[1] + ", ".join(f"{us:.3f}" for us in next(lines)) + line[8], text
            ),
        )


if __name__ == "__main__":
    program.run(main)
