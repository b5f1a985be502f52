"""Rungs 01 and 02: the same threads, and which 32 of them form warp 0."""

from bench.rungs import rung_of
from docs.figures.rung_01 import lines_of, passes, words_of
from docs.figures.shapes import EDGE, Picture, plural, request
from docs.figures.tiles import paint, warp_results

SIDE, TOP = 250, 128
LEFTS = (60, 540)


def step(entry):
    """Bytes from lane 0 to lane 1."""
    return entry["addresses"][1] - entry["addresses"][0]


def draw(narrow=False):
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
        narrow,
    )
    side, top = (190, picture.top + 44) if narrow else (SIDE, TOP)
    lefts, gap = ((34, 250), 21) if narrow else (LEFTS, 24)
    for i, rung in enumerate((1, 2)):
        x, c = lefts[i], rung_of(rung).values()
        scale = side / c["BM"]
        picture.text(x, top - 26, f"rung {rung:02}", "large")
        picture.bar(x, top, x + side, top + side, "f2 tint")
        paint(picture, x, top, scale, *warp_results(rung), "f2")
        for at in range(1, c["BM"]):
            if rung == 1:
                picture.line([(x + at * scale, top), (x + at * scale, top + side)], "edge")
            else:
                picture.line([(x, top + at * scale), (x + side, top + at * scale)], "edge")
        if rung == 1:
            picture.arrow([(x - 16, top), (x - 16, top + side)])
        else:
            picture.arrow([(x, top - 12), (x + side, top - 12)])
        y = top + side + 34
        name = f"{rung:02}, " if narrow else ""
        steps = f"A +{step(of_a[i])} bytes, B +{step(of_b[i])} bytes"
        found = [
            f"{letter}: {plural(len(lines_of(entry)), 'line')}, "
            f"{plural(entry['sectors'], 'sector')}, {plural(passes(entry), 'wavefront')}"
            for letter, entry in (("A", of_a[i]), ("B", of_b[i]))
        ]
        if narrow:  # too wide to stand side by side
            x, y = EDGE, y + 80 * i
        picture.lines(x, y, [(f"{name}next lane: {steps}", "strong"), *found], gap=gap)
    words = "warp 0; the arrow runs from lane 0 to lane 31"
    entries = [("f2", words), ("f2 tint", "31 other warps")]
    end = picture.legend(EDGE if narrow else 60, y + 72 if narrow else 500, entries)
    if narrow:
        picture.height = end - 8
    return picture
