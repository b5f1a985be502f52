"""Rungs 01 and 02: the same threads, and which 32 of them form warp 0."""

from bench.rungs import rung_of
from docs.figures.rung_01 import lines_of, passes, words_of
from docs.figures.shapes import Picture, plural, request
from docs.figures.tiles import paint, warp_results

SIDE, TOP = 250, 128
LEFTS = (60, 540)


def step(entry):
    """Bytes from lane 0 to lane 1."""
    return entry["addresses"][1] - entry["addresses"][0]


def draw():
    """Two block tiles with warp 0, and what a step of a lane is."""
    of_a = [request(rung, "A", "global load") for rung in (1, 2)]
    of_b = [request(rung, "B", "global load") for rung in (1, 2)]
    extent = words_of(of_a[0])[1] - words_of(of_a[0])[0]
    picture = Picture(
        "rung_02_warps",
        540,
        "The same threads, grouped into other warps",
        f"a block tile of C and its warp 0; steps from lane 0 to lane 1 at K = {extent}",
        "Two copies of a block tile of C. In rung 01 warp 0 is the first column, in rung 02 the "
        f"first row. From one lane to the next the address of A moves {step(of_a[0])} bytes in "
        f"rung 01 and {step(of_a[1])} in rung 02, that of B {step(of_b[0])} and "
        f"{step(of_b[1])} bytes.",
    )
    for i, rung in enumerate((1, 2)):
        x, c = LEFTS[i], rung_of(rung).values()
        scale = SIDE / c["BM"]
        picture.text(x, TOP - 26, f"rung {rung:02}", "large")
        picture.bar(x, TOP, x + SIDE, TOP + SIDE, "f2 tint")
        paint(picture, x, TOP, scale, *warp_results(rung), "f2")
        for at in range(1, c["BM"]):
            if rung == 1:
                picture.line([(x + at * scale, TOP), (x + at * scale, TOP + SIDE)], "edge")
            else:
                picture.line([(x, TOP + at * scale), (x + SIDE, TOP + at * scale)], "edge")
        if rung == 1:
            picture.arrow([(x - 16, TOP), (x - 16, TOP + SIDE)])
        else:
            picture.arrow([(x, TOP - 12), (x + SIDE, TOP - 12)])
        y = TOP + SIDE + 34
        steps = f"A +{step(of_a[i])} bytes, B +{step(of_b[i])} bytes"
        picture.text(x, y, f"next lane: {steps}", "strong")
        picture.text(
            x,
            y + 24,
            f"A: {plural(len(lines_of(of_a[i])), 'line')}, {plural(of_a[i]['sectors'], 'sector')}, "
            f"{plural(passes(of_a[i]), 'wavefront')}",
        )
        picture.text(
            x,
            y + 48,
            f"B: {plural(len(lines_of(of_b[i])), 'line')}, {plural(of_b[i]['sectors'], 'sector')}, "
            f"{plural(passes(of_b[i]), 'wavefront')}",
        )
    picture.legend(
        60,
        500,
        [("f2", "warp 0; the arrow runs from lane 0 to lane 31"), ("f2 tint", "31 other warps")],
    )
    return picture
