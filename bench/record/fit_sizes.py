"""Fits the times of rung 22's model to recorded times of its sizes.

    python3 -m bench.record.fit_sizes             prints the times, and how well they pick
    python3 -m bench.record.fit_sizes --write     puts them into the rung's sizes.hpp, too

`build/benchmark --rungs 22 --configurations bench/results/GPU/size_times.json --shapes ...` records
how long the sizes take for many shapes, in those clusters that the model does not call much slower
than the fastest, and cut as the times of that day had it. The fit takes the cuts from the times
that it tries, so record again after `--write` if shapes are cut in another way. It changes a few
times at random as long as the model comes closer to the record, and then as long as what it picks
comes closer to the fastest. It needs numpy.
"""

import argparse
import json
import re

import numpy as np

from bench import SOURCES, program
from bench.output_file import write_whole

RECORD = "bench/results/nvidia-h100/size_times.json"
SIZES = "ladder/22_hopper_summit/sizes.hpp"
SIZE = re.compile(r'(Size\{"([^"]*)", (\d+), (\d+), (\d+), )([\d.]+)(\})')
CONSTANT = re.compile(r"(double (k\w+) =\s+)([\d.]+)(;)")
START = re.compile(r"(kStartUs = \{)([^}]*)(\})")
CONSTANTS = ("kFinishUs", "kLineUs", "kTwoLines", "kSplitUs", "kPieceUs", "kSumsUs")
PIECES = (1, 2, 3, 4, 6, 8, 12, 16)
ROUNDS = 3000  # changes that are tried
SEED = 22
BEND = 0.3  # the weight of what is not on a line


def sizes_of(text):
    """{name: (BM, BN, rows of a box)} of sizes.hpp."""
    return {name: tuple(map(int, numbers)) for _, name, *numbers, _, _ in SIZE.findall(text)}


def times_of(text):
    """The times of sizes.hpp: of each size, to start with 1, 2, 4 and 8 blocks, CONSTANTS."""
    constants = {name: float(us) for _, name, us, _ in CONSTANT.findall(text)}
    return np.array(
        [float(us) for *_, us, _ in SIZE.findall(text)]
        + [float(us) for us in START.search(text)[2].split(",")]
        + [constants[name] for name in CONSTANTS]
    )


def with_times(text, times):
    """The text of sizes.hpp with other times."""
    left = iter(times)
    text = SIZE.sub(lambda size: f"{size[1]}{next(left):.3f}{size[7]}", text)
    starts = ", ".join(f"{next(left):.3f}" for _ in range(4))
    text = START.sub(lambda start: start[1] + starts + start[3], text)
    of_names = dict(zip(CONSTANTS, left, strict=True))
    return CONSTANT.sub(lambda constant: f"{constant[1]}{of_names[constant[2]]:.5f};", text)


def clusters_at_once(blocks, sms):
    """Clusters that run at the same time, as in sizes.hpp."""
    return max(1, (sms if blocks < 4 else sms * 10 // 11) // blocks)


def cuts(size, cluster, shape, sms):
    """The ways to cut a shape: [(whole rounds, k tiles of a tile, k tiles of the last round, part
    of the clusters that the last round has, pieces of a split tile)], without split tiles first."""
    height, width, box = size
    rows, columns = cluster
    boxes = height // box
    tiles = -(-shape[0] // (rows * height)) * -(-shape[1] // (columns * width))
    most = clusters_at_once(rows * columns, sms)
    whole, rest = divmod(tiles, most)
    k_tiles = max(boxes, -(-shape[2] // 64))
    found = [(whole, k_tiles, rest and k_tiles, rest / most, 0)]
    padded = -(-k_tiles // boxes) * boxes
    for pieces in PIECES[1:]:
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
    return found


def lines(size, cluster, shape):
    """Rows of A's boxes, and of B's, that a block asks for: [of one line, of two lines]."""
    counts = [0, 0]
    for extent, tile, here, there, row in (
        (shape[0], size[0], cluster[0], cluster[1], shape[2]),
        (shape[1], size[1], cluster[1], cluster[0], shape[1]),
    ):
        tiles = -(-extent // (here * tile)) * here
        counts[row % 64 != 0] += extent / tiles / there
    return counts


class Record:
    """Timed choices of many shapes, as arrays: what microseconds() needs.

    rows: [(shape, [(name of the size, cluster, microseconds)])]
    """

    def __init__(self, sizes, rows, sms):
        numbers = {name: i for i, name in enumerate(sizes)}
        table, self.us, first_ways, first_choices = [], [], [], []
        for shape, timed in rows:
            first_choices.append(len(self.us))
            for name, cluster, us in timed:
                first_ways.append(len(table))
                self.us.append(us)
                area = sizes[name][0] * sizes[name][1] / 32768
                blocks = (cluster[0] * cluster[1]).bit_length() - 1
                loads = lines(sizes[name], cluster, shape)
                for cut in cuts(sizes[name], cluster, shape, sms):
                    table.append((numbers[name], blocks, area, *loads, *cut))
        self.us = np.array(self.us)
        self.sizes = len(sizes)
        areas = [height * width / 32768 for height, width, _ in sizes.values()]
        self.line = np.stack([np.ones(len(areas)), areas], axis=1)
        self.first_ways = np.array(first_ways)
        self.first_choices = np.array(first_choices)
        self.columns = np.array(table, float).T

    def microseconds(self, times):
        """What the model says that each choice takes."""
        size, blocks, area, one, two, whole, k_tiles, last, busy, pieces = self.columns
        step = times[size.astype(int)]
        start = times[self.sizes + blocks.astype(int)]
        finish, line, two_lines, split, piece, sums = times[self.sizes + 4 :]
        load = (one + two * two_lines) * line
        total = (
            start
            + whole * (finish * area + k_tiles * np.hypot(step, load))
            + (last > 0) * (finish * area + last * np.hypot(step, load * busy))
            + (pieces > 0) * (split + pieces * (piece + sums * area))
        )
        return np.minimum.reduceat(total, self.first_ways)

    def fastest(self):
        """The shortest time of each shape."""
        return np.minimum.reduceat(self.us, self.first_choices)

    def picked(self, times):
        """What the choices take that the model picks."""
        ends = [*self.first_choices[1:], len(self.us)]
        guess = self.microseconds(times)
        return np.array(
            [
                self.us[a + np.argmin(guess[a:b])]
                for a, b in zip(self.first_choices, ends, strict=True)
            ]
        )

    def picked_over_fastest(self, times):
        """Geometric mean of the time of what is picked over the fastest."""
        return float(np.exp(np.mean(np.log(self.picked(times) / self.fastest()))))

    def distance(self, times):
        """How far the model is from the record, above all where a choice is among the fastest."""
        counts = np.diff([*self.first_choices, len(self.us)])
        weight = (np.repeat(self.fastest(), counts) / self.us) ** 3
        apart = np.log(self.microseconds(times) / self.us) ** 2
        return float(np.mean(weight * np.minimum(apart, 0.2))) + self.bend(times)

    def bend(self, times):
        """How far the times to multiply are from a line over the size: a size that was timed only a
        few times should not stand out."""
        steps = times[: self.sizes]
        straight = self.line @ np.linalg.lstsq(self.line, steps, rcond=None)[0]
        return BEND * float(np.mean(np.log(steps / straight) ** 2))


def improved(times, rounds, random, cost):
    """Changes a few times after another as long as that lowers the cost."""
    best, least = times, cost(times)
    for _ in range(rounds):
        few = random.random(best.shape) < 0.12
        changed = best * np.exp(0.1 * few * random.normal(size=best.shape))
        now = cost(changed)
        if now < least:
            best, least = changed, now
    return best


def fit(record, times, rounds=ROUNDS):
    """Times with which the model picks well."""
    random = np.random.default_rng(SEED)

    def regret(times):
        loss = np.log(record.picked(times) / record.fastest())
        return float(np.mean(loss) + 2 * np.mean(loss**2)) + 0.3 * record.distance(times)

    near = improved(times, rounds, random, record.distance)
    return improved(near, rounds, random, regret)


def rows_of(record):
    """The rows of a recorded file, as Record wants them."""
    names = []
    for column in record["context"]["configurations"]:
        name, _, cluster = column.partition(", ")
        names.append((name, tuple(map(int, (cluster or "1 x 1").split(" x ")))))
    return [
        (
            (row["m"], row["n"], row["k"]),
            [(*name, us) for name, us in zip(names, row["us"], strict=True) if us],
        )
        for row in record["benchmarks"]
    ]


def main():
    """Prints the fit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--record", default=RECORD)
    parser.add_argument("--write", action="store_true", help=f"put the times into {SIZES}")
    arguments = parser.parse_args()
    recorded = json.loads((SOURCES / arguments.record).read_text())
    path = SOURCES / SIZES
    text = path.read_text()
    record = Record(sizes_of(text), rows_of(recorded), int(recorded["context"]["sms"]))
    now = times_of(text)
    then = fit(record, now)
    titles = [*sizes_of(text), *(f"start, {2**i} blocks" for i in range(4)), *CONSTANTS]
    for title, before, after in zip(titles, now, then, strict=True):
        print(f"{title:16} {before:9.5f} {after:9.5f}")
    library = np.array([row["library_us"] for row in recorded["benchmarks"]])
    print(
        f"{len(library)} shapes: what is picked takes {record.picked_over_fastest(now):.3f} times"
        f" as long as the fastest,\nand {record.picked_over_fastest(then):.3f} with these times;"
        f" the fastest reach {np.exp(np.mean(np.log(library / record.fastest()))):.3f} of the best"
        " library, geometric mean"
    )
    if arguments.write:
        write_whole(path, with_times(text, then))


if __name__ == "__main__":
    program.run(main)
