"""Blocks of the benchmark for docs/report/report.py: the pictures with their words, and the tables.

A block whose results are not recorded says so and names the command.
"""

from math import ceil, exp, log
from statistics import median

from docs.report import plot_ratio, plot_roofline, plot_staircase
from docs.report.page_blocks.markdown import table
from docs.report.recorded import (
    Benchmark,
    MissingFileError,
    described,
    drawn_benchmarks,
    known_shapes,
    percent,
    title_of,
)

RECORD_BENCHMARK = "make bench SHAPES=all OUT=bench/results/nvidia-h200/benchmark_all.json"


def picture(name, folder, words):
    """A picture of docs/report/plots.py with the words for readers who cannot see it."""
    return f"![{words}]({folder}/{name}.svg)"


def or_command(command):
    """Makes a block name the command that records it, where its results are missing."""

    def decorate(block):
        def text(rung):
            try:
                return block(rung)
            except MissingFileError as error:
                return f"Not recorded yet: {error}. `{command}` on an H200 writes it."

        return text

    return decorate


def staircase_block(_rung):
    """The picture of the front page."""
    return picture("staircase", "docs/figures", plot_staircase.staircase_words())


def source(benchmark):
    """Device and versions of the benchmark."""
    return described(benchmark.context, f"cuBLAS {benchmark.context['cublas']}")


def by_set(benchmark, rung):
    """[(set, protocol, ratios)] of a rung."""
    found = {}
    for name, shape, protocol in benchmark.jobs():
        ratio = benchmark.ratio(rung, shape, protocol)
        if ratio is not None:
            found.setdefault((name, protocol), []).append(ratio)
    return [(*key, ratios) for key, ratios in found.items()]


def set_table(benchmark, rung):
    """Lowest, mean and highest ratio of a rung in each set of shapes."""
    lines = [
        f"| shapes, rung {title_of(rung)} | protocol | number | as fast or faster | lowest | "
        "geometric mean | highest |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name, protocol, ratios in by_set(benchmark, rung):
        mean = exp(sum(log(ratio) for ratio in ratios) / len(ratios))
        lines.append(
            f"| {title_of(name)} | {protocol} | {len(ratios)} | "
            f"{sum(ratio >= 1 for ratio in ratios)} | {percent(min(ratios))} | {percent(mean)} | "
            f"{percent(max(ratios))} |"
        )
    return lines


def shape_table(benchmark, jobs, rungs, reasons=None):
    """Ratios of rungs, a line for each shape and protocol; reasons: {shape: what it stands for}."""
    head = ["M x N x K", *(["what it stands for"] if reasons else []), "protocol"]
    figures = ["best cuBLAS, TFLOP/s", *(title_of(rung) for rung in rungs)]
    lines = [f"| {' | '.join(head + figures)} |", "|" + "---|" * len(head) + "---:|" * len(figures)]
    for _, shape, protocol in jobs:
        ratios = [benchmark.ratio(rung, shape, protocol) for rung in rungs]
        library = benchmark.library_tflops(shape, protocol)
        cells = [
            " x ".join(str(extent) for extent in shape),
            *([reasons.get(shape, "")] if reasons else []),
            protocol,
            "" if library is None else f"{library:.1f}",
            *("" if ratio is None else percent(ratio) for ratio in ratios),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


@or_command(RECORD_BENCHMARK)
def ratio_block(_rung):
    """Every shape's ratio as a picture."""
    return picture("ratio_by_size", "figures", plot_ratio.ratio_words())


@or_command(RECORD_BENCHMARK)
def benchmark_block(_rung):
    """A line for each set of shapes."""
    benchmark = Benchmark()
    return "\n".join([*set_table(benchmark, benchmark.rungs()[-1]), "", f"{source(benchmark)}."])


@or_command(RECORD_BENCHMARK)
def shapes_block(_rung):
    """Every shape of the benchmark with every rung that was measured."""
    benchmark = Benchmark()
    reasons = {shape: why for _, shape, why in known_shapes()}
    lines = shape_table(benchmark, benchmark.jobs(), benchmark.rungs(), reasons)
    return "\n".join([*lines, "", f"{source(benchmark)}."])


CLASSES = (  # of drawn shapes: the first that fits
    ("16 rows of C or fewer", lambda m, n, k: m <= 16),
    ("16 columns or fewer", lambda m, n, k: n <= 16),
    ("K of 32 or less", lambda m, n, k: k <= 32),
    ("K of 36 to 512", lambda m, n, k: k <= 512),
    ("deeper K", lambda m, n, k: True),
)


@or_command("make bench SHAPES=drawn OUT=drawn.json")
def drawn_block(_rung):
    """What the highest rung reaches on shapes drawn at random, and what it reached before."""
    benchmark, *earlier = drawn_benchmarks()
    rung = benchmark.rungs()[-1]
    ratios = {job[1]: benchmark.ratio(rung, *job[1:]) for job in benchmark.jobs()}
    by_class = {name: [] for name, _ in CLASSES}
    for shape, ratio in ratios.items():
        by_class[next(name for name, holds in CLASSES if holds(*shape))].append((ratio, shape))
    by_class["all"] = [(ratio, shape) for shape, ratio in ratios.items()]
    lines = [
        "| shapes drawn | number | behind | geometric mean | median | 5th percentile | lowest |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for name, found in by_class.items():
        found = sorted(found)
        values = [ratio for ratio, _ in found]
        mean = exp(sum(log(value) for value in values) / len(values))
        lowest = " x ".join(str(extent) for extent in found[0][1])
        lines.append(
            f"| {name} | {len(values)} | {sum(value < 1 for value in values)} | {percent(mean)} | "
            f"{percent(median(values))} | {percent(values[len(values) // 20])} | "
            f"{percent(values[0])}, {lowest} |"
        )
    return "\n".join([*lines, "", f"{source(benchmark)}.", *map(told_earlier, earlier)])


def told_earlier(benchmark):
    """What an earlier table of configurations reached on another draw."""
    rung = benchmark.rungs()[-1]
    ratios = [benchmark.ratio(rung, *job[1:]) for job in benchmark.jobs()]
    return (
        f"\n{source(benchmark)}, with an earlier table of configurations: behind on "
        f"{sum(ratio < 1 for ratio in ratios)} of {len(ratios)}, lowest {percent(min(ratios))}."
    )


LARGE_TILE = (128, 256)  # of rungs 10 to 14


@or_command("make bench SHAPES=drawn OUT=drawn.json")
def lost_block(_rung):
    """The drawn shapes on which the library is faster, and how many tiles all of them have."""
    benchmark = drawn_benchmarks()[0]
    rung, sms = benchmark.rungs()[-1], int(benchmark.context["sms"])

    def tiles(shape):
        return ceil(shape[0] / LARGE_TILE[0]) * ceil(shape[1] / LARGE_TILE[1])

    ratios = [(benchmark.ratio(rung, *job[1:]), job[1]) for job in benchmark.jobs()]
    lost = sorted(entry for entry in ratios if entry[0] < 1)
    won = [entry for entry in ratios if entry[0] >= 1]
    few, among = (sum(tiles(shape) < sms for _, shape in some) for some in (lost, won))
    rows = [
        (f"{m} x {n} x {k}", f"{tiles((m, n, k)):,}", percent(ratio)) for ratio, (m, n, k) in lost
    ]
    return "\n".join(
        [
            table(("M x N x K", "tiles of 128 x 256", "of best cuBLAS"), rows),
            "",
            f"{source(benchmark)}.",
            "",
            f"Of these {len(lost)} shapes, {few} have fewer tiles than the GPU has SMs "
            f"({percent(few / len(lost))}); of the {len(won)} on which rung {title_of(rung)} is "
            f"level or faster, {among} ({percent(among / len(won))}).",
        ]
    )


@or_command("make roofs")
def roofline_block(_rung):
    """The measured roofs as a picture."""
    return picture("roofline", "figures", plot_roofline.roofline_words())


BLOCKS = {
    "staircase": staircase_block,
    "ratio_by_size": ratio_block,
    "benchmark": benchmark_block,
    "benchmark_shapes": shapes_block,
    "drawn": drawn_block,
    "lost": lost_block,
    "roofline": roofline_block,
}
