"""Inner product against outer product: words read for each multiply-add."""

from docs.figures.shapes import EDGE, Picture
from docs.figures.tiles import tile_constants

CELL = 26


def draw(narrow=False):
    """A row times a column, and a column times a row."""
    c, wide = tile_constants(4), tile_constants(10)
    tiles = [(1, 1), (2, 2), (4, 4), (c["TM"], c["TN"]), (wide["TM"], wide["TN"])]
    ratios = [(m + n) / (m * n) for m, n in tiles]
    listed = ", ".join(f"{m} x {n}: {r:.3g}" for (m, n), r in zip(tiles, ratios, strict=True))
    picture = Picture(
        "outer_product",
        520,
        "An outer product uses each word many times",
        "what a thread reads for one step k, and what it multiplies with that",
        "For one result a thread reads a word of A and a word of B per multiply-add: 2 words. "
        f"For {c['TM']} x {c['TN']} results it reads {c['TM']} + {c['TN']} words per k and "
        f"multiplies each with each: {c['TM'] + c['TN']} words for {c['TM'] * c['TN']} "
        f"multiply-adds. Words per multiply-add by thread tile: {listed}.",
        narrow,
    )
    left, top = EDGE if narrow else 24, picture.top + 6
    picture.text(left, top, "inner product: 1 result", "strong")
    picture.row(left, top + 50, CELL, ["f0 tint"] * 3 + ["f0"] + ["f0 tint"] * 4)
    for k in range(8):
        style = "f1" if k == 3 else "f1 tint"
        picture.cell(left + 238, top + 18 + k * CELL, CELL, CELL, style)
    picture.text(left + 3.5 * CELL, top + 43, "k", "soft", "middle")
    picture.text(left + 230, top + 18 + 3.5 * CELL + 5, "k", "soft", "end")
    picture.cell(left + 286, top + 18 + 3 * CELL, CELL, CELL, "f2")
    picture.text(left, top + 120, "a row of A times", "soft")
    picture.text(left, top + 141, "a column of B", "soft")
    picture.text(left, top + 190, "2 words", "strong")
    picture.text(left, top + 212, "for 1 multiply-add")
    x, y = (left + 48, top + 276) if narrow else (480, top + 12)
    tm, tn = c["TM"], c["TN"]
    picture.text(x - 48, y - 12, f"outer product: {tm} x {tn} results", "strong")
    for n in range(tn):
        picture.cell(x + n * CELL, y, CELL, CELL, "f1")
    for m in range(tm):
        top = y + (m + 1) * CELL + 8
        picture.cell(x - CELL - 8, top, CELL, CELL, "f0")
        picture.row(x, top, CELL, ["f2"] * tn)
    beside = (left, y + (tm + 1) * CELL + 40) if narrow else (x + tn * CELL + 28, y + 60)
    picture.lines(
        *beside,
        [
            (f"{tm} words of A, {tn} of B", "strong"),
            f"for {tm} x {tn} = {tm * tn} multiply-adds",
            "",
            "A word of A meets all",
            f"{tn} of B, in registers.",
        ],
    )
    y = beside[1] + 134 if narrow else 386
    picture.text(left, y, "words read for one multiply-add, by thread tile", "strong")
    scale = 130 / 2
    for i, ((m, n), ratio) in enumerate(zip(tiles, ratios, strict=True)):
        at, bar = (left + 80, y + 14 + 32 * i) if narrow else (left + 196 * i, y + 44)
        words = (left, bar + 19) if narrow else (at, y + 32)
        picture.text(*words, f"{m} x {n}", "soft")
        picture.bar(at, bar, at + ratio * scale, bar + 26, "f3")
        picture.text(at + ratio * scale + 8, bar + 19, f"{ratio:.3g}", "strong")
    words = (
        f"rungs 01 to 03: 1 x 1; rungs 04 to 09: {tm} x {tn}; from rung 10: "
        f"{wide['TM']} x {wide['TN']}"
    )
    end = picture.paragraph(left, y + 200 if narrow else 496, words, "soft")
    if narrow:
        picture.height = end - 4
    return picture
