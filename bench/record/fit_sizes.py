"""Fits the times of rung 22's tile sizes to recorded times of all of them.

    python3 -m bench.record.fit_sizes             prints the table, and how well it picks
    python3 -m bench.record.fit_sizes --write     puts the times into the rung's sizes.hpp, too

`build/benchmark --rungs 22 --configurations bench/results/GPU/size_times.json --shapes ...` records
how long each size takes for many shapes, cut as the times of that day had it. The fit takes those
cuts from the times that stand in sizes.hpp, so record again after `--write` if shapes are cut in
another way. A least-squares fit of the times is where it starts; then it changes one time after
another as long as what is picked comes closer to the fastest. The two sizes of 128 x 256 keep their
`tile_us` and `step_us`: which of them is faster is decided by large products, in bursts, and by a
percent. It needs numpy.
"""

import argparse
import json
import math
import re

import numpy as np

from bench import SOURCES, program
from bench.output_file import write_whole

RECORD = "bench/results/nvidia-h100/size_times.json"
SIZES = "ladder/22_hopper_summit/sizes.hpp"
LINE = re.compile(r'(    Size\{"([^"]*)", (\d+), (\d+), (\d+), )([^}]*)(\},)')
TIMES = ("start", "tile", "step", "share", "part")  # microseconds
KEPT = [TIMES.index("tile"), TIMES.index("step")]  # of the first two sizes
PIECES = (2, 3, 4, 6, 8, 12, 16)
ROUNDS = 4000  # changes that are tried
SEED = 22


def sizes_of(text):
    """[(name, BM, BN, pair, times)] of sizes.hpp."""
    return [
        (name, int(BM), int(BN), int(pair), np.array([float(x) for x in times.split(",")]))
        for _, name, BM, BN, pair, times, _ in LINE.findall(text)
    ]


def ways(size, shape, sms):
    """What each cut of a shape takes, as factors of TIMES: unshared, then in pieces."""
    _, rows, columns, pair, _ = size
    boxes = columns // 64
    tiles = -(-shape[0] // (pair * rows)) * -(-shape[1] // columns)
    most = sms // pair
    k_tiles = max(boxes, -(-shape[2] // 64))
    rounds = -(-tiles // most)
    found = [(1, rounds, rounds * k_tiles, 0, 0)]
    padded = -(-k_tiles // boxes) * boxes
    for pieces in PIECES:
        share = max(-(-(tiles % most) * padded // most), -(-padded // pieces))
        share = -(-share // boxes) * boxes
        if tiles % most == 0 or share >= padded:
            continue
        whole = tiles // most
        found.append((1, whole + 1, whole * k_tiles + share, 1, -(-padded // share)))
    return np.array(found, float)


def picked_over_fastest(cuts, times, rows):
    """Geometric mean of the time of what is picked over the fastest."""
    total = 0
    for of_sizes, us in zip(cuts, rows):
        guess = [min(factors @ t) if u else math.inf for factors, t, u in zip(of_sizes, times, us)]
        known = [u for u in us if u]
        total += math.log(us[int(np.argmin(guess))] / min(known))
    return math.exp(total / len(rows))


def least_squares(sizes, cuts, rows):
    """Times of each size; none below zero."""
    found = []
    for i, (*_, times) in enumerate(sizes):
        timed = [(of[i], us[i]) for of, us in zip(cuts, rows) if us[i]]
        factors = np.array([of[int(np.argmin(of @ times))] / us for of, us in timed])
        free = list(range(len(TIMES)))
        while True:
            fitted = np.zeros(len(TIMES))
            fitted[free] = np.linalg.lstsq(factors[:, free], np.ones(len(timed)), rcond=None)[0]
            if (fitted >= 0).all():
                break
            free = [at for at in free if fitted[at] >= 0]
        found.append(fitted)
    return found


def fit(sizes, cuts, rows):
    """(times of each size, how much longer than the fastest what they pick takes)"""
    random = np.random.default_rng(SEED)
    starts = [least_squares(sizes, cuts, rows), [times.copy() for *_, times in sizes]]
    best = min(starts, key=lambda times: picked_over_fastest(cuts, times, rows))
    for times, (*_, now) in zip(best[:2], sizes[:2]):
        times[KEPT] = now[KEPT]
    score = picked_over_fastest(cuts, best, rows)
    for _ in range(ROUNDS):
        size, time = random.integers(len(sizes)), random.integers(len(TIMES))
        if size < 2 and time in KEPT:
            continue
        changed = [times.copy() for times in best]
        changed[size][time] = max(0.05, changed[size][time]) * math.exp(random.normal() * 0.2)
        new = picked_over_fastest(cuts, changed, rows)
        if new < score:
            best, score = changed, new
    return best, score


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
                lambda line: line[1] + ", ".join(f"{us:.3f}" for us in next(lines)) + line[7], text
            ),
        )


if __name__ == "__main__":
    program.run(main)
