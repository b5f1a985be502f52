"""Ratios to the best library: over the squares, and over all shapes of the benchmark."""

from docs.report.recorded import (
    Benchmark,
    MissingFileError,
    described,
    flop,
    graph_below_flop,
    title_of,
)
from docs.report.svg import SERIES, WIDTH, Drawing, Scale, log_ticks

SHOWN_BY_SIZE = ("double_buffer", "wide_tile", "stream_k")  # beside the highest rung
RATIO_TICKS = [  # the roundest first
    *(1, 0.5, 2, 0.2, 5, 0.1, 10, 20, 0.05, 0.02, 0.01),
    *(n / 10 for n in (12, 8, 15, 6, 7, 11, 9, 13, 14, 4, 3, 30)),
    *(1.05, 0.95),
]


def usual_ratios(benchmark, rung):
    """[(job, ratio)] of a rung wherever it was measured with the usual protocol."""
    found = [(job, benchmark.ratio(rung, *job[1:])) for job in benchmark.usual_jobs()]
    found = [(job, ratio) for job, ratio in found if ratio is not None]
    if not found:
        raise MissingFileError(f"a benchmark of {rung} without --protocol is not there")
    return found


def ratio_words():
    """The plot of ratios for readers who cannot see it."""
    benchmark = Benchmark()
    rung = benchmark.rungs()[-1]
    ratios = [ratio for _, ratio in usual_ratios(benchmark, rung)]
    return (
        f"Speed over the better of cuBLAS and cublasLt: rung {title_of(rung)} on {len(ratios)} "
        f"shapes, from {min(ratios):.2f} to {max(ratios):.2f}; as fast or faster on "
        f"{sum(ratio >= 1 for ratio in ratios)}."
    )


def ratio_by_size():
    """Ratios to the best library: some rungs over the squares, the highest over all sets."""
    benchmark = Benchmark()
    highest = benchmark.rungs()[-1]
    rungs = [name for name in benchmark.rungs() if name[3:] in SHOWN_BY_SIZE and name != highest]
    squares = [job for job in benchmark.usual_jobs() if job[0] == "squares"]
    curves = {}
    for name in [highest, *rungs]:
        points = [(job[1][0], benchmark.ratio(name, *job[1:])) for job in squares]
        curves[name] = [(size, ratio) for size, ratio in points if ratio is not None]
    dots = usual_ratios(benchmark, highest)
    below = f"{graph_below_flop():.0e}".replace("e+", "e")
    drawing = Drawing(
        "ratio",
        WIDTH,
        520,
        "Speed over the better of cuBLAS and cublasLt in the same run: FP32",
        described(benchmark.context, f"bursts; replayed as graphs below {below} operations"),
        ratio_words(),
    )
    ratios = [1, *(ratio for curve in [*curves.values(), dots] for _, ratio in curve)]
    low, high = min(ratios) / 1.05, max(ratios) * 1.05
    y = Scale((low, high), (440, 106), logarithmic=True)
    ticks = log_ticks(low, high, y, RATIO_TICKS)
    draw_squares(drawing, curves, y, ticks)
    draw_sets(drawing, highest, dots, y, ticks)
    return drawing


def draw_squares(drawing, curves, y, ticks):
    """Left half: a line for each rung over M = N = K."""
    left, right = 64, 370
    sizes = sorted({size for curve in curves.values() for size, _ in curve})
    drawing.text(left, 92, "squares, M = N = K", "strong")
    drawing.grid(y, ticks, left, right, "{:g}".format)
    drawing.line([(left, y(1)), (right, y(1))], "line ink dashed")
    if not sizes:
        return
    x = Scale((sizes[0] / 1.1, sizes[-1] * 1.1), (left, right), logarithmic=True)
    for size in log_ticks(sizes[0], sizes[-1], x, sizes, distance=46):
        drawing.text(x(size), 462, str(size), "soft", "middle")
    names = []
    for i, (name, curve) in reversed(list(enumerate(curves.items()))):
        color = i % SERIES
        drawing.line([(x(size), y(ratio)) for size, ratio in curve], f"line l{color}")
        for size, ratio in curve:
            words = f"{title_of(name)}, {size}: {ratio:.3f}"
            drawing.dot(x(size), y(ratio), f"f{color}", words)
        if curve:
            size, ratio = curve[-1]
            names.append((x(size) + 7, y(ratio), title_of(name), f"strong f{color}"))
    drawing.labels(names, right + 20, 106, 440)


def draw_sets(drawing, rung, dots, y, ticks):
    """Right half: a column of dots for each set of shapes, as wide as the set is large."""
    left, right = 560, WIDTH - 24
    drawing.text(left, 92, f"all shapes, rung {title_of(rung)}", "strong f0")
    drawing.grid(y, ticks, left, right, words=lambda _: "")
    drawing.line([(left, y(1)), (right, y(1))], "line ink dashed")
    sets = {}
    for job, ratio in sorted(dots, key=lambda dot: flop(dot[0][1])):
        sets.setdefault(job[0], []).append((job, ratio))
    per_shape = (right - left - 46 * len(sets)) / sum(len(members) for members in sets.values())
    begin = left
    for name in dict.fromkeys(job[0] for job, _ in dots):
        end = begin + 46 + per_shape * len(sets[name])
        for i, (job, ratio) in enumerate(sets[name]):
            shape = " x ".join(str(extent) for extent in job[1])
            at = begin + (end - begin) * (i + 1) / (len(sets[name]) + 1)
            drawing.dot(at, y(ratio), "f0", f"{shape}, {job[2]}: {ratio:.3f}")
        first, _, last = title_of(name).rpartition(" ")
        for line, words in enumerate([word for word in (first, last) if word]):
            drawing.text((begin + end) / 2, 462 + 18 * line, words, "soft", "middle")
        if end < right - 1:
            drawing.line([(end, 106), (end, 440)], "rule")
        begin = end
    drawing.text(right, 512, "within a set from little work to much", "soft", "end")
