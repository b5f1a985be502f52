"""The staircase: TFLOP/s of every FP32 rung below the libraries and the roofs, and for phones."""

import textwrap

from docs.report.recorded import (
    RESULTS,
    SIZE,
    MissingFileError,
    climb,
    fp32_entries,
    fp32_peak_tflops,
    provenance,
    roofs,
    title_of,
)
from docs.report.svg import WIDTH, Drawing, Scale

NARROW = 400  # pixels of the drawing for phones
ROW = 30  # of that drawing
STEP_WIDTH = 78  # for the longest word of a rung's name


def levels():
    """[(TFLOP/s, words, style)] of the lines behind the staircase."""
    entries = climb(SIZE)
    lines = [
        (entries[0]["tflops"], "cuBLAS", "line ink dashed"),
        (entries[None]["tflops"], "best cublasLt", "line soft-line dashed"),
        (fp32_peak_tflops(), "FP32 peak", "line ink"),
    ]
    try:
        lines.append((roofs()["ffma"], "measured FFMA", "line soft-line"))
    except MissingFileError:
        pass  # staircase() says so
    return [line for line in lines if line[0] is not None]


def staircase_words():
    """The staircase for readers who cannot see it."""
    rungs = ", ".join(
        f"{title_of(entry['name'])} {entry['tflops']:.1f}" for entry in fp32_entries()
    )
    lines = ", ".join(f"{words} {tflops:.1f}" for tflops, words, _ in levels())
    return f"TFLOP/s of each rung at {SIZE}: {rungs}. Lines: {lines}."


def staircase():
    """TFLOP/s of every rung as steps, below the libraries and the roofs."""
    entries, lines = fp32_entries(), levels()
    wide = max(WIDTH, STEP_WIDTH * len(entries) + 254)  # names stand beside each other
    left, right, top, bottom = 64, wide - 190, 86, 440
    drawing = Drawing(
        "staircase",
        wide,
        540,
        f"TFLOP/s of each rung: FP32, M = N = K = {SIZE}",
        provenance(f"climb_burst_{SIZE}.json"),
        staircase_words(),
    )
    if not (RESULTS / "roofs.json").exists():
        drawing.lacks.append(f"no measured roof: {RESULTS / 'roofs.json'} is not there")
    y = Scale((0, 70), (bottom, top))
    drawing.grid(y, range(0, 71, 10), left, right)
    for tflops, _, style in lines:
        drawing.line([(left, y(tflops)), (right, y(tflops))], style)
    width = (right - left) / len(entries)
    for i, entry in enumerate(entries):
        step(drawing, entry, left + i * width, left + (i + 1) * width, y, bottom)
    drawing.line([(left, bottom), (right, bottom)], "axis")
    drawing.labels(
        [(right, y(tflops), f"{words} {tflops:.1f}", "") for tflops, words, _ in lines],
        right + 24,
        top,
        bottom,
    )
    drawing.text(left, 526, "%: of the better of cuBLAS and cublasLt in the same run", "soft")
    return drawing


def step(drawing, entry, left, right, y, bottom):
    """A rung of the staircase; figures stand inside where they would cross the lines above it."""
    at, middle = y(entry["tflops"]), (left + right) / 2
    tflops, share = f"{entry['tflops']:.1f}", f"{100 * entry['ratio_to_best']:.0f} %"
    drawing.bar(left + 1, at, right - 1, bottom, "f0")
    if entry["tflops"] > 15:
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
    entries = fp32_entries()
    lines = sorted(levels(), key=lambda line: -line[0])
    left, right = 172, NARROW - 12
    source = textwrap.wrap(provenance(f"climb_burst_{SIZE}.json"), 40)
    top = 68 + 20 * len(source) + 20 * len(lines)
    bottom = top + ROW * len(entries)
    drawing = Drawing(
        "staircase-narrow",
        NARROW,
        bottom + 58,
        f"TFLOP/s at M = N = K = {SIZE}",
        source[0],
        staircase_words(),
    )
    for i, words in enumerate(source[1:]):
        drawing.text(24, 80 + 20 * i, words, "soft")
    x = Scale((0, 70), (left, right))
    for i, (tflops, words, style) in enumerate(lines):  # the highest first: no line meets words
        at = 68 + 20 * (len(source) + i)
        drawing.line([(x(tflops), at - 12), (x(tflops), bottom)], style)
        drawing.text(x(tflops) - 7, at, f"{words} {tflops:.1f}", "soft", "end")
    for i, entry in enumerate(entries):
        at = top + ROW * i
        name = title_of(entry["name"])
        figures = f"{entry['tflops']:.1f}", f"{100 * entry['ratio_to_best']:.0f} %"
        drawing.text(14, at + 20, name)
        drawing.bar(left, at + 2, x(entry["tflops"]), at + ROW - 2, "f0")
        if entry["tflops"] > 25:
            end = x(entry["tflops"])
            drawing.text(left + 7, at + 20, figures[0], "strong on")
            drawing.text(end - 6, at + 20, figures[1], "on", "end")
        else:
            drawing.text(x(entry["tflops"]) + 6, at + 20, ", ".join(figures), "strong")
    drawing.line([(left, top), (left, bottom)], "axis")
    for i, words in enumerate(("%: of the better of cuBLAS and cublasLt", "in the same run")):
        drawing.text(24, bottom + 26 + 20 * i, words, "soft")
    return drawing
