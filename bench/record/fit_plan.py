"""Fits the times of rung 14's model to recorded times of its configurations.

    python3 -m bench.record.fit_plan             prints the table, and how well it picks
    python3 -m bench.record.fit_plan --write     puts the times into the rung's launch.cu, too

`build/benchmark --configurations` records how long the configurations take for many shapes, in
bench/results/*/configuration_times.json. One table of times serves all GPUs; what differs from GPU
to GPU, SMs and DRAM, the model asks of the GPU itself. The table is fitted to the record of an
H100; that of an H200, which has the same SMs, shows how it picks for records that it has not seen.

A least-squares fit of the times is only where it starts. From there, gradient descent makes the
*choice* better: it lowers the time of what is picked over the time of the fastest, with a soft
minimum in the place of the choice. So a line's times need not be exact where another line wins
anyway. Nothing is drawn at random: the same records give the same times. It needs numpy.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import re

import numpy as np

from bench import SOURCES, program, results_file
from bench.output_file import write_whole
from bench.rungs import rung_of

RUNG = 14
RECORDS = "bench/results/*/configuration_times.json"
FITTED = "bench/results/nvidia-h100/configuration_times.json"
TIMES = ("start", "tile", "step", "wait", "part")  # microseconds
SHOWN = {"stream_k": (0, 1, 2, 4), "clusters": (0, 1, 2, 3, 4)}  # of a line; of others:
SHOWN_OF_OTHERS = (0, 1, 2, 3)
LINE = re.compile(r'(\n    (\w+)<[^>]*>\(\s*)"([^"]*)",([^)]*)\)')
COLUMN = re.compile(r"(.*, clusters) of (\d+)")

DRAM_SHARE = 0.79  # kDramShare of plan.hpp
CLUSTERS = (2, 4, 8)  # blocks of a cluster
GPC = 16  # SMs that a cluster stays in
SPREAD_US = 0.15  # kSpreadUs of plan.hpp: for each doubling of blocks
FLOP_PER_US = 0.5e6  # of an SM: where the fit begins
UNTIMED = 1.04  # over the fastest, at least: nobody knows of what was not timed
PHASES = ((0.04, 300), (0.02, 300), (0.01, 300), (0.006, 300))  # softness of the minimum, and steps
LEAST_SQUARES = 300  # steps


class RecordError(results_file.FigureError):
    """Records that no table can be fitted to; the sentence says why."""


@dataclasses.dataclass(frozen=True)
class Configuration:
    """What the model knows of a configuration besides its times."""

    name: str
    BM: int
    BN: int
    BK: int
    blocks: int  # that share an SM
    fan_in: int  # 0: no stream-K; 1: peers add in turn; more: in a tree

    @property
    def clusters(self):
        """How many blocks may share a tile's K from the start."""
        return CLUSTERS if self.name.endswith("clusters") else (1,)

    @property
    def has(self):
        """Which of TIMES it has."""
        if self.fan_in:
            return (1, 1, 1, 0, 1)
        return (1, 1, 1, 1, len(self.clusters) > 1)

    def beginning(self):
        """Its times, about, where the fit begins."""
        step = 2.0 * self.BM * self.BN * self.BK / FLOP_PER_US
        return np.array([2.0, 0.3 * step + 0.2, step, 0.05, 0.2]) * self.has


def table_of(rung):
    """The configurations of a rung, as `build/ladder list --json` has recorded them."""
    return [
        Configuration(
            c["name"], c["BM"], c["BN"], c["BK"] // c["cluster"], c["blocks_per_sm"], c["fan_in"]
        )
        for c in rung.configurations
    ]


# -- The model, as plan.hpp has it -----------------------------------------------------------------


def ceil_div(a, b):
    """a / b, rounded up."""
    return -(-a // b)


def parts_in_turn(fan_in, peers):
    """Partial tiles that the first of a tile's peers adds, one after the other."""
    if fan_in == 1:
        return peers - 1
    parts = 0
    while peers > 1:
        parts += min(peers, fan_in) - 1
        peers = ceil_div(peers, fan_in)
    return parts


def usable_sms(sms, cluster):
    """SMs that clusters can fill."""
    group = min(sms, GPC)
    return sms if cluster == 1 else max(1, sms // group * (group // cluster * cluster))


def ways(c, shape, sms):
    """{blocks of a cluster: ways to do the work} on the busiest SM; a way is the number of tiles,
    steps, waits and parts. The model takes the fastest."""
    M, N, K = shape
    tiles = ceil_div(M, c.BM) * ceil_div(N, c.BN)
    if not c.fan_in:
        found = {}
        for cluster in c.clusters:
            per_sm = ceil_div(tiles * cluster, usable_sms(sms, cluster))
            BK = c.BK * cluster
            waits = ceil_div(per_sm, c.blocks) * ceil_div(K, BK)
            found[cluster] = [(per_sm, per_sm * K / BK, waits, per_sm * (cluster - 1))]
        return found
    k_tiles = ceil_div(K, c.BK)
    whole, left = divmod(tiles, sms)
    if left == 0:
        return {1: [(whole, whole * k_tiles, 0, 0)]}
    row = left * k_tiles
    fewest = {}  # steps, of the ways with so many parts
    for ranks in range(left, min(sms, row) + 1):
        parts = parts_in_turn(c.fan_in, ceil_div(ranks, left))
        fewest[parts] = min(ceil_div(row, ranks), fewest.get(parts, row))
    return {1: [(whole + 1, whole * k_tiles + steps, 0, parts) for parts, steps in fewest.items()]}


def dram_us(c, shape, bytes_per_us):
    """A block that has its SM to itself cannot load while it stores: C takes twice as long."""
    M, N, K = shape
    floats = M * K + K * N + (2 if c.fan_in else 1) * M * N
    return 4.0 * floats / (DRAM_SHARE * bytes_per_us)


def spread_us(c, shape, cluster, sms):
    """How much later the last block begins than the first."""
    M, N, _ = shape
    return SPREAD_US * math.log2(min(ceil_div(M, c.BM) * ceil_div(N, c.BN) * cluster, sms))


def expected_us(some_ways, dram, times):
    """What the model expects of the fastest of several ways."""
    us = min(sum(n * t for n, t in zip(way, times[1:], strict=True)) for way in some_ways)
    return times[0] + (us**3 + dram**3) ** (1 / 3)


# -- Records ---------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Record:
    """The times of one GPU."""

    path: str
    sms: int
    dram_bytes_per_us: float
    rows: tuple  # (shape, {(configuration, blocks of a cluster): microseconds})


def card_of(device):
    """The device card of a GPU by CUDA's name for it."""
    words = device.lower().replace("-", " ").split()
    for path in sorted((SOURCES / "common" / "devices").glob("*.json")):
        if path.stem in words:
            return json.loads(path.read_text())
    raise RecordError(
        f"common/devices/ has no card of an {device}: `build/memory_lab card` writes "
        "one of what labs found"
    )


def column(name):
    """(configuration, blocks of a cluster) of '32 x 64, clusters of 6'."""
    match = COLUMN.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, 1)


def read(path, table):
    """A file of times. Columns of configurations that the rung has no more are left out."""
    results = results_file.read(path)
    known = {c.name for c in table}
    columns = [column(name) for name in results["context"]["configurations"]]
    if not any(name in known for name, _ in columns):
        raise RecordError(
            f"{path} has no times of any of the rung's configurations; it has "
            f"{', '.join(results['context']['configurations'][:3])}, ..."
        )
    rows = []
    for row in results["benchmarks"]:
        if len(row["us"]) != len(columns):
            raise RecordError(
                f"{path}: {row['name']} has {len(row['us'])} times for "
                f"{len(columns)} configurations"
            )
        times = {
            key: us
            for key, us in zip(columns, row["us"], strict=True)
            if us is not None and key[0] in known
        }
        if times:
            rows.append(((row["m"], row["n"], row["k"]), times))
    card = card_of(results["context"]["device"])
    return Record(
        str(path), card["sms"]["value"], card["dram_bytes_per_second"]["value"] * 1e-6, tuple(rows)
    )


class Candidates:
    """Every way of every configuration for every shape of the records, in arrays."""

    def __init__(self, table, records):
        self.table = table
        self.has = np.array([c.has for c in table], float)
        work, first, conf, dram, us, of_shape, record = [], [], [], [], [], [], []
        spread = []
        shapes = 0
        for r, source in enumerate(records):
            timed = {key for _, times in source.rows for key in times}
            for shape, times in source.rows:
                for i, c in enumerate(table):
                    for cluster, some_ways in ways(c, shape, source.sms).items():
                        if (c.name, cluster) not in timed:  # never, on this GPU
                            continue
                        first.append(len(work))
                        work.extend(some_ways)
                        conf.append(i)
                        dram.append(dram_us(c, shape, source.dram_bytes_per_us))
                        spread.append(spread_us(c, shape, cluster, source.sms))
                        us.append(times.get((c.name, cluster), np.nan))
                        of_shape.append(shapes)
                record.append(r)
                shapes += 1
        self.work = np.array(work, float)
        self.first, self.conf = np.array(first), np.array(conf)
        self.of_way = np.repeat(np.arange(len(conf)), np.diff(np.append(first, len(work))))
        self.dram, self.us, self.spread = np.array(dram), np.array(us), np.array(spread)
        self.of_shape, self.record = np.array(of_shape), np.array(record)
        self.start = np.searchsorted(self.of_shape, np.arange(shapes))
        self.timed = ~np.isnan(self.us)
        self.fastest = np.minimum.reduceat(np.where(self.timed, self.us, np.inf), self.start)
        self.slower = np.where(self.timed, self.us, np.nan) / self.fastest[self.of_shape]

    def expected(self, roots):
        """What the model expects of each candidate, and what its gradient needs."""
        times = roots**2 * self.has
        of_ways = (self.work * times[self.conf[self.of_way], 1:]).sum(1)
        busy = np.minimum.reduceat(of_ways, self.first)
        fast = np.flatnonzero(of_ways == busy[self.of_way])[::-1]
        way = np.zeros(len(self.conf), int)
        way[self.of_way[fast]] = fast
        both = np.cbrt(busy**3 + self.dram**3)
        return times[self.conf, 0] + self.spread + both, self.work[way], (busy / both) ** 2

    def gradient(self, roots, by_expected, work, inner):
        """Of a loss by the roots of the times, from that by what the model expects."""
        found = np.empty((len(self.table), len(TIMES)))
        found[:, 0] = np.bincount(self.conf, by_expected, len(self.table))
        for i in range(work.shape[1]):
            found[:, i + 1] = np.bincount(
                self.conf, by_expected * inner * work[:, i], len(self.table)
            )
        return found * 2 * roots * self.has

    def least_squares(self, roots):
        """(mean square of the logarithmic errors, its gradient); fast candidates count most."""
        expected, work, inner = self.expected(roots)
        weight = np.where(self.timed, np.exp(-2 * (np.nan_to_num(self.slower) - 1)), 0)
        weight /= weight.sum()
        error = np.where(self.timed, np.log(expected / np.where(self.timed, self.us, 1)), 0)
        loss = (weight * error**2).sum()
        return loss, self.gradient(roots, 2 * weight * error / expected, work, inner)

    def choice(self, roots, costs, softness):
        """(mean cost of what is picked, its gradient)"""
        expected, work, inner = self.expected(roots)
        score = -np.log(expected) / softness
        score -= np.maximum.reduceat(score, self.start)[self.of_shape]
        share = np.exp(score)
        share /= np.add.reduceat(share, self.start)[self.of_shape]
        mean = np.add.reduceat(share * costs, self.start)
        by_score = share * (costs - mean[self.of_shape]) / len(mean)
        by_expected = -by_score / softness / expected
        return mean.mean(), self.gradient(roots, by_expected, work, inner)

    def picked(self, roots):
        """Number of the candidate that is picked for each shape."""
        expected, _, _ = self.expected(roots)
        least = np.minimum.reduceat(expected, self.start)
        best = np.flatnonzero(expected == least[self.of_shape])[::-1]
        found = np.zeros(len(self.start), int)
        found[self.of_shape[best]] = best
        return found


def descend(roots, loss, steps, rate):
    """Adam with a falling rate."""
    mean = square = np.zeros_like(roots)
    for step in range(steps):
        _, gradient = loss(roots)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        direction = mean / (1 - 0.9 ** (step + 1))
        size = np.sqrt(square / (1 - 0.99 ** (step + 1))) + 1e-9
        roots = roots - rate * (0.1 + 0.9 * (1 - step / steps)) * direction / size
    return roots


def fit(table, records):
    """({configuration: its times}, the candidates, the roots of the times)"""
    candidates = Candidates(table, records)
    roots = np.sqrt(np.array([c.beginning() for c in table])) + 0.05 * candidates.has
    roots = descend(roots, candidates.least_squares, LEAST_SQUARES, 0.03)
    expected, _, _ = candidates.expected(roots)
    guessed = np.maximum(UNTIMED, expected / candidates.fastest[candidates.of_shape])
    costs = np.minimum(np.where(candidates.timed, candidates.slower, guessed), 3)
    for softness, steps in PHASES:

        def loss(at, softness=softness):
            chosen, by_choice = candidates.choice(at, costs, softness)
            squares, by_squares = candidates.least_squares(at)
            return chosen + 0.3 * squares, by_choice + 0.3 * by_squares

        roots = descend(roots, loss, steps, 0.008)
    times = roots**2 * candidates.has
    return {c.name: times[i] for i, c in enumerate(table)}, candidates, roots


# -- The program -----------------------------------------------------------------------------------


def how_it_picks(records, candidates, roots):
    """A line for each record: the time of what is picked over that of the fastest."""
    picked = candidates.picked(roots)
    lines = []
    for r, record in enumerate(records):
        slower = candidates.slower[picked[candidates.record == r]]
        untimed = int(np.isnan(slower).sum())
        slower = np.sort(slower[~np.isnan(slower)])
        lines.append(
            f"{record.path}: {len(slower)} shapes; what is picked takes "
            f"{slower.mean():.3f} of the fastest's time on average, at most "
            f"{np.quantile(slower, 0.95):.3f} for 95 % and {slower[-1]:.3f} for all; "
            f"for {untimed} shapes it was not timed"
        )
    return lines


def with_times(source, times):
    """launch.cu with other times in its table."""
    left = set(times)

    def line(match):
        left.discard(match[3])
        shown = SHOWN.get(match[2], SHOWN_OF_OTHERS)
        numbers = ", ".join(f"{times[match[3]][i]:.3f}" for i in shown)
        return f'{match[1]}"{match[3]}", {numbers})'

    written = LINE.sub(lambda match: line(match) if match[3] in times else match[0], source)
    if left:
        raise RecordError(f"launch.cu has no line of {', '.join(sorted(left))}")
    return written


def main():
    """Parses the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="*", type=pathlib.Path, help=f"{FITTED} if none is named")
    parser.add_argument("--write", action="store_true", help="put the times into launch.cu")
    options = parser.parse_args()
    rung = rung_of(RUNG)
    table = table_of(rung)
    paths = [path.resolve() for path in options.records or [SOURCES / FITTED]]
    times, _, roots = fit(table, [read(path, table) for path in paths])
    shown = [read(path, table) for path in (*paths, *sorted({*SOURCES.glob(RECORDS)} - {*paths}))]
    launch = SOURCES / "ladder" / rung.folder / "launch.cu"
    written = with_times(launch.read_text(), times)
    for name, of_line in times.items():
        print(
            f"{name:<26}"
            + "".join(f" {t} {us:.3f}" for t, us in zip(TIMES, of_line, strict=True) if us)
        )
    print("\n".join(how_it_picks(shown, Candidates(table, shown), roots)))
    if options.write:
        write_whole(launch, written)


if __name__ == "__main__":
    program.run(main)
