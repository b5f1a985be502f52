"""The highest rung against the best library on every shape: those chosen, and those drawn."""

import textwrap

from docs.report.recorded import Benchmark, MissingFileError, described, drawn_benchmarks, title_of
from docs.report.svg import Drawing, Scale, log_ticks

WIDTH = 420  # readable on a phone
HEIGHT = 150  # of a panel
GAP = 54  # below it, for words
LEFT, RIGHT = 64, WIDTH - 14


def ratios_of(benchmark):
    """The ratios of the highest rung, ascending."""
    rung = benchmark.rungs()[-1]
    found = [benchmark.ratio(rung, *job[1:]) for job in benchmark.usual_jobs()]
    found = sorted(ratio for ratio in found if ratio is not None)
    if not found:
        raise MissingFileError(f"no shape with {rung}")
    return found


def benchmarks():
    """[(what the shapes are, their benchmark)]"""
    return [("chosen by hand", Benchmark()), ("drawn at random", drawn_benchmarks()[0])]


def panels():
    """[(what the shapes are, ratios)]"""
    return [(what, ratios_of(benchmark)) for what, benchmark in benchmarks()]


def counted(ratios):
    """'53 of 53'"""
    return f"{sum(ratio >= 1 for ratio in ratios)} of {len(ratios)}"


def shapes_words():
    """The picture for readers who cannot see it."""
    parts = [
        f"{len(ratios)} shapes {what}: at least as fast on {counted(ratios)}, from "
        f"{ratios[0]:.2f}x to {ratios[-1]:.2f}x"
        for what, ratios in panels()
    ]
    rung = title_of(Benchmark().rungs()[-1])
    return f"Rung {rung} against the better of cuBLAS and cublasLt. {'; '.join(parts)}."


def all_shapes():
    """Two panels, one scale: a bar for each shape, from the level of the library up or down."""
    shown, benchmark = panels(), Benchmark()
    sources = [
        line
        for what, each in benchmarks()
        for line in textwrap.wrap(
            f"{what}: {described(each.context, 'cuBLAS ' + each.context['cublas'])}", 44
        )
    ]
    lines = [
        f"rung {title_of(benchmark.rungs()[-1])} is at least as fast",
        "as the better of cuBLAS and cublasLt on",
    ]
    top = 80 + 20 * len(lines)
    drawing = Drawing(
        "all-shapes",
        WIDTH,
        top + 2 * (HEIGHT + GAP) + 20 * len(sources) - 14,
        "Against cuBLAS on all shapes",
        lines[0],
        shapes_words(),
    )
    for i, words in enumerate(lines[1:]):
        drawing.text(24, 80 + 20 * i, words, "soft")
    least = min(ratios[0] for _, ratios in shown) / 1.1
    most = max(ratios[-1] for _, ratios in shown) * 1.1
    for i, (what, ratios) in enumerate(shown):
        begin = top + i * (HEIGHT + GAP)
        panel(drawing, (what, ratios), begin, Scale((least, most), (begin + HEIGHT, begin), True))
    for i, words in enumerate(sources):
        drawing.text(24, drawing.height + 4 - 20 * (len(sources) - i), words, "soft")
    return drawing


def panel(drawing, shown, top, y):
    """One set of shapes, sorted by ratio."""
    what, ratios = shown
    least, most = (y.inverse(pixel) for pixel in (top + HEIGHT, top))
    ticks = log_ticks(least, most, y, (1, 2, 5, 10, 0.5, 20, 3, 0.8, 1.5), 26)
    drawing.grid(y, ticks, LEFT, RIGHT, "{:g}x".format)
    width = (RIGHT - LEFT) / len(ratios)
    for i, ratio in enumerate(ratios):
        left = LEFT + i * width
        high, low = sorted((y(ratio), y(1)))
        gap = 0.15 * width
        style = "f0" if ratio >= 1 else "f1"
        drawing.bar(left + gap, high, left + width - gap, max(low, high + 0.6), style)
    drawing.line([(LEFT, y(1)), (RIGHT, y(1))], "line ink")
    drawing.text(24, top - 10, f"{counted(ratios)} shapes {what}", "strong")
    behind = sum(ratio < 1 for ratio in ratios)
    if behind:
        drawing.text(
            LEFT, top + HEIGHT + 18, f"{behind} behind, the slowest {ratios[0]:.2f}x", "strong f1"
        )
