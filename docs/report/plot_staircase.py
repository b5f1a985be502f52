"""The staircase: TFLOP/s of every rung below the libraries and the roofs, and for phones.

Rungs on tensor cores, once they are recorded, have a staircase of their own below that of FP32:
their peaks are so much higher that both would not fit one scale.
"""

import dataclasses
import math
import textwrap

from bench.rungs import rung_table
from docs.report.recorded import (
    RESULTS,
    SIZE,
    MissingFileError,
    climb,
    of_rung,
    peak_tflops,
    precision_of,
    provenance,
    roofs,
    timed_entries,
    title_of,
)
from docs.report.svg import WIDTH, Drawing, Scale, text_width

NARROW = 400  # pixels of the drawing for phones
ROW = 30  # of that drawing
STEP_WIDTH = 78  # for the longest word of a rung's name
TALL = 480  # of a staircase, its title and the names below it
STEPS_TALL = 354  # of its scale
LABELS = 190  # pixels at its right, or more where words are longer
TENSOR = ("TF32", "BF16")
LIBRARIES = ("00_cublas", "best_cublaslt")  # in other precisions "00_cublas_tf32", ...
STYLES = ("line ink dashed", "line soft-line dashed", "line ink")  # cuBLAS, cublasLt, peak


@dataclasses.dataclass
class World:
    """Rungs that share a scale."""

    title: str
    entries: list
    lines: list  # [(TFLOP/s, words, style)]
    step: int  # of the scale's ticks
    last: int
    source: str  # of its figures

    @property
    def ticks(self):
        """Of the scale."""
        return range(0, self.last + 1, self.step)

    @property
    def words(self):
        """For readers who cannot see it."""
        rungs = ", ".join(
            f"{title_of(entry['name'])} {entry['tflops']:.1f}" for entry in self.entries
        )
        lines = ", ".join(f"{words} {tflops:.1f}" for tflops, words, _ in self.lines)
        return f"{rungs}. Lines: {lines}."


def levels(precision):
    """[(TFLOP/s, words, style)] of the lines behind the rungs of a precision."""
    entries = climb(SIZE)
    fp32 = precision == "FP32"
    names = (0, None) if fp32 else (f"{name}_{precision.lower()}" for name in LIBRARIES)
    behind = "" if fp32 else f" {precision}"
    found = [entries[name]["tflops"] for name in names] + [peak_tflops(precision)]
    words = (f"cuBLAS{behind}", f"best cublasLt{behind}", f"{precision} peak")
    lines = list(zip(found, words, STYLES, strict=True))
    if fp32:
        try:
            lines.append((roofs()["ffma"], "measured FFMA", "line soft-line"))
        except MissingFileError:
            pass  # staircase() says so
    return [line for line in lines if line[0] is not None]


def tensor_rung():
    """The lowest rung on tensor cores that has been recorded, or None."""
    recorded = (rung.number for rung in rung_table().values() if rung.precision in TENSOR)
    return next((number for number in sorted(recorded) if is_recorded(number)), None)


def is_recorded(rung):
    """Has the GPU that speaks for a rung run it?"""
    with of_rung(rung):
        return rung in climb(SIZE)


def worlds():
    """FP32, and what is recorded of the tensor cores."""
    source = provenance(f"climb_burst_{SIZE}.json")
    found = [World("FP32", timed_entries("FP32"), levels("FP32"), 10, 70, source)]
    with of_rung(tensor_rung()):
        entries = timed_entries(*TENSOR)
        if entries:
            precisions = [name for name in TENSOR if name in map(precision_of, entries)]
            lines = [line for precision in precisions for line in levels(precision)]
            last = 200 * math.ceil(max(line[0] for line in lines) / 200)
            title = f"tensor cores: {', '.join(precisions)}"
            source = provenance(f"climb_burst_{SIZE}.json")
            found.append(World(title, entries, lines, 200, last, source))
    return found


def staircase_words():
    """The staircase for readers who cannot see it."""
    return f"TFLOP/s of each rung at {SIZE}: {' Tensor cores: '.join(w.words for w in worlds())}"


def staircase():
    """TFLOP/s of every rung as steps, below the libraries and the roofs."""
    found = worlds()
    most = max(len(world.entries) for world in found)
    wide = max(WIDTH, STEP_WIDTH * most + 254)  # names stand beside each other
    height = 60 + TALL * len(found)
    labels = [f"{words} {tflops:.1f}" for world in found for tflops, words, _ in world.lines]
    right = wide - max(LABELS, 24 + max(map(text_width, labels)))
    drawing = Drawing(
        "staircase",
        wide,
        height,
        f"TFLOP/s of each rung: {found[0].title}, M = N = K = {SIZE}",
        found[0].source,
        staircase_words(),
    )
    if not (RESULTS / "roofs.json").exists():
        drawing.lacks.append(f"no measured roof: {RESULTS / 'roofs.json'} is not there")
    for i, world in enumerate(found):
        if i:
            drawing.text(64, 42 + TALL * i, world.title, "large")
            drawing.text(64, 62 + TALL * i, world.source, "soft")
        steps(drawing, world, right, 86 + TALL * i)
    words = "%: of the better of cuBLAS and cublasLt in the same run"
    drawing.text(64, height - 14, words if len(found) == 1 else f"{words} and precision", "soft")
    return drawing


def steps(drawing, world, right, top):
    """The rungs of a world beside each other."""
    left, bottom = 64, top + STEPS_TALL
    y = Scale((0, world.last), (bottom, top))
    drawing.grid(y, world.ticks, left, right)
    for tflops, _, style in world.lines:
        drawing.line([(left, y(tflops)), (right, y(tflops))], style)
    width = min((right - left) / len(world.entries), 2 * STEP_WIDTH)
    for i, entry in enumerate(world.entries):
        step(drawing, entry, left + i * width, left + (i + 1) * width, y, bottom)
    drawing.line([(left, bottom), (right, bottom)], "axis")
    drawing.labels(
        [(right, y(tflops), f"{words} {tflops:.1f}", "") for tflops, words, _ in world.lines],
        right + 24,
        top,
        bottom,
    )


def step(drawing, entry, left, right, y, bottom):
    """A rung of the staircase; figures stand inside where they would cross the lines above it."""
    at, middle = y(entry["tflops"]), (left + right) / 2
    tflops, share = f"{entry['tflops']:.1f}", f"{100 * entry['ratio_to_best']:.0f} %"
    drawing.bar(left + 1, at, right - 1, bottom, "f0")
    if bottom - at > 75:
        drawing.text(middle, at + 22, tflops, "strong on", "middle")
        drawing.text(middle, at + 42, share, "on", "middle")
    else:
        drawing.text(middle, at - 26, tflops, "strong", "middle")
        drawing.text(middle, at - 8, share, "soft", "middle")
    number, *words = entry["name"].split("_")
    drawing.text(middle, bottom + 20, number, "strong", "middle")
    for line, word in enumerate(words):
        drawing.text(middle, bottom + 38 + 18 * line, word, "", "middle")


def staircase_narrow():
    """The same for phones: a bar for each rung, from the left, below each other."""
    found = worlds()
    source = textwrap.wrap(found[0].source, 40)
    drawing = Drawing(
        "staircase-narrow",
        NARROW,
        0,
        f"TFLOP/s at M = N = K = {SIZE}",
        source[0],
        staircase_words(),
    )
    for i, words in enumerate(source[1:]):
        drawing.text(24, 80 + 20 * i, words, "soft")
    bottom = 48 + 20 * len(source)
    for i, world in enumerate(found):
        if i:
            drawing.text(24, bottom + 34, world.title, "strong")
            bottom += 34
            for words in textwrap.wrap(world.source, 40):
                bottom += 20
                drawing.text(24, bottom, words, "soft")
        bottom = bars(drawing, world, bottom + 20)
    for i, words in enumerate(("%: of the better of cuBLAS and cublasLt", "in the same run")):
        drawing.text(24, bottom + 26 + 20 * i, words, "soft")
    drawing.height = bottom + 58
    return drawing


def bars(drawing, world, first):
    """The rungs of a world below each other; `first`: base line of its highest roof."""
    left, right = 172, NARROW - 12
    lines = sorted(world.lines, key=lambda line: -line[0])
    top = first + 20 * len(lines)
    bottom = top + ROW * len(world.entries)
    x = Scale((0, world.last), (left, right))
    for i, (tflops, words, style) in enumerate(lines):  # the highest first: no line meets words
        at = first + 20 * i
        drawing.line([(x(tflops), at - 12), (x(tflops), bottom)], style)
        drawing.text(x(tflops) - 7, at, f"{words} {tflops:.1f}", "soft", "end")
    for i, entry in enumerate(world.entries):
        at, end = top + ROW * i, x(entry["tflops"])
        figures = f"{entry['tflops']:.1f}", f"{100 * entry['ratio_to_best']:.0f} %"
        drawing.text(14, at + 20, title_of(entry["name"]))
        drawing.bar(left, at + 2, end, at + ROW - 2, "f0")
        inside = text_width(figures[0], "strong") + text_width(figures[1]) + 15
        if end - left > inside:
            drawing.text(left + 7, at + 20, figures[0], "strong on")
            drawing.text(end - 6, at + 20, figures[1], "on", "end")
        else:
            drawing.text(end + 6, at + 20, ", ".join(figures), "strong")
    drawing.line([(left, top), (left, bottom)], "axis")
    return bottom
